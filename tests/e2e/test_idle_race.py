"""Turns that are sent at the very moment at which the engine closes its idle connections."""

import os
import random
import select
import threading
import time
import unittest

from harness import GatewayCase
from harness.gateway import chat_request

LONG = os.environ.get("E2E_LONG") == "1"
REQUESTS = 1000
BUSY_S = 0.01  # between an engine's decision to close and the end of the connection


class IdleRace(GatewayCase):
    """The engine closes a connection that was idle for `idle` seconds, as vLLM does after 5. The clients send in rounds,
    each `idle` seconds after its last answer; nobody is answered before all of a round are there, so that each turn takes
    a connection of that age."""

    def race(self, idle, jitter, at_once):
        seed = int(os.environ.get("E2E_SEED", "1"))
        upstream, gateway = self.pair(flags=["--timeouts-pool-idle", "1m"])
        lost = self.close_idle_connections(upstream, idle)
        all_there, statuses = threading.Barrier(at_once), []

        def answer(exchange):
            all_there.wait(60)
            exchange.reply(200, b'{"id":"%s"}' % exchange.request.headers.get("X-Id").encode())

        def client(number):
            rng, answered = random.Random(f"{seed}/{number}"), 0.0
            with gateway.connect(60) as connection:
                for turn in range(REQUESTS // at_once):
                    time.sleep(max(0.0, answered + idle + rng.uniform(-jitter, jitter) - time.monotonic()))
                    name = f"{number}-{turn}"
                    answer = connection.ask("POST", "/v1/chat/completions", chat_request(), [("X-Id", name)])
                    answered = time.monotonic()
                    statuses.append(answer.status if answer.body == b'{"id":"%s"}' % name.encode() else answer)
                    if statuses[-1] != 200:
                        all_there.abort()

        upstream.answer = answer
        threads = [threading.Thread(target=client, args=(number,)) for number in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([status for status in statuses if status != 200][:3], [], f"E2E_SEED={seed}")
        self.assertEqual(len(statuses), REQUESTS)
        self.assertEqual(len(upstream.turns), REQUESTS)
        self.assertGreater(lost[0], REQUESTS // 100, "hardly any turn came at that moment: no race")

    @staticmethod
    def close_idle_connections(upstream, idle):
        """Makes the engine do so, as soon as it finds the time. Counts how often a turn had come by then, unread."""
        read, lost = upstream._read_request, [0]

        def read_unless_idle(reader):
            if getattr(reader, "served", False) and not reader.buffer:
                reader.sock.settimeout(idle)
                try:
                    reader.fill()
                except TimeoutError:
                    time.sleep(BUSY_S)
                    lost[0] += bool(select.select([reader.sock], [], [], 0)[0])
                    raise
                reader.sock.settimeout(None)
            reader.served = True
            return read(reader)

        upstream._read_request = read_unless_idle
        return lost

    def test_a_thousand_turns_around_the_moment_of_closing_cost_no_502(self):
        self.race(idle=0.2, jitter=0.03, at_once=50)

    @unittest.skipUnless(LONG, "takes a minute: ./dev test-long")
    def test_a_thousand_turns_around_the_five_seconds_of_vllm_cost_no_502(self):
        self.race(idle=5.0, jitter=0.01, at_once=100)


if __name__ == "__main__":
    unittest.main()
