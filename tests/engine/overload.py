#!/usr/bin/env python3
"""Overload on a real vLLM (CPU, two ranks, a cache for about eight conversations): each way of routing, and the lab beside it.

Prints a Markdown table: what `lmwarden bench` measured, and in brackets what `lmwarden lab` says with the profile that
`lmwarden calibrate` measured before. Fails where the two disagree on light load: hits by more than 3 points, the median
TTFB by more than 30 %.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import checks, http, lmwarden

import install
import vllm_server

# A context is about 1,700 tokens at its end, of which 400 are shared.
SESSIONS = ("--shared", "400", "--first", "700,800", "--turns", "6", "--new", "90,110", "--output", "40,48")
LAB_ARMS = {"off": "engine", "on": "places", "affinity": "affinity", "places": "places", "places-steady": "places-steady"}
COLUMNS = {"tokens_per_min": 0, "ttfb_p50_s": 2, "ttfb_p95_s": 1, "hits_pct": 0, "computed_tokens": 0}


def main():
    parser = lmwarden.arguments(__doc__.splitlines()[0])
    parser.add_argument("--sessions", default="4,12,18", help="conversations of each step (default: %(default)s)")
    parser.add_argument("--seconds", default="60", help="of a step (default: %(default)s)")
    parser.add_argument("--repeats", default="2", help="of each arm (default: %(default)s)")
    parser.add_argument("--arms", default="off,affinity,places", help="default: %(default)s")
    parser.add_argument("--hidden", default="1024", help="width of the random model (default: %(default)s)")
    parser.add_argument("--layers", default="20", help="default: %(default)s")
    args = parser.parse_args()
    venv = install.vllm()
    model = install.model(venv, f"model-{args.hidden}x{args.layers}", "--hidden", args.hidden, "--layers", args.layers)
    with tempfile.TemporaryDirectory(prefix="lmwarden-overload-") as scratch:
        folder = (args.logs or pathlib.Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        port = vllm_server.free_port()
        engine = f"http://127.0.0.1:{port}"
        with vllm_server.start(venv, model, port, folder, vllm_server.SMALL_CACHE) as server:
            print(f"vLLM started in {vllm_server.wait_ready(server, engine):.0f} s", flush=True)
            with lmwarden.gateway(lmwarden.binary(args), engine, folder) as gateway:
                checks.until(lambda: http.get(gateway.api, "/health").status == 200, 30, pause_s=0.2)
                return measure(args, engine, gateway, folder)


def measure(args, engine, gateway, folder):
    binary = lmwarden.binary(args)

    def run(*command):
        subprocess.run([binary, *command], cwd=folder, env=lmwarden.environment(folder), check=True)

    run("calibrate", "--engine", engine, "--max-num-seqs", "8", "--longest-prompt", "3000", "--save", "profile.json")
    steps = ("--sessions", args.sessions, "--seconds", args.seconds)
    run("bench", "published", *steps, *SESSIONS, "--url", gateway.api, "--admin", gateway.admin, "--api", "chat", "--arms",
        args.arms, "--repeats", args.repeats, "--rest", "5", "--json", "bench.json", "--html", "bench.html")
    run("lab", "published", *steps, *SESSIONS, "--profile", "profile.json", "--replicas", str(vllm_server.RANKS), "--arms",
        ",".join(LAB_ARMS[arm] for arm in args.arms.split(",")), "--seeds", "16", "--json", "lab.json")
    real, lab = (json.loads((folder / name).read_text())["arms"] for name in ("bench.json", "lab.json"))
    print(table(real, lab))
    return compare(real, lab)


def table(real, lab):
    lines = ["| sessions | arm | tokens/min | TTFB p50 s | TTFB p95 s | hits % | computed tokens |",
             "|--:|---|--:|--:|--:|--:|--:|"]
    for step in range(len(real[0]["steps"])):
        for ours, model in zip(real, lab):
            cells = [f"{ours['steps'][step][name]:.{digits}f} ({model['steps'][step][name]:.{digits}f})"
                     for name, digits in COLUMNS.items()]
            lines.append(f"| {ours['steps'][step]['sessions']} | {ours['name']} | {' | '.join(cells)} |")
    return "\n".join(["", "Measured (lab):", "", *lines])


def compare(real, lab):
    found = checks.Checks()
    for ours, model in zip(real, lab):
        got, wanted = ours["steps"][0], model["steps"][0]
        found.that(f"{ours['name']}, {got['sessions']} sessions: no turn failed", got["failures"] == 0, got["failures"])
        found.that("  hits as the lab predicts, within 3 points", abs(got["hits_pct"] - wanted["hits_pct"]) <= 3,
                   f"{got['hits_pct']:.1f}, predicted {wanted['hits_pct']:.1f}")
        found.that("  the median TTFB too, within 30 %", abs(got["ttfb_p50_s"] / wanted["ttfb_p50_s"] - 1) <= 0.3,
                   f"{got['ttfb_p50_s']:.3f} s, predicted {wanted['ttfb_p50_s']:.3f} s")
    return found.close()


if __name__ == "__main__":
    sys.exit(main())
