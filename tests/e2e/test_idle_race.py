"""Turns that are sent at the very moment at which the engine closes its idle connections."""

import os
import random
import threading
import time
import unittest

from harness import GatewayCase
from harness.gateway import chat_request

LONG = os.environ.get("E2E_LONG") == "1"
REQUESTS = 1000


class IdleRace(GatewayCase):
    """The engine closes a connection that was idle for `idle` seconds, as vLLM does after 5. The clients send in rounds, all
    of them `idle` seconds after their last answers, so that each turn finds a connection of just that age."""

    def race(self, idle, jitter, at_once):
        seed = int(os.environ.get("E2E_SEED", "1"))
        upstream, gateway = self.pair(flags=["--timeouts-pool-idle", "1m"])
        closed = self.close_idle_connections(upstream, idle)
        upstream.answer = lambda exchange: exchange.reply(200, b'{"id":"%s"}' % exchange.request.headers.get("X-Id").encode())
        statuses, round_begins = [], threading.Barrier(at_once)

        def client(number):
            rng, answered = random.Random(f"{seed}/{number}"), 0.0
            with gateway.connect(60) as connection:
                for turn in range(REQUESTS // at_once):
                    round_begins.wait(60)
                    time.sleep(max(0.0, answered + idle + rng.uniform(-jitter, jitter) - time.monotonic()))
                    name = f"{number}-{turn}"
                    answer = connection.ask("POST", "/v1/chat/completions", chat_request(), [("X-Id", name)])
                    answered = time.monotonic()
                    statuses.append(answer.status if answer.body == b'{"id":"%s"}' % name.encode() else answer)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [200] * REQUESTS, f"E2E_SEED={seed}")
        self.assertEqual(len(upstream.turns), REQUESTS)
        used = len({turn.connection for turn in upstream.turns})
        self.assertGreater(closed[0], REQUESTS // 20, "hardly any connection was closed: no race")
        self.assertLess(used, REQUESTS * 19 // 20, "hardly any connection was used again: no race")

    @staticmethod
    def close_idle_connections(upstream, idle):
        read, closed = upstream._read_request, [0]

        def read_unless_idle(reader):
            if getattr(reader, "served", False) and not reader.buffer:
                reader.sock.settimeout(idle)
                try:
                    reader.fill()
                except TimeoutError:
                    closed[0] += 1
                    raise
                reader.sock.settimeout(None)
            reader.served = True
            return read(reader)

        upstream._read_request = read_unless_idle
        return closed

    def test_a_thousand_turns_around_the_moment_of_closing_cost_no_502(self):
        self.race(idle=0.2, jitter=0.03, at_once=50)

    @unittest.skipUnless(LONG, "takes a minute: E2E_LONG=1")
    def test_a_thousand_turns_around_the_five_seconds_of_vllm_cost_no_502(self):
        self.race(idle=5.0, jitter=0.01, at_once=100)


if __name__ == "__main__":
    unittest.main()
