"""The base of all cases: starts what they need, ends it, and shows the gateway's log when one fails."""

import sys
import unittest

from harness.gateway import Gateway
from harness.upstream import Upstream

SESSION = "X-Claude-Code-Session-Id"
AGENT = "X-Claude-Code-Agent-Id"
PARENT_AGENT = "X-Claude-Code-Parent-Agent-Id"


class GatewayCase(unittest.TestCase):
    longMessage = True

    def setUp(self):
        self._gateways = []
        self._upstreams = []

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            for gateway in getattr(self, "_gateways", []):
                print(f"\n--- log of the gateway of {self.id()}\n{gateway.log}---", file=sys.stderr, flush=True)

    def upstream(self, **options):
        upstream = Upstream(**options)
        self._upstreams.append(upstream)
        self.addCleanup(upstream.stop)
        return upstream

    def gateway(self, *upstreams, flags=(), config=None, wait=True):
        """A running gateway before these engines; waits until it has found them."""
        gateway = Gateway([upstream.url for upstream in upstreams], flags, config)
        self._gateways.append(gateway)
        self.addCleanup(self._end, gateway)
        if wait:
            gateway.wait_up(len(upstreams) or 1)
        return gateway

    def pair(self, flags=(), config=None, **options):
        """An engine and a gateway before it."""
        upstream = self.upstream(**options)
        return upstream, self.gateway(upstream, flags=flags, config=config)

    def _end(self, gateway):
        gateway.stop()
        for upstream in self._upstreams:
            self.assertEqual(upstream.errors, [], "a script of the upstream has failed")

    def assert_openai_error(self, answer, status, kind=None):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.headers.get("Content-Type"), "application/json")
        error = answer.json()["error"]
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertTrue(error["message"])
        if kind:
            self.assertEqual(error["type"], kind, answer)
        return error

    def assert_anthropic_error(self, answer, status, kind=None):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.headers.get("Content-Type"), "application/json")
        body = answer.json()
        self.assertEqual(set(body), {"type", "error"})
        self.assertEqual(body["type"], "error")
        self.assertEqual(set(body["error"]), {"type", "message"})
        if kind:
            self.assertEqual(body["error"]["type"], kind, answer)
        return body["error"]

    def assert_retry_after(self, answer):
        seconds = answer.headers.get("Retry-After")
        self.assertRegex(seconds or "", r"^[0-9]+$", answer)
        self.assertIn(int(seconds), range(1, 60))
