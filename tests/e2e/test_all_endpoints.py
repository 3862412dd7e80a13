"""The same conversation by every endpoint, and what is asked beside it."""

import json
import re
import subprocess
import threading
import unittest
from collections import Counter

from harness import GatewayCase
from harness.gateway import BINARY

SESSION = [("X-Claude-Code-Session-Id", "57a121ec-f78c-48c3-a745-e3036a3ecc33")]
TOOLS = {"tools": [{"name": "Read", "input_schema": {"type": "object"}}]}
ENDPOINTS = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Hello"}]},
    "/v1/completions": {"prompt": "Hello"},
    "/v1/messages": {"max_tokens": 16, "messages": [{"role": "user", "content": "Hello"}]},
    "/v1/responses": {"input": "Hello"},
}


class OneHome(GatewayCase):
    def turns(self, version):
        """A conversation that takes three turns by each endpoint, in turn."""
        upstream, gateway = self.pair(ranks=4, version=version)
        for number in range(3):
            for path, body in ENDPOINTS.items():
                answer = gateway.ask("POST", path, {"model": "tiny", "turn": number, **TOOLS, **body}, SESSION)
                self.assertEqual(answer.status, 200, path)
            gateway.chat([("X-Session-Id", f"other-{number}")])  # so that other ranks are used too
        return [turn for turn in upstream.turns if turn.headers.get("X-Session-Id") is None], gateway

    def test_a_conversation_has_one_rank_by_all_endpoints_where_the_engine_heeds_it(self):
        turns, gateway = self.turns("0.33.0")
        self.assertEqual(Counter(turn.path for turn in turns), dict.fromkeys(ENDPOINTS, 3))
        self.assertEqual(len({turn.rank for turn in turns}), 1)
        self.assertEqual(gateway.totals()["not_followed"], 0)
        self.assertEqual(len(gateway.conversations()), 4)

    def test_where_one_endpoint_ignores_the_rank_it_is_told_and_the_others_stay_home(self):
        turns, gateway = self.turns("0.32.0")
        self.assertEqual({turn.rank for turn in turns if turn.path == "/v1/responses"}, {None})
        self.assertEqual(len({turn.rank for turn in turns if turn.path != "/v1/responses"}), 1)
        self.assertEqual(gateway.totals()["not_followed"], 3)
        self.assertRegex(gateway.metrics(), r'lmwarden_turns_total\{[^}]*outcome="not_followed"[^}]*\} 3')
        self.assertEqual(gateway.log.count("ignores ranks on /v1/responses"), 1)


class Simulator:
    """The simulated engine as a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen([str(BINARY), "simulate", "--listen", "127.0.0.1:0", "--model", "tiny"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = next(filter(None, (re.search(r"http://[0-9.:]+", line) for line in self.process.stdout)))[0]
        self._drain = threading.Thread(target=self.process.stdout.read, daemon=True)
        self._drain.start()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self._drain.join(20)
        self.process.stdout.close()


class CountTokens(GatewayCase):
    def test_tools_and_their_results_are_counted_by_the_engine(self):
        engine = Simulator()
        self.addCleanup(engine.stop)
        gateway = self.gateway(flags=["--engine", engine.url])
        text = " ".join(f"word{i}" for i in range(7000))[:50_000]
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}}
        messages = [{"role": "assistant", "content": [call]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": text}]}]
        body = json.dumps({"model": "tiny", **TOOLS, "messages": messages})
        answer = gateway.ask("POST", "/v1/messages/count_tokens?beta=true", body.encode(), SESSION)
        self.assertEqual(answer.status, 200)
        self.assertGreater(answer.json()["input_tokens"], 10_000)
        self.assertEqual(gateway.totals()["conversations"], 0)


if __name__ == "__main__":
    unittest.main()
