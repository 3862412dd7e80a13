"""Programs under test: started in a group of their own, read for what they print, always ended."""

import collections
import os
import re
import signal
import subprocess
import sys
import threading
import time

# Who is told to end leaves its `with` blocks, as on Ctrl-C, and ends what it has started.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class Program:
    """A running program. Its output goes to a log file; `announced` waits for a line of it.

    Use as a context manager: at the end the whole process group is gone, whatever happened.
    """

    def __init__(self, name, command, log, environment=None, folder=None):
        self.name = name
        self.log = log
        self._lines = collections.deque(maxlen=2000)
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def running(self):
        return self._process.poll() is None

    def announced(self, pattern, limit_s):
        """The match of the first line that `pattern` is found in."""
        deadline = time.monotonic() + limit_s
        with self._changed:
            while True:
                for line in self._lines:
                    if match := re.search(pattern, line):
                        return match
                if not self._reader.is_alive() or time.monotonic() > deadline:
                    raise AssertionError(f"{self.name} never printed {pattern!r}; its log ends:\n{self.tail()}")
                self._changed.wait(0.2)

    def tail(self, count=30):
        return "\n".join(list(self._lines)[-count:])

    def wait(self, limit_s):
        """The exit status; None when it still runs after the limit."""
        try:
            return self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, grace_s=10):
        """End it: SIGTERM, then SIGKILL for the whole group."""
        if self.running():
            self._process.terminate()
            self.wait(grace_s)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._reader.join(5)

    def _read(self):
        with open(self.log, "a") as file:
            for line in self._process.stdout:
                file.write(line)
                file.flush()
                with self._changed:
                    self._lines.append(line.rstrip("\n"))
                    self._changed.notify_all()


def group_members(leader):
    """(pid, command line) of each process in the group that `leader` leads."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if os.getpgid(int(entry)) != leader:
                continue
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                yield int(entry), file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except (ProcessLookupError, FileNotFoundError):
            continue  # it ended while we looked
