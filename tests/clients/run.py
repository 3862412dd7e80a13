#!/usr/bin/env python3
"""Real clients through lmwarden, which fronts its own simulator with scripted replies. See README.md."""

import contextlib
import json
import pathlib
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import checks, http, lmwarden

import aider
import claude_code
import codex
import install
import opencode
import python_sdks
import qwen_code
import scenario
import script

CLIENTS = {
    kind.name: kind
    for kind in (
        claude_code.ClaudeCode,
        codex.Codex,
        opencode.Opencode,
        opencode.OpencodeAnthropic,
        qwen_code.QwenCode,
        aider.Aider,
        python_sdks.OpenAi,
        python_sdks.Anthropic,
    )
}
RANKS = 4
SPEED = 5  # engine seconds a wall second
ENGINE = ["--replicas", RANKS, "--profile", "rtx5090-27b", "--speed", SPEED, "--engine-version", "0.33.0"]


def main():
    parser = lmwarden.arguments(__doc__.splitlines()[0])
    parser.add_argument("clients", nargs="+", choices=[*CLIENTS, "all"], metavar="CLIENT", help=f"{', '.join(CLIENTS)}, all")
    args = parser.parse_args()
    binary = lmwarden.binary(args)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    signal.signal(signal.SIGINT, signal.default_int_handler)  # clients are interrupted by it: started with &, they would ignore it
    names = CLIENTS if "all" in args.clients else dict.fromkeys(args.clients)
    found = checks.Checks()
    with tempfile.TemporaryDirectory(prefix="lmwarden-clients-") as scratch:
        folder = pathlib.Path(scratch)
        logs = (args.logs or folder).absolute()
        rows = [row for name in names for row in client(binary, found, folder, logs, CLIENTS[name])]
    checks.table([ROW] + rows)
    return found.close()


ROW = ("client", "version", "conversations", "turns", "stayed", "cached", "interrupted", "failed checks")


def client(binary, found, folder, logs, kind):
    """Rows of the closing table: one a scene."""
    try:
        install.client(kind.package)
    except SystemExit as error:
        found.that(f"{kind.name} {install.version(kind.package)} can be installed", False, error)
        return
    scenes = {kind.name: lambda setup: scenario.play(setup, kind)}
    if kind.in_a_terminal:
        scenes[f"{kind.name}-terminal"] = kind.in_a_terminal
    for name, play in scenes.items():
        print(f"\n{name} {install.version(kind.package)}")
        failed = found.failed
        with started(binary, found, folder / name, logs / name, kind) as setup:
            conversations = play(setup)
            show(conversations)
            totals = setup.gateway.totals(setup.model)
        turns = sum(c["turns"] for c in conversations)
        later = turns - len(conversations)
        stay = f"{totals['sticky'] / later:.0%}" if later else "-"
        cached = f"{totals['cached_share'] or 0:.0%}"
        row = (name, install.version(kind.package), len(conversations), turns, stay, cached, totals["cancelled"])
        yield *row, found.failed - failed


@contextlib.contextmanager
def started(binary, found, folder, logs, kind):
    """A simulator and a gateway in front of it; nothing is left of an earlier one."""
    logs.mkdir(parents=True, exist_ok=True)
    rules = logs / "script.json"
    rules.write_text(json.dumps(script.rules(kind)))
    with lmwarden.simulator(binary, logs, [*ENGINE, "--script", rules]) as engine:
        with lmwarden.gateway(binary, engine, logs, ["--time-scale", SPEED]) as gateway:
            model = http.get(engine, "/v1/models").json()["data"][0]["id"]
            if checks.until(lambda: http.get(gateway.api, "/health").status == 200, 20) is None:
                raise SystemExit(f"the gateway does not find the simulator:\n{gateway.program.tail()}")
            yield scenario.Setup(found, engine, RANKS, gateway, model, folder)


def show(conversations):
    fields = ("key", "group", "parent", "source", "home", "turns", "last_prompt_tokens", "last_cached_tokens")
    checks.table([fields] + [[c[field] for field in fields] for c in conversations])


if __name__ == "__main__":
    sys.exit(main())
