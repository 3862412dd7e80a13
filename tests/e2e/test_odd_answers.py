"""Answers of an engine that are odd, damaged or framed so that they can't be trusted."""

import gzip
import os
import random
import threading
import unittest

from harness import GatewayCase, answers, free_port
from harness.mutate import mutated
from harness.wire import chunk

USAGE = (100, 64, 2)
CHAT = answers.chat_events(["a", "b", "c", "d"])
MESSAGES = answers.messages_events(["a", "b", "c", "d"], USAGE)


class OddAnswers(GatewayCase):
    BAD = {
        "a length and chunks": b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "no HTTP": b"hello\r\n\r\n",
        "a bad status": b"HTTP/1.1 abc OK\r\n\r\n",
        "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        "a coding we can't read": b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        "a head without end": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 30_000,
    }

    def test_an_answer_whose_framing_cant_be_trusted_is_a_502(self):
        upstream, gateway = self.pair()
        for what, data in self.BAD.items():
            with self.subTest(what):
                def answer(exchange, data=data):
                    exchange.send(data)
                    exchange.wait_gone()

                upstream.answer = answer
                self.assert_openai_error(gateway.chat(), 502, "server_error")
        self.assertEqual(len(upstream.turns), len(self.BAD))
        self.assertEqual(gateway.totals()["in_flight"], 0)

    def test_damaged_answers_become_an_answer_or_an_end_and_break_nothing(self):
        seed = int(os.environ.get("E2E_SEED", "1"))
        rng = random.Random(seed)
        upstream, gateway = self.pair()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        chunked = head + b"transfer-encoding: chunked\r\n\r\n" + b"".join(map(chunk, CHAT)) + b"0\r\n\r\n"
        plain = head + b"content-length: %d\r\n\r\n" % len(b"".join(MESSAGES)) + b"".join(MESSAGES)
        for number in range(600):
            path, whole = rng.choice((("/v1/chat/completions", chunked), ("/v1/messages", plain)))
            data = mutated(whole, rng)

            def answer(exchange, data=data):
                exchange.send(data)
                exchange.close()

            upstream.answer = answer
            with self.subTest(seed=seed, number=number, data=data), gateway.connect() as client:
                client.request("POST", path, {"model": "tiny", "stream": True, "messages": []}, [("Connection", "close")])
                got = client.at_end()
                self.assertTrue(got.startswith(b"HTTP/1.1 "), got)
        gateway.wait_idle()
        upstream.answer = upstream.answer_as_vllm
        self.assertEqual(gateway.chat(stream=True).status, 200)

    def test_interim_answers_are_skipped(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.send(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")
            exchange.reply(200, b"{}")

        upstream.answer = answer
        self.assertEqual(gateway.chat().body, b"{}")

    def test_a_bodiless_status_with_a_body_does_not_poison_the_next_turn(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda e: e.send(b"HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello")
        self.assertEqual(gateway.chat().status, 204)
        upstream.answer = upstream.answer_as_vllm
        for _ in range(3):
            self.assertEqual(gateway.chat().status, 200)

    def test_bytes_after_an_answer_do_not_become_the_next_one(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.reply(200, b'{"first":1}')
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsmuggled")
            sent.release()

        sent = threading.Semaphore(0)
        upstream.answer = answer
        for _ in range(20):
            self.assertEqual(gateway.chat().body, b'{"first":1}')
            self.assertTrue(sent.acquire(timeout=10))

    def test_an_answer_that_ends_with_its_connection_passes_whole(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"a\":")
            exchange.send(b"1}")
            exchange.close()

        upstream.answer = answer
        response = gateway.chat()
        self.assertEqual(response.body, b'{"a":1}')
        self.assertTrue(response.complete)

    def test_compressed_answers_pass_unchanged(self):
        upstream, gateway = self.pair()
        body = gzip.compress(answers.chat_body("hello", USAGE))
        upstream.answer = lambda exchange: exchange.reply(200, body, [("content-encoding", "gzip")])
        response = gateway.chat()
        self.assertEqual(response.body, body)
        self.assertEqual(response.headers.get("content-encoding"), "gzip")

        stream = gzip.compress(b"".join(CHAT))

        def answer(exchange):
            exchange.stream_head([("content-encoding", "gzip")])
            for i in range(0, len(stream), 10):
                exchange.chunk(stream[i:i + 10])
            exchange.end()

        upstream.answer = answer
        response = gateway.chat(stream=True)
        self.assertEqual(response.body, stream)
        self.assertTrue(response.complete)

    def test_headers_of_the_engines_connection_stay_behind(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(200, b"{}", [
            ("Connection", "keep-alive, Private"), ("Keep-Alive", "timeout=5"), ("Private", "1"),
            ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Server", "uvicorn")])
        headers = gateway.chat().headers
        for name in ("keep-alive", "private"):
            self.assertNotIn(name, headers.names())
        self.assertEqual(headers.all("Set-Cookie"), ["a=1", "b=2"])
        self.assertEqual(headers.all("Server"), ["uvicorn"])

    def test_an_engine_that_answers_before_it_has_read_the_body_is_heard(self):
        upstream, gateway = self.pair()

        def read_head_only(reader):
            head = reader.until(b"\r\n\r\n")
            line = head.partition(b"\r\n")[0].decode()
            from harness.upstream import Request
            from harness.wire import Headers
            method, target, _ = line.split(" ")
            return Request(method, target, Headers.parse(head.partition(b"\r\n")[2]), b"", head)

        body = b'{"model":"tiny","messages":"' + b"x" * (8 << 20) + b'"}'
        upstream._read_request = read_head_only

        def answer(exchange):
            exchange.reply(400, answers.TOO_LONG, [("connection", "close")])
            exchange.reader.exactly(len(body) - len(exchange.reader.buffer))
            exchange.close()

        upstream.answer = answer
        response = gateway.ask("POST", "/v1/chat/completions", body)
        self.assertEqual((response.status, response.body), (400, answers.TOO_LONG))

    def test_a_dead_port_beside_a_live_one_is_no_obstacle(self):
        upstream = self.upstream()
        gateway = self.gateway(upstream, flags=["--engine", f"http://127.0.0.1:{free_port()}"])
        for i in range(10):
            self.assertEqual(gateway.chat([("X-Session-Id", f"conversation-{i}")]).status, 200)


if __name__ == "__main__":
    unittest.main()
