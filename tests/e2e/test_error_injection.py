"""The network fails at every step of a turn: on the engine's side and on the client's, by FIN and by RST.

After each step: the client has what was whole of the answer, or an error of its family; the engine was asked as
often as the rules allow; every gauge is back at 0; and no connection is left over.
"""

import socket
import unittest

import short_turns
from harness import Connection, GatewayCase
from harness.cutting import CuttingEngine, Plan
from harness.wire import Cut
from short_turns import ALL, CHAT_STREAM, MESSAGES_PLAIN, OTHERS

HOW = ("FIN", "RST")
QUIET = ["--scrape-interval", "10m"]  # the engine hears of turns, and of what is asked because of them


class Injection(GatewayCase):
    def engine(self, **options):
        engine = CuttingEngine(**options)
        self._upstreams.append(engine)
        self.addCleanup(engine.stop)
        return engine

    def cutting_pair(self):
        engine = self.engine(ranks=1)
        gateway = self.gateway(engine, flags=QUIET)
        self.admin = Connection(gateway.admin_port)
        self.addCleanup(self.admin.leave)
        self.totals()
        self.files = gateway.open_files()
        self.ended = 0
        return engine, gateway

    def totals(self):
        return self.admin.ask("GET", "/admin/api/models/tiny/routing").json()["totals"]

    def ask(self, gateway, turn, headers=()):
        with gateway.connect(timeout=10) as client:
            client.send(turn.request(headers))
            return client.read_response()

    def settle(self, gateway, turns):
        """Waits until nothing is under way; `turns` have ended since the last time."""
        gateway.poll(lambda: self.totals()["in_flight"] == 0, what="in_flight to be 0")
        totals = self.totals()
        before, self.ended = self.ended, totals["answered"] + totals["cancelled"] + totals["failed"]
        self.assertEqual(self.ended, before + turns)
        # One connection to the engine may stay for the next turn.
        gateway.poll(lambda: gateway.open_files() <= self.files + 1, what="connections to be closed")

    def assert_healthy(self, engine, gateway):
        """The engine is still in use, and whole answers still pass."""
        for turn in (CHAT_STREAM, MESSAGES_PLAIN):
            engine.plan = Plan(answer=turn.answer)
            self.assertEqual(turn.seen(self.ask(gateway, turn)), turn.expected(len(turn.answer)))
        self.settle(gateway, 2)
        self.assertEqual(gateway.routing()["totals"]["moved"], 0)


class EngineCuts(Injection):
    def cut_answers(self, turn, steps):
        engine, gateway = self.cutting_pair()
        for at in steps:
            for how in HOW:
                with self.subTest(turn.name, sent=at, how=how):
                    calls = engine.calls
                    engine.plan = Plan("answer", at, how, turn.answer)
                    seen = turn.seen(self.ask(gateway, turn))
                    if how == "FIN":
                        self.assertEqual(seen, turn.expected(at))
                        if at < len(turn.answer):  # else it may wait for the next turn
                            self.assertTrue(engine.left.acquire(timeout=10), "the connection is left open")
                    else:  # may take back what was sent
                        self.assertIn(seen, [turn.expected(size) for size in range(at + 1)])
                    self.assertEqual(engine.calls, calls + 1)
                    self.settle(gateway, 1)
        self.assert_healthy(engine, gateway)

    def test_a_stream_cut_after_any_byte(self):
        self.cut_answers(CHAT_STREAM, range(len(CHAT_STREAM.answer) + 1))

    def test_a_plain_answer_cut_after_any_byte(self):
        self.cut_answers(MESSAGES_PLAIN, range(len(MESSAGES_PLAIN.answer) + 1))

    def test_the_answers_of_the_other_endpoints_cut_at_their_steps(self):
        for turn in OTHERS:
            self.cut_answers(turn, turn.near_steps())

    def test_a_connection_that_ends_after_any_byte_of_the_request(self):
        engine, gateway = self.cutting_pair()
        turn = MESSAGES_PLAIN
        for step, sizes in (("accept", [0]), ("request", range(len(self.upstream_request(engine, gateway, turn)) + 1))):
            for at in sizes:
                for how in HOW:
                    with self.subTest(step=step, read=at, how=how):
                        calls = engine.calls
                        engine.plan = Plan(step, at, how, turn.answer)
                        self.assertEqual(turn.seen(self.ask(gateway, turn)), "refused")
                        self.assertEqual(engine.calls, calls + (step == "request"))
                        self.settle(gateway, 1)
        self.assert_healthy(engine, gateway)

    def upstream_request(self, engine, gateway, turn):
        """A turn's request as the engine gets it. Its answer is cut, so the connection doesn't stay."""
        engine.plan = Plan("answer", len(turn.answer) - 1, "FIN", turn.answer)
        self.ask(gateway, turn)
        self.settle(gateway, 1)
        request = engine.turns[-1]
        return request.raw_head + request.body


