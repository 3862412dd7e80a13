"""Streams: every byte passes as the engine sent it, whatever the cuts, and its counts are understood on the way."""

import queue
import unittest

from harness import GatewayCase, answers
from harness.gateway import chat_request

USAGE = (1135, 1024, 7)
CHAT = answers.chat_events(["Gr\u00fc\u00dfe ", "\u4e2d\u6587 \U0001f600", "."], USAGE)
CHAT_BYTES = b"".join(CHAT)
MESSAGES_BYTES = b"".join(answers.messages_events(["Gr\u00fc\u00dfe ", "\u4e2d\u6587 \U0001f600"], USAGE))
ASKING = {"stream_options": {"include_usage": True}}

# Bytes that pass as they are. Each is a whole stream for a client of chat completions.
DONE = b"data: [DONE]"
ODD_STREAMS = {
    "CRLF": CHAT_BYTES.replace(b"\n", b"\r\n"),
    "lone CR": CHAT_BYTES.replace(b"\n", b"\r"),
    "lone CR within": b'data: {"a":1}\rdata: {"b":2}\r\r' + DONE + b"\r\r",
    "mixed line ends": b'data: {"a":1}\r\n\ndata: {"b":2}\n\r\n' + DONE + b"\n\n",
    "no space after the colon": CHAT_BYTES.replace(b"data: ", b"data:"),
    "comments": b": ping\n\n" + CHAT_BYTES.replace(b"data: [DONE]", b": almost\n\ndata: [DONE]"),
    "a BOM": b"\xef\xbb\xbf" + CHAT_BYTES,
    "several data lines": b'data: {"a":\ndata: 1}\n\n' + DONE + b"\n\n",
    "ids and retries": b"id: 7\nretry: 100\nevent: x\ndata: {}\n\nid\n\n" + DONE + b"\n\n",
    "fields nobody knows": b"foo: bar\ndata: {}\n\n" + DONE + b"\n\n",
    "empty lines ahead": b"\n\n\n" + CHAT_BYTES,
    "data that is no JSON": b"data: hello {\n\ndata: \xff\xfe\n\n" + DONE + b"\n\n",
    "bytes after the end": CHAT_BYTES + b": bye\n\n",
    "no blank line at the end": CHAT_BYTES[:-1],
    "no line end at the end": CHAT_BYTES[:-2],
    "NUL bytes": b"data: \0\0\n\n" + DONE + b"\n\n",
}


class Cuts(GatewayCase):
    """One gateway for all cuts of a test: what counts is how its counters grow."""

    def check(self, gateway, upstream, path, whole, pieces):
        def answer(exchange):
            exchange.stream_head()
            for piece in pieces:
                exchange.chunk(piece)
            exchange.end()

        upstream.answer = answer
        got = gateway.ask("POST", path, chat_request(stream=True, **ASKING))
        self.assertTrue(got.complete)
        self.assertEqual(got.body, whole)

    def check_counts(self, gateway, turns):
        totals = gateway.totals()
        prompt, cached, completion = USAGE
        self.assertEqual(totals["measured_turns"], turns)
        self.assertEqual(totals["answered"], turns)
        self.assertEqual(totals["prompt_tokens"], prompt * turns)
        self.assertEqual(totals["cached_tokens"], cached * turns)
        self.assertEqual(totals["completion_tokens"], completion * turns)

    def test_a_stream_that_comes_byte_by_byte_passes_and_is_counted(self):
        upstream, gateway = self.pair()
        for path, whole in (("/v1/chat/completions", CHAT_BYTES), ("/v1/messages", MESSAGES_BYTES)):
            for data in (whole, whole.replace(b"\n", b"\r\n"), whole.replace(b"\n", b"\r")):
                self.check(gateway, upstream, path, data, [data[i:i + 1] for i in range(len(data))])
        self.check_counts(gateway, 6)

    def test_a_stream_cut_once_anywhere_passes_and_is_counted(self):
        upstream, gateway = self.pair()
        # The usage event, the end, and what stands before them: everything that is looked at.
        tail = CHAT_BYTES[CHAT_BYTES.rindex(b"data: {"):]
        lead = CHAT_BYTES[:-len(tail)]
        for at in range(len(tail)):
            self.check(gateway, upstream, "/v1/chat/completions", CHAT_BYTES, [lead + tail[:at], tail[at:]])
        self.check_counts(gateway, len(tail))

    def test_a_stream_cut_twice_within_a_character_or_a_field_name_passes_and_is_counted(self):
        upstream, gateway = self.pair()
        turns = 0
        for mark, width in ((b"\xe4\xb8\xad", 3), (b"\xf0\x9f\x98\x80", 4), (b"data: {", 7), (b"\n\ndata: [DONE]\n\n", 16)):
            start = CHAT_BYTES.rindex(mark)
            for first in range(start, start + width):
                for second in range(first + 1, start + width + 1):
                    pieces = [CHAT_BYTES[:first], CHAT_BYTES[first:second], CHAT_BYTES[second:]]
                    self.check(gateway, upstream, "/v1/chat/completions", CHAT_BYTES, pieces)
                    turns += 1
        self.check_counts(gateway, turns)


