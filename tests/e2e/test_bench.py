"""`lmwarden bench` against a gateway and a simulated engine: what it measures, switches, writes, and says of bad input."""

import json
import re
import signal
import subprocess
import threading
import unittest
from pathlib import Path

from bench_case import MODEL, SPEED, Bench
from harness.gateway import BINARY
from harness.upstream import Upstream, free_port

MINI = Path(__file__).resolve().parents[1] / "traces/weka-mini.jsonl"


class AgainstTheLab(Bench):
    def test_it_agrees_with_the_lab(self):
        """Within what docs/bench.md states, off and on, at 4 and at 8 sessions. The lab's arms begin on an idle box; so
        does ours after a rest, as readings of the cache in use count for 15 s."""
        self.start()
        shape = ["--sessions", "4,8", "--seconds", "90"]
        measured = self.report("published", *shape, "--arms", "off,affinity", rest=20)
        lab = subprocess.run([str(BINARY), "lab", "published", *shape, "--arms", "engine,affinity", "--seeds", "8",
                              "--json", "-"], text=True, capture_output=True, timeout=120, check=True)
        expected = json.loads(lab.stdout)
        self.assertEqual([arm["name"] for arm in measured["arms"]], ["off", "affinity"])
        for ours, theirs in zip(measured["arms"], expected["arms"]):
            for step, model, spread in zip(ours["steps"], theirs["steps"], theirs["spread"]):
                self.assertEqual((step["sessions"], step["failures"]), (model["sessions"], 0))
                for column, least in (("tokens_per_min", 0.15 * model["tokens_per_min"]), ("hits_pct", 8),
                                      ("replicas_busy", 0.4)):
                    self.assertLess(abs(step[column] - model[column]), least + 3 * spread[column],
                                    (ours["name"], column, step, model, spread))
        affinity = measured["arms"][1]["steps"]
        self.assertEqual([step["stayed_pct"] for step in affinity], [100, 100])


class Report(Bench):
    def test_it_switches_between_the_arms_and_back(self):
        self.start(gateway_flags=["--wait-share", "0.3"])
        before = self.gateway.routing(MODEL)
        got = self.report("published", "--sessions", "2", "--seconds", "20", "--repeats", "2", "--arms",
                          "off,places-steady")
        after = self.gateway.routing(MODEL)
        for field in ("affinity", "admission", "wait_share"):
            self.assertEqual(before[field], after[field], field)
        self.assertGreater(after["totals"]["unrouted"], 0)
        self.assertGreater(after["totals"]["sticky"], 0)
        self.assertEqual([len(arm["spread"]) for arm in got["arms"]], [1, 1])
        for name in ("version", "date", "flags", "target", "engine", "model", "workload", "runs", "seed", "clock"):
            self.assertTrue(got["provenance"][name], name)
        self.assertIn("vLLM 0.32.0", got["provenance"]["engine"])
        self.assertIn("published: six short turns", got["provenance"]["workload"])
        self.assertEqual(got["provenance"]["sessions"], "2")
        self.assertIn("20 s after", got["provenance"]["step"])
        self.assertIn("3500 tokens shared", got["provenance"]["session"])

    def test_no_arm_finds_the_prompts_of_another(self):
        """One turn a session: nothing but the shared system prompt can be cached."""
        self.start()
        got = self.report("published", "--sessions", "1", "--seconds", "40", "--turns", "1", "--shared", "16", "--arms",
                          "on,on,on")
        for arm in got["arms"]:
            self.assertLess(arm["steps"][0]["cached_pct"], 1, got["arms"])

    def test_every_api_and_way_of_naming_conversations(self):
        self.start("--engine-version", "0.33.0")
        for api in ("messages", "chat", "responses"):
            for ids in ("session", "claude-code", "none"):
                with self.subTest(api=api, ids=ids):
                    step = self.report("subagents", "--sessions", "2", "--seconds", "30", "--warm", "0", "--think", "0",
                                       "--first", "900,1000", "--api", api, "--ids", ids, "--arms", "on")["arms"][0]["steps"][0]
                    self.assertEqual(step["failures"], 0)
                    self.assertGreater(step["turns"], 3)
                    self.assertEqual(step["stayed_pct"], 100)
                    self.assertGreater(step["cached_pct"], 20)

    def test_a_trace_is_cut_down_to_the_models_limit(self):
        self.start("--max-model-len", "16384")
        ended = self.bench("weka-mini", "--trace", MINI, "--think-scale", "0", "--seconds", "60", "--arms", "on", "--json", "-")
        self.assertRegex(ended.stderr, r"Lengths are cut to \d+ of 64 to fit into the model's 16384 tokens")
        step = json.loads(ended.stdout)["arms"][0]["steps"][0]
        self.assertEqual(step["failures"], 0, ended.stderr)
        self.assertGreater(step["turns"], 20)

    def test_without_flags_the_report_is_kept_and_drawn_on_demand(self):
        self.start()
        self.bench("published", "--sessions", "2", "--seconds", "15", "--arms", "on")
        kept, = self.folder.glob("lmwarden-bench-*.json")
        self.assertEqual(json.loads(kept.read_text())["arms"][0]["steps"][0]["sessions"], 2)
        page = self.folder / "page.html"
        self.bench("published", "--sessions", "2", "--seconds", "15", "--arms", "on", "--html", page)
        self.assertIn("time-line", page.read_text())


