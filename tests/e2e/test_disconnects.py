"""Clients that leave: the engine must hear of it at once, and nothing may stay counted."""

import socket
import statistics
import threading
import time
import unittest

from harness import GatewayCase, answers
from harness.gateway import SANITIZED, chat_request, messages_request

TIMES = 50
LEAVING = {"leave": 200, "reset": 200, "half_close": 50}  # how, and how often
LIMIT_S = 0.25 if SANITIZED else 0.05
EVENTS = answers.chat_events(["a", "b"])


class LeavingCase(GatewayCase):
    def assert_soon(self, delays, how):
        """Nine of ten within the limit: a busy machine may stop us for longer now and then."""
        self.assertLess(statistics.quantiles(delays, n=10)[-1], LIMIT_S, how)


class Leaving(LeavingCase):
    """For each phase: the client leaves by FIN and by RST, and the engine's connection must end."""

    def leave_in(self, phase, stream):
        """`phase(exchange)` is what the engine does before it waits; the client leaves once it has done so."""
        upstream, gateway = self.pair()
        for how, times in LEAVING.items():
            delays = []
            for i in range(times):
                reached, ended, gone = threading.Event(), threading.Event(), []

                def answer(exchange, reached=reached, ended=ended, gone=gone):
                    phase(exchange)
                    reached.set()
                    gone.append(exchange.wait_gone(10))
                    ended.set()

                upstream.answer = answer
                session = [("X-Session-Id", f"conversation-{i % 7}")]
                with gateway.connect() as client:
                    client.request("POST", "/v1/chat/completions", chat_request(stream=stream), session)
                    self.assertTrue(reached.wait(10))
                    left = time.monotonic()
                    getattr(client, how)()
                    self.assertTrue(ended.wait(20))
                self.assertIsNotNone(gone[0], f"{how}: the engine never heard of it")
                delays.append(gone[0] - left)
            self.assert_soon(delays, how)
        gateway.wait_idle()
        totals = gateway.totals()
        self.assertEqual((totals["cancelled"], totals["answered"], totals["failed"]), (sum(LEAVING.values()), 0, 0))
        upstream.answer = upstream.answer_as_vllm
        self.assertEqual(gateway.chat(stream=True).status, 200)
        self.assertTrue(all(replica["up"] for replica in gateway.routing()["replicas"]))

    def test_a_client_that_leaves_before_the_head_of_an_answer_ends_the_engines_work(self):
        self.leave_in(lambda exchange: None, stream=True)

    def test_a_client_that_leaves_a_request_without_a_stream_ends_the_engines_work(self):
        self.leave_in(lambda exchange: None, stream=False)

    def test_a_client_that_leaves_after_the_head_ends_the_engines_work(self):
        self.leave_in(lambda exchange: exchange.stream_head(), stream=True)

    def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_the_engines_work(self):
        def two_events(exchange):
            exchange.stream_head()
            exchange.chunk(EVENTS[0])
            exchange.chunk(EVENTS[1])

        self.leave_in(two_events, stream=True)

    def test_a_client_that_leaves_in_the_middle_of_an_answer_without_a_stream_ends_the_engines_work(self):
        def half(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")

        self.leave_in(half, stream=False)

    def test_a_client_that_leaves_in_the_middle_of_its_body_is_never_heard_of_by_the_engine(self):
        upstream, gateway = self.pair()
        for i in range(2 * TIMES):
            with gateway.connect() as client:
                client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"model\"")
                (client.leave if i % 2 else client.reset)()
        self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(len(upstream.turns), 1)
        gateway.wait_idle()
        self.assertEqual(gateway.totals()["cancelled"], 0)

    def test_a_client_that_leaves_while_its_body_is_sent_to_a_slow_engine_ends_that(self):
        upstream, gateway = self.pair()
        body = b'{"model":"tiny","messages":"' + b"x" * (16 << 20) + b'"}'
        started, ended = threading.Event(), threading.Event()

        def read_slowly(reader):
            head = reader.until(b"\r\n\r\n")
            if head.startswith(b"POST"):
                started.set()
                go_on.wait(10)
                try:
                    reader.exactly(len(body))
                finally:
                    ended.set()
            return read(reader, head)

        def read(reader, head):
            reader.buffer[:0] = head
            return normal(reader)

        go_on = threading.Event()
        normal = upstream._read_request
        upstream._read_request = read_slowly
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", body)
            self.assertTrue(started.wait(10))
            client.leave()
        gateway.wait_idle()
        go_on.set()
        self.assertTrue(ended.wait(10))
        self.assertEqual(upstream.turns, [])
        self.assertEqual(gateway.totals()["cancelled"], 1)

    def test_clients_that_leave_at_once_do_not_make_the_engine_look_down(self):
        upstream, gateway = self.pair(flags=["--scrape-interval", "10m"])

        def answer(exchange):
            upstream.answer_as_vllm(exchange)
            exchange.close()  # so that each turn must connect anew, and a client may leave meanwhile

        upstream.answer = answer
        for i in range(4 * TIMES):
            with gateway.connect() as client:
                # The end goes out with the request, so that it is there before the engine can be connected to.
                client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
                client.request("POST", "/v1/chat/completions", chat_request())
                (client.leave if i % 2 else client.half_close)()
            self.assertEqual(gateway.chat().status, 200)

    def test_a_client_that_leaves_while_the_health_of_its_engine_is_looked_at_does_not_make_it_look_down(self):
        upstream, gateway = self.pair(flags=["--scrape-interval", "10m"])
        asked, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def health(exchange):
            asked.set()
            release.wait(10)
            exchange.reply(200, b"")

        for how in ("leave", "reset", "half_close"):
            asked.clear()
            upstream.answer, upstream.health = lambda exchange: exchange.close(), health
            with gateway.connect() as client:
                client.request("POST", "/v1/chat/completions", chat_request())
                self.assertTrue(asked.wait(10), "a fresh connection that is closed before a byte is a reason to look")
                getattr(client, how)()
                gateway.wait_idle()
            upstream.answer = upstream.answer_as_vllm
            self.assertEqual(gateway.chat().status, 200, how)

    def test_a_client_that_leaves_once_it_has_the_last_event_has_been_answered(self):
        upstream, gateway = self.pair()
        events = answers.messages_events(["a"], upstream.usage)
        for i in range(TIMES):
            client_left = threading.Event()

            def answer(exchange, client_left=client_left):
                exchange.stream_head()
                exchange.chunk(b"".join(events))
                client_left.wait(10)
                exchange.wait_gone(10)

            upstream.answer = answer
            with gateway.connect() as client:
                client.request("POST", "/v1/messages", messages_request(stream=True))
                client.reader.until(b'"message_stop"}\n\n')
                (client.leave if i % 2 else client.reset)()
                client_left.set()
        gateway.wait_idle()
        totals = gateway.totals()
        self.assertEqual((totals["answered"], totals["cancelled"], totals["failed"]), (TIMES, 0, 0))
        self.assertEqual(totals["measured_turns"], TIMES)

    def test_a_client_that_takes_nothing_is_ended_after_its_own_timeout(self):
        upstream, gateway = self.pair(flags=["--timeouts-write-idle", "300ms"])
        gone = []

        def answer(exchange):
            exchange.stream_head()
            try:
                for _ in range(2000):
                    exchange.chunk(b"data: " + b"x" * 65536 + b"\n\n")
            except OSError:
                gone.append(True)
                raise

        upstream.answer = answer
        with gateway.connect() as client:
            client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            gateway.poll(lambda: gone, what="the engine's connection to end")
        gateway.wait_idle()

    def test_a_client_that_reads_slowly_holds_the_engine_back_and_not_our_memory(self):
        upstream, gateway = self.pair()
        sent = []
        piece = b"data: " + b"x" * (1 << 20) + b"\n\n"

        def answer(exchange):
            exchange.stream_head()
            for _ in range(128):
                exchange.chunk(piece)
                sent.append(1)
            exchange.end()

        upstream.answer = answer
        before = gateway.rss()
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            client.read_head()
            last = -1
            while len(sent) != last:  # until the engine is stuck
                last = len(sent)
                time.sleep(0.3)
            self.assertLess(len(sent), 64)
            self.assertLess(gateway.rss() - before, 32 << 20)
            client.reset()
        gateway.wait_idle()


