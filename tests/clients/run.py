#!/usr/bin/env python3
"""A real agent through lmwarden, which fronts its own simulator with scripted replies. See README.md."""

import contextlib
import dataclasses
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import checks, http, lmwarden, metrics

import claude_code
import install

RANKS = 4
SPEED = 20
AGENTS = {"claude-code": install.claude_code}


@dataclasses.dataclass
class Setup:
    checks: checks.Checks
    folder: pathlib.Path
    engine: str  # URL
    gateway: lmwarden.Gateway
    model: str


def main():
    parser = lmwarden.arguments(__doc__.splitlines()[0])
    parser.add_argument("agent", choices=sorted(AGENTS))
    args = parser.parse_args()
    binary = lmwarden.binary(args)
    AGENTS[args.agent]()
    with tempfile.TemporaryDirectory(prefix="lmwarden-clients-") as scratch:
        folder = pathlib.Path(scratch)
        logs = (args.logs or folder).absolute()
        logs.mkdir(parents=True, exist_ok=True)
        found = checks.Checks()
        print("claude -p: tools, a sub-agent, resuming")
        with started(binary, found, folder, logs, "print") as setup:
            print_mode(setup)
        print("claude in a terminal: a title beside the first turn, /context")
        with started(binary, found, folder, logs, "terminal") as setup:
            terminal_mode(setup)
        return found.close()


@contextlib.contextmanager
def started(binary, found, folder, logs, name):
    """A simulator, a gateway in front of it, and a folder for the agent; nothing is left of an earlier one."""
    logs = logs / name
    logs.mkdir(exist_ok=True)
    script = HERE / "claude-code.json"
    flags = ["--replicas", RANKS, "--profile", "a4000-qwen3-4b", "--speed", SPEED, "--script", script]
    with lmwarden.simulator(binary, logs, flags) as engine:
        with lmwarden.gateway(binary, engine, logs, ["--time-scale", SPEED]) as gateway:
            model = http.get(engine, "/v1/models").json()["data"][0]["id"]
            if checks.until(lambda: http.get(gateway.api, "/health").status == 200, 20) is None:
                raise SystemExit(f"the gateway does not find the simulator:\n{gateway.program.tail()}")
            yield Setup(found, folder / name, engine, gateway, model)


def print_mode(setup):
    ok = setup.checks
    watch = metrics.Watch(setup.engine, RANKS)
    claude = claude_code.ClaudeCode(setup.gateway.api, setup.model, setup.folder, nonessential_traffic=False)
    ok.equal("two tool calls and an answer", claude.ask("TOOL-TASK please"), "TOOL-TASK-DONE")
    [before] = settled(setup)
    ok.equal("resumed, a sub-agent and its report", claude.ask("DELEGATE-TASK please", "-c"), "DELEGATE-TASK-DONE")
    ok.equal("resumed again", claude.ask("TOOL-TASK again", "-c"), "TOOL-TASK-DONE")

    seen = settled(setup)
    show(seen)
    ok.equal("there are two conversations: the agent and its sub-agent", len(seen), 2)
    main = next((c for c in seen if c["key"] == before["key"]), None)
    sub = next((c for c in seen if c["key"] != before["key"]), None)
    ok.that("the agent kept its conversation and its home over two resumes", main and main["home"] == before["home"])
    if main and sub:
        ok.equal("the sub-agent belongs to the same group", sub["group"], main["group"])
        ok.that("of eight turns or more, and two", main["turns"] >= 8 and sub["turns"] == 2, [main["turns"], sub["turns"]])
    everything_stuck(setup, seen, watch, side_requests=0)


def terminal_mode(setup):
    ok = setup.checks
    watch = metrics.Watch(setup.engine, RANKS)
    claude = claude_code.ClaudeCode(setup.gateway.api, setup.model, setup.folder, nonessential_traffic=True)
    with claude.terminal() as terminal:
        ok.that("it starts", terminal.shows("❯"))
        terminal.say("TOOL-TASK please")
        ok.that("two tool calls and an answer", terminal.shows("TOOL-TASK-DONE"))
        settled(setup)
        before = setup.gateway.totals(setup.model)
        terminal.say("/context")
        ok.that("/context asks for two dozen token counts and is answered", terminal.shows("Free space"))
        seen = settled(setup)
        ok.equal("which are no turns", setup.gateway.totals(setup.model), before)
    show(seen)
    ok.equal("there is one conversation", len(seen), 1)
    everything_stuck(setup, seen, watch, side_requests=1)


def settled(setup):
    """The conversations, once nothing is in flight."""
    checks.until(lambda: not any(setup.gateway.in_flight(setup.model)), 10)
    return setup.gateway.conversations(setup.model)


def everything_stuck(setup, conversations, watch, side_requests):
    """Each turn but the first of its conversation went home; what else was sent left nothing behind."""
    ok = setup.checks
    totals = setup.gateway.totals(setup.model)
    turns = sum(c["turns"] for c in conversations)
    wanted = {"placed": len(conversations), "sticky": turns - len(conversations)}
    wanted |= dict.fromkeys(("spilled", "client_pinned", "balanced", "unrouted", "passed"), 0)
    ok.equal("every later turn was sticky", {name: totals[name] for name in wanted}, wanted)
    ok.equal("a title is a request beside the conversation", totals["side"], side_requests)
    ok.that("most prompt tokens were found cached", (totals["cached_share"] or 0) > 0.6, f"{totals['cached_share']:.0%}")
    ok.equal("nothing is in flight", setup.gateway.in_flight(setup.model), [0] * (RANKS + 1))

    served = watch.served(turns + side_requests)
    at_home = [sum(c["turns"] for c in conversations if c["rank"] == rank) for rank in range(RANKS)]
    elsewhere = sum(got - home for got, home in zip(served, at_home))
    ok.that(
        "the engine's counters say the same", elsewhere == side_requests and all(map(int.__ge__, served, at_home)), served
    )


def show(conversations):
    head = ("key", "group", "parent", "source", "home", "turns", "context_tokens")
    checks.table([head] + [[c.get(field) for field in head] for c in conversations])
    print()


if __name__ == "__main__":
    sys.exit(main())
