#!/usr/bin/env python3
"""Very many turns with faults on both sides, and what must hold after them: see README.md.

usage: run.py [TURNS] [--seed N] [--first N]
The binary is $LMWARDEN, else build/release/bin/lmwarden.
"""

import argparse
import collections
import multiprocessing
import multiprocessing.connection
import os
import random
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("LMWARDEN", str(ROOT / "build/release/bin/lmwarden"))
sys.path.insert(0, str(ROOT / "tests/e2e"))

import client  # noqa: E402
import engine  # noqa: E402
import plan as plans  # noqa: E402
import verdict  # noqa: E402
from harness.gateway import Gateway  # noqa: E402
from watch import Watch  # noqa: E402

FLAGS = [f"--limits-conversations={plans.TABLE}", f"--limits-body-bytes={plans.BODY_LIMIT}", "--timeouts-first-byte=5s",
         "--timeouts-stream-idle=5s", "--timeouts-heartbeat=1s", "--timeouts-pool-idle=500ms", "--scrape-interval=1s",
         "--timeouts-connect=10s", "--timeouts-max-wait=300ms", f"--limits-prompts={plans.TABLE}"]
CLIENT_PROCESSES = 2
CONTEXT = multiprocessing.get_context("fork")


class Child:
    """A process of ours and the pipe to it."""

    def __init__(self, target, *arguments):
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=target, args=(*arguments, theirs), daemon=True)
        self.process.start()

    def result(self):
        outcome = self.pipe.recv()
        self.process.join()
        return outcome


def engines(seed):
    """An engine of four ranks, and two of one replica, one of which is away now and then."""
    return [Child(engine.main, seed, "ranked", plans.POOLS["ranked"], False), Child(engine.main, seed, "twins", 1, False),
            Child(engine.main, seed, "twins", 1, True)]


def config():
    return "".join(f'[[model]]\nname = "{model}"\naliases = ["{alias}"]\n' for model, alias in plans.ALIASES.items())


def change_settings(gateway, rng, over):
    """Affinity and admission on and off, thresholds up and down, while turns are under way."""
    while not over.wait(1):
        change = {"affinity": rng.random() < 0.8, "spill_threshold": rng.choice((None, 1, 2, 8)),
                  "admission": rng.choice(("auto", "on", "off")), "wait_share": rng.choice((0.05, 0.45, 1))}
        gateway.set_routing(change, rng.choice(tuple(plans.POOLS)))


def run_clients(gateway, seed, numbers, progress):
    children = [Child(client.main, seed, gateway.port, numbers[part::CLIENT_PROCESSES], progress)
                for part in range(CLIENT_PROCESSES)]
    while waiting := [child.pipe for child in children if not child.pipe.poll()]:
        if gateway.process.poll() is not None:
            raise SystemExit(f"the gateway has ended with {gateway.process.returncode}\n{gateway.log[-5000:]}")
        multiprocessing.connection.wait(waiting, 5)
        print(f"\r{progress.value} turns", end="", file=sys.stderr, flush=True)
    print("\r", end="", file=sys.stderr)
    results = [child.result() for child in children]
    return {"outcomes": sum((result["outcomes"] for result in results), collections.Counter()),
            "failures": [failure for result in results for failure in result["failures"]],
            "unread": [number for result in results for number in result["unread"]],
            "cpu": sum(result["cpu"] for result in results)}


def soak(turns, seed, first):
    servers = engines(seed)
    ports = [server.pipe.recv() for server in servers]
    gateway = Gateway([f"http://127.0.0.1:{port}" for port in ports], FLAGS, config())
    gateway.wait_up(len(ports))
    watch, over, progress = Watch(gateway), threading.Event(), CONTEXT.Value("q", 0)
    changer = threading.Thread(target=change_settings, args=(gateway, random.Random(seed), over), daemon=True)
    changer.start()
    numbers, begin = range(first, first + turns), time.monotonic()
    clients = run_clients(gateway, seed, numbers, progress)
    seconds = time.monotonic() - begin
    over.set()
    changer.join()
    watch.end()
    for server in servers:
        server.pipe.send("end")
    run = verdict.Run(seed, numbers, seconds, clients, [server.result() for server in servers], watch, gateway)
    faults = verdict.faults(run)
    verdict.print_table(run)
    try:
        gateway.stop()
    except AssertionError as error:
        faults.append(str(error)[-3000:])
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("turns", nargs="?", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--first", type=int, default=0, help="the number of the first turn")
    options = parser.parse_args()
    again = f"./dev soak {options.turns} --seed {options.seed}" + (f" --first {options.first}" if options.first else "")
    print(f"to repeat this run: {again}", flush=True)
    faults = soak(options.turns, options.seed, options.first)
    for fault in faults:
        print("FAULT:", fault)
    print("the soak has passed" if not faults else f"the soak has FAILED; to repeat it: {again}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
