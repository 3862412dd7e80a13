"""What clients ask before and beside their turns."""

import unittest

from harness import GatewayCase


class Probes(GatewayCase):
    def test_the_probes_of_agents_are_answered_without_an_engine_or_a_key(self):
        upstream, gateway = self.pair()
        before = len(upstream.turns)
        for method, path in (("HEAD", "/"), ("GET", "/"), ("HEAD", "/api/hello"), ("GET", "/api/hello"),
                             ("GET", "/health"), ("GET", "/version")):
            with self.subTest(method, path=path):
                self.assertEqual(gateway.ask(method, path).status, 200)
        self.assertEqual(len(upstream.turns), before)
        self.assertEqual(gateway.totals()["conversations"], 0)

    def test_head_has_the_headers_of_get_and_no_body(self):
        _, gateway = self.pair()
        for path in ("/", "/api/hello", "/health", "/version", "/v1/models", "/nothing"):
            with self.subTest(path), gateway.connect() as client:
                get = client.ask("GET", path)
                head = client.ask("HEAD", path)
                self.assertEqual(head.status, get.status)
                self.assertEqual(sorted(head.headers.items), sorted(get.headers.items))
                # No byte of a body: the next answer follows at once.
                self.assertEqual(client.ask("GET", "/version").status, 200)

    def test_a_preflight_is_allowed_what_it_asks_for(self):
        upstream, gateway = self.pair()
        for path in ("/v1/messages", "/v1/chat/completions", "/v1/models"):
            answer = gateway.ask("OPTIONS", path, headers=[
                ("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "x-api-key,anthropic-version")])
            self.assertEqual((answer.status, answer.body), (204, b""))
            self.assertEqual(answer.headers.get("Access-Control-Allow-Origin"), "*")
            self.assertIn("POST", answer.headers.get("Access-Control-Allow-Methods"))
            self.assertIn("x-api-key", answer.headers.get("Access-Control-Allow-Headers"))
        self.assertEqual(upstream.turns, [])

    def test_the_list_of_models_is_that_of_the_engine(self):
        upstream, gateway = self.pair(adapters=["tiny-lora"])
        models = gateway.ask("GET", "/v1/models").json()["data"]
        self.assertEqual([model["id"] for model in models], ["tiny", "tiny-lora"])
        self.assertEqual(models[0]["owned_by"], "vllm")

    def test_the_list_of_several_engines_names_all_models(self):
        gateway = self.gateway(self.upstream(model="one"), self.upstream(model="two"))
        models = gateway.ask("GET", "/v1/models").json()["data"]
        self.assertEqual(sorted(model["id"] for model in models), ["one", "two"])
        self.assertEqual(models[0]["max_model_len"], 8192)

    def test_the_list_of_models_stays_while_one_of_two_engines_is_down(self):
        one, two = self.upstream(), self.upstream()
        gateway = self.gateway(one, two)
        one.stop()
        for _ in range(10):
            self.assertEqual(gateway.ask("GET", "/v1/models").status, 200)

    def test_counting_tokens_is_answered_by_the_engine_and_is_no_turn(self):
        upstream, gateway = self.pair()
        session = [("X-Claude-Code-Session-Id", "57a121ec-f78c-48c3-a745-e3036a3ecc33")]
        for _ in range(26):
            answer = gateway.ask("POST", "/v1/messages/count_tokens?beta=true",
                                 b'{"model":"tiny","messages":[{"role":"user","content":"foo"}]}', session)
            self.assertEqual(answer.json()["input_tokens"], 42)
        self.assertEqual(upstream.count("/v1/messages/count_tokens"), 26)
        totals = gateway.totals()
        self.assertEqual((totals["conversations"], totals["placed"], totals["side"], totals["balanced"]), (0, 0, 0, 0))
        self.assertEqual(totals["in_flight"], 0)

    def test_the_tokenizer_is_that_of_the_engine(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(200, b'{"count":3,"tokens":[1,2,3]}')
        answer = gateway.ask("POST", "/tokenize", b'{"model":"tiny","prompt":"x"}')
        self.assertEqual(answer.json()["count"], 3)
        self.assertEqual(gateway.totals()["balanced"], 0)


class Smuggling(GatewayCase):
    def test_the_body_of_a_get_does_not_become_a_request_of_its_own(self):
        upstream, gateway = self.pair()
        hidden = b"POST /collective_rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        for method in ("GET", "HEAD"):
            with gateway.connect() as client:
                client.request(method, "/v1/models", hidden)
                self.assertEqual(client.read_head().status, 200)
        self.assertEqual(upstream.count("/collective_rpc"), 0)


if __name__ == "__main__":
    unittest.main()
