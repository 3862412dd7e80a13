"""Where turns go, as the engine sees it: by the X-data-parallel-rank that reached it."""

import threading
import unittest
from collections import Counter

from harness import GatewayCase
from harness.case import AGENT, PARENT_AGENT, SESSION

SESSION_ID = "57a121ec-f78c-48c3-a745-e3036a3ecc33"


def spread(ranks, replicas):
    counts = Counter(ranks)
    numbers = [counts.get(str(rank), 0) for rank in range(replicas)]
    return max(numbers) - min(numbers)


class RoutingCase(GatewayCase):
    def at_once(self, gateway, upstream, asks):
        """Sends all at once; none is answered before the engine has all of them. Returns the turns by index."""
        before = len(upstream.turns)
        all_there = threading.Event()

        def answer(exchange):
            all_there.wait(20)
            upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        statuses = []
        threads = []
        for i, headers in enumerate(asks):
            def ask(headers=headers, i=i):
                statuses.append(gateway.messages([*headers, ("X-Number", str(i))], stream=True).status)
            threads.append(threading.Thread(target=ask))
            threads[-1].start()
        self.assertTrue(upstream.wait_for(lambda: len(upstream.turns) == before + len(asks)))
        all_there.set()
        for thread in threads:
            thread.join()
        upstream.answer = upstream.answer_as_vllm
        self.assertEqual(set(statuses), {200})
        by_number = {int(turn.headers.get("X-Number")): turn for turn in upstream.turns[before:]}
        return [by_number[i] for i in range(len(asks))]


class Placement(RoutingCase):
    def test_each_turn_carries_one_rank_and_rank_0_is_written_0(self):
        upstream, gateway = self.pair(ranks=2)
        for i in range(4):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertEqual(Counter(tuple(turn.headers.all("X-data-parallel-rank")) for turn in upstream.turns),
                         {("0",): 2, ("1",): 2})

    def test_an_engine_of_one_replica_gets_no_rank(self):
        upstream, gateway = self.pair(ranks=1)
        gateway.chat([("X-Session-Id", "conversation-1")])
        self.assertIsNone(upstream.turns[0].rank)
        self.assertEqual(gateway.totals()["placed"], 1)

    def test_a_conversation_stays_on_its_rank_for_twenty_turns(self):
        upstream, gateway = self.pair(ranks=4)
        for i in range(20):
            gateway.chat([("X-Session-Id", "conversation-1")], stream=i % 2 == 0)
            gateway.messages([("X-Session-Id", f"other-{i}")])
        own = {turn.rank for turn in upstream.turns if turn.headers.get("X-Session-Id") == "conversation-1"}
        self.assertEqual(len(own), 1)
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["sticky"], totals["spilled"]), (21, 19, 0))
        self.assertEqual(totals["sticky_share"], 1.0)

    def test_sixteen_conversations_at_once_are_spread_evenly(self):
        upstream, gateway = self.pair(ranks=4)
        turns = self.at_once(gateway, upstream, [[("X-Session-Id", f"conversation-{i}")] for i in range(16)])
        self.assertEqual(spread((turn.rank for turn in turns), 4), 0)
        for replica in gateway.routing()["replicas"]:
            self.assertEqual((replica["placed"], replica["conversations"], replica["in_flight"]), (4, 4, 0))

    def test_conversations_one_after_the_other_are_spread_evenly(self):
        upstream, gateway = self.pair(ranks=7)
        for i in range(26):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertLessEqual(spread((turn.rank for turn in upstream.turns), 7), 1)

    def test_new_conversations_avoid_the_rank_with_work_under_way(self):
        upstream, gateway = self.pair(ranks=2)
        free = threading.Event()
        upstream.answer = lambda exchange: (free.wait(20), upstream.answer_as_vllm(exchange))
        busy = []
        pinned = [("X-data-parallel-rank", "0")]
        for _ in range(8):
            busy.append(threading.Thread(target=gateway.chat, args=(pinned,)))
            busy[-1].start()
        self.assertTrue(upstream.wait_for(lambda: len(upstream.turns) == 8))
        upstream.answer = upstream.answer_as_vllm
        for i in range(6):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertEqual({turn.rank for turn in upstream.turns[8:]}, {"1"})
        free.set()
        for thread in busy:
            thread.join()
        gateway.wait_idle()

    def test_small_equal_turns_without_any_id_are_spread(self):
        upstream, gateway = self.pair(ranks=4)
        turns = self.at_once(gateway, upstream, [[] for _ in range(8)])
        self.assertEqual(spread((turn.rank for turn in turns), 4), 0)
        self.assertEqual(gateway.totals()["placed"], 8)

    def test_turns_without_an_id_and_without_text_go_to_the_least_loaded_rank(self):
        upstream, gateway = self.pair(ranks=4)
        for _ in range(4):
            gateway.messages(messages=[])
        self.assertEqual((gateway.totals()["balanced"], gateway.totals()["conversations"]), (4, 0))

    def test_one_conversation_has_one_home_over_all_endpoints(self):
        upstream, gateway = self.pair(ranks=4)
        session = [(SESSION, SESSION_ID)]
        for _ in range(3):
            gateway.chat(session, stream=True, tools=[{"type": "function"}])
            gateway.messages(session, stream=True)
            gateway.messages(session)
        self.assertEqual(len({turn.rank for turn in upstream.turns}), 1)
        self.assertEqual(len(gateway.conversations()), 1)
        self.assertEqual(gateway.conversations()[0]["turns"], 9)

    def test_a_home_over_its_threshold_spills_one_turn_and_stays_home(self):
        upstream, gateway = self.pair(ranks=2, flags=["--spill-threshold", "1", "--admission", "off"])
        session = [("X-Session-Id", "conversation-1")]
        gateway.chat(session)
        first, second = self.at_once(gateway, upstream, [session, session])
        self.assertNotEqual(first.rank, second.rank)
        gateway.chat(session)
        home = upstream.turns[0].rank
        self.assertEqual(upstream.turns[-1].rank, home)
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["sticky"], totals["spilled"]), (1, 2, 1))
        replicas = {replica["rank"]: replica for replica in gateway.routing()["replicas"]}
        self.assertEqual(replicas[int(home)]["spilled_away"], 1)
        self.assertEqual(replicas[1 - int(home)]["spilled_in"], 1)

    def test_a_full_cache_repels_new_conversations(self):
        upstream = self.upstream(ranks=2)
        from harness import answers
        upstream.metrics = lambda e: e.reply(200, answers.metrics_page(ranks=2, kv=[0.9, 0.1]))
        gateway = self.gateway(upstream)
        gateway.poll(lambda: gateway.routing()["replicas"][0]["kv_used"] == 0.9, what="a reading")
        for i in range(6):
            gateway.chat([("X-Session-Id", f"conversation-{i}")])
        self.assertEqual({turn.rank for turn in upstream.turns}, {"1"})


