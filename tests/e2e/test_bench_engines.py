"""`lmwarden bench` beside several engines: their counters are added up, or nothing is said."""

import json
import unittest

from bench_case import Bench
from harness import answers
from harness.upstream import Upstream


class SeveralEngines(Bench):
    @staticmethod
    def count_metrics(engine, queries):
        """Half of its `queries`, a function of how often it was read, are hits."""
        counted = {"reads": 0}

        def metrics(exchange):
            counted["reads"] += 1
            now = queries(counted["reads"])
            page = answers.metrics_page(ranks=1, queries=2 * now, hits=now)
            exchange.reply(200, page, content_type="text/plain; version=1.0.0")

        engine.metrics = metrics
        return counted

    def engines(self, count):
        all = [Upstream() for _ in range(count)]
        for engine in all:
            self.addCleanup(engine.stop)
            self.count_metrics(engine, lambda reads: 10_000 * reads)
        return all

    def of_engines(self, front, *watched):
        """What ended, and its step, of agents at `front` while the others' counters are read."""
        metrics = [part for engine in watched for part in ("--metrics", engine.url)]
        file = self.folder / "step.json"
        ended = self.bench("published", "--url", front.url, "--sessions", "2", "--seconds", "20", *metrics, "--json", file,
                           admin="")
        return ended, json.loads(file.read_text())["arms"][0]["steps"][0]

    def test_one_of_several_engines_without_metrics_leaves_nothing_to_add_up(self):
        front, other, dumb = self.engines(3)
        dumb.metrics = lambda exchange: exchange.reply(404, b"")
        ended, step = self.of_engines(front, other, dumb)
        self.assertRegex(ended.stderr, rf"{dumb.url} has no metrics of vLLM: prefix hits and busy replicas are not")
        self.assertNotIn(f"{other.url} has no metrics", ended.stderr)
        self.assertEqual((step["hits_pct"], step["replicas_busy"]), (None, None))

    def test_one_of_several_engines_that_restarts_leaves_no_hits(self):
        """Though the counters' sum goes on growing."""
        front, other, restarted = self.engines(3)
        self.assertEqual(self.of_engines(front, other, restarted)[1]["hits_pct"], 50)
        counted = self.count_metrics(restarted, lambda reads: 1000 * reads if reads < 6 else reads)
        step = self.of_engines(front, other, restarted)[1]
        self.assertGreater(counted["reads"], 8)
        self.assertIsNone(step["hits_pct"])
        self.assertEqual(step["replicas_busy"], 0)


if __name__ == "__main__":
    unittest.main()
