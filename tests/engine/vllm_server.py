"""A real vLLM with two data-parallel replicas of the tiny model."""

import os
import re
import socket

from harness import checks, http, metrics, process

MODEL = "tiny"
RANKS = 2
MAX_MODEL_LEN = 8192
# Of a rank: 224 blocks of 32 tokens, about four conversations of tests/engine/overload.py.
SMALL_CACHE = ("--block-size", 32, "--num-gpu-blocks-override", 224, "--max-model-len", 4096)
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


def start(venv, model, port, folder, flags=()):
    """Start the server and return it at once; `wait_ready` waits for it."""
    command = [
        venv / "bin" / "vllm", "serve", model, "--served-model-name", MODEL, "--host", "127.0.0.1", "--port", port,
        "--data-parallel-size", RANKS, "--api-server-count", 1, "--max-num-seqs", 8, "--max-model-len", MAX_MODEL_LEN,
        "--enable-prompt-tokens-details", "--enforce-eager", *flags,
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


def read_metrics(url):
    return metrics.Metrics(url, RANKS)


def watch(url):
    return metrics.Watch(url, RANKS)
