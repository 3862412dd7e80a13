"""Silent streams: what keeps their clients patient, and what never changes for it."""

import json
import re
import threading
import unittest

from harness import answers
from harness.gateway import chat_request, messages_request
from silent_streams import COMMENT, EVENT, FAMILIES, OFF, SilentCase, without_leading


class BeforeTheHead(SilentCase):
    def test_a_silent_engine_is_bridged_by_pings_of_the_family_and_its_stream_follows(self):
        upstream, gateway = self.start()
        for path, (request, ping, events) in FAMILIES.items():
            def answer(exchange, events=events):
                self.silent_until_told()
                exchange.stream(events)

            upstream.answer = answer
            with self.subTest(path), gateway.connect() as client:
                client.request("POST", path, request)
                head = client.read_head()
                self.assertEqual(head.status, 200)
                self.assertEqual(head.headers.get("Content-Type"), "text/event-stream; charset=utf-8")
                self.read_pings(client, ping)
                self.go.release()
                self.check_rest(client, head, ping, events)
        gateway.wait_idle()
        totals = gateway.totals()
        self.assertEqual((totals["answered"], totals["failed"]), (len(FAMILIES), 0))

    def test_an_http_1_0_client_gets_pings_too(self):
        upstream, gateway = self.start()

        def answer(exchange):
            self.silent_until_told()
            exchange.stream(FAMILIES["/v1/messages"][2])

        upstream.answer = answer
        body = json.dumps(messages_request(stream=True)).encode()
        with gateway.connect() as client:
            client.send(b"POST /v1/messages HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            client.reader.until(b"\r\n\r\n")
            self.assertEqual(client.reader.exactly(2 * len(EVENT)), EVENT * 2)
            self.go.release()
            rest = client.at_end()
        self.assertEqual(rest.replace(EVENT, b""), b"".join(FAMILIES["/v1/messages"][2]))

    def test_a_turn_still_moves_to_another_engine(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two, flags=["--timeouts-heartbeat", "20ms", "--scrape-interval", "10m"])
        self.go = threading.Semaphore(0)
        _, ping, events = FAMILIES["/v1/chat/completions"]
        asked = []

        def answer_of(upstream):
            def answer(exchange):
                asked.append(upstream)
                if len(asked) > 1:
                    exchange.stream(events)
                    return
                self.silent_until_told()
                upstream.stop()
                exchange.reset()
            return answer

        one.answer, two.answer = answer_of(one), answer_of(two)
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            head = client.read_head()
            self.read_pings(client, ping)
            self.go.release()
            self.check_rest(client, head, ping, events)
        self.assertEqual({*asked}, {one, two})
        totals = gateway.totals()
        self.assertEqual((totals["moved"], totals["answered"], totals["in_flight"]), (1, 1, 0))

    def test_a_client_that_leaves_ends_the_engines_work_and_has_had_no_first_byte(self):
        upstream, gateway = self.start()
        gone = []
        upstream.answer = lambda exchange: gone.append(exchange.wait_gone())
        with gateway.connect() as client:
            client.request("POST", "/v1/messages", messages_request(stream=True))
            client.read_head()
            self.read_pings(client, EVENT)
        gateway.poll(lambda: gone, what="the upstream connection to end")
        self.assertIsNotNone(gone[0])
        gateway.poll(lambda: gateway.totals()["cancelled"] == 1, what="the turn to end")
        counts = re.findall(r"^lmwarden_ttfb_seconds_count\{.*\} (\d+)", gateway.metrics(), re.MULTILINE)
        self.assertEqual(sum(map(int, counts)), 0)


class AfterTheHead(SilentCase):
    def test_the_head_of_the_engine_is_the_one_that_goes_out(self):
        upstream, gateway = self.start(["--timeouts-heartbeat", "500ms"])
        for path, (request, ping, events) in FAMILIES.items():
            def answer(exchange, events=events):
                exchange.stream_head([("x-request-id", "r1")])
                self.silent_until_told()
                for event in events:
                    exchange.chunk(event)
                exchange.end()

            upstream.answer = answer
            with self.subTest(path), gateway.connect() as client:
                client.request("POST", path, request)
                head = client.read_head()
                self.assertEqual(head.headers.get("x-request-id"), "r1")
                self.read_pings(client, ping, count=1)
                self.go.release()
                self.check_rest(client, head, ping, events)

    def test_pings_stand_between_whole_events_and_nothing_else_changes(self):
        upstream, gateway = self.start()
        for path, (request, ping, events) in FAMILIES.items():
            def answer(exchange, events=events):
                exchange.stream_head()
                exchange.chunk(events[0])
                self.silent_until_told()
                exchange.chunk(events[1][:-7])
                self.silent_until_told()
                exchange.chunk(events[1][-7:] + b"".join(events[2:]))
                exchange.end()

            upstream.answer = answer
            with self.subTest(path), gateway.connect() as client:
                client.request("POST", path, request)
                head = client.read_head()
                self.assertEqual(self.skip_pings(client, ping), events[0])
                self.read_pings(client, ping)
                self.go.release()
                self.read_pings(client, ping)
                self.go.release()
                self.check_rest(client, head, ping, events[1:])
        gateway.wait_idle()
        self.assertEqual(gateway.totals()["answered"], len(FAMILIES))

    def test_nothing_comes_after_the_last_event(self):
        upstream, gateway = self.start()
        for path, (request, ping, events) in FAMILIES.items():
            def answer(exchange, events=events):
                exchange.stream_head()
                exchange.chunk(b"".join(events))
                self.stay_silent(upstream)
                exchange.end()

            upstream.answer = answer
            with self.subTest(path):
                body = gateway.ask("POST", path, request).body
                self.assertEqual(without_leading(ping, body), b"".join(events))

    def test_nothing_comes_after_an_error_event_of_the_engine(self):
        upstream, gateway = self.start()
        error = b'data: {"error":{"message":"EngineCore died","code":500}}\n\n'

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(error)
            self.stay_silent(upstream)
            exchange.end()

        upstream.answer = answer
        self.assertEqual(without_leading(COMMENT, gateway.chat(stream=True).body), error)

    def test_nothing_comes_inside_an_event_that_is_too_long_to_be_held_back(self):
        upstream, gateway = self.start()
        pieces = [b"data: " + b"x" * (3 << 20), b"x" * 100 + b"\n\n", b"data: [DONE]\n\n"]

        def answer(exchange):
            exchange.stream_head()
            for piece in pieces:
                exchange.chunk(piece)
                self.stay_silent(upstream)
            exchange.end()

        upstream.answer = answer
        body = gateway.chat(stream=True).body
        self.assertIn(COMMENT, body)
        self.assertEqual(body.replace(COMMENT, b""), b"".join(pieces))
        self.assertTrue(pieces[0] + pieces[1] in body, "a ping inside the event")


class Never(SilentCase):
    def test_a_request_without_a_stream_gets_no_heartbeat(self):
        upstream, gateway = self.start()

        def answer(exchange):
            self.stay_silent(upstream)
            exchange.reply(503, answers.BUSY, [("Retry-After", "7")])

        upstream.answer = answer
        for path, request in (("/v1/chat/completions", chat_request()), ("/v1/messages", messages_request()),
                              ("/v1/messages/count_tokens", messages_request(stream=True)),
                              ("/tokenize", {"model": "tiny", "prompt": "x", "stream": True})):
            with self.subTest(path):
                got = gateway.ask("POST", path, request)
                self.assertEqual((got.status, got.body), (503, answers.BUSY))
                self.assertEqual(got.headers.get("Retry-After"), "7")

    def test_switched_off_a_silent_stream_stays_silent_and_its_failure_has_its_status(self):
        upstream, gateway = self.start(OFF)
        for path, (request, _, events) in FAMILIES.items():
            def answer(exchange, events=events):
                self.stay_silent(upstream)
                exchange.stream_head([("x-request-id", "r1")])
                exchange.chunk(events[0])
                self.stay_silent(upstream)
                exchange.chunk(b"".join(events[1:]))
                exchange.end()

            upstream.answer = answer
            with self.subTest(path):
                got = gateway.ask("POST", path, request)
                self.assertEqual(got.headers.get("x-request-id"), "r1")
                self.assertEqual(got.body, b"".join(events))

    def test_a_stream_that_keeps_coming_has_no_pings(self):
        upstream, gateway = self.pair(flags=["--timeouts-heartbeat", "10s", "--scrape-interval", "100ms"])

        def answer(exchange):
            exchange.stream_head()
            for event in FAMILIES["/v1/messages"][2]:
                exchange.chunk(event)
            self.stay_silent(upstream)
            exchange.end()

        upstream.answer = answer
        self.assertEqual(gateway.messages(stream=True).body, b"".join(FAMILIES["/v1/messages"][2]))


class OurTimeouts(SilentCase):
    def test_no_timeout_but_the_engines_own_cuts_a_silent_engine_and_nothing_is_sent_again(self):
        names = ("head", "body-idle", "keep-alive", "write-idle", "connect", "pool-idle")
        flags = [part for name in names for part in (f"--timeouts-{name}", "200ms")]
        upstream, gateway = self.pair(flags=[*flags, *OFF])

        request, _, events = FAMILIES["/v1/messages"]

        def answer(exchange):
            self.stay_silent(upstream)
            exchange.stream_head()
            self.stay_silent(upstream)
            exchange.chunk(events[0])
            self.stay_silent(upstream)
            exchange.chunk(b"".join(events[1:]))
            exchange.end()

        upstream.answer = answer
        self.assertEqual(gateway.ask("POST", "/v1/messages", request).body, b"".join(events))
        upstream.answer = lambda exchange: (self.stay_silent(upstream), exchange.reply(200, b"{}"))
        self.assertEqual(gateway.messages().body, b"{}")
        self.assertEqual(len(upstream.turns), 2)


if __name__ == "__main__":
    unittest.main()
