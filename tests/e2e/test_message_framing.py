"""Framing on the engine's side, and what has no body."""

import unittest

from harness import Connection, GatewayCase
from harness.gateway import chat_request
from harness.wire import chunk

CHAT = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
BODY = b'{"model":"tiny","messages":[]}'


class Requests(GatewayCase):
    def test_a_coding_that_others_trim_differently_is_refused(self):
        upstream, gateway = self.pair()
        for value in (b"chunked\t", b"\tchunked", b"chunked ", b"\x0bchunked", b"chunked\x0b", b"chunked, gzip", b"chunked,",
                      b"chunked;q=1", b'"chunked"', b""):
            with self.subTest(value), gateway.connect() as client:
                client.send(CHAT + b"Transfer-Encoding: " + value + b"\r\n\r\n" + chunk(BODY) + b"0\r\n\r\n")
                self.assertEqual(client.read_response().status, 400)
                self.assertEqual(client.at_end(), b"")
        self.assertEqual(upstream.turns, [])

    def test_a_head_of_exactly_the_limit_passes_and_one_more_byte_does_not(self):
        upstream, gateway = self.pair()
        start = CHAT + b"Content-Length: %d\r\nX-Long: " % len(BODY)
        room = 256 * 1024 - len(start) - len(b"\r\n\r\n")
        for size, status in ((room, 200), (room + 1, 431)):
            with self.subTest(size), gateway.connect() as client:
                client.send(start + b"a" * size + b"\r\n\r\n" + BODY)
                self.assertEqual(client.read_response().status, status)
        self.assertEqual(len(upstream.turns), 1)


class Answers(GatewayCase):
    def test_a_304_with_a_length_has_no_body_and_does_not_poison_the_next_turn(self):
        upstream, gateway = self.pair()
        for body in (b"", b"hello"):
            upstream.answer = lambda e, b=body: e.send(b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n" + b)
            with gateway.connect() as client:
                client.request("POST", "/v1/chat/completions", chat_request())
                self.assertEqual(client.read_head().status, 304)
                upstream.answer = upstream.answer_as_vllm
                answer = client.ask("POST", "/v1/chat/completions", chat_request())
                self.assertEqual((answer.status, answer.json()["object"]), (200, "chat.completion"))

    def test_trailers_of_an_answer_stay_behind(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.head(200, [("content-type", "application/json"), ("transfer-encoding", "chunked"), ("trailer", "x-t")])
            exchange.send(chunk(b'{"a":') + chunk(b"1}") + b"0\r\nx-t: 1\r\nset-cookie: a=b\r\n\r\n")

        upstream.answer = answer
        with gateway.connect() as client:
            for _ in range(2):
                response = client.ask("POST", "/v1/chat/completions", chat_request())
                self.assertEqual(response.body, b'{"a":1}')
                self.assertEqual({"x-t", "set-cookie"} & set(response.headers.names()), set())
        self.assertEqual(len({turn.connection for turn in upstream.turns}), 1)

    def test_interim_answers_with_odd_headers_are_skipped(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + b"HTTP/1.1 103 Early Hints\r\ncontent-length: 5\r\n\r\n")
            exchange.reply(200, b"{}")

        upstream.answer = answer
        self.assertEqual((gateway.chat().status, gateway.chat().body), (200, b"{}"))

    def test_head_has_the_headers_of_get_and_no_body_on_the_admin_side_too(self):
        _, gateway = self.pair()
        for path in ("/health", "/metrics", "/admin/api/models", "/admin/api/engines", "/admin/api/models/tiny/routing",
                     "/admin/api/models/tiny/conversations", "/nothing"):
            with self.subTest(path), Connection(gateway.admin_port) as client:
                get, head = client.ask("GET", path), client.ask("HEAD", path)
                self.assertEqual((head.status, head.headers.names()), (get.status, get.headers.names()))
                self.assertEqual(client.ask("GET", "/health").status, 200)  # no byte of a body: the next answer follows


if __name__ == "__main__":
    unittest.main()
