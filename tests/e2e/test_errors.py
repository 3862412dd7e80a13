"""Answers of our own: each in the shape that the caller's library knows; and errors of the engine, unchanged."""

import unittest

from harness import GatewayCase, Upstream, free_port
from harness.answers import BUSY, TOO_LONG
from harness.gateway import chat_request, messages_request


class OwnErrors(GatewayCase):
    def test_an_unknown_model_is_not_found_in_each_family(self):
        upstream, gateway = self.pair()
        error = self.assert_openai_error(gateway.chat(model="other"), 404, "not_found_error")
        self.assertIn("other", error["message"])
        self.assertIn("tiny", error["message"])
        error = self.assert_anthropic_error(gateway.messages(model="other"), 404, "not_found_error")
        self.assertIn("other", error["message"])
        self.assertEqual(upstream.turns, [])

    def test_a_model_name_with_quotes_and_controls_does_not_break_the_error(self):
        _, gateway = self.pair()
        name = "a\"b\\\n\u0001\u2028é\U0001f600"
        error = self.assert_openai_error(gateway.chat(model=name), 404)
        self.assertIn(name, error["message"])

    def test_an_unknown_path_is_not_found_in_the_family_of_its_path(self):
        upstream, gateway = self.pair()
        for method in ("GET", "POST", "DELETE"):
            self.assert_openai_error(gateway.ask(method, "/v1/nothing", b""), 404, "not_found_error")
            self.assert_anthropic_error(gateway.ask(method, "/v1/messages/nothing", b""), 404, "not_found_error")
        self.assertEqual(upstream.turns, [])

    def test_what_an_engine_offers_its_operator_is_not_there(self):
        upstream, gateway = self.pair()
        for path in ("/metrics", "/reset_prefix_cache", "/sleep", "/invocations", "/scale_elastic_ep", "/server_info",
                     "/collective_rpc", "/v1/models/../../reset_prefix_cache", "//v1/chat/completions",
                     "/v1/chat/completions/"):
            for method in ("GET", "POST"):
                before = upstream.count(path)
                answer = gateway.ask(method, path, b"{}")
                self.assertEqual(answer.status, 404, (method, path, answer))
                if path not in ("/metrics", "/server_info"):  # asked for by discovery
                    self.assertEqual(upstream.count(path), before)

    def test_a_wrong_method_is_told_the_right_one(self):
        upstream, gateway = self.pair()
        for method, path, allowed in (("GET", "/v1/chat/completions", "POST"), ("PUT", "/v1/messages", "POST"),
                                      ("DELETE", "/v1/models", "GET"), ("POST", "/health", "GET"),
                                      ("HEAD", "/v1/messages", "POST")):
            with self.subTest(method, path=path):
                answer = gateway.ask(method, path)
                self.assertEqual(answer.status, 405)
                self.assertEqual(answer.headers.get("Allow"), allowed)
        self.assert_anthropic_error(gateway.ask("GET", "/v1/messages"), 405)
        self.assert_openai_error(gateway.ask("GET", "/v1/chat/completions"), 405)
        self.assertEqual(upstream.turns, [])

    def test_before_its_engine_is_up_it_asks_to_come_back_and_then_serves(self):
        port = free_port()
        gateway = self.gateway(flags=["--engine", f"http://127.0.0.1:{port}"], wait=False)
        self.assert_retry_after(gateway.chat())
        self.assert_openai_error(gateway.chat(), 503)
        answer = gateway.messages()
        self.assert_anthropic_error(answer, 503)
        self.assert_retry_after(answer)
        self.assert_openai_error(gateway.ask("GET", "/v1/models"), 503)
        self.assertEqual(gateway.ask("GET", "/health").status, 503)
        upstream = Upstream(port=port)
        self.addCleanup(upstream.stop)
        gateway.poll(lambda: gateway.ask("GET", "/health").status == 200, what="health")
        self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(gateway.messages().status, 200)

    def test_an_engine_that_has_gone_down_is_a_503_and_serves_again_when_it_is_back(self):
        upstream, gateway = self.pair()
        self.assertEqual(gateway.chat().status, 200)
        upstream.stop()
        for answer, check in ((gateway.chat(), self.assert_openai_error),
                              (gateway.messages(), self.assert_anthropic_error)):
            check(answer, 503)
            self.assert_retry_after(answer)
        back = Upstream(port=upstream.port)
        self.addCleanup(back.stop)
        gateway.wait_up(1)
        self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(gateway.totals()["in_flight"], 0)

    def test_retry_after_is_spread(self):
        gateway = self.gateway(flags=["--engine", f"http://127.0.0.1:{free_port()}"], wait=False)
        self.assertGreater(len({gateway.chat().headers.get("Retry-After") for _ in range(40)}), 1)


class EngineErrors(GatewayCase):
    def scripted(self, status, body, headers):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(status, body, headers)
        return upstream, gateway

    def test_busy_answers_pass_unchanged_and_are_not_retried(self):
        upstream, gateway = self.pair()
        calls = 0
        for status in (429, 503, 529):
            for retry_after in ("2", "0", "-5", "Wed, 21 Oct 2026 07:28:00 GMT", None):
                with self.subTest(status, retry_after=retry_after):
                    headers = [("Retry-After", retry_after)] if retry_after else []
                    upstream.answer = lambda e, s=status, h=headers: e.reply(s, BUSY, h)
                    for path, body in (("/v1/chat/completions", chat_request(stream=True)),
                                       ("/v1/messages", messages_request())):
                        answer = gateway.ask("POST", path, body)
                        calls += 1
                        self.assertEqual((answer.status, answer.body), (status, BUSY))
                        self.assertEqual(answer.headers.all("Retry-After"), [retry_after] if retry_after else [])
        self.assertEqual(len(upstream.turns), calls)
        self.assertTrue(gateway.routing()["replicas"][0]["up"])
        self.assertEqual(gateway.totals()["failed"], calls)

    def test_refusals_of_the_context_length_leave_the_replicas_up(self):
        upstream, gateway = self.scripted(400, TOO_LONG, ())
        for _ in range(20):
            answer = gateway.chat()
            self.assertEqual((answer.status, answer.body), (400, TOO_LONG))
        self.assertTrue(all(replica["up"] for replica in gateway.routing()["replicas"]))
        upstream.answer = upstream.answer_as_vllm
        self.assertEqual(gateway.chat().status, 200)

    def test_answers_without_a_body_pass(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.head(204)
        answer = gateway.chat()
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertIsNone(answer.headers.get("Content-Length"))
        self.assertEqual(gateway.chat().status, 204)

    def test_redirects_are_not_followed(self):
        upstream, gateway = self.scripted(307, b"", [("Location", "http://127.0.0.1:1/elsewhere")])
        answer = gateway.chat()
        self.assertEqual(answer.status, 307)
        self.assertEqual(answer.headers.get("Location"), "http://127.0.0.1:1/elsewhere")
        self.assertEqual(len(upstream.turns), 1)

    def test_a_500_of_the_engine_passes_unchanged(self):
        upstream, gateway = self.scripted(500, b'{"error":{"message":"EngineCore encountered an issue."}}', ())
        answer = gateway.chat(stream=True)
        self.assertEqual(answer.status, 500)
        self.assertIn(b"EngineCore", answer.body)
        self.assertEqual(len(upstream.turns), 1)


if __name__ == "__main__":
    unittest.main()
