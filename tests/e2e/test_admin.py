"""The admin side: what it tells, what it changes, and whom it trusts."""

import json
import re
import unittest

from harness import Connection, GatewayCase

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|Inf)|NaN)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')


def parse_prometheus(text):
    """{(name, sorted labels): value}; fails on anything that is no exposition format, or is there twice."""
    samples, types = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types, f"TYPE of {name} twice"
            types[name] = kind
            continue
        if line.startswith("#") or not line:
            continue
        match = SAMPLE.match(line)
        assert match, line
        labels = LABEL.findall(match[2] or "")
        assert LABEL.sub("", match[2] or "") == "", line
        key = (match[1], tuple(sorted(labels)))
        assert key not in samples, f"{key} twice"
        base = re.sub(r"_(bucket|sum|count)$", "", match[1])
        assert match[1] in types or types.get(base) == "histogram", f"{match[1]} has no TYPE"
        samples[key] = float(match[3])
    return samples


class Settings(GatewayCase):
    def test_affinity_can_be_switched_off_for_the_next_turn(self):
        upstream, gateway = self.pair(ranks=2)
        session = [("X-Session-Id", "conversation-1")]
        gateway.chat(session)
        answer = gateway.set_routing({"affinity": False})
        self.assertEqual(answer.status, 200)
        self.assertFalse(answer.json()["affinity"])
        self.assertEqual(answer.json()["rule"], "off")
        gateway.chat(session)
        self.assertIsNone(upstream.turns[-1].rank)
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["unrouted"], totals["in_flight"]), (1, 1, 0))
        gateway.set_routing({"affinity": True})
        gateway.chat(session)
        self.assertEqual(upstream.turns[-1].rank, upstream.turns[0].rank)
        self.assertEqual(gateway.totals()["sticky"], 1)

    def test_the_spill_threshold_can_be_set_and_given_back(self):
        _, gateway = self.pair()
        self.assertEqual(gateway.routing()["spill_threshold"], 64)  # a quarter of the 256 assumed
        self.assertEqual(gateway.routing()["spill_threshold_source"], "auto")
        answer = gateway.set_routing({"spill_threshold": 2}).json()
        self.assertEqual((answer["spill_threshold"], answer["spill_threshold_source"]), (2, "set"))
        self.assertEqual({replica["spill_threshold"] for replica in answer["replicas"]}, {2})
        answer = gateway.set_routing({"spill_threshold": None}).json()
        self.assertEqual((answer["spill_threshold"], answer["spill_threshold_source"]), (64, "auto"))

    def test_both_can_be_set_at_once_and_nothing_changes_nothing(self):
        _, gateway = self.pair()
        answer = gateway.set_routing({"affinity": False, "spill_threshold": 3}).json()
        self.assertEqual((answer["affinity"], answer["spill_threshold"]), (False, 3))
        answer = gateway.set_routing({}).json()
        self.assertEqual((answer["affinity"], answer["spill_threshold"]), (False, 3))

    def test_what_cant_be_set_is_refused_whole(self):
        _, gateway = self.pair()
        before = gateway.routing()
        bad = [b"", b"nonsense", b"[]", b"5", b"null", b'{"affinity":1}', b'{"affinity":"off"}', b'{"affinity":null}',
               b'{"spill_threshold":0}', b'{"spill_threshold":-1}', b'{"spill_threshold":1.5}',
               b'{"spill_threshold":"2"}', b'{"spill_threshold":1000001}', b'{"spill_threshold":1e400}',
               b'{"spill_threshold":18446744073709551616}', b'{"unknown":1}', b'{"affinity":false,"unknown":1}',
               b'{"affinity":false,"spill_threshold":0}', b'{"affinity":false', b"[" * 10_000]
        for body in bad:
            with self.subTest(body[:40]):
                answer = gateway.set_routing(body)
                self.assertEqual(answer.status, 400, answer)
                self.assertTrue(answer.json()["error"]["message"])
        after = gateway.routing()
        for field in ("affinity", "spill_threshold", "spill_threshold_source"):
            self.assertEqual(after[field], before[field])

    def test_an_unknown_model_is_not_found(self):
        _, gateway = self.pair()
        self.assertEqual(gateway.admin("GET", "/admin/api/models/other/routing").status, 404)
        self.assertEqual(gateway.admin("GET", "/admin/api/models/other/conversations").status, 404)
        self.assertEqual(gateway.set_routing({"affinity": False}, "other").status, 404)

    def test_a_model_with_a_slash_is_reached_by_its_encoded_name(self):
        _, gateway = self.pair(model="Org/Na me%é")
        for name in ("Org%2FNa%20me%25%C3%A9", "Org%2fNa%20me%25%c3%a9"):
            answer = gateway.admin("GET", f"/admin/api/models/{name}/routing")
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(answer.json()["model"], "Org/Na me%é")
            self.assertEqual(gateway.admin("PUT", f"/admin/api/models/{name}/routing", {"affinity": False}).status, 200)
        self.assertEqual(gateway.admin("GET", "/admin/api/models/Org/Na%20me%25%C3%A9/routing").status, 404)

    def test_a_malformed_escape_is_refused(self):
        _, gateway = self.pair()
        for name in ("%", "%2", "%zz", "a%-1", "%+f"):
            self.assertEqual(gateway.admin("GET", f"/admin/api/models/{name}/routing").status, 400, name)


