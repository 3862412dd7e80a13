"""An engine's /metrics, and what moved in it while something was done."""

import re
import time

from . import http


class Metrics:
    """One reading: each family by rank, summed over every other label."""

    LINE = re.compile(r'^(vllm:\w+)\{(?:[^}]*,)?engine="(\d+)"[^}]*\} (\S+)$', re.MULTILINE)

    def __init__(self, url, ranks):
        self.text = http.get(url, "/metrics").body.decode()
        self._ranks = ranks
        self._values = {}
        for name, engine, value in self.LINE.findall(self.text):
            key = name, int(engine)
            self._values[key] = self._values.get(key, 0) + float(value)

    def of(self, name):
        """The values of `vllm:NAME`, by rank."""
        return [int(self._values.get((f"vllm:{name}", rank), 0)) for rank in range(self._ranks)]

    def label(self, name, label):
        """The first value of a label of `vllm:NAME`."""
        match = re.search(rf'^vllm:{name}\{{[^}}]*\b{label}="([^"]*)"', self.text, re.MULTILINE)
        return match and match[1]


class Watch:
    """Which rank worked, by the engine's own counters: read at the start, and again after the work."""

    def __init__(self, url, ranks):
        self._url = url
        self._ranks = ranks
        self._before = Metrics(url, ranks)

    def delta(self, name):
        after = Metrics(self._url, self._ranks)
        return [new - old for new, old in zip(after.of(name), self._before.of(name))]

    def served(self, count=1, limit_s=5):
        """Requests that each rank ended, once `count` have been counted: the counters lag by a moment."""
        deadline = time.monotonic() + limit_s
        while sum(ended := self.delta("request_success_total")) < count and time.monotonic() < deadline:
            time.sleep(0.05)
        return ended

    def rank(self):
        """The rank that ended one request; None when none did."""
        return next((rank for rank, count in enumerate(self.served()) if count), None)
