"""Which engines serve a model, by whatever name it is asked for."""

import unittest
from collections import Counter

from harness import GatewayCase


class Models(GatewayCase):
    CONFIG = '[[model]]\nname = "tiny"\naliases = ["claude-*", "gpt-?"]\n'

    def test_an_alias_is_sent_as_the_model_and_nothing_else_changes(self):
        upstream, gateway = self.pair(config=self.CONFIG)
        for name in ("claude-haiku-4-5-20251001", "claude-opus-4-5[1m]", "gpt-5"):
            body = b'{ "messages": [] ,"model" :"%s", "x":"%s" }' % (name.encode(), name.encode())
            self.assertEqual(gateway.ask("POST", "/v1/messages", body).status, 200)
            self.assertEqual(upstream.turns[-1].body, body.replace(name.encode(), b"tiny", 1))

    def test_the_answer_names_the_model_that_was_asked_for(self):
        upstream, gateway = self.pair(config=self.CONFIG)
        for name in ("claude-haiku-4-5-20251001", "claude-opus-4-5[1m]"):
            for ask in (gateway.chat, gateway.messages):
                answer = ask(model=name)
                self.assertEqual(answer.json()["model"], name)
                self.assertEqual(int(answer.headers.get("Content-Length")), len(answer.body))
                stream = ask(model=name, stream=True).body
                self.assertIn(b'"model":"%s"' % name.encode(), stream)
                self.assertNotIn(b'"model":"tiny"', stream)
                self.assertEqual(stream.replace(b'"model":"%s"' % name.encode(), b'"model":"tiny"'),
                                 ask(stream=True).body)
        self.assertEqual({turn.json()["model"] for turn in upstream.turns}, {"tiny"})

    def test_a_model_called_with_a_suffix_is_served(self):
        upstream, gateway = self.pair()
        answer = gateway.chat(model="tiny[1m]")
        self.assertEqual((answer.status, answer.json()["model"]), (200, "tiny[1m]"))
        self.assertEqual(upstream.turns[0].json()["model"], "tiny")

    def test_an_alias_and_its_model_share_their_conversations(self):
        upstream, gateway = self.pair(ranks=4, config=self.CONFIG)
        session = [("X-Session-Id", "conversation-1")]
        for name in ("tiny", "claude-x", "tiny[1m]", "gpt-4"):
            gateway.chat(session, model=name)
        self.assertEqual(len({turn.rank for turn in upstream.turns}), 1)
        self.assertEqual(gateway.totals()["sticky"], 3)

    def test_what_matches_no_alias_is_not_found(self):
        _, gateway = self.pair(config=self.CONFIG)
        for name in ("claud", "gpt-", "gpt-55", "xclaude-"):
            self.assert_anthropic_error(gateway.messages(model=name), 404, "not_found_error")

    def test_an_adapter_shares_the_replicas_of_its_base(self):
        upstream, gateway = self.pair(ranks=2, adapters=["tiny-lora"])
        answer = gateway.chat(model="tiny-lora")
        self.assertEqual((answer.status, answer.json()["model"]), (200, "tiny-lora"))
        self.assertEqual(upstream.turns[0].json()["model"], "tiny-lora")
        self.assertEqual(gateway.totals()["placed"], 1)

    def test_a_model_with_a_slash_in_its_name_is_served(self):
        upstream, gateway = self.pair(model="Org/Name")
        self.assertEqual(gateway.chat(model="Org/Name").status, 200)
        self.assertEqual(gateway.totals("Org/Name")["placed"], 1)

    def test_two_engines_of_one_model_form_one_pool(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two)
        for _ in range(2):
            for i in range(6):
                gateway.chat([("X-Session-Id", f"conversation-{i}")])
        for upstream in (one, two):
            sessions = Counter(turn.headers.get("X-Session-Id") for turn in upstream.turns)
            self.assertEqual(len(sessions), 3)
            self.assertEqual(set(sessions.values()), {2})
            self.assertIsNone(upstream.turns[0].rank)

    def test_two_models_are_two_pools_with_their_own_conversations(self):
        one, two = self.upstream(model="one"), self.upstream(model="two")
        gateway = self.gateway(one, two)
        session = [("X-Session-Id", "conversation-1")]
        for _ in range(2):
            gateway.chat(session, model="one")
            gateway.chat(session, model="two")
        self.assertEqual((len(one.turns), len(two.turns)), (2, 2))
        for model in ("one", "two"):
            totals = gateway.totals(model)
            self.assertEqual((totals["placed"], totals["sticky"]), (1, 1))


if __name__ == "__main__":
    unittest.main()