class Trust(GatewayCase):
    def test_a_name_that_is_not_ours_is_refused(self):
        # A page of another site whose name is bound to our address anew must not read or change anything.
        _, gateway = self.pair()
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "evil.example:80"):
            for method, target in (("GET", "/metrics"), ("GET", "/admin/api/models"),
                                   ("PUT", "/admin/api/models/tiny/routing")):
                with self.subTest(host, target=target), Connection(gateway.admin_port) as client:
                    body = b'{"affinity":false}' if method == "PUT" else b""
                    client.send(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
                                .encode() + body)
                    self.assertEqual(client.read_response().status, 421)
        self.assertTrue(gateway.routing()["affinity"])

    def test_addresses_and_localhost_are_ours(self):
        _, gateway = self.pair()
        for host in ("127.0.0.1", f"127.0.0.1:{gateway.admin_port}", "localhost", "LOCALHOST:1", "[::1]:8081", "10.0.0.7"):
            with self.subTest(host), Connection(gateway.admin_port) as client:
                client.send(f"GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                self.assertEqual(client.read_response().status, 200)

    def test_the_admin_side_is_not_on_the_api_and_the_api_not_on_the_admin_side(self):
        upstream, gateway = self.pair()
        for target in ("/metrics", "/admin/api/models", "/admin/api/engines", "/admin/api/models/tiny/routing"):
            self.assertEqual(gateway.ask("GET", target).status, 404)
        self.assertIn(gateway.admin("POST", "/v1/chat/completions", {"model": "tiny", "messages": []}).status, (404, 405))
        self.assertEqual(upstream.turns, [])

    def test_other_methods_are_refused(self):
        _, gateway = self.pair()
        for method, target in (("POST", "/admin/api/models/tiny/routing"), ("DELETE", "/metrics"),
                               ("PUT", "/admin/api/models/tiny/conversations"), ("PUT", "/metrics")):
            self.assertEqual(gateway.admin(method, target, b"{}").status, 405)


class Telling(GatewayCase):
    def test_the_engines_and_models_are_listed(self):
        one, two = self.upstream(model="one", ranks=2, adapters=["lora"]), self.upstream(model="two", ranks=1)
        gateway = self.gateway(one, two)
        engines = {engine["url"]: engine for engine in gateway.engines()}
        self.assertEqual(set(engines), {one.url, two.url})
        self.assertEqual((engines[one.url]["version"], engines[one.url]["ranks"], engines[one.url]["model"]),
                         ("0.32.0", 2, "one"))
        models = {model["name"]: model for model in gateway.admin("GET", "/admin/api/models").json()["models"]}
        self.assertEqual((models["one"]["replicas"], models["one"]["replicas_up"]), (2, 2))
        self.assertEqual([served["id"] for served in models["one"]["served"]], ["one", "lora"])
        two.stop()

        def replicas_up():
            return {m["name"]: m["replicas_up"] for m in gateway.admin("GET", "/admin/api/models").json()["models"]}

        gateway.poll(lambda: replicas_up() == {"one": 2, "two": 0}, what="it to be seen down")
        self.assertTrue({e["url"]: e for e in gateway.engines()}[two.url]["last_error"])

    def test_what_is_configured_goes_before_what_the_engine_tells_and_each_fact_has_its_source(self):
        upstream = self.upstream(ranks=2)
        set_facts = 'kv_capacity_tokens = 50000\nmax_num_seqs = 64\nhost_kv_tokens = 9000'
        gateway = self.gateway(config=f'[[engine]]\nurl = "{upstream.url}"\n{set_facts}\n')
        gateway.poll(lambda: gateway.engines()[0]["scrape_age_s"] is not None, what="a scrape")
        engine, = gateway.engines()
        self.assertLess(engine["scrape_age_s"], 10)
        self.assertEqual(engine["model_source"], "/v1/models")
        found = {finding["topic"]: (finding["severity"], finding["text"], finding["source"])
                 for finding in engine["findings"]}
        self.assertEqual(found["kv capacity"], ("ok", "50000 tokens a replica", "configured"))
        self.assertEqual(found["host tier"], ("ok", "9000 tokens a replica", "configured"))
        self.assertEqual(found["max_num_seqs"], ("ok", "64 a replica", "configured"))
        self.assertEqual(found["replicas"], ("ok", "2 found", "/metrics"))
        self.assertEqual({replica["kv_capacity_tokens"] for replica in gateway.routing()["replicas"]}, {50000})

    def test_a_conversation_tells_its_home_and_its_sizes(self):
        upstream, gateway = self.pair()
        gateway.chat([("X-Session-Id", "conversation-1")])
        conversation, = gateway.conversations()
        self.assertEqual(conversation["endpoint"], upstream.url)
        self.assertEqual(str(conversation["rank"]), upstream.turns[0].rank)
        self.assertEqual((conversation["turns"], conversation["in_flight"]), (1, 0))
        self.assertEqual((conversation["last_prompt_tokens"], conversation["last_cached_tokens"],
                          conversation["context_tokens"]), (100, 64, 102))
        self.assertNotIn("conversation-1", gateway.admin("GET", "/admin/api/models/tiny/conversations").body.decode())

    def test_each_outcome_is_counted_once_and_adds_up(self):
        _, gateway = self.pair(ranks=2)
        session = [("X-Session-Id", "conversation-1")]
        claude = [("X-Claude-Code-Session-Id", "conversation-2")]
        gateway.chat(session)                                         # placed
        gateway.chat(session)                                         # sticky
        gateway.chat()                                                # placed
        gateway.chat(messages=[])                                     # balanced
        gateway.messages(claude, tools=[])                            # side
        gateway.messages(claude)                                      # placed
        gateway.chat([("X-data-parallel-rank", "1")])                 # client_pinned
        gateway.chat([("X-data-parallel-rank", "x")])                 # passed
        gateway.set_routing({"affinity": False})
        gateway.chat(session)                                         # unrouted
        totals = gateway.totals()
        outcomes = {"placed": 3, "sticky": 1, "rehomed": 0, "spilled": 0, "client_pinned": 1, "balanced": 1, "side": 1,
                    "unrouted": 1, "passed": 1}
        self.assertEqual({name: totals[name] for name in outcomes}, outcomes)
        self.assertEqual(totals["answered"], 9)
        replicas = gateway.routing()["replicas"]
        for name in ("placed", "sticky", "rehomed", "client_pinned", "balanced", "side"):
            self.assertEqual(sum(replica[name] for replica in replicas), outcomes[name], name)

    def test_a_prompt_that_changes_is_told_with_its_place_and_its_cost(self):
        upstream, gateway = self.pair(ranks=2)
        clock = "It is noon. " + "You are an agent. " * 100
        counts = [(20_000, 0, 100), (21_000, 20_096, 100), (22_000, 64, 100)]
        for now, upstream.usage in zip(("noon", "noon", "dusk"), counts):
            messages = [{"role": "system", "content": clock.replace("noon", now)}, {"role": "user", "content": "task"}]
            gateway.chat([("X-Session-Id", "conversation-1"), ("User-Agent", "agent/1.2 (linux)")], messages=messages)
        turn = gateway.conversations()[0]["last_turn"]
        self.assertEqual(turn, {"expected_tokens": 21_100, "lost_tokens": 21_036, "miss": "prompt_changed",
                                "changed_at": {"part": "system", "message": None, "character": 0}})
        told, = gateway.admin("GET", "/admin/api/models/tiny/prompt-breaks").json()["prompt_breaks"]
        self.assertGreaterEqual(told.pop("last_seen_s"), 0)
        self.assertEqual(told, {"part": "system", "message": None, "character": 0, "client": "agent/1.2", "turns": 1,
                                "lost_tokens": 21_036, "lost_tokens_last_hour": 21_036})
        misses = gateway.totals()["misses"]
        self.assertEqual({name: miss["turns"] for name, miss in misses.items() if miss["turns"]},
                         {"first_turn": 1, "none": 1, "prompt_changed": 1})
        lost = ("lmwarden_lost_tokens_total", (("miss", "prompt_changed"), ("model", "tiny")))
        self.assertEqual(parse_prometheus(gateway.metrics())[lost], 21_036)

    def test_metrics_are_prometheus_text_with_tokens_and_times_by_outcome(self):
        upstream, gateway = self.pair(ranks=2)
        for i in range(3):
            gateway.chat([("X-Session-Id", "conversation-1")], stream=i % 2 == 0)
        samples = parse_prometheus(gateway.metrics())

        def total(name, **labels):
            want = set(labels.items())
            return sum(value for (key, have), value in samples.items() if key == name and want <= set(have))

        self.assertEqual(total("lmwarden_prompt_tokens_total", source="cached"), 3 * 64)
        self.assertEqual(total("lmwarden_prompt_tokens_total", source="computed"), 3 * 36)
        self.assertEqual(total("lmwarden_completion_tokens_total"), 3 * 2)
        self.assertEqual(total("lmwarden_turns_total", outcome="placed", model="tiny"), 1)
        self.assertEqual(total("lmwarden_turns_total", outcome="sticky", model="tiny"), 2)
        self.assertEqual(total("lmwarden_ttfb_seconds_count", outcome="placed"), 1)
        self.assertEqual(total("lmwarden_ttfb_seconds_count", outcome="sticky"), 2)
        self.assertEqual(total("lmwarden_ttfb_seconds_bucket", outcome="sticky", le="+Inf"), 2)
        self.assertGreater(total("lmwarden_ttfb_seconds_sum", outcome="sticky"), 0)
        self.assertEqual(total("lmwarden_turns_ended_total", end="answered"), 3)
        self.assertEqual(total("lmwarden_turns_measured_total", measured="true"), 3)
        self.assertEqual(total("lmwarden_engine_up", engine=upstream.url), 1)
        self.assertEqual(total("lmwarden_replica_up"), 2)
        self.assertEqual(total("lmwarden_conversations"), 1)
        self.assertEqual(total("lmwarden_in_flight"), 0)

    def test_metrics_survive_a_model_with_odd_characters(self):
        _, gateway = self.pair(model='a"b\\c\nd')
        samples = parse_prometheus(gateway.metrics())
        self.assertIn((("model", 'a\\"b\\\\c\\nd')), {label for (_, labels) in samples for label in labels})

    def test_answers_are_never_cached(self):
        _, gateway = self.pair()
        for target in ("/metrics", "/admin/api/models", "/health"):
            self.assertEqual(gateway.admin("GET", target).headers.get("Cache-Control"), "no-store")

    def test_a_cancelled_turn_has_no_first_byte(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.wait_gone()
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", json.dumps({"model": "tiny", "messages": []}).encode())
            upstream.wait_for(lambda: upstream.turns)
        gateway.wait_idle()
        gateway.poll(lambda: gateway.totals()["cancelled"] == 1, what="the turn to end")
        samples = parse_prometheus(gateway.metrics())
        self.assertEqual(sum(v for (name, _), v in samples.items() if name == "lmwarden_ttfb_seconds_count"), 0)


if __name__ == "__main__":
    unittest.main()
