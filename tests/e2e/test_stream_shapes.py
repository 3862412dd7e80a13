"""Streams as users reported them: a character cut in all ways, tool calls side by side, deaths of a Responses stream."""

import json
import unittest

from harness import GatewayCase, answers
from harness.answers import chat_chunk, data_event
from harness.gateway import chat_request

USAGE = (1135, 1024, 7)
CONFIG = '[[model]]\nname = "tiny"\naliases = ["claude-*"]\n'


class EveryCut(GatewayCase):
    CHARACTER = b'data: {"choices":[{"delta":{"content":"\xe4\xb8\xad"}}]}\n\n'
    USAGE = (b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,'
             b'"prompt_tokens_details":{"cached_tokens":4}}}\n\ndata: [DONE]\n\n')

    def check(self, upstream, gateway, whole, cuts):
        pieces = [whole[a:b] for a, b in zip((0, *cuts), (*cuts, len(whole)))]
        upstream.answer = lambda exchange: exchange.stream(pieces)
        with self.subTest(cuts=cuts):
            self.client.request("POST", "/v1/chat/completions", self.request)
            self.assertEqual(self.client.read_response().body, whole)

    def test_every_cut_and_every_two_cuts_of_a_stream_give_the_same_bytes_and_counts(self):
        upstream, gateway = self.pair()
        self.request = chat_request(stream=True, stream_options={"include_usage": True})
        whole = self.CHARACTER + self.USAGE
        turns = 0
        with gateway.connect() as self.client:
            for first in range(1, len(whole)):
                self.check(upstream, gateway, whole, (first,))
                turns += 1
            for first in range(1, len(self.CHARACTER)):
                for second in range(first + 1, len(self.CHARACTER) + 1):
                    self.check(upstream, gateway, whole, (first, second))
                    turns += 1
        totals = gateway.totals()
        counts = (totals["measured_turns"], totals["prompt_tokens"], totals["cached_tokens"])
        self.assertEqual(counts, (turns, 9 * turns, 4 * turns))


def call(index, name=None, arguments=None, identity=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"index": index, **({"id": identity, "type": "function"} if identity else {}), "function": function}


class ToolCalls(GatewayCase):
    """They pass as they come. Only the engine knows which piece belongs to which call."""

    STREAMS = {
        "two calls side by side": [
            [call(0, "f", "", "a"), call(1, "g", "", "b")], [call(1, arguments='{"x"')], [call(0, arguments="{}")],
            [call(1, arguments=":1}")]],
        "whole arguments in one piece": [[call(0, "f", '{"x":[1,2]}', "a")]],
        "no arguments": [[call(0, "f", "", "a")]],
        "an id in every piece": [[call(0, "f", "", "a")], [call(0, arguments='{"x"', identity="a")],
                                 [call(0, arguments=":1}", identity="a")]],
    }

    def events(self, calls, model):
        chunks = [{"role": "assistant", "content": ""}] + [{"tool_calls": each} for each in calls] + [{"content": "after"}]
        events = [data_event(chat_chunk(delta, model=model)) for delta in chunks]
        end = data_event(chat_chunk({}, "tool_calls", model))
        return [*events, end, answers.usage_event(USAGE, model), b"data: [DONE]\n\n"]

    def test_the_pieces_of_tool_calls_pass_in_their_order_whatever_is_edited_beside_them(self):
        upstream, gateway = self.pair(config=CONFIG)
        for what, calls in self.STREAMS.items():
            with self.subTest(what):
                upstream.answer = lambda exchange, c=calls: exchange.stream(self.events(c, "tiny"))
                answer = gateway.chat(stream=True, model="claude-x")
                expected = self.events(calls, "claude-x")
                del expected[-2]  # the usage that only LM Warden asked for
                self.assertEqual(answer.body, b"".join(expected))

    def test_tool_blocks_of_messages_pass_as_they_come(self):
        upstream, gateway = self.pair()
        events = answers.messages_events(["text"], USAGE)
        tool = {"type": "tool_use", "input": {}}
        blocks = [("content_block_start", {"index": 1, "content_block": {**tool, "id": "a", "name": "f"}}),
                  ("content_block_start", {"index": 2, "content_block": {**tool, "id": "b", "name": "g"}}),
                  ("content_block_delta", {"index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"x"'}}),
                  ("content_block_delta", {"index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
                  ("content_block_delta", {"index": 2, "delta": {"type": "input_json_delta", "partial_json": ":1}"}})]
        events[-2:-2] = [data_event({"type": name, **value}, name) for name, value in blocks]
        upstream.answer = lambda exchange: exchange.stream(events)
        self.assertEqual(gateway.messages(stream=True).body, b"".join(events))


class DeathsOfResponses(GatewayCase):
    def cut(self, events, tail=b""):
        """What the client gets when the engine's connection is reset after these events and `tail`."""
        upstream, gateway = self.pair(version="0.33.0")
        whole = b"".join(events)

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(whole + tail)
            if events:
                gateway.poll(lambda: received, what="the client to have the events")
            exchange.reset()

        received = []
        upstream.answer = answer
        with gateway.connect() as client:
            client.request("POST", "/v1/responses", {"model": "tiny", "stream": True, "input": "Hello"})
            response = client.read_head()
            size = int(client.reader.until(b"\r\n"), 16)
            got = client.reader.exactly(size + 2)[:-2]
            received.append(got)
            response.body = got
            client.read_body(response)
        self.assertEqual(got, whole)
        return response.body[len(whole):], gateway.totals()

    def test_a_reset_after_three_events_and_within_the_fourth_ends_in_a_failed_response(self):
        events = answers.responses_events(["a", "b"], answers.response("ab", USAGE))
        for tail in (b"", events[3][:20]):
            with self.subTest(tail):
                end, totals = self.cut(events[:3], tail)
                self.assertTrue(end.startswith(b"event: response.failed\ndata: "), end)
                failed = json.loads(end.partition(b"data: ")[2])
                self.assertEqual((failed["type"], failed["response"]["status"]), ("response.failed", "failed"))
                self.assertEqual((totals["failed"], totals["answered"]), (1, 0))

    def test_a_reset_after_the_last_event_leaves_a_clean_answer(self):
        events = answers.responses_events(["a", "b"], answers.response("ab", USAGE))
        end, totals = self.cut(events)
        self.assertEqual(end, b"")
        self.assertEqual((totals["failed"], totals["answered"]), (0, 1))


if __name__ == "__main__":
    unittest.main()