class Interrupted(Bench):
    def begin(self, sessions, *arguments, rest=0):
        self.file = self.folder / "report.json"
        command = self.command("published", "--sessions", sessions, "--seconds", "20", "--arms", "off,on",
                               "--json", self.file, *arguments, rest=rest)
        self.running = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.running.kill)

    def interrupt(self):
        self.running.send_signal(signal.SIGINT)

    def check_end(self):
        """At once, with what is finished shown and the settings as they were."""
        out, err = self.running.communicate(timeout=20)
        self.assertEqual(self.running.returncode, 130, (out, err))
        self.assertIn("Interrupted", err)
        self.assertRegex(out, r"(?m)^ +2  off ")
        self.assertEqual(json.loads(self.file.read_text())["arms"][0]["name"], "off")
        self.assertTrue(self.gateway.routing(MODEL)["affinity"])

    def test_it_shows_what_is_finished_and_switches_back(self):
        self.start()
        self.begin("2,3", "--repeats", "50")
        self.gateway.poll(self.file.exists, timeout=60, what="the first step in the file")
        self.interrupt()
        self.check_end()

    def test_while_it_rests_it_ends_at_once(self):
        self.start()
        self.begin("2", rest=300 * SPEED)
        self.gateway.poll(self.file.exists, timeout=60, what="the step in the file")
        self.gateway.wait_idle(MODEL)  # its agents have ended
        self.interrupt()
        self.check_end()

    def test_when_a_step_has_just_ended_it_does_not_begin_to_rest(self):
        """That two readings of the counters are under way, a poll's and its own, is so only at a step's ends."""
        self.start()
        watched, held, waiting, go_on = Upstream(), threading.Event(), threading.Semaphore(0), threading.Event()
        self.addCleanup(watched.stop)
        self.addCleanup(go_on.set)
        answer, answered = watched.metrics, []

        def metrics(exchange):
            if held.is_set():
                waiting.release()
                go_on.wait(20)
            answer(exchange)
            answered.append(exchange)

        watched.metrics = metrics
        self.begin("2", "--metrics", watched.url, rest=300 * SPEED)
        self.gateway.poll(lambda: self.gateway.totals(MODEL)["unrouted"] > 1, what="the step to have begun")
        begun = len(answered)
        self.gateway.poll(lambda: len(answered) >= begun + 3, what="the reading at its beginning to have come")
        held.set()
        for _ in range(2):
            self.assertTrue(waiting.acquire(timeout=20))
        self.interrupt()
        go_on.set()
        self.check_end()


class BadInput(Bench):
    def refused(self, *arguments, admin=""):
        ended = self.bench(*arguments, status=2, admin=admin)
        self.assertRegex(ended.stderr, r"(?m)^lmwarden bench: ")
        return ended.stderr

    def test_nobody_is_there(self):
        self.url = f"http://127.0.0.1:{free_port()}"
        self.assertIn("can't be connected to", self.refused("published"))
        self.assertIn("--url", self.refused("published", "--url", "ftp://x"))

    def test_what_there_is_not(self):
        self.start()
        self.assertIn("no workload 'x'", self.refused("x"))
        self.assertIn("no arm 'x'", self.refused("published", "--arms", "x", admin=self.admin))
        self.assertIn("does not serve 'x'", self.refused("published", "--model", "x"))
        self.assertIn("needs LM Warden's admin side", self.refused("published", "--arms", "off,on"))
        self.assertIn("needs a trace", self.refused("weka"))

    def test_an_engine_without_metrics_has_columns_that_say_so(self):
        engine = Upstream()
        self.addCleanup(engine.stop)
        engine.metrics = lambda exchange: exchange.reply(404, b"")
        self.url = engine.url
        ended = self.bench("published", "--sessions", "2", "--seconds", "10", "--api", "chat", admin="")
        self.assertIn("prefix hits and busy replicas are not measured", ended.stderr)
        row = re.search(r"(?m)^ +2  as-is .*$", ended.stdout)[0]
        self.assertIn("n/a", row)
        step = json.loads(next(self.folder.glob("*.json")).read_text())["arms"][0]["steps"][0]
        self.assertIsNone(step["hits_pct"])
        self.assertIsNone(step["replicas_busy"])
        self.assertIsNone(step["spilled"])
        self.assertGreater(step["turns"], 0)

    def test_an_engine_that_fails_every_turn(self):
        engine = Upstream()
        self.addCleanup(engine.stop)
        engine.answer = lambda exchange: exchange.reply(400, b'{"error":{"message":"too long"}}')
        self.url = engine.url
        ended = self.bench("published", "--sessions", "2", "--seconds", "20", admin="")
        self.assertIn("no turn ended in the step of 2 sessions", ended.stderr)
        self.assertIn("status 400", ended.stderr)
        self.assertIn("too long", ended.stderr)

    def test_a_report_that_cannot_be_written(self):
        self.start()
        ended = self.bench("published", "--sessions", "2", "--seconds", "10", "--arms", "on", "--json",
                           self.folder / "none/report.json", status=1)
        self.assertIn("can't write", ended.stderr)
        self.assertRegex(ended.stdout, r"(?m)^ +2  on ")

    def test_the_admin_side_wants_a_token(self):
        token = "sesame-of-sixteen"
        self.start(gateway_flags=["--admin-token", token])
        shape = ("published", "--sessions", "2", "--seconds", "10", "--json", "-")
        self.assertIn("needs the admin token", self.bench(*shape).stderr)
        self.assertIn("off", self.bench(*shape, "--admin-token", token).stdout)
        self.assertNotIn(token, self.bench(*shape, "--admin-token", token, "--arms", "on").stdout)


if __name__ == "__main__":
    unittest.main()
