"""Turns that wait for room in the KV cache."""

import threading
import unittest

from harness import Connection, GatewayCase
from harness.gateway import chat_request, messages_request

# Every conversation takes the whole cache of a rank.
USAGE = (90_000, 0, 100)
LONG = [{"role": "user", "content": "word " * 80_000}]


class Admission(GatewayCase):
    def box(self, flags=(), **options):
        upstream, gateway = self.pair(ranks=1, flags=["--time-scale", "20", *flags], **options)
        upstream.usage = USAGE
        self.threads = []
        self.addCleanup(lambda: [thread.join() for thread in self.threads])
        gateway.chat([("X-Session-Id", "warm-up")], messages=LONG)  # learns how long a prompt is
        return upstream, gateway

    def hang(self, upstream):
        """Turns of the session `busy` last until the event is set."""
        free = threading.Event()

        def answer(exchange):
            if exchange.request.headers.get("X-Session-Id") == "busy":
                free.wait(20)
            upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        self.addCleanup(free.set)
        return free

    def start(self, gateway, session, done, **more):
        def ask():
            done.append((session, gateway.chat([("X-Session-Id", session)], messages=LONG, **more).status))

        thread = threading.Thread(target=ask)
        thread.start()
        self.threads.append(thread)
        return thread

    def test_a_turn_waits_while_another_conversation_fills_the_cache(self):
        upstream, gateway = self.box()
        free, done = self.hang(upstream), []
        busy = self.start(gateway, "busy", done)
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        waits = self.start(gateway, "waits", done)
        gateway.poll(lambda: gateway.totals()["held"] == 1, what="a held turn")
        self.assertEqual(len(upstream.turns), 2)
        self.assertEqual(gateway.routing()["rule"], "places")
        free.set()
        busy.join()
        waits.join()
        self.assertEqual(done, [("busy", 200), ("waits", 200)])
        totals = gateway.totals()
        self.assertEqual((totals["held"], totals["in_flight"]), (0, 0))
        self.assertGreaterEqual(totals["held_total"], 1)

    def test_a_held_turn_is_shown_with_its_position_and_what_holds_the_room(self):
        upstream, gateway = self.box()
        free, done = self.hang(upstream), []
        self.start(gateway, "busy", done)
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        self.start(gateway, "waits", done)
        gateway.poll(lambda: gateway.totals()["held"] == 1, what="a held turn")
        busy, waits = gateway.admin("GET", "/admin/api/in-flight").json()["in_flight"]
        self.assertEqual((busy["phase"], busy["held"]), ("prefill", None))
        self.assertEqual(waits["phase"], "held")
        self.assertIsNotNone(waits["conversation"])
        held = waits["held"]
        self.assertEqual((held["position"], held["replica"]), (1, 0))
        self.assertEqual((held["places_running"], held["places_pausing"]), (1, 0))
        self.assertGreater(held["needs_tokens"], held["room_tokens"])
        self.assertGreater(held["expected_wait_ms"], 0)
        free.set()

    def test_a_client_that_leaves_while_its_turn_is_held_leaves_no_trace(self):
        upstream, gateway = self.box()
        free, done = self.hang(upstream), []
        busy = self.start(gateway, "busy", done)
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        with Connection(gateway.port) as client:
            client.request("POST", "/v1/chat/completions", chat_request(messages=LONG), [("X-Session-Id", "leaves")])
            gateway.poll(lambda: gateway.totals()["held"] == 1, what="a held turn")
        gateway.poll(lambda: gateway.totals()["held"] == 0, what="nobody held")
        self.assertEqual(gateway.totals()["left_while_held"], 1)
        free.set()
        busy.join()
        self.assertEqual(len(upstream.turns), 2)
        gateway.wait_idle()

    def test_switched_off_it_lets_all_in_at_once(self):
        upstream, gateway = self.box()
        free, done = self.hang(upstream), []
        self.start(gateway, "busy", done)
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        waits = self.start(gateway, "waits", done)
        gateway.poll(lambda: gateway.totals()["held"] == 1, what="a held turn")
        gateway.set_routing({"admission": "off"})
        waits.join()
        self.assertEqual(done, [("waits", 200)])
        self.assertEqual(gateway.routing()["rule"], "affinity")

    def test_a_turn_that_finds_no_room_in_time_is_told_to_come_again(self):
        upstream, gateway = self.box(flags=["--timeouts-max-hold", "5s"])
        self.hang(upstream)
        self.start(gateway, "busy", [])
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        answer = gateway.chat([("X-Session-Id", "waits")], messages=LONG)
        self.assert_openai_error(answer, 503)
        self.assert_retry_after(answer)
        answer = gateway.messages([("X-Session-Id", "waits")], messages=LONG)
        self.assert_anthropic_error(answer, 529, "overloaded_error")
        self.assert_retry_after(answer)
        self.assertEqual(gateway.totals()["held"], 0)

    def test_beyond_the_limit_turns_are_refused_at_once(self):
        upstream, gateway = self.box(flags=["--limits-held", "1"])
        self.hang(upstream)
        self.start(gateway, "busy", [])
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        self.start(gateway, "waits", [])
        gateway.poll(lambda: gateway.totals()["held"] == 1, what="a held turn")
        answer = gateway.chat([("X-Session-Id", "one too many")], messages=LONG)
        self.assert_openai_error(answer, 503)
        self.assert_retry_after(answer)
        self.assertEqual(gateway.totals()["held"], 1)

    def test_a_held_stream_is_kept_alive(self):
        upstream, gateway = self.box(flags=["--timeouts-heartbeat", "50ms"])
        free, done = self.hang(upstream), []
        self.start(gateway, "busy", done)
        upstream.wait_for(lambda: len(upstream.turns) == 2)
        with Connection(gateway.port) as client:
            body = messages_request(messages=LONG, stream=True)
            client.request("POST", "/v1/messages", body, [("X-Session-Id", "waits")])
            for _ in range(3):
                client.reader.until(b"event: ping")
            free.set()
            client.reader.until(b"message_stop")

    def test_the_knob_takes_names_and_numbers(self):
        _, gateway = self.pair()
        for value, share in (("steady", 1), ("interactive", 0.45), (0.6, 0.6)):
            self.assertEqual(gateway.set_routing({"wait_share": value}).json()["wait_share"], share)
        for change in ({"wait_share": 0}, {"wait_share": 2}, {"wait_share": "often"}, {"admission": True},
                       {"admission": "maybe"}):
            self.assertEqual(gateway.set_routing(change).status, 400)
        self.assertEqual(gateway.routing()["wait_share"], 0.6)


if __name__ == "__main__":
    unittest.main()