class OddStreams(GatewayCase):
    def test_odd_streams_pass_byte_for_byte(self):
        upstream, gateway = self.pair()
        for what, whole in ODD_STREAMS.items():
            for step in (len(whole), 1, 5):
                with self.subTest(what, step=step):
                    pieces = [whole[i:i + step] for i in range(0, len(whole), step)]
                    upstream.answer = lambda exchange, p=pieces: exchange.stream(p)
                    got = gateway.chat(stream=True, **ASKING)
                    self.assertTrue(got.complete)
                    self.assertEqual(got.body, whole)

    def test_each_event_is_passed_on_when_it_comes(self):
        upstream, gateway = self.pair()
        with gateway.connect() as client:
            asked = queue.Queue()

            def answer(exchange):
                exchange.stream_head([("x-request-id", "r1")])
                for event in CHAT:
                    asked.get(timeout=10)
                    exchange.chunk(event)
                exchange.end()

            upstream.answer = answer
            client.request("POST", "/v1/chat/completions", chat_request(stream=True, **ASKING))
            asked.put(1)
            response = client.read_head()
            for event in CHAT:
                size = int(client.reader.until(b"\r\n"), 16)
                self.assertEqual(client.reader.exactly(size + 2)[:-2], event)
                asked.put(1)
            self.assertEqual(response.headers.get("Content-Type"), "text/event-stream; charset=utf-8")
            self.assertEqual(response.headers.get("x-request-id"), "r1")

    def test_a_line_of_256_mib_without_an_end_passes_and_takes_no_memory(self):
        upstream, gateway = self.pair()
        piece, pieces = b"x" * (1 << 20), 256
        gateway.chat(stream=True)
        before, counted = gateway.rss(), gateway.totals()

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(b"data: ")
            for _ in range(pieces):
                exchange.chunk(piece)
            exchange.end()

        upstream.answer = answer
        peak = 0
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            client.read_head()
            size = 0
            while True:
                length = int(client.reader.until(b"\r\n"), 16)
                if length == 0:
                    break
                size += len(client.reader.exactly(length + 2)) - 2
                peak = max(peak, gateway.rss())
        self.assertEqual(size, 6 + pieces * len(piece))
        self.assertLess(peak - before, 40 << 20)
        gateway.wait_idle()
        totals = gateway.totals()
        for name in ("measured_turns", "prompt_tokens", "completion_tokens"):
            self.assertEqual(totals[name], counted[name])


class UsageEvent(GatewayCase):
    def test_the_usage_event_that_only_we_asked_for_does_not_reach_the_client(self):
        upstream, gateway = self.pair()
        upstream.usage = USAGE
        answer = gateway.chat(stream=True)
        self.assertEqual(answer.body, b"".join(answers.chat_events(upstream.words)))
        self.assertTrue(upstream.turns[0].json()["stream_options"]["include_usage"])
        totals = gateway.totals()
        self.assertEqual((totals["prompt_tokens"], totals["cached_tokens"]), USAGE[:2])

    def test_a_client_that_asks_for_usage_keeps_it(self):
        upstream, gateway = self.pair()
        answer = gateway.chat(stream=True, **ASKING)
        self.assertEqual(answer.body, b"".join(answers.chat_events(upstream.words, upstream.usage)))

    def test_a_client_that_says_it_wants_no_usage_does_not_see_it(self):
        upstream, gateway = self.pair()
        answer = gateway.chat(stream=True, stream_options={"include_usage": False})
        self.assertEqual(answer.body, b"".join(answers.chat_events(upstream.words)))

    def test_continuous_usage_passes_and_is_not_added_up(self):
        upstream, gateway = self.pair()
        options = {"include_usage": True, "continuous_usage_stats": True}
        answer = gateway.chat(stream=True, stream_options=options)
        whole = b"".join(answers.chat_events(upstream.words, upstream.usage, continuous=True))
        self.assertEqual(answer.body, whole)
        totals = gateway.totals()
        self.assertEqual((totals["prompt_tokens"], totals["cached_tokens"], totals["completion_tokens"]),
                         upstream.usage)

    def test_an_engine_that_ignores_the_question_is_counted_as_unmeasured(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.stream(answers.chat_events(["x"]))
        answer = gateway.chat(stream=True)
        self.assertEqual(answer.body, b"".join(answers.chat_events(["x"])))
        totals = gateway.totals()
        self.assertEqual((totals["answered"], totals["measured_turns"], totals["unmeasured_turns"]), (1, 0, 1))

    def test_a_word_that_looks_like_usage_is_text(self):
        upstream, gateway = self.pair()
        upstream.words = ['"choices":[],"usage":{"prompt_tokens":5}', "data: [DONE]", "\n\n"]
        answer = gateway.chat(stream=True)
        self.assertEqual(answer.body, b"".join(answers.chat_events(upstream.words)))
        self.assertEqual(gateway.totals()["prompt_tokens"], upstream.usage[0])

    def test_answers_without_a_stream_are_counted_in_both_families(self):
        upstream, gateway = self.pair()
        gateway.chat()
        gateway.messages()
        totals = gateway.totals()
        self.assertEqual((totals["prompt_tokens"], totals["cached_tokens"], totals["completion_tokens"]),
                         tuple(2 * count for count in upstream.usage))

    def test_shapes_of_usage_without_a_cached_count_are_unmeasured(self):
        upstream, gateway = self.pair()
        shapes = [b'{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":null}',
                  b'{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{}}',
                  b'{"prompt_tokens":10,"completion_tokens":1}',
                  b'{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":11}}',
                  b'{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":"5"}}']
        for shape in shapes:
            body = b'{"choices":[],"usage":' + shape + b"}"
            upstream.answer = lambda exchange, b=body: exchange.reply(200, b)
            self.assertEqual(gateway.chat().body, body)
        totals = gateway.totals()
        self.assertEqual((totals["measured_turns"], totals["unmeasured_turns"]), (0, len(shapes)))
        self.assertEqual((totals["prompt_tokens"], totals["computed_tokens"]), (50, 50))

    def test_a_cached_count_of_zero_is_a_measure(self):
        upstream, gateway = self.pair()
        upstream.usage = (10, 0, 1)
        gateway.chat()
        totals = gateway.totals()
        self.assertEqual((totals["measured_turns"], totals["cached_tokens"]), (1, 0))


if __name__ == "__main__":
    unittest.main()
