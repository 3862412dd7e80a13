"""Engines whose /metrics fail: turns go on, and what is known of the engine ages."""

import threading
import unittest

from harness import GatewayCase, Upstream, answers


class MetricsFaults(GatewayCase):
    def check_turns_go_on_while_readings_age(self, metrics, flags=()):
        upstream, gateway = self.pair(flags=flags)
        session = [("X-Session-Id", "conversation-1")]
        gateway.poll(lambda: gateway.routing()["replicas"][0]["reading_age_s"] is not None, what="a reading")
        gateway.chat(session)
        asked = upstream.count("/metrics")
        upstream.metrics = metrics
        self.assertTrue(upstream.wait_for(lambda: upstream.count("/metrics") > asked))
        gateway.poll(lambda: gateway.routing()["replicas"][0]["reading_age_s"] > 1, what="the reading to age")
        for _ in range(5):
            self.assertEqual(gateway.chat(session).status, 200)
        self.assertEqual(len({turn.rank for turn in upstream.turns}), 1)
        routing = gateway.routing()
        self.assertEqual(routing["totals"]["sticky"], 5)
        self.assertTrue(all(replica["up"] for replica in routing["replicas"]))
        # And it recovers.
        upstream.metrics = lambda e: e.reply(200, answers.metrics_page(running=3))
        gateway.poll(lambda: gateway.routing()["replicas"][0]["running"] == 3, what="a new reading")
        self.assertEqual(gateway.routing()["totals"]["conversations"], 1)
        return gateway

    def test_metrics_that_hang(self):
        done = threading.Event()
        self.addCleanup(done.set)

        def hang(exchange):
            if not done.is_set():
                exchange.wait_gone(5)

        self.check_turns_go_on_while_readings_age(hang, ["--timeouts-scrape", "300ms"])

    def test_metrics_that_stop_in_the_middle(self):
        def stop(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nvllm:num_requests_running 1\n")
            exchange.wait_gone(5)

        self.check_turns_go_on_while_readings_age(stop, ["--timeouts-scrape", "300ms"])

    def test_metrics_that_answer_500(self):
        self.check_turns_go_on_while_readings_age(lambda e: e.reply(500, b"Internal Server Error"))

    def test_metrics_that_are_not_numbers(self):
        for value in ("NaN", "+Inf", "-1"):
            self.check_turns_go_on_while_readings_age(
                lambda e, v=value: e.reply(200, answers.metrics_page(kv=v, running=v)))

    def test_metrics_that_are_no_metrics(self):
        self.check_turns_go_on_while_readings_age(lambda e: e.reply(200, b"<html>\xff\x00 {{{{ not here"))

    def test_metrics_that_are_empty(self):
        self.check_turns_go_on_while_readings_age(lambda e: e.reply(200, b""))

    def test_metrics_of_20_mb(self):
        page = answers.metrics_page(running=7) + b"# padding\n" * 2_000_000
        self.check_turns_go_on_while_readings_age(lambda e: e.reply(200, page))

    def test_metrics_that_lack_a_rank_age_that_rank_alone(self):
        upstream, gateway = self.pair(ranks=2)
        gateway.poll(lambda: gateway.routing()["replicas"][1]["reading_age_s"] is not None, what="a reading")
        upstream.metrics = lambda e: e.reply(200, answers.metrics_page(ranks=1, running=4))
        gateway.poll(lambda: gateway.routing()["replicas"][1]["reading_age_s"] > 1, what="the reading to age")
        replicas = gateway.routing()["replicas"]
        self.assertEqual(replicas[0]["running"], 4)
        self.assertLess(replicas[0]["reading_age_s"], 1)
        for i in range(4):
            self.assertEqual(gateway.chat([("X-Session-Id", f"conversation-{i}")]).status, 200)
        self.assertEqual({turn.rank for turn in upstream.turns}, {"0", "1"})

    def test_an_engine_without_metrics_is_served_as_one_replica(self):
        upstream = self.upstream()
        upstream.metrics = lambda e: e.reply(404, b"")
        gateway = self.gateway(upstream)
        self.assertEqual(gateway.chat([("X-Session-Id", "conversation-1")]).status, 200)
        self.assertIsNone(upstream.turns[0].rank)
        self.assertEqual(len(gateway.routing()["replicas"]), 1)


class Restarts(GatewayCase):
    def test_counters_that_go_back_mean_a_new_run_whose_homes_are_forgotten(self):
        upstream, gateway = self.pair()
        gateway.poll(lambda: gateway.routing()["replicas"][0]["reading_age_s"] is not None, what="a reading")
        for i in range(4):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertEqual(len(gateway.conversations()), 4)
        upstream.metrics = lambda e: e.reply(200, answers.metrics_page(queries=0, hits=0))
        gateway.poll(lambda: not gateway.conversations(), what="the homes to be forgotten")
        gateway.chat([("X-Session-Id", "conversation-0")])
        self.assertEqual(gateway.totals()["placed"], 5)
        # The new run counts up: nothing more is forgotten.
        upstream.metrics = lambda e: e.reply(200, answers.metrics_page(queries=10, hits=5))
        gateway.poll(lambda: gateway.routing()["replicas"][0]["prefix_hit_rate"] == 0.5, what="a reading")
        self.assertEqual(len(gateway.conversations()), 1)

    def test_an_engine_that_was_away_has_no_homes_and_the_other_keeps_its_own(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two)
        for i in range(6):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        kept = {turn.headers.get("X-Session-Id") for turn in two.turns}
        one.stop()
        gateway.poll(lambda: sum(e["up"] for e in gateway.engines()) == 1, what="it to be seen down")
        back = Upstream(ranks=1, port=one.port)
        self._upstreams.append(back)
        self.addCleanup(back.stop)
        gateway.wait_up(2)
        gateway.poll(lambda: len(gateway.conversations()) == 3, what="the dead homes to be forgotten")
        before = len(two.turns)
        for session in kept:
            gateway.chat([("X-Session-Id", session)])
        self.assertEqual(len(two.turns), before + len(kept))
        self.assertEqual(len(back.turns), 0)

    def test_an_engine_that_comes_back_with_more_ranks_uses_them(self):
        upstream, gateway = self.pair(ranks=1)
        upstream.stop()
        gateway.poll(lambda: not gateway.engines()[0]["up"], what="it to be seen down")
        back = Upstream(ranks=4, port=upstream.port)
        self.addCleanup(back.stop)
        gateway.wait_up(1)
        for i in range(8):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertEqual({turn.rank for turn in back.turns}, {"0", "1", "2", "3"})

    def test_an_engine_whose_health_fails_is_down_though_its_metrics_go_on(self):
        upstream, gateway = self.pair()
        upstream.health = lambda e: e.reply(503, b"")
        gateway.poll(lambda: not gateway.engines()[0]["up"], what="it to be seen down")
        self.assert_openai_error(gateway.chat(), 503)
        upstream.health = lambda e: e.reply(200, b"")
        gateway.wait_up(1)
        self.assertEqual(gateway.chat().status, 200)

    def test_an_engine_that_is_only_slow_to_say_that_it_is_well_stays_up(self):
        upstream, gateway = self.pair()
        asked = upstream.count("/health")
        release = threading.Event()
        self.addCleanup(release.set)
        upstream.health = lambda e: release.wait(30)
        upstream.wait_for(lambda: upstream.count("/health") > asked + 1, 20)
        self.assertTrue(gateway.engines()[0]["up"])
        self.assertEqual(gateway.chat().status, 200)

    def test_an_engine_that_comes_back_with_another_model_is_served_under_it(self):
        upstream, gateway = self.pair(model="old")
        self.assertEqual(gateway.chat(model="old").status, 200)
        upstream.stop()
        gateway.poll(lambda: not gateway.engines()[0]["up"], what="it to be seen down")
        back = Upstream(model="new", port=upstream.port)
        self.addCleanup(back.stop)
        gateway.wait_up(1)
        self.assertEqual(gateway.chat(model="new").status, 200)
        self.assert_openai_error(gateway.chat(model="old"), 503)


if __name__ == "__main__":
    unittest.main()
