"""`lmwarden bench` as a child process, against a gateway before a simulated engine."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.gateway import BINARY, SANITIZED, SANITIZER, Gateway
from harness.simulator import Simulator

SPEED = 8 if SANITIZED else 20  # one that gateway, engine and bench keep up with
MODEL = "a4000-qwen3-4b"


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *simulator_flags, gateway_flags=()):
        self.engine = Simulator("--speed", str(SPEED), "--replicas", "4", *simulator_flags)
        self.addCleanup(self.engine.stop)
        self.gateway = Gateway([self.engine.url], ["--time-scale", str(SPEED), *gateway_flags])
        self.addCleanup(self.gateway.stop)
        self.gateway.poll(lambda: self.gateway.ask("GET", "/v1/models").status == 200, what="the engine to be up")
        self.url = f"http://127.0.0.1:{self.gateway.port}"
        self.admin = f"http://127.0.0.1:{self.gateway.admin_port}"

    def command(self, *arguments, admin=None, rest=0):
        command = [str(BINARY), "bench", "--time-scale", str(SPEED), "--rest", str(rest), *map(str, arguments)]
        if "--url" not in arguments:
            command += ["--url", self.url]
        return command + ["--admin", self.admin if admin is None else admin]

    def bench(self, *arguments, status=0, admin=None, rest=0):
        command = self.command(*arguments, admin=admin, rest=rest)
        ended = subprocess.run(command, text=True, capture_output=True, timeout=120, cwd=self.folder)
        self.assertEqual(ended.returncode, status, (command, ended.stdout[-2000:], ended.stderr[-2000:]))
        self.assertIsNone(SANITIZER.search(ended.stderr), ended.stderr)
        return ended

    def report(self, *arguments, rest=0):
        return json.loads(self.bench(*arguments, "--json", "-", rest=rest).stdout)
