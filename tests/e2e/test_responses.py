"""/v1/responses, as Codex uses it, and the older /v1/completions."""

import json
import time
import unittest

from harness import GatewayCase, answers

CODEX = [("session-id", "0197-a"), ("thread-id", "0197-a"), ("x-codex-window-id", "0197-a:0")]


def request(**more):
    return {"model": "tiny", "input": [{"role": "user", "content": "Hello"}], **more}


class Responses(GatewayCase):
    def ask(self, gateway, headers=CODEX, **more):
        return gateway.ask("POST", "/v1/responses", request(**more), headers)

    def test_a_stream_passes_unchanged_and_its_tokens_are_measured(self):
        upstream, gateway = self.pair(version="0.33.0")
        answer = self.ask(gateway, stream=True)
        whole = answers.response("".join(upstream.words), upstream.usage)
        self.assertEqual(answer.body, b"".join(answers.responses_events(upstream.words, whole)))
        self.assertEqual(json.loads(upstream.turns[0].body), request(stream=True))
        totals = gateway.totals()
        self.assertEqual((totals["prompt_tokens"], totals["cached_tokens"], totals["completion_tokens"]), upstream.usage)
        self.assertEqual(totals["measured_turns"], 1)

    def test_a_whole_answer_is_measured_too(self):
        upstream, gateway = self.pair(version="0.33.0")
        self.ask(gateway)
        self.assertEqual(gateway.totals()["cached_tokens"], upstream.usage[1])

    def test_a_codex_thread_stays_on_its_rank_where_the_engine_heeds_it(self):
        upstream, gateway = self.pair(ranks=4, version="0.33.0")
        for _ in range(4):
            self.ask(gateway)
        self.assertEqual([turn.rank for turn in upstream.turns], ["0"] * 4)
        self.assertEqual((gateway.totals()["placed"], gateway.totals()["sticky"]), (1, 3))

    def test_a_codex_thread_stays_on_its_engine_with_one_engine_a_replica(self):
        first, second = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(first, second)
        for _ in range(4):
            self.ask(gateway)
        self.assertEqual({len(first.turns), len(second.turns)}, {0, 4})
        self.assertEqual(gateway.totals()["sticky"], 3)

    def test_an_engine_that_ignores_the_rank_is_counted_and_told_of(self):
        upstream, gateway = self.pair(ranks=2, version="0.32.0")
        for _ in range(3):
            self.ask(gateway)
        self.assertEqual([turn.rank for turn in upstream.turns], [None] * 3)
        self.assertEqual((gateway.totals()["not_followed"], gateway.totals()["placed"]), (3, 0))
        gateway.chat(CODEX)  # elsewhere the rank is heeded
        self.assertEqual(gateway.totals()["placed"], 1)
        self.assertEqual(gateway.log.count("ignores ranks on /v1/responses"), 1)

    def test_codex_closing_right_after_its_last_event_has_its_answer(self):
        upstream, gateway = self.pair(version="0.33.0")
        whole = answers.response("hi", upstream.usage)

        def answer(exchange):
            exchange.stream_head()
            for event in answers.responses_events(["hi"], whole):
                exchange.chunk(event)
            exchange.wait_gone()  # without the last chunk: the client closes first

        upstream.answer = answer
        with gateway.connect() as client:
            client.request("POST", "/v1/responses", request(stream=True), CODEX)
            client.read_head()
            client.reader.until(b"response.completed\ndata: ")
            client.reader.until(b"\n\n")
        deadline = time.monotonic() + 5
        while gateway.totals()["in_flight"] and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual((gateway.totals()["answered"], gateway.totals()["cancelled"]), (1, 0))

    def test_a_stream_that_is_cut_short_ends_in_a_failed_response(self):
        upstream, gateway = self.pair(version="0.33.0")
        events = answers.responses_events(["a", "b"], answers.response("ab", upstream.usage))

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(b"".join(events[:2]) + events[2][:10])
            exchange.close()

        upstream.answer = answer
        body = self.ask(gateway, stream=True).body
        self.assertTrue(body.startswith(b"".join(events[:2]) + b"event: response.failed\ndata: "), body)
        failed = json.loads(body.rpartition(b"data: ")[2])
        self.assertEqual((failed["type"], failed["response"]["status"]), ("response.failed", "failed"))

    def test_errors_have_the_shape_of_openai(self):
        _, gateway = self.pair()
        answer = gateway.ask("POST", "/v1/responses", request(model="other"))
        self.assert_openai_error(answer, 404, "not_found_error")

    def test_completions_hide_the_usage_that_only_we_asked_for(self):
        upstream, gateway = self.pair()
        events = answers.chat_events(["a", "b"], upstream.usage)
        upstream.answer = lambda exchange: exchange.stream(events)
        body = {"model": "tiny", "prompt": "x", "stream": True}
        answer = gateway.ask("POST", "/v1/completions", body, [("X-Session-Id", "completions-1")])
        self.assertEqual(answer.body, b"".join(events[:-2] + events[-1:]))
        self.assertTrue(upstream.turns[0].json()["stream_options"]["include_usage"])
        self.assertEqual(gateway.totals()["cached_tokens"], upstream.usage[1])


if __name__ == "__main__":
    unittest.main()
