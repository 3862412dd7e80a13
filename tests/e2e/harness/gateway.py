"""The real binary as a child process."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from harness.client import Connection

ROOT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("LMWARDEN", ROOT / "build/dev/bin/lmwarden"))
# A sanitized build is several times slower, and larger.
SANITIZED = any(mark in BINARY.read_bytes() for mark in (b"__asan_init", b"__tsan_init")) if BINARY.exists() else False
SANITIZER = re.compile(r"AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|DEADLYSIGNAL")


class Gateway:
    """`lmwarden serve`. Its output is kept in `log`."""

    def __init__(self, engines=(), flags=(), config=None):
        command = [str(BINARY), "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
                   "--data-dir", "none"]
        for url in engines:
            command += ["--engine", url]
        self._config = None
        if config is not None:
            self._config = tempfile.NamedTemporaryFile("w", suffix=".toml")
            self._config.write(config)
            self._config.flush()
            command += ["--config", self._config.name]
        if not any(flag.startswith("--scrape-interval") for flag in flags):
            command += ["--scrape-interval", "200ms"]
        command += list(flags)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LMWARDEN")}
        environment["ASAN_OPTIONS"] = "quarantine_size_mb=8:detect_stack_use_after_return=0:" + environment.get(
            "ASAN_OPTIONS", "")
        environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
        self.command = command
        self._lines = []
        self._said = threading.Condition()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=environment)
        self._drain = threading.Thread(target=self._read_output, daemon=True)
        self._drain.start()
        self.port = self._announced_port("API")
        self.admin_port = self._announced_port("Admin")

    @property
    def log(self):
        return "".join(self._lines)

    def _read_output(self):
        for line in self.process.stdout:
            with self._said:
                self._lines.append(line.decode("utf-8", "replace"))
                self._said.notify_all()
        with self._said:
            self._said.notify_all()

    def _announced_port(self, name):
        pattern = re.compile(rf"{name}\s+http://\S+:(\d+)")
        with self._said:
            self._said.wait_for(lambda: pattern.search(self.log) or self.process.poll() is not None, 30)
        found = pattern.search(self.log)
        if not found:
            raise AssertionError(f"the gateway did not start: {self.command}\n{self.log}")
        return int(found.group(1))

    # --- asking it

    def connect(self, timeout=20.0):
        return Connection(self.port, timeout)

    def ask(self, method, target, body=None, headers=()):
        """One exchange on a connection of its own."""
        with self.connect() as client:
            return client.ask(method, target, body, headers)

    def chat(self, headers=(), stream=False, model="tiny", **more):
        return self.ask("POST", "/v1/chat/completions", chat_request(stream=stream, model=model, **more), headers)

    def messages(self, headers=(), stream=False, model="tiny", **more):
        return self.ask("POST", "/v1/messages", messages_request(stream=stream, model=model, **more), headers)

    def admin(self, method, target, body=None, headers=()):
        with Connection(self.admin_port) as client:
            return client.ask(method, target, body, headers)

    def routing(self, model="tiny"):
        answer = self.admin("GET", f"/admin/api/models/{quote(model, safe='')}/routing")
        assert answer.status == 200, answer
        return answer.json()

    def totals(self, model="tiny"):
        return self.routing(model)["totals"]

    def conversations(self, model="tiny"):
        return self.admin("GET", f"/admin/api/models/{quote(model, safe='')}/conversations").json()["conversations"]

    def set_routing(self, change, model="tiny"):
        return self.admin("PUT", f"/admin/api/models/{quote(model, safe='')}/routing", change)

    def metrics(self):
        return self.admin("GET", "/metrics").body.decode()

    # --- waiting for it

    @staticmethod
    def poll(condition, timeout=15.0, what="it"):
        """For what only the gateway knows, and does not announce."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"timed out waiting for {what}")
            time.sleep(0.01)

    def engines(self):
        return self.admin("GET", "/admin/api/engines").json()["engines"]

    def wait_up(self, count):
        self.poll(lambda: sum(engine["up"] for engine in self.engines()) >= count, what=f"{count} engines up")

    def wait_idle(self, model="tiny"):
        """All gauges back to 0."""
        def gauges():
            routing = self.routing(model)
            busy = [routing["totals"]["in_flight"]]
            busy += [replica["in_flight"] for replica in routing["replicas"]]
            busy += [conversation["in_flight"] for conversation in self.conversations(model)]
            return busy
        self.poll(lambda: not any(gauges()), what="all in_flight to be 0")

    def rss(self):
        """Resident bytes."""
        return self._status("VmRSS:")

    def peak_rss(self):
        """The most resident bytes so far."""
        return self._status("VmHWM:")

    def _status(self, name):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"no {name}")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    # --- ending it

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout=20.0):
        self.process.wait(timeout)
        self._drain.join(timeout)
        self.process.stdout.close()
        return self.process.returncode

    def stop(self):
        """Ends it as an operator would. Fails when it does not end well, or a sanitizer has complained."""
        try:
            if self.process.poll() is None:
                self.terminate()
            code = self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.wait()
            raise AssertionError(f"SIGTERM did not end the gateway\n{self.log}") from None
        finally:
            if self._config:
                self._config.close()
        if code != 0 or SANITIZER.search(self.log):
            raise AssertionError(f"the gateway ended with {code}\n{self.log}")


def chat_request(stream=False, model="tiny", **more):
    body = {"model": model, "messages": [{"role": "user", "content": "Hello"}], **more}
    return {**body, "stream": True} if stream else body


def messages_request(stream=False, model="tiny", **more):
    body = {"model": model, "max_tokens": 16, "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
            "messages": [{"role": "user", "content": "Hello"}], **more}
    return {**body, "stream": True} if stream else body
