"""A real vLLM with two data-parallel replicas of the tiny model, and what its /metrics says."""

import os
import re
import socket
import time

from harness import checks, http, process

MODEL = "tiny"
RANKS = 2
MAX_MODEL_LEN = 8192
START_LIMIT_S = 420

# A cache small enough to start at once; the two cores are shared by all the processes.
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
}


def free_port():
    """A port that is free now. A restarted server has to come back on the same one, so it cannot be 0."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start(venv, model, port, folder):
    """Start the server and return it at once; `wait_ready` waits for it."""
    command = [
        venv / "bin" / "vllm", "serve", model, "--served-model-name", MODEL, "--host", "127.0.0.1", "--port", port,
        "--data-parallel-size", RANKS, "--api-server-count", 1, "--max-num-seqs", 8, "--max-model-len", MAX_MODEL_LEN,
        "--enable-prompt-tokens-details", "--enforce-eager",
    ]  # fmt: skip
    environment = os.environ | ENVIRONMENT | {"PATH": f"{venv / 'bin'}:{os.environ['PATH']}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else 20,000 files are compiled at every start
    return process.Program("vllm serve", command, folder / "vllm.log", environment, folder)


def wait_ready(server, url):
    """Seconds until the server is healthy."""
    took = checks.until(lambda: not server.running() or healthy(url), START_LIMIT_S, pause_s=1)
    if took is None or not server.running():
        raise SystemExit(f"vLLM did not start; its log ends:\n{server.tail()}")
    return took


def healthy(url):
    try:
        return http.get(url, "/health", limit_s=5).status == 200
    except OSError:
        return False


def engine_cores(server):
    """The process id of each rank's engine process."""
    found = {}
    for pid, command in process.group_members(server.pid):
        if match := re.search(r"EngineCore_DP(\d+)", command):
            found[int(match[1])] = pid
    return found


class Metrics:
    """One reading of /metrics, summed over every label but the engine's."""

    LINE = re.compile(r'^(vllm:\w+)\{(?:[^}]*,)?engine="(\d+)"[^}]*\} (\S+)$', re.MULTILINE)

    def __init__(self, url):
        self.text = http.get(url, "/metrics").body.decode()
        self._values = {}
        for name, engine, value in self.LINE.findall(self.text):
            key = name, int(engine)
            self._values[key] = self._values.get(key, 0) + float(value)

    def of(self, name):
        """The values of `vllm:NAME`, by rank."""
        return [int(self._values.get((f"vllm:{name}", rank), 0)) for rank in range(RANKS)]

    def label(self, name, label):
        """The first value of a label of `vllm:NAME`."""
        match = re.search(rf'^vllm:{name}\{{[^}}]*\b{label}="([^"]*)"', self.text, re.MULTILINE)
        return match and match[1]


class Watch:
    """Which rank worked, by the engine's own counters: read at the start, and again after the work."""

    def __init__(self, url):
        self._url = url
        self._before = Metrics(url)

    def delta(self, name):
        after = Metrics(self._url)
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
