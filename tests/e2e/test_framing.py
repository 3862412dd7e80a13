"""How requests are framed: what is refused before anybody reads it, and what each limit says."""

import os
import random
import time
import unittest

from harness import GatewayCase
from harness.gateway import chat_request
from harness.mutate import mutated
from harness.wire import chunk

CHAT = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
BODY = b'{"model":"tiny","messages":[{"role":"user","content":"x"}]}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)

BAD_FRAMING = {
    "a length and chunks": CHAT + LENGTH + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(BODY) + b"0\r\n\r\n",
    "chunks and a length": CHAT + b"Transfer-Encoding: chunked\r\n" + LENGTH + b"\r\n" + chunk(BODY) + b"0\r\n\r\n",
    "two different lengths": CHAT + LENGTH + b"Content-Length: 5\r\n\r\n" + BODY,
    "the same length twice": CHAT + LENGTH + LENGTH + b"\r\n" + BODY,
    "a list of lengths": CHAT + b"Content-Length: 5, 5\r\n\r\nxxxxx",
    "a length with a sign": CHAT + b"Content-Length: +5\r\n\r\nxxxxx",
    "a negative length": CHAT + b"Content-Length: -5\r\n\r\nxxxxx",
    "a hexadecimal length": CHAT + b"Content-Length: 0x5\r\n\r\nxxxxx",
    "an empty length": CHAT + b"Content-Length: \r\n\r\n",
    "a length beyond 64 bits": CHAT + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "a coding before chunked": CHAT + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a coding after chunked": CHAT + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "another coding": CHAT + b"Transfer-Encoding: identity\r\n\r\n",
    "a coding that looks like chunked": CHAT + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked twice": CHAT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked in HTTP/1.0": CHAT.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bare line feeds": (CHAT + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + BODY,
    "one bare line feed": CHAT + b"X-A: 1\nX-B: 2\r\n" + LENGTH + b"\r\n" + BODY,
    "a bare carriage return": CHAT + b"X-A: 1\rX-B: 2\r\n" + LENGTH + b"\r\n" + BODY,
    "a folded line": CHAT + b"X-A: 1\r\n  and more\r\n" + LENGTH + b"\r\n" + BODY,
    "a space before the colon": CHAT + b"Content-Length : %d\r\n\r\n" % len(BODY) + BODY,
    "a header without a colon": CHAT + b"Nonsense\r\n" + LENGTH + b"\r\n" + BODY,
    "a header without a name": CHAT + b": value\r\n" + LENGTH + b"\r\n" + BODY,
    "a NUL in a header": CHAT + b"X-A: a\0b\r\n" + LENGTH + b"\r\n" + BODY,
    "a request line of two words": b"POST /v1/chat/completions\r\n\r\n",
    "no request line": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a method that is no token": b"PO(ST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n\r\n",
}

BAD_CHUNKS = {
    "a size that is no number": b"xyz\r\n",
    "a size with a prefix": b"0x5\r\nxxxxx\r\n",
    "a negative size": b"-5\r\n",
    "an empty size": b"\r\n",
    "a size beyond 64 bits": b"fffffffffffffffff\r\n",
    "no line end after the data": b"5\r\nxxxxxyy",
    "a bare line feed after the size": b"5\nxxxxx\r\n0\r\n\r\n",
}


class Framing(GatewayCase):
    def refused(self, gateway, data, status):
        with gateway.connect() as client:
            client.send(data)
            answer = client.read_response()
            self.assertEqual(answer.status, status, answer)
            self.assertEqual(answer.headers.get("Connection"), "close")
            self.assertEqual(client.at_end(), b"")
            return answer

    def test_a_head_that_two_readers_could_read_differently_is_refused_and_the_connection_closed(self):
        upstream, gateway = self.pair()
        for what, data in BAD_FRAMING.items():
            with self.subTest(what):
                self.assert_openai_error(self.refused(gateway, data, 400), 400)
        self.assertEqual(upstream.turns, [])
        self.assertEqual(gateway.chat().status, 200)

    def test_broken_chunks_are_refused_in_the_callers_family(self):
        upstream, gateway = self.pair()
        for what, data in BAD_CHUNKS.items():
            with self.subTest(what):
                start = CHAT + b"Transfer-Encoding: chunked\r\n\r\n"
                self.assert_openai_error(self.refused(gateway, start + data, 400), 400)
                answer = self.refused(gateway, start.replace(b"chat/completions", b"messages") + data, 400)
                self.assert_anthropic_error(answer, 400, "invalid_request_error")
        self.assertEqual(upstream.turns, [])

    def test_a_version_other_than_1_is_refused_as_such(self):
        _, gateway = self.pair()
        for version in (b"HTTP/2.0", b"HTTP/3.0"):
            self.refused(gateway, b"GET /health " + version + b"\r\nHost: x\r\n\r\n", 505)

    def test_a_head_beyond_the_limit_is_answered_with_431(self):
        upstream, gateway = self.pair()
        self.refused(gateway, CHAT + b"X-Long: " + b"a" * 270_000 + b"\r\n\r\n", 431)
        self.refused(gateway, CHAT + b"X-A: 1\r\n" * 300 + b"\r\n", 431)
        self.refused(gateway, b"GET /" + b"a" * 270_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431)
        self.assertEqual(upstream.turns, [])

    def test_a_head_of_240_kib_passes(self):
        upstream, gateway = self.pair()
        self.assertEqual(gateway.chat([("X-Long", "a" * 240_000)]).status, 200)
        self.assertEqual(upstream.turns[0].headers.get("X-Long"), "a" * 240_000)

    def test_a_head_that_comes_byte_by_byte_is_read(self):
        _, gateway = self.pair()
        with gateway.connect() as client:
            for byte in CHAT + LENGTH + b"\r\n" + BODY:
                client.send(bytes([byte]))
            self.assertEqual(client.read_response().status, 200)

    def test_a_head_that_does_not_come_in_time_is_answered_with_408(self):
        _, gateway = self.pair(flags=["--timeouts-head", "300ms"])
        start = time.monotonic()
        with gateway.connect() as client:
            client.send(CHAT)
            for _ in range(40):  # a drip does not keep it open
                try:
                    client.send(b"X-A: 1\r\n")
                except OSError:
                    break
                client.sock.settimeout(0.05)
                try:
                    if client.reader.fill():
                        break
                except TimeoutError:
                    continue
            client.sock.settimeout(20)
            self.assert_openai_error(client.read_response(), 408)
        self.assertLess(time.monotonic() - start, 2)

    def test_a_body_that_stops_coming_is_answered_with_408_in_the_callers_family(self):
        upstream, gateway = self.pair(flags=["--timeouts-body-idle", "300ms"])
        with gateway.connect() as client:
            client.send(CHAT + LENGTH + b"\r\n" + BODY[:10])
            self.assert_openai_error(client.read_response(), 408)
            self.assertEqual(client.at_end(), b"")
        with gateway.connect() as client:
            client.send(CHAT.replace(b"chat/completions", b"messages") + LENGTH + b"\r\n" + BODY[:10])
            self.assert_anthropic_error(client.read_response(), 408, "timeout_error")
        self.assertEqual(upstream.turns, [])

    def test_an_idle_connection_is_closed_without_a_word(self):
        _, gateway = self.pair(flags=["--timeouts-keep-alive", "200ms"])
        with gateway.connect() as client:
            self.assertEqual(client.at_end(), b"")
        with gateway.connect() as client:
            self.assertEqual(client.ask("POST", "/v1/chat/completions", chat_request()).status, 200)
            self.assertEqual(client.at_end(), b"")

    def test_a_body_shorter_than_its_length_reaches_no_engine(self):
        upstream, gateway = self.pair()
        with gateway.connect() as client:
            client.send(CHAT + LENGTH + b"\r\n" + BODY[:-5])
            client.half_close()
            self.assertEqual(client.at_end(), b"")
        self.assertEqual(upstream.turns, [])
        self.assertEqual(gateway.totals()["in_flight"], 0)

    def test_what_follows_a_body_longer_than_its_length_is_a_request_of_its_own(self):
        upstream, gateway = self.pair()
        with gateway.connect() as client:
            client.send(CHAT + LENGTH + b"\r\n" + BODY + b"}trailing garbage\r\n\r\n")
            self.assertEqual(client.read_response().status, 200)
            self.assertEqual(client.read_response().status, 400)
            self.assertEqual(client.at_end(), b"")
        self.assertEqual([turn.body for turn in upstream.turns], [BODY])

    def test_chunks_their_extensions_and_trailers_come_out_as_a_plain_body(self):
        upstream, gateway = self.pair()
        with gateway.connect() as client:
            client.send(CHAT + b"Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n")
            for i in range(0, len(BODY), 7):
                piece = BODY[i:i + 7]
                client.send(b"%X;ext=\"1\"\r\n" % len(piece) + piece + b"\r\n")
            client.send(b"0\r\nX-T: 1\r\n\r\n")
            self.assertEqual(client.read_response().status, 200)
        turn = upstream.turns[0]
        self.assertEqual(turn.body, BODY)
        self.assertEqual(turn.headers.all("Content-Length"), [str(len(BODY))])
        self.assertNotIn("x-t", turn.headers.names())

    def test_headers_of_one_connection_stay_behind_and_connection_cant_delete_what_is_for_the_engine(self):
        upstream, gateway = self.pair()
        headers = [("Connection", "keep-alive, Private, X-Session-Id, Authorization, Content-Length, Host"),
                   ("Keep-Alive", "timeout=5"), ("Private", "1"), ("X-Session-Id", "conversation-1"),
                   ("Authorization", "Bearer k"), ("TE", "trailers"), ("Upgrade", "h2c"),
                   ("Proxy-Connection", "keep-alive"), ("X-Kept", "1")]
        self.assertEqual(gateway.chat(headers).status, 200)
        names = upstream.turns[0].headers.names()
        for name in ("private", "keep-alive", "te", "upgrade", "proxy-connection", "connection"):
            self.assertNotIn(name, names)
        for name in ("x-kept", "x-session-id", "authorization", "content-length", "host"):
            self.assertIn(name, names)
        self.assertEqual(gateway.conversations()[0]["source"], "session-header")

    def test_an_http_1_0_client_gets_an_unchunked_answer_and_the_end_of_the_connection(self):
        _, gateway = self.pair()
        body = b'{"model":"tiny","stream":true,"messages":[]}'
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            answer = client.read_response()
        self.assertIsNone(answer.headers.get("Transfer-Encoding"))
        self.assertTrue(answer.body.endswith(b"data: [DONE]\n\n"), answer)

    def test_damaged_requests_get_an_answer_or_an_end_and_break_nothing(self):
        seed = int(os.environ.get("E2E_SEED", "1"))
        rng = random.Random(seed)
        upstream, gateway = self.pair(flags=["--timeouts-head", "2s", "--timeouts-body-idle", "2s"])
        upstream.answer = lambda exchange: exchange.reply(200, b"{}")
        plain = (CHAT + b"X-Session-Id: conversation-1\r\nX-data-parallel-rank: 1\r\n" + LENGTH + b"\r\n" + BODY)
        chunked = (CHAT.replace(b"chat/completions", b"messages") + b"Transfer-Encoding: chunked\r\n\r\n"
                   + chunk(BODY[:20]) + chunk(BODY[20:]) + b"0\r\n\r\n")
        for number in range(1000):
            data = mutated(rng.choice((plain, chunked)), rng)
            with self.subTest(seed=seed, number=number, data=data), gateway.connect() as client:
                client.send(data)
                client.half_close()
                answer = client.at_end()
                self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 "), answer)
        gateway.wait_idle()
        self.assertEqual(gateway.chat().status, 200)


if __name__ == "__main__":
    unittest.main()