class ReusedConnections(Injection):
    """An idle connection that ends before a byte of the answer was closing anyway: once more, on a fresh one."""

    def test_a_reused_connection_that_ends_before_a_byte_is_replaced_once(self):
        engine, gateway = self.cutting_pair()
        for turn in ALL:
            for how in HOW:
                for step, at in (("request", 0), ("request", 1), ("request", 100), ("answer", 0)):
                    for times, expected in ((1, turn.expected(len(turn.answer))), (2, "refused")):
                        with self.subTest(turn.name, step=step, at=at, how=how, times=times):
                            engine.plan = Plan(answer=turn.answer)
                            self.ask(gateway, turn)  # leaves an idle connection
                            calls = engine.calls
                            engine.plan = Plan(step, at, how, turn.answer, times)
                            self.assertEqual(turn.seen(self.ask(gateway, turn)), expected)
                            self.assertEqual(engine.calls, calls + 2)
                            self.settle(gateway, 2)

    def test_a_reused_connection_that_ends_after_a_byte_is_not_replaced(self):
        engine, gateway = self.cutting_pair()
        for turn in ALL:
            for how in HOW:
                for at in (1, turn.head - 1, turn.head, turn.head + 8):
                    with self.subTest(turn.name, sent=at, how=how):
                        engine.plan = Plan(answer=turn.answer)
                        self.ask(gateway, turn)
                        calls = engine.calls
                        engine.plan = Plan("answer", at, how, turn.answer)
                        possible = [turn.expected(size) for size in range(1, at + 1)]
                        self.assertIn(turn.seen(self.ask(gateway, turn)), possible)
                        self.assertEqual(engine.calls, calls + 1)
                        self.settle(gateway, 2)


class ClientCuts(Injection):
    def cut_requests(self, turn, steps):
        engine, gateway = self.cutting_pair()
        for at in steps:
            for how in HOW:
                with self.subTest(turn.name, sent=at, how=how), gateway.connect(timeout=10) as client:
                    client.send(turn.request()[:at])
                    if how == "RST":
                        client.reset()
                    else:
                        client.half_close()
                        self.assertEqual(client.at_end(), b"")
        self.settle(gateway, 0)
        self.assertEqual(engine.calls, 0)
        self.assert_healthy(engine, gateway)

    def hold_answers(self, turn, steps):
        """The client leaves when that much of the answer has been sent: the engine must hear of it."""
        engine, gateway = self.cutting_pair()
        for at in steps:
            for how in HOW:
                with self.subTest(turn.name, sent=at, how=how), gateway.connect(timeout=10) as client:
                    calls = engine.calls
                    engine.plan = Plan("hold", at, how, turn.answer)
                    client.send(turn.request())
                    self.assertTrue(engine.sent.acquire(timeout=10))
                    if how == "RST":
                        client.reset()
                    else:
                        client.half_close()
                        self.assert_begins(turn, at, client)
                    self.assertEqual(engine.calls, calls + 1)
                    self.settle(gateway, 1)
                    if at < len(turn.answer):
                        self.assertTrue(engine.left.acquire(timeout=10), "the engine has not heard of it")
        self.assert_healthy(engine, gateway)

    def assert_begins(self, turn, at, client):
        """All that comes is the begin of the answer: whole events, and no word of ours."""
        try:
            response = client.read_response()
        except Cut as cut:
            self.assertEqual(cut.partial, b"")
            return
        self.assertEqual(response.status, 200)
        expected = turn.expected(at)
        self.assertNotEqual(expected, "refused")
        self.assertTrue(expected[0].startswith(response.body), response)
        self.assertEqual(turn.seen(response)[1], False)
        if response.complete:
            self.assertEqual(client.at_end(), b"")

    def test_a_client_that_ends_after_any_byte_of_its_request(self):
        for turn in (CHAT_STREAM, MESSAGES_PLAIN):
            self.cut_requests(turn, range(len(turn.request())))

    def test_a_client_that_leaves_after_any_byte_of_a_stream(self):
        self.hold_answers(CHAT_STREAM, range(len(CHAT_STREAM.answer)))

    def test_a_client_that_leaves_after_any_byte_of_a_plain_answer(self):
        self.hold_answers(MESSAGES_PLAIN, range(len(MESSAGES_PLAIN.answer)))

    def test_a_client_that_leaves_at_the_steps_of_the_other_endpoints(self):
        for turn in OTHERS:
            self.hold_answers(turn, [at for at in turn.near_steps() if at < len(turn.answer)])

    def test_a_client_that_leaves_while_it_reads(self):
        engine, gateway = self.cutting_pair()
        for turn in ALL:
            engine.plan = Plan(answer=turn.answer)
            for at in range(1, self.size_at_the_client(gateway, turn), 7):
                for how in HOW:
                    with self.subTest(turn.name, read=at, how=how), gateway.connect(timeout=10) as client:
                        calls = engine.calls
                        client.send(turn.request())
                        client.reader.exactly(at)
                        (client.reset if how == "RST" else client.leave)()
                        self.settle(gateway, 1)
                        self.assertEqual(engine.calls, calls + 1)
        self.assert_healthy(engine, gateway)

    def size_at_the_client(self, gateway, turn):
        close = ("Connection", "close")
        with gateway.connect(timeout=10) as client:
            client.send(turn.request([close]))
            answer = client.at_end()
        self.settle(gateway, 1)
        return len(answer) - len("\r\nConnection: close")