class LeavingWhileHeld(LeavingCase):
    """Turns that wait for room in the cache, of which the engine knows nothing yet."""

    AT_ONCE = 10
    LONG = [{"role": "user", "content": "word " * 20_000}]

    def test_clients_that_leave_while_their_turns_are_held_leave_no_trace(self):
        upstream, gateway = self.pair(ranks=1)
        upstream.usage = (90_000, 0, 100)  # each conversation takes the whole cache
        gateway.chat([("X-Session-Id", "warm-up")], messages=self.LONG)  # learns how long a prompt is
        free = threading.Event()
        self.addCleanup(free.set)
        upstream.answer = lambda exchange: (free.wait(60), upstream.answer_as_vllm(exchange))
        with gateway.connect(60) as busy:
            busy.request("POST", "/v1/chat/completions", chat_request(messages=self.LONG), [("X-Session-Id", "busy")])
            upstream.wait_for(lambda: len(upstream.turns) == 2)
            delays = [self.leave_while_held(gateway, how) for how, times in LEAVING.items()
                      for _ in range(times // self.AT_ONCE)]
            self.assert_soon(delays, "held")
            self.assertEqual(gateway.totals()["left_while_held"], sum(LEAVING.values()))
            free.set()
            self.assertEqual(busy.read_response().status, 200)
        self.assertEqual(len(upstream.turns), 2)
        gateway.wait_idle()

    def leave_while_held(self, gateway, how):
        """How long it took until the queue was free of them."""
        clients = [gateway.connect() for _ in range(self.AT_ONCE)]
        for number, client in enumerate(clients):
            client.request("POST", "/v1/chat/completions", chat_request(number % 2 == 0, messages=self.LONG),
                           [("X-Session-Id", f"held-{number}")])
        gateway.poll(lambda: gateway.totals()["held"] == self.AT_ONCE, what="all turns to be held")
        left = time.monotonic()
        for client in clients:
            getattr(client, how)()
        gateway.poll(lambda: gateway.totals()["held"] == 0, what="nobody to be held")
        gone = time.monotonic()
        for client in clients:
            client.leave()
        return gone - left


if __name__ == "__main__":
    unittest.main()
