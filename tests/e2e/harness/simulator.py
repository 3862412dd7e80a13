"""`lmwarden simulate` as a child process: an engine for those tests whose question is what an engine does."""

import json
import re
import subprocess
import tempfile

from harness.client import Connection
from harness.gateway import BINARY, SANITIZER


class Simulator:
    def __init__(self, *flags, script=None):
        self._script = tempfile.NamedTemporaryFile("w", suffix=".json")
        command = [str(BINARY), "simulate", "--listen", "127.0.0.1:0", *flags]
        if script is not None:
            json.dump(script, self._script)
            self._script.flush()
            command += ["--script", self._script.name]
        self._errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self._errors, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"Engine (http://127\.0\.0\.1:(\d+))\n", line)
        if not found:
            raise AssertionError(f"the simulator did not start: {command}\n{line}{self._said()}")
        self.url, self.port = found[1], int(found[2])

    def ask(self, method, target, body=None, headers=(), timeout=60.0):
        """One exchange on a connection of its own."""
        with Connection(self.port, timeout) as client:
            return client.ask(method, target, body, headers)

    def _said(self):
        self._errors.seek(0)
        return self._errors.read()

    def stop(self):
        """Ends it as an operator would. Fails when it does not end well, or a sanitizer has complained."""
        self.process.terminate()
        code = self.process.wait(20)
        self.process.stdout.close()
        said = self._said()
        self._errors.close()
        self._script.close()
        if code != 0 or SANITIZER.search(said):
            raise AssertionError(f"the simulator ended with {code}\n{said}")
