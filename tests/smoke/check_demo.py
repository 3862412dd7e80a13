#!/usr/bin/env python3
"""Checks the JSON and the log of `lmwarden demo`: with LM Warden turns go home, the cache shows it, and nothing is amiss."""

import json
import re
import sys

with open(sys.argv[2]) as log:
    said = [line for line in log if not re.search(r"\] +\d+ % ", line)]  # all but the progress
assert not said, said
arms = {arm["name"]: arm["steps"][0] for arm in json.load(open(sys.argv[1]))["arms"]}
assert list(arms) == ["engine-0.26", "engine", "affinity", "places"], list(arms)
assert all(step["failures"] == 0 for step in arms.values()), arms
assert arms["affinity"]["stayed_pct"] == 100, arms
for ours in ("affinity", "places"):
    for name in ("engine-0.26", "engine"):
        assert arms[ours]["hits_pct"] > arms[name]["hits_pct"] + 5, (ours, name, arms)
        assert arms[ours]["ttfb_p50_s"] < arms[name]["ttfb_p50_s"], (ours, name, arms)
print("demo: affinity has the most hits and the lowest median TTFB")
