#!/usr/bin/env python3
"""lmwarden in front of a real vLLM with two data-parallel replicas of a tiny model. See README.md."""

import dataclasses
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import checks, http, lmwarden, process

import failures
import install
import talk
import turns
import vllm_server


@dataclasses.dataclass
class Setup:
    checks: checks.Checks
    binary: pathlib.Path
    folder: pathlib.Path
    engine: str  # URL
    server: process.Program
    gateway: lmwarden.Gateway

    def doctor(self):
        return lmwarden.doctor(self.binary, self.engine, self.folder)


def main():
    args = lmwarden.arguments(__doc__.splitlines()[0]).parse_args()
    binary = lmwarden.binary(args)
    venv = install.vllm()
    model = install.tiny_model(venv)
    with tempfile.TemporaryDirectory(prefix="lmwarden-engine-") as scratch:
        folder = args.logs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        return run(binary, venv, model, folder.absolute())


def run(binary, venv, model, folder):
    found = checks.Checks()
    port = vllm_server.free_port()
    engine = f"http://127.0.0.1:{port}"
    with lmwarden.gateway(binary, engine, folder) as gateway:
        with vllm_server.start(venv, model, port, folder) as server:
            setup = Setup(found, binary, folder, engine, server, gateway)
            before_the_engine(setup)
            print(f"vLLM started in {vllm_server.wait_ready(server, engine):.0f} s")
            while_it_lives(setup)
            failures.engine_death(setup)
            found.that("vLLM has ended", server.wait(30) is not None)
        with vllm_server.start(venv, model, port, folder) as server:
            setup.server = server
            print(f"vLLM started again in {vllm_server.wait_ready(server, engine):.0f} s")
            failures.engine_return(setup)
        found.that("the gateway lived through it all", gateway.program.running())
    return found.close()


def before_the_engine(setup):
    answer = http.post(setup.gateway.api, talk.Conversation.path, talk.chat_body([{"role": "user", "content": "early"}]))
    retry_after = answer.headers.get("retry-after")
    setup.checks.equal("before its engine is up the gateway says 503", answer.status, 503)
    setup.checks.that("and when to come again", (retry_after or "").isdigit(), retry_after)


def while_it_lives(setup):
    found = checks.until(lambda: http.get(setup.gateway.api, "/health").status == 200, 30, pause_s=0.2)
    setup.checks.that("the gateway finds an engine that came up after it", found is not None, f"{found or 0:.1f} s")
    turns.discovery(setup)
    turns.conversations(setup, talk.Conversation)
    turns.conversations(setup, talk.Messages)
    turns.usage(setup)
    turns.rank_headers(setup)
    failures.disconnects(setup)


if __name__ == "__main__":
    start = time.monotonic()
    status = main()
    print(f"took {time.monotonic() - start:.0f} s")
    sys.exit(status)
