"""The simulator as the engine of real clients: it takes what they send, and finds their prefixes in its cache."""

import json
import unittest

import client_fixtures
from harness import Gateway
from harness.simulator import Simulator

DONE = {"rules": [{"reply": [{"text": "Done."}]}]}
# Room for the longest request, and fast.
ROOMY = ("--profile", "rtx5090-27b", "--speed", "100000", "--model", "stub-model")


def cached(answer):
    """Of a stream of /v1/responses: prompt tokens, and how many of them were found in the cache."""
    usage = json.loads(answer.body.rpartition(b"data: ")[2])["response"]["usage"]
    return usage["input_tokens"], usage["input_tokens_details"]["cached_tokens"]


class SimulatedEngine(unittest.TestCase):
    def simulator(self, *flags):
        simulator = Simulator(*ROOMY, *flags, script=DONE)
        self.addCleanup(simulator.stop)
        return simulator

    def test_takes_every_request_that_a_real_client_was_seen_to_send(self):
        simulator = self.simulator("--replicas", "2")
        turns = 0
        for name in client_fixtures.names():
            for number, request in enumerate(client_fixtures.load(name)):
                if request.method != "POST":
                    continue
                body = {**request.json, "model": "stub-model"}
                with self.subTest(name, kind=request.kind, number=number):
                    answer = simulator.ask("POST", request.target, body, request.headers)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertTrue(answer.complete)
                    turns += 1
        self.assertGreater(turns, 80)

    def test_finds_a_codex_conversation_in_its_cache(self):
        simulator = self.simulator("--replicas", "1")
        known = 0
        for request in client_fixtures.load("codex-exec"):
            prompt, hit = cached(simulator.ask("POST", "/v1/responses", request.json, request.headers))
            self.assertGreaterEqual(hit, known // 16 * 16 - 16, request.kind)
            known = prompt

    def test_finds_it_behind_the_gateway_only_where_ranks_are_heeded(self):
        for version, outcome in (("0.32.0", "not_followed"), ("0.33.0", "sticky")):
            with self.subTest(version):
                simulator = self.simulator("--replicas", "4", "--api-servers", "1", "--engine-version", version)
                gateway = Gateway([simulator.url])
                self.addCleanup(gateway.stop)
                gateway.wait_up(1)
                requests = client_fixtures.load("codex-exec")
                found = [cached(gateway.ask("POST", "/v1/responses", request.json, request.headers))
                         for request in requests]
                if outcome == "sticky":
                    self.assertTrue(all(hit > 0.9 * prompt for prompt, hit in found[1:]), found)
                else:
                    # The engine's balancer takes the replicas in turn.
                    self.assertEqual([hit for _, hit in found[:4]], [0, 0, 0, 0])
                self.assertGreaterEqual(gateway.totals("stub-model")[outcome], len(requests) - 1)


if __name__ == "__main__":
    unittest.main()
