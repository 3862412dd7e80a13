#!/usr/bin/env python3
"""Runs the files of this folder as processes beside each other, and ends with one summary.

usage: run.py [name ...]    e.g. run.py framing routing.Placement
The binary is $LMWARDEN, else build/dev/bin/lmwarden. $E2E_JOBS processes run at once (2).
"""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LONGEST_FIRST = ("metrics_faults", "disconnects", "random_cuts", "relay_sse", "odd_json")
RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
ENDED = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)


def run(name):
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-m", "unittest", "-v", f"test_{name}"], cwd=FOLDER, text=True,
                           errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return name, ended.returncode, ended.stdout, time.monotonic() - start


def order(name):
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def main(names):
    names = names or sorted((path.stem.removeprefix("test_") for path in FOLDER.glob("test_*.py")), key=order)
    start = time.monotonic()
    ran, counts, failed = 0, {}, []
    with ThreadPoolExecutor(int(os.environ.get("E2E_JOBS", "2"))) as pool:
        for name, code, output, seconds in pool.map(run, names):
            print(f"=== {name} ({seconds:.1f} s)\n{output}", flush=True)
            tests, end = RAN.search(output), ENDED.search(output)
            ran += int(tests[1]) if tests else 0
            for part in (end[1] or "").split(", ") if end else []:
                if part:
                    kind, _, count = part.partition("=")
                    counts[kind] = counts.get(kind, 0) + int(count)
            if code != 0 or not tests or not int(tests[1]):
                failed.append(name)
    print(f"Ran {ran} tests in {time.monotonic() - start:.3f}s\n")
    details = ", ".join(f"{kind}={count}" for kind, count in counts.items())
    print(("FAILED" if failed else "OK") + (f" ({details})" if details else ""))
    if failed:
        print("in:", ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
