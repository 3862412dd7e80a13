#!/usr/bin/env python3
"""Checks the JSON of `lmwarden demo`: with affinity every turn goes home, and the cache shows it."""

import json
import sys

arms = {arm["name"]: arm["steps"][0] for arm in json.load(open(sys.argv[1]))["arms"]}
assert list(arms) == ["engine-0.26", "engine", "affinity"], list(arms)
affinity = arms["affinity"]
assert all(step["failures"] == 0 for step in arms.values()), arms
assert affinity["stayed_pct"] == 100, affinity
for name in ("engine-0.26", "engine"):
    assert affinity["hits_pct"] > arms[name]["hits_pct"] + 5, (name, arms)
    assert affinity["ttfb_p50_s"] < arms[name]["ttfb_p50_s"], (name, arms)
print("demo: affinity has the most hits and the lowest median TTFB")
