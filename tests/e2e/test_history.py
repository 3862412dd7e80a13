"""The history behind the charts: it outlives being killed, and a folder that can't be used only costs it."""

import tempfile
import unittest
from pathlib import Path

from harness.case import GatewayCase, SESSION
from harness.gateway import Gateway


class History(GatewayCase):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def written(self):
        return sum(path.stat().st_size for path in Path(self.folder.name).iterdir())

    def history(self, gateway):
        return gateway.admin("GET", "/admin/api/models/tiny/history?span=15m").json()

    def test_it_outlives_a_gateway_that_is_killed(self):
        upstream = self.upstream()
        flags = ("--data-dir", self.folder.name)
        first = Gateway([upstream.url], flags)
        try:
            first.wait_up(1)
            empty = self.written()
            first.messages([(SESSION, "11111111-1111-4111-8111-111111111111")])
            first.poll(lambda: self.history(first)["total"]["turns"], timeout=30, what="ten seconds to be over")
            before = self.history(first)
            first.poll(lambda: self.written() > empty, what="the write, which goes on beside")
        finally:
            first.process.kill()
            first.wait()
        after = self.history(self.gateway(upstream, flags=flags))
        self.assertIsNone(before["not_kept"])
        self.assertEqual(after["total"]["turns"], 1)
        self.assertEqual(after["total"]["prompt_tokens"], before["total"]["prompt_tokens"])

    def test_a_folder_that_cant_be_used_only_costs_the_history(self):
        in_the_way = Path(self.folder.name) / "file"
        in_the_way.write_text("")
        upstream = self.upstream()
        gateway = self.gateway(upstream, flags=("--data-dir", str(in_the_way)))
        self.assertIn("unable to open", self.history(gateway)["not_kept"])
        self.assertEqual(gateway.chat().status, 200)


if __name__ == "__main__":
    unittest.main()
