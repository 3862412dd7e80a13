"""`lmwarden calibrate` and `lmwarden plan`: a profile from a measured engine, and what fits a box."""

import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import answers
from harness.gateway import BINARY, SANITIZED, Gateway
from harness.simulator import Simulator
from harness.upstream import Upstream, free_port


# The profile a4000-qwen3-4b, as a file from before `tokenize_s`.
A4000 = {"name": "a4000-qwen3-4b", "base_s": 0.0233, "prefill_s": 1.45e-4, "attn_s": 2.25e-8, "seq_s": 3e-4,
         "kvread_s": 5.1e-7, "slow": [1.17, 0.88, 1.17, 0.71], "kv_tokens": 38900, "block_size": 16, "max_num_seqs": 32,
         "max_num_batched_tokens": 2048, "max_model_len": 32768, "network_s": 0.06}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def lmwarden(self, *arguments, status=0):
        ended = subprocess.run([str(BINARY), *map(str, arguments)], text=True, capture_output=True, timeout=120,
                               cwd=self.folder)
        self.assertEqual(ended.returncode, status, (arguments, ended.stdout[-2000:], ended.stderr[-2000:]))
        return ended


class Calibrate(Case):
    def test_it_finds_the_profile_of_a_simulated_engine(self):
        """Its first card has the factor 1.17."""
        (self.folder / "box.json").write_text(json.dumps(A4000 | {"tokenize_s": 4e-5}))
        speed = "2" if SANITIZED else "5"  # what parsing costs here counts as the tokenizer's, so many times
        engine = Simulator("--speed", speed, "--replicas", "4", "--profile", str(self.folder / "box.json"))
        self.addCleanup(engine.stop)
        ended = self.lmwarden("calibrate", "--engine", engine.url, "--time-scale", speed, "--name", "mine")
        self.assertIn("--profile lmwarden-profile.json", ended.stdout)
        found = json.loads((self.folder / "lmwarden-profile.json").read_text())
        self.assertEqual(found["name"], "mine")
        self.assertEqual(found["kv_tokens"], 38896)
        for field, expected in (("base_s", 1.17 * 0.0233), ("prefill_s", 1.17 * 1.45e-4), ("attn_s", 1.17 * 2.25e-8),
                                ("kvread_s", 1.17 * 5.1e-7), ("tokenize_s", 4e-5)):
            self.assertLess(abs(found[field] / expected - 1), 0.5 if SANITIZED else 0.25, (field, found))
        for factor, expected in zip(found["slow"], (1, 0.88 / 1.17, 1, 0.71 / 1.17)):
            self.assertLess(abs(factor - expected), 0.1, found)
        table = self.lmwarden("lab", "published", "--sessions", "4", "--profile", "lmwarden-profile.json").stdout
        self.assertIn("Times are engine seconds of the model 'mine'", table)

    def test_a_profile_of_before_tokenizers_were_measured_has_none(self):
        (self.folder / "old.json").write_text(json.dumps(A4000))
        out = self.lmwarden("lab", "published", "--sessions", "4", "--arms", "affinity", "--profile", "old.json", "--json", "-")
        self.assertIn("tokenizer 0 s/token", json.loads(out.stdout)["provenance"]["profile"])

    def test_reasoning_is_timed_as_any_other_token(self):
        """Of an engine with a reasoning parser, whose short answers never get beyond it."""
        engine = Upstream(ranks=1)
        self.addCleanup(engine.stop)

        def answer(exchange):
            if exchange.request.path == "/tokenize":
                exchange.reply(404, b"")
                return
            count = exchange.request.json()["max_tokens"]
            exchange.stream_head()
            for _ in range(count):
                exchange.chunk(answers.data_event(answers.chat_chunk({"reasoning": "hm "})))
                time.sleep(0.02)
            exchange.chunk(answers.usage_event((len(exchange.request.body) // 5, 16, count)))
            exchange.chunk(b"data: [DONE]\n\n")
            exchange.end()

        engine.answer = answer
        said = self.lmwarden("calibrate", "--engine", engine.url, "--repeats", "1").stderr
        each = [float(ms) for ms in re.findall(r"then one each ([\d.]+) ms", said)]
        self.assertEqual(len(each), 4, said)
        for ms in each:
            self.assertTrue(5 < ms < 200, said)

    def test_an_engine_that_does_not_tell_its_cache(self):
        engine = Upstream()
        self.addCleanup(engine.stop)
        engine.metrics = lambda exchange: exchange.reply(404, b"")
        self.assertIn("does not serve 'x'; it serves: tiny",
                      self.lmwarden("calibrate", "--engine", engine.url, "--model", "x", status=1).stderr)
        self.assertIn("--kv-tokens", self.lmwarden("calibrate", "--engine", engine.url, status=1).stderr)
        engine.answer = lambda exchange: exchange.reply(400, b'{"error":{"message":"no"}}')
        said = self.lmwarden("calibrate", "--engine", engine.url, "--kv-tokens", "9000", status=1).stderr
        self.assertIn("status 400", said)
        self.assertFalse(list(self.folder.iterdir()))

    def test_nobody_is_there(self):
        said = self.lmwarden("calibrate", "--engine", f"http://127.0.0.1:{free_port()}", status=1).stderr
        self.assertIn("can't be connected to", said)

    def test_a_file_that_is_no_profile(self):
        (self.folder / "bad.json").write_text('{"name":"x","base_s":-1}')
        for command in (("lab", "published"), ("plan",), ("simulate",)):
            ended = subprocess.run([str(BINARY), *command, "--profile", "bad.json"], text=True, capture_output=True,
                                   timeout=60, cwd=self.folder)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("bad.json is no profile: base_s is out of range", ended.stderr)
            ended = subprocess.run([str(BINARY), *command, "--profile", "none"], text=True, capture_output=True, timeout=60)
            self.assertIn("there is no profile 'none', nor a file", ended.stderr)


class Plan(Case):
    def test_from_flags(self):
        out = self.lmwarden("plan", "--context", "12000", "--shared", "3000", "--replicas", "2", "--html", "plan.html",
                            "--json", "plan.json").stdout
        self.assertIn("6 sessions × 12000 tokens fit: 3 on each of 2 replicas", out)
        for arm in ("engine", "affinity", "places"):
            self.assertRegex(out, rf"(?m)^ +12  {arm} ")
        self.assertIn("<svg", (self.folder / "plan.html").read_text())
        said = json.loads((self.folder / "plan.json").read_text())["provenance"]
        self.assertTrue(said["flags"].startswith("--context 12000 --shared 3000 --replicas 2 "), said)
        self.assertIn("2 replicas", said["engine"])
        self.assertIn("3000 tokens shared", said["session"])
        self.assertIn("think time 3 s", said["session"])
        self.assertIn("6 sessions of 12000 tokens, 3000 of them shared", said["fits"])
        self.assertTrue(all(said[name] for name in ("version", "date", "profile", "sessions", "seeds", "clock")), said)

    def test_from_a_live_gateway(self):
        engine = Upstream()
        self.addCleanup(engine.stop)
        engine.usage = (4000, 64, 100)
        gateway = Gateway([engine.url])
        self.addCleanup(gateway.stop)
        gateway.wait_up(1)
        admin = f"http://127.0.0.1:{gateway.admin_port}"
        self.assertIn("no conversation in the last hour", self.lmwarden("plan", "--admin", admin, status=2).stderr)
        for session in range(3):
            gateway.messages([("X-Session-Id", f"session-{session}")])
        ended = self.lmwarden("plan", "--admin", admin, "--kv-tokens", "20000")
        self.assertIn("2 replicas up, 3 conversations in the last hour, nine in ten within 4100 tokens", ended.stderr)
        self.assertRegex(ended.stdout, r"sessions × 4100 tokens fit: \d+ on each of 2 replicas")

    def test_no_gateway(self):
        said = self.lmwarden("plan", "--admin", f"http://127.0.0.1:{free_port()}", status=2).stderr
        self.assertIn("can't be connected to", said)
        self.assertIn("--admin", self.lmwarden("plan", "--admin", "nonsense", status=2).stderr)
        self.assertIn("not even one session", self.lmwarden("plan", "--kv-tokens", "2000", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
