"""What real clients sent, request by request: how the gateway understands each of them."""

import unittest

import client_fixtures
from harness import GatewayCase

BILLING = "x-anthropic-billing-header:"
CONFIG = '[[model]]\nname = "stub-model"\naliases = ["stub-small", "claude-*"]\n'

# For each recorded request: the outcome that is counted, the conversation it belongs to (a name of ours), and, when the
# conversation is new and is an agent of another one, "< its parent". "own": answered without an engine; "lookup": answered
# by an engine, not counted.
EXPECTED = {
    "aider": ["placed main", "sticky main", "placed restored"],
    "claude-code-2.1.197": ["own", "placed main", "placed agent < main", "sticky agent", "sticky main", "sticky main"],
    "claude-code-attribution-off": ["placed main", "sticky main"],
    "claude-code-bearer": ["placed main"],
    "claude-code-compact": ["placed main", "sticky main", "sticky main", "placed main"],
    "claude-code-count-tokens": ["lookup", "lookup", "lookup", "placed main"],
    "claude-code-idle-fallback": ["placed main", "sticky main"],
    "claude-code-interactive": ["own", "side", "placed one", "sticky one", "sticky one", "side", "placed two"],
    "claude-code-known-model": ["placed main", "sticky main"],
    "claude-code-print": ["placed main", "sticky main", "sticky main"],
    "claude-code-resume": ["placed main", "sticky main", "sticky main", "placed fork"],
    "claude-code-role-system-fallback": ["placed main", "sticky main"],
    "claude-code-subagent": ["placed main", "sticky main", "placed agent < main", "placed nested < agent", "sticky agent",
                             "sticky main", "sticky main"],
    "claude-code-tool-search": ["placed main", "sticky main", "sticky main"],
    "codex-compact": ["placed main", "sticky main", "placed main"],
    "codex-exec": ["placed main", "sticky main", "sticky main", "sticky main", "sticky main"],
    "codex-fork": ["placed main", "placed fork < main"],
    "codex-subagent": ["placed main", "sticky main", "placed agent < main", "sticky agent"],
    "opencode-anthropic": ["side", "placed main", "sticky main"],
    "opencode-run": ["side", "placed main", "sticky main", "sticky main"],
    "opencode-subagent": ["placed main", "placed agent < main", "sticky agent", "sticky main"],
    "python-sdks": ["placed main", "sticky main", "not_followed", "lookup", "sticky main", "sticky main", "lookup"],
    "qwen-code-print": ["placed main", "sticky main", "sticky main"],
    "qwen-code-side-and-cut": ["placed main", "sticky main", "placed memory"],
    "qwen-code-subagent": ["placed main", "placed agent", "sticky main", "sticky agent"],
}
OUTCOMES = ("placed", "sticky", "spilled", "client_pinned", "balanced", "side", "unrouted", "passed", "not_followed")


class ClientsReplay(GatewayCase):
    def test_each_recorded_request_is_understood_as_what_it_is(self):
        self.assertEqual(client_fixtures.names(), sorted(EXPECTED))
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                # Codex stays only where ranks are heeded on its path.
                version = "0.33.0" if name.startswith("codex") else "0.32.0"
                self.replay(client_fixtures.load(name), expected, version)

    def replay(self, requests, expected, version):
        upstream, gateway = self.pair(model="stub-model", ranks=4, config=CONFIG, version=version)
        self.assertEqual(len(requests), len(expected))
        conversations = {}
        homes = {}
        for number, (request, want) in enumerate(zip(requests, expected)):
            with self.subTest(request.kind, number=number):
                before, known = gateway.totals("stub-model"), self.known(gateway)
                seen = len(upstream.requests)
                answer = gateway.ask(request.method, request.target, request.body, request.headers)
                after, now = gateway.totals("stub-model"), self.known(gateway)
                self.check_answer(request, want, answer)
                counted = {o: after[o] - before[o] for o in OUTCOMES if after[o] != before[o]}
                outcome = want.split()[0]
                self.assertEqual(counted, {outcome: 1} if outcome in OUTCOMES else {})
                touched = [c for key, c in now.items() if c["turns"] != known.get(key, {"turns": 0})["turns"]]
                if outcome in ("placed", "sticky"):
                    conversation, = touched
                    self.check_conversation(want, conversation, conversations)
                    rank = upstream.turns[-1].rank
                    self.check_home(want, conversation, rank, homes)
                else:
                    self.assertEqual(touched, [])
                if outcome in OUTCOMES:
                    self.check_what_the_engine_got(request, upstream.turns[-1])
                if outcome == "own":
                    new = [r for r in upstream.requests[seen:] if r.path not in ("/metrics", "/health")]
                    self.assertEqual(new, [])
        gateway.wait_idle("stub-model")

    def check_home(self, want, conversation, rank, homes):
        if want.startswith("sticky"):
            self.assertEqual(homes[want.split()[1]], rank)
        if "fork" in want.split()[1]:
            self.assertEqual(homes["main"], rank)
        homes[want.split()[1]] = rank

    @staticmethod
    def known(gateway):
        return {conversation["key"]: conversation for conversation in gateway.conversations("stub-model")}

    def check_answer(self, request, want, answer):
        self.assertTrue(answer.complete)
        self.assertEqual(answer.status, int(want) if want.isdigit() else 200, answer)
        if request.json and request.json.get("stream") and not want.isdigit():
            if "responses" not in request.target:
                end = b"data: [DONE]\n\n" if "chat" in request.target else b'{"type":"message_stop"}\n\n'
                self.assertTrue(answer.body.endswith(end), answer)
            self.assertIn(b'"model":"%s"' % request.json["model"].encode(), answer.body)
            asked = (request.json.get("stream_options") or {}).get("include_usage", False)
            if "chat" in request.target:
                self.assertEqual(b'"usage"' in answer.body, asked)

    def check_conversation(self, want, conversation, conversations):
        names = want.split()[1:]
        key = conversations.setdefault(names[0], conversation["key"])
        self.assertEqual(conversation["key"], key)
        self.assertEqual(len(set(conversations.values())), len(conversations))
        if "<" in names:
            self.assertEqual(conversation["parent"], conversations[names[2]])

    def check_what_the_engine_got(self, request, turn):
        got = turn.json()
        self.assertEqual(got.pop("model"), "stub-model")
        want = {key: value for key, value in request.json.items() if key != "model"}
        if "stream_options" not in want:
            got.pop("stream_options", None)
        if isinstance(want.get("system"), list) and want["system"][0]["text"].startswith(BILLING):
            want["system"] = want["system"][1:]
        self.assertEqual(got, want)
        for name, value in request.headers:
            if name.lower() not in ("connection", "accept-encoding"):
                self.assertEqual(turn.headers.get(name), value, name)
        self.assertEqual(turn.target, request.target)

    def test_the_expanded_requests_have_the_sizes_of_the_real_ones(self):
        for name in EXPECTED:
            for request in client_fixtures.load(name):
                if request.body:
                    self.assertAlmostEqual(len(request.body) / request.wire_bytes, 1, delta=0.04)


if __name__ == "__main__":
    unittest.main()
