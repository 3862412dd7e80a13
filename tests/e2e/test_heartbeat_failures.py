"""Engines that fail once heartbeats have sent our head, with status 200: what goes wrong then is an event."""

import json
import unittest

from harness import answers
from silent_streams import FAMILIES, USAGE, SilentCase, without_leading


class Failures(SilentCase):
    def fail(self, path, how):
        """The error of the event that the stream ends with, and the connection, which may be used again."""
        upstream, gateway = self.start()
        request, ping, _ = FAMILIES[path]

        def answer(exchange):
            self.silent_until_told()
            how(upstream, exchange)

        upstream.answer = answer
        with gateway.connect() as client:
            client.request("POST", path, request)
            head = client.read_head()
            self.read_pings(client, ping)
            self.go.release()
            client.read_body(head)
            self.assertEqual((head.status, head.complete), (200, True))
            upstream.answer = upstream.answer_as_vllm
            self.assertIn(client.ask("GET", "/version").status, (200, 503))
        gateway.wait_idle()
        totals = gateway.totals()
        self.assertEqual((totals["failed"], totals["answered"]), (1, 0))
        rest = without_leading(ping, head.body)
        self.assertNotIn(b"[DONE]", rest)
        return self.error_of(path, rest)

    def error_of(self, path, event):
        name, data = {"/v1/messages": (b"event: error\n", lambda data: data["error"]),
                      "/v1/responses": (b"event: response.failed\n", lambda data: data["response"]["error"])}.get(
                          path, (b"", lambda data: data["error"]))
        self.assertTrue(event.startswith(name + b"data: {") and event.endswith(b"}\n\n"), event)
        self.assertEqual(event.count(b"\n\n"), 1)
        return data(json.loads(event[len(name) + len(b"data: "):]))

    def test_a_refusal_of_the_engine_is_told_with_its_message(self):
        for path in FAMILIES:
            with self.subTest(path):
                error = self.fail(path, lambda upstream, exchange: exchange.reply(400, answers.TOO_LONG))
                self.assertEqual(error["message"], "This model's maximum context length is 8192 tokens.")
                kind = error["code"] if path == "/v1/responses" else error["type"]
                self.assertEqual(kind, "invalid_request_error")

    def test_a_busy_engine_is_told_as_overloaded(self):
        for status in (429, 503, 529):
            error = self.fail("/v1/messages", lambda upstream, exchange, s=status: exchange.reply(s, answers.BUSY))
            self.assertEqual(error["type"], "overloaded_error")

    def test_an_engine_that_answers_with_no_stream_at_all_is_an_error(self):
        body = answers.chat_body("hello", USAGE)
        error = self.fail("/v1/chat/completions", lambda upstream, exchange: exchange.reply(200, body))
        self.assertEqual(error["type"], "server_error")
        error = self.fail("/v1/messages", lambda upstream, exchange: exchange.reply(500, b"Internal Server Error"))
        self.assertIn("500", error["message"])

    def test_an_error_that_is_cut_short_is_an_error(self):
        def half(upstream, exchange):
            exchange.send(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 100\r\n\r\n{\"error\":")
            exchange.close()

        self.assertIn("400", self.fail("/v1/messages", half)["message"])

    def test_an_engine_that_closes_is_told_of(self):
        for path in FAMILIES:
            with self.subTest(path):
                error = self.fail(path, lambda upstream, exchange: exchange.close())
                self.assertIn("closed the connection", error["message"])

    def test_an_engine_that_dies_is_told_of(self):
        def die(upstream, exchange):
            upstream.stop()
            exchange.reset()

        error = self.fail("/v1/messages", die)
        self.assertIn("down", error["message"])

    def test_an_engine_that_closes_after_its_head_is_told_of(self):
        def close_after_head(_, exchange):
            exchange.stream_head()
            exchange.close()

        for path in FAMILIES:
            with self.subTest(path):
                self.assertIn("cut short", self.fail(path, close_after_head)["message"])


if __name__ == "__main__":
    unittest.main()
