"""`lmwarden lab` and `lmwarden bench compare`: the commands, their files, and what they say of bad input."""

import csv
import gzip
import io
import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.gateway import BINARY

TRACES = Path(__file__).resolve().parents[1] / "traces"
MINI = TRACES / "weka-mini.jsonl"


def lmwarden(*arguments, status=0):
    ended = subprocess.run([BINARY, *map(str, arguments)], text=True, capture_output=True, timeout=120)
    assert ended.returncode == status, (arguments, ended.returncode, ended.stdout[-2000:], ended.stderr[-2000:])
    return ended


def lab(*arguments, status=0):
    return lmwarden("lab", *arguments, status=status)


def report(*arguments):
    return json.loads(lab(*arguments, "--json", "-").stdout)


class Lab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_published_table_is_there_in_under_thirty_seconds(self):
        begin = time.monotonic()
        table = lab("published", "--arms", "engine-0.26,engine,affinity").stdout
        self.assertLess(time.monotonic() - begin, 30)
        for sessions in (4, 8, 16, 24, 32):
            for arm in ("engine-0.26", "engine", "affinity"):
                self.assertRegex(table, rf"(?m)^ +{sessions}  {re.escape(arm)} ")

    def test_json_has_all_columns_and_how_it_was_measured(self):
        got = report("published", "--sessions", "4,8", "--seeds", "2", "--arms", "engine,affinity")
        self.assertEqual([arm["name"] for arm in got["arms"]], ["engine", "affinity"])
        step = got["arms"][1]["steps"][1]
        self.assertEqual(step["sessions"], 8)
        for field in ("sessions_per_hour", "tokens_per_min", "ttfb_mean_s", "ttfb_p50_s", "ttfb_p95_s", "ttfb_p99_s",
                      "turn_p50_s", "turn_p95_s", "replicas_busy", "hits_pct", "cached_pct", "stayed_pct", "spilled",
                      "held", "computed_tokens", "failures", "worst_wait_s", "fairness"):
            self.assertIsInstance(step[field], (int, float), field)
        self.assertEqual(step["stayed_pct"], 100)
        self.assertEqual(len(got["arms"][1]["spread"]), 2)
        said = got["provenance"]
        for name in ("version", "date", "workload", "engine", "seeds", "clock"):
            self.assertTrue(said[name], name)
        self.assertEqual(said["flags"], "workload published --sessions 4,8 --arms engine,affinity --seeds 2 --json -")
        self.assertIn("3500 tokens shared, 7200 to 7500 first, 360 to 440 in later messages, 6 turns", said["session"])
        self.assertIn("max_num_seqs 32, max_num_batched_tokens 2048, max_model_len 32768", said["profile"])

    def test_equal_seeds_give_equal_results(self):
        flags = ("skew", "--sessions", "8", "--seconds", "300", "--seed", "5")
        self.assertEqual(report(*flags)["arms"], report(*flags)["arms"])

    def test_flags_change_box_and_sessions(self):
        small = report("published", "--sessions", "4", "--kv-tokens", "16384", "--replicas", "1", "--slow", "1",
                       "--first", "3000", "--turns", "2,3", "--arms", "affinity")
        self.assertIn("1 replicas", small["provenance"]["engine"])
        self.assertIn("16384 KV tokens", small["provenance"]["profile"])
        self.assertLess(small["arms"][0]["steps"][0]["computed_tokens"], 600_000)

    def test_all_forms_are_written(self):
        names = {form: self.folder / f"r.{form}" for form in ("json", "csv", "markdown", "html")}
        flags = [part for form, path in names.items() for part in (f"--{form}", path)]
        lab("published", "--sessions", "4,8", "--arms", "engine,affinity", *flags)
        rows = list(csv.DictReader(io.StringIO(names["csv"].read_text())))
        self.assertEqual(len(rows), 4)
        self.assertEqual(rows[3]["arm"], "affinity")
        steps = json.loads(names["json"].read_text())["arms"][1]["steps"]
        self.assertAlmostEqual(float(rows[3]["ttfb_p50_s"]), steps[1]["ttfb_p50_s"], 3)
        self.assertIn("| 8 | affinity |", names["markdown"].read_text())
        page = names["html"].read_text()
        self.assertEqual(page.count("<figure"), 5 + 2)
        self.assertIsNone(re.search(r"https?:|<script|<link|@import|url\(", page))

    def test_the_spread_of_seeds_is_shown_and_the_table_still_fits(self):
        file = self.folder / "r.csv"
        table = lab("published", "--seeds", "3", "--arms", "engine-0.26,engine,affinity,places", "--csv", file).stdout
        rows = re.findall(r"(?m)^ +\d+  \S.*$", table)
        self.assertEqual(len(rows), 5 * 4)
        for row in rows:
            self.assertEqual(row.count("±"), 4, row)
            self.assertLessEqual(len(row), 160, row)
        for row in csv.DictReader(io.StringIO(file.read_text())):
            self.assertGreater(float(row["tokens_per_min_sd"]), 0, row)

    def test_a_full_disk_is_said_and_the_table_still_printed(self):
        ended = lab("published", "--sessions", "4", "--arms", "affinity", "--json", "/dev/full", status=1)
        self.assertIn("No space left", ended.stderr)
        self.assertIn("affinity", ended.stdout)

    def test_what_is_unknown_is_named_with_what_there_is(self):
        for flags, name in ((("nowhere",), "published"), (("published", "--arms", "luck"), "affinity"),
                            (("published", "--profile", "abacus"), "rtx5090-27b")):
            ended = lab(*flags, status=2)
            self.assertIn(name, ended.stderr)
            self.assertEqual(ended.stdout, "")

    def test_a_step_in_which_nothing_ended_says_so(self):
        ended = lab("published", "--sessions", "4", "--seconds", "1", "--arms", "affinity")
        self.assertIn("no turn ended", ended.stderr)
        self.assertIn("n/a", ended.stdout)


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_real_sessions_run_to_their_end(self):
        got = report("weka-mini", "--trace", MINI, "--arms", "engine,affinity,infinite-cache")
        engine, affinity, bound = (arm["steps"][0] for arm in got["arms"])
        for step in (engine, affinity, bound):
            self.assertEqual((step["turns"], step["failures"]), (508, 0))
        self.assertGreater(affinity["hits_pct"], engine["hits_pct"] + 10)
        self.assertGreaterEqual(bound["hits_pct"], affinity["hits_pct"])
        self.assertEqual(affinity["stayed_pct"], 100)

    def test_turns_come_at_their_recorded_times(self):
        got = report("mooncake", "--trace", TRACES / "mooncake-start.jsonl", "--arms", "affinity")
        self.assertEqual(got["arms"][0]["steps"][0]["turns"], 300)

    def test_a_compressed_trace_is_the_same(self):
        packed = self.folder / "t.jsonl.gz"
        packed.write_bytes(gzip.compress(MINI.read_bytes()))
        flags = ("weka-mini", "--arms", "affinity", "--seconds", "600", "--trace")
        self.assertEqual(report(*flags, MINI)["arms"], report(*flags, packed)["arms"])
        packed.write_bytes(gzip.compress(MINI.read_bytes())[:5000])
        self.assertIn("can't read", lab(*flags, packed, status=2).stderr)

    def test_lines_that_cannot_be_read_are_named_and_skipped_or_refused(self):
        lines = MINI.read_text().splitlines()
        lines[20] = lines[20][:-10]
        broken = self.folder / "broken.jsonl"
        broken.write_text("\n".join(lines))
        flags = ("weka-mini", "--trace", broken, "--arms", "affinity")
        ended = lab(*flags)
        self.assertIn("line 21: no JSON object", ended.stderr)
        self.assertIn("affinity", ended.stdout)
        self.assertIn("line 21", lab(*flags, "--strict", status=2).stderr)

    def test_a_workload_that_needs_a_trace_says_so(self):
        self.assertIn("--trace", lab("weka", status=2).stderr)
        self.assertIn("can't read", lab("weka", "--trace", self.folder / "none", status=2).stderr)
        empty = self.folder / "empty"
        empty.write_text("")
        self.assertIn("line 1", lab("weka", "--trace", empty, status=2).stderr)


class Compare(unittest.TestCase):
    def test_two_reports_are_compared_and_others_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = Path(folder) / "one.json", Path(folder) / "two.json"
            lab("published", "--sessions", "8", "--arms", "affinity", "--json", one)
            lab("published", "--sessions", "8", "--arms", "affinity", "--slow", "1", "--json", two)
            same = lmwarden("bench", "compare", one, one).stdout
            self.assertIn("+0.0 %", same)
            self.assertNotEqual(lmwarden("bench", "compare", one, two).stdout, same)
            two.write_text("{}")
            self.assertIn("no report", lmwarden("bench", "compare", one, two, status=1).stderr)
            self.assertIn("can't read", lmwarden("bench", "compare", one, folder + "/none", status=1).stderr)


if __name__ == "__main__":
    unittest.main()
