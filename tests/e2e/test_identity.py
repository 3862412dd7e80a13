"""Which turns are of one conversation: every way in which clients are known to say so."""

import json
import unittest

from harness import GatewayCase
from harness.case import AGENT, SESSION

ID = "57a121ec-f78c-48c3-a745-e3036a3ecc33"
UNDERSCORE = f"user_ab12_account__session_{ID}"
JSON_TEXT = json.dumps({"device_id": "d", "account_uuid": "", "session_id": ID})


def user_id(value):
    return {"metadata": {"user_id": value}}


class Identity(GatewayCase):
    def sources(self, *requests):
        """Sends (headers, fields of the body) and returns, for each, where its conversation's id was found first; None
        for a turn without an id. Fails unless all that have one are of the same conversation, on one rank."""
        upstream, gateway = self.pair(ranks=4)
        sources, keys, ranks = [], set(), set()
        for headers, fields in requests:
            before = {c["key"]: c["turns"] for c in gateway.conversations()}
            answer = gateway.messages(headers, **fields)
            self.assertEqual(answer.status, 200, (headers, fields))
            now = gateway.conversations()
            touched = [c for c in now if before.get(c["key"], 0) != c["turns"]]
            known = touched[0]["source"] != "content"
            sources.append(touched[0]["source"] if known else None)
            if known:
                keys.add(touched[0]["key"])
                ranks.add(upstream.turns[-1].rank)
        self.assertLessEqual(len(keys), 1, requests)
        self.assertLessEqual(len(ranks), 1, requests)
        return sources

    def test_the_session_of_claude_code_is_one_in_all_its_shapes(self):
        sources = self.sources(
            ([], user_id(UNDERSCORE)),
            ([], user_id(JSON_TEXT)),
            ([], user_id({"device_id": "d", "session_id": ID})),
            ([(SESSION, ID)], {}),
            ([(SESSION.lower(), ID)], user_id(JSON_TEXT)),
            ([(SESSION.upper(), ID)], user_id("something else")))
        self.assertEqual(sources, ["metadata"] * 6)

    def test_a_body_without_a_session_that_can_be_read_is_not_refused(self):
        for value in (JSON_TEXT[:-20], "{", "", "user_ab12_account_", 5, None, [], {"session_id": None},
                      {"session_id": 7}, "\ud83d", UNDERSCORE[:-36] + "\ud83d", "x" * 10_000):
            with self.subTest(value):
                self.assertEqual(self.sources(([], user_id(value))), [None])

    def test_the_session_of_codex_is_one_in_all_its_names(self):
        sources = self.sources(
            ([("session-id", "0197-a")], {}),
            ([("Session-Id", "0197-a")], {}),
            ([("SESSION_ID", "0197-a")], {}),
            ([("session_id", "0197-a"), ("session-id", "")], {}),
            ([("session-id", "0197-a"), ("session_id", "0197-b")], {}),
            ([("thread-id", "0197-a"), ("session-id", "0197-a")], {}),
            ([("thread-id", "0197-a")], {}),
            ([], {"prompt_cache_key": "0197-a"}))
        self.assertEqual(sources, ["codex"] * 8)

    def test_the_session_of_opencode_is_one_in_both_its_headers(self):
        session = "ses_0000000000000000000000001"
        sources = self.sources(
            ([("x-session-affinity", session), ("x-session-id", session)], {}),
            ([("X-Session-Id", session)], {}),
            ([("x-session-affinity", session)], {}),
            ([("x-session-id", "not valid !"), ("x-session-affinity", session)], {}))
        self.assertEqual(sources, ["session-header"] * 4)

    def test_ids_that_cant_be_ids_give_way_to_the_next_source(self):
        fallback = {"prompt_cache_key": "fallback"}
        bad = ["", "a b", "a/b", "caf\xe9", "x" * 129, "x" * 8192, "a\tb", '"x"', "a,b"]
        headers = ("session-id", "X-Session-Id", SESSION, "x-session-affinity", "thread-id")
        sources = self.sources(*(([(name, value)], fallback) for value in bad for name in headers))
        self.assertEqual(set(sources), {"prompt-cache-key"})

    def test_an_id_of_128_characters_is_one(self):
        self.assertEqual(self.sources(([("X-Session-Id", "x" * 128)], {})), ["session-header"])

    def test_the_user_counts_when_it_looks_like_an_id(self):
        self.assertEqual(self.sources(([], {"user": "u-12345678"})), ["user"])
        for user in ("alice", "a b c d e f g h", "", 5, None):
            self.assertEqual(self.sources(([], {"user": user})), [None])

    def test_the_first_source_in_order_wins(self):
        everything = [(SESSION, ID), ("session-id", "0197-a"), ("X-Session-Id", "s")]
        body = {**user_id("user_x_account__session_other"), "prompt_cache_key": "p", "user": "u-12345678"}
        order = []
        while everything:
            order += self.sources((everything, body))
            everything = everything[1:]
        for field in ("metadata", "prompt_cache_key", "user"):
            order += self.sources(([], body))
            del body[field]
        self.assertEqual(order, ["claude-code", "codex", "session-header", "metadata", "prompt-cache-key", "user"])

    def test_a_request_id_is_no_conversation(self):
        self.assertEqual(self.sources(([("x-client-request-id", ID)], {}), ([("x-request-id", ID)], {})), [None, None])

    def test_a_request_id_counts_where_there_is_no_text(self):
        self.assertEqual(self.sources(([("x-client-request-id", ID)], {"messages": []})), ["request-id"])

    def test_a_client_without_ids_is_known_by_its_prompt(self):
        upstream, gateway = self.pair(ranks=4)
        histories = [[{"role": "user", "content": f"task {i}"}] for i in range(6)]
        for turn in range(5):
            for history in histories:
                gateway.chat(messages=history, stream=turn % 2 == 0)
                history += [{"role": "assistant", "content": f"answer {turn}"},
                            {"role": "user", "content": [{"type": "text", "text": f"question {turn}"}]}]
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["sticky"]), (6, 24))
        homes = {}
        for turn in upstream.turns:
            homes.setdefault(turn.json()["messages"][0]["content"], set()).add(turn.rank)
        self.assertEqual([len(ranks) for ranks in homes.values()], [1] * 6)
        self.assertEqual({c["source"] for c in gateway.conversations()}, {"content"})

    def test_a_completion_that_grows_from_a_few_hundred_bytes_goes_home(self):
        upstream, gateway = self.pair(ranks=4)
        prompts = [f"Story {i}: once upon a time. " * 10 for i in range(4)]
        for turn in range(5):
            for i in range(4):
                gateway.ask("POST", "/v1/completions", {"model": "tiny", "prompt": prompts[i]})
                prompts[i] += f"And then, {turn} years later, it went on. " * 5
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["sticky"]), (4, 16))
        self.assertEqual([turn.rank for turn in upstream.turns], [turn.rank for turn in upstream.turns[:4]] * 5)

    def test_a_key_that_stands_twice_counts_by_its_last_value(self):
        upstream, gateway = self.pair(ranks=4)
        start = b'{"model":"tiny","messages":[{"role":"user","content":"x"}],'
        for fields in (b'"prompt_cache_key":"a","prompt_cache_key":"b"', b'"prompt_cache_key":"b"'):
            gateway.ask("POST", "/v1/chat/completions", start + fields + b"}")
        self.assertEqual(len(gateway.conversations()), 1)

    def test_the_billing_line_of_claude_code_does_not_move_its_conversation(self):
        upstream, gateway = self.pair(ranks=4)
        for i, cch in enumerate(("fa690", "0aaa9", "00000")):
            line = f"x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch={cch};"
            system = [{"type": "text", "text": line}, {"type": "text", "text": "You are ..."}] if i else line
            gateway.messages(system=system, **user_id(UNDERSCORE))
        self.assertEqual(len({turn.rank for turn in upstream.turns}), 1)
        self.assertEqual([c["turns"] for c in gateway.conversations()], [3])

    def test_the_billing_line_of_claude_code_does_not_reach_the_engine(self):
        upstream, gateway = self.pair()
        line = "x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=fa690;"
        blocks = [{"type": "text", "text": line}, {"type": "text", "text": "You are ..."}]
        for system in (blocks, line + "\nYou are ...", blocks[1:], "You are ..."):
            gateway.messages(system=system, **user_id(UNDERSCORE))
        sent = [json.loads(turn.body)["system"] for turn in upstream.turns]
        self.assertEqual(sent, [blocks[1:], "You are ...", blocks[1:], "You are ..."])
        self.assertEqual(gateway.routing()["billing_lines_dropped"], 2)

    def test_the_billing_line_can_be_kept_and_a_quoted_one_always_stays(self):
        line = "x-anthropic-billing-header: cc_version=2.1.37.0d9;"
        quoted = [{"role": "user", "content": line}]
        upstream, gateway = self.pair(flags=["--edits-drop-billing", "off"])
        gateway.messages(system=line, messages=quoted)
        body = json.loads(upstream.turns[0].body)
        self.assertEqual((body["system"], body["messages"]), (line, quoted))

    def test_an_agent_without_a_session_is_no_conversation_of_its_own(self):
        self.assertEqual(self.sources(([(AGENT, "a1")], {})), [None])

    def test_a_window_that_goes_up_frees_the_conversation_to_move(self):
        upstream, gateway = self.pair(ranks=2)
        codex = [("session-id", "0197-a"), ("x-codex-window-id", "0197-a:0")]
        gateway.chat(codex)
        home = upstream.turns[0].rank
        # Make the home the worse place.
        other = 0
        while gateway.routing()["replicas"][int(home)]["conversations"] < 3:
            gateway.chat([("X-Session-Id", f"other-{other}")])
            other += 1
        held = [c for c in gateway.conversations() if c["rank"] != int(home)]
        self.assertTrue(held)
        placed = gateway.totals()["placed"]
        gateway.chat([("session-id", "0197-a"), ("x-codex-window-id", "0197-a:1")])
        self.assertEqual(gateway.totals()["placed"], placed + 1)


if __name__ == "__main__":
    unittest.main()