class ClientRank(RoutingCase):
    """A client that names the rank itself is never overridden."""

    # value(s) sent -> how it is counted, and on which rank
    VALUES = [(["0"], 0), (["00"], 0), (["+1"], 1), ([" 1 "], 1), (["3"], 3), (["-1"], None), (["4"], None),
              (["1.0"], None), (["1e0"], None), (["abc"], None), ([""], None), (["1,0"], None),
              (["99999999999999999999"], None), (["0", "1"], 0)]

    def test_its_header_passes_as_it_is_and_is_counted_where_it_is_a_rank(self):
        upstream, gateway = self.pair(ranks=4)
        session = ("X-Session-Id", "conversation-1")
        for values, rank in self.VALUES:
            with self.subTest(values):
                before = gateway.routing()
                gateway.chat([session] + [("X-data-parallel-rank", value) for value in values])
                sent = upstream.turns[-1].headers.all("x-data-parallel-rank")
                self.assertEqual(sent, [value.strip() for value in values])
                after = gateway.routing()
                pinned = [new["client_pinned"] - old["client_pinned"]
                          for new, old in zip(after["replicas"], before["replicas"])]
                self.assertEqual(pinned, [1 if rank == i else 0 for i in range(4)])
                passed = after["totals"]["passed"] - before["totals"]["passed"]
                self.assertEqual(passed, 1 if rank is None else 0)
        self.assertEqual(gateway.totals()["conversations"], 0)

    def test_before_several_engines_it_passes_uninterpreted(self):
        one, two = self.upstream(), self.upstream()
        gateway = self.gateway(one, two)
        for i in range(4):
            gateway.chat([("X-Session-Id", f"conversation-{i}"), ("X-data-parallel-rank", "1")])
        turns = one.turns + two.turns
        self.assertEqual([turn.headers.all("X-data-parallel-rank") for turn in turns], [["1"]] * 4)
        self.assertEqual(gateway.totals()["client_pinned"], 0)


class Agents(RoutingCase):
    AGENTS = [[(SESSION, SESSION_ID)]] + [[(SESSION, SESSION_ID), (AGENT, f"a{i}")] for i in range(1, 7)]

    def test_six_agents_of_one_session_spread_and_each_stays(self):
        upstream, gateway = self.pair(ranks=4)
        first = self.at_once(gateway, upstream, self.AGENTS)
        self.assertLessEqual(spread((turn.rank for turn in first), 4), 1)
        for _ in range(3):
            again = self.at_once(gateway, upstream, self.AGENTS)
            self.assertEqual([turn.rank for turn in again], [turn.rank for turn in first])
        conversations = gateway.conversations()
        self.assertEqual(len(conversations), 7)
        self.assertEqual(len({conversation["group"] for conversation in conversations}), 1)
        main = [conversation for conversation in conversations if conversation["parent"] is None]
        self.assertEqual(len(main), 1)
        self.assertEqual({c["parent"] for c in conversations} - {None}, {main[0]["key"]})

    def test_a_nested_agent_names_its_own_parent(self):
        _, gateway = self.pair(ranks=4)
        keys = {}
        for name, headers in (("main", []), ("a1", [(AGENT, "a1")]),
                              ("a2", [(AGENT, "a2"), (PARENT_AGENT, "a1")])):
            gateway.messages([(SESSION, SESSION_ID), *headers])
            keys[name] = gateway.conversations()[0]
        self.assertIsNone(keys["main"]["parent"])
        self.assertEqual(keys["a1"]["parent"], keys["main"]["key"])
        self.assertEqual(keys["a2"]["parent"], keys["a1"]["key"])

    def test_an_agent_of_an_idle_fleet_goes_to_its_parent(self):
        upstream, gateway = self.pair(ranks=2)
        # Two conversations each: equal load, so that nothing but the parent decides.
        for i in range(4):
            gateway.messages([("X-Session-Id", f"conversation-{i}")])
        for session in ("conversation-1", "conversation-2"):
            gateway.messages([("X-Session-Id", session)])
        parent = next(t.rank for t in upstream.turns if t.headers.get("X-Session-Id") == "conversation-1")
        gateway.messages([("X-Session-Id", "child"), ("X-Parent-Session-Id", "conversation-1")])
        self.assertEqual(upstream.turns[-1].rank, parent)


if __name__ == "__main__":
    unittest.main()