class SeveralEngines(Injection):
    """Another engine takes the turn only when the first is judged down, and not a byte has come from it."""

    STEPS = (("accept", 0), ("request", 0), ("request", 1), ("request", 100), ("answer", 0), ("answer", 1),
             ("answer", 20), ("answer", 100))

    def engines(self, count, turn):
        engines = [self.engine(ranks=1) for _ in range(count)]
        for engine in engines:
            engine.plan = Plan(answer=turn.answer)
        return engines, self.gateway(*engines, flags=QUIET)

    def calls_of(self, engines, gateway, turn, session):
        """What the client sees of one turn, and how often each engine that was called was called."""
        before = [engine.calls for engine in engines]
        response = self.ask(gateway, turn, [("X-Session-Id", session)])
        gateway.wait_idle()
        return response, [engine.calls - was for engine, was in zip(engines, before) if engine.calls > was]

    def test_an_engine_that_dies_is_replaced_only_before_its_first_byte(self):
        for turn in (CHAT_STREAM, MESSAGES_PLAIN):
            # Each new conversation is placed where none is yet: a step has two engines for itself.
            engines, gateway = self.engines(2 * len(self.STEPS) * len(HOW), turn)
            for step, at in self.STEPS:
                for how in HOW:
                    with self.subTest(turn.name, step=step, at=at, how=how):
                        plan = Plan(step, at, how, turn.answer, deadly=True)
                        for engine in engines:
                            engine.plan = plan
                        response, calls = self.calls_of(engines, gateway, turn, f"{step}-{at}-{how}")
                        if step == "answer" and at > 0:
                            self.assertIn(turn.seen(response), [turn.expected(size) for size in range(1, at + 1)])
                            self.assertEqual(calls, [1])
                        else:
                            self.assertEqual(turn.seen(response), turn.expected(len(turn.answer)))
                            self.assertEqual(calls, [1] if step == "accept" else [1, 1])

    def test_an_engine_that_refuses_is_replaced_until_none_is_left(self):
        for turn in ALL:
            engines, gateway = self.engines(3, turn)
            while engines:
                with self.subTest(turn.name, left=len(engines)):
                    calls = [engine.calls for engine in engines]
                    response, called = self.calls_of(engines, gateway, turn, "one")
                    self.assertEqual(turn.seen(response), turn.expected(len(turn.answer)))
                    self.assertEqual(called, [1])
                    home = next(engine for engine, was in zip(engines, calls) if engine.calls > was)
                    home.stop()
                    engines.remove(home)
            response, called = self.calls_of(engines, gateway, turn, "one")
            self.assertEqual((response.status, called), (503, []))
            self.assert_retry_after(response)


if __name__ == "__main__":
    unittest.main()
