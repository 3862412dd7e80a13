"""Connections that are used again, to clients and to engines, and those that die between two uses."""

import json
import threading
import unittest

from harness import GatewayCase
from harness.gateway import chat_request, messages_request


class ToEngines(GatewayCase):
    def test_turns_one_after_the_other_share_one_connection(self):
        upstream, gateway = self.pair()
        for i in range(10):
            self.assertEqual(gateway.chat(stream=i % 2 == 0).status, 200)
        self.assertEqual(len({turn.connection for turn in upstream.turns}), 1)

    def test_an_engine_that_closes_each_connection_after_its_answer_costs_no_502(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            upstream.answer_as_vllm(exchange)
            exchange.close()  # without having said so

        upstream.answer = answer
        with gateway.connect() as client:
            statuses = [client.ask("POST", "/v1/chat/completions", chat_request(stream=i % 3 == 0)).status
                        for i in range(300)]
        self.assertEqual(set(statuses), {200})
        self.assertEqual(len(upstream.turns), 300)
        self.assertEqual(gateway.totals()["moved"], 0)

    def test_an_engine_that_resets_each_idle_connection_costs_no_502(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            # A length that is reached ends the answer for the gateway; the reset comes on the idle connection.
            exchange.reply(200, b"{}")
            answered.acquire(timeout=10)
            exchange.reset()

        answered = threading.Semaphore(0)
        upstream.answer = answer
        with gateway.connect() as client:
            for _ in range(300):
                self.assertEqual(client.ask("POST", "/v1/chat/completions", chat_request()).status, 200)
                answered.release()
        self.assertEqual(len(upstream.turns), 300)

    def test_a_used_connection_that_dies_before_a_byte_is_tried_once_more_on_a_fresh_one(self):
        upstream, gateway = self.pair()
        served = set()

        def answer(exchange):
            if exchange.request.connection in served:
                exchange.close()
                return
            served.add(exchange.request.connection)
            upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        session = [("X-Session-Id", "conversation-1")]
        self.assertEqual(gateway.chat(session).status, 200)
        self.assertEqual(gateway.chat(session).status, 200)
        first, died, again = upstream.turns
        self.assertEqual(first.connection, died.connection)
        self.assertNotEqual(died.connection, again.connection)
        self.assertEqual((died.rank, died.body), (again.rank, again.body))
        totals = gateway.totals()
        self.assertEqual((totals["answered"], totals["failed"], totals["moved"]), (2, 0, 0))

    def test_a_second_try_that_dies_too_is_a_502_and_there_is_no_third(self):
        upstream, gateway = self.pair()
        self.assertEqual(gateway.chat().status, 200)
        upstream.answer = lambda exchange: exchange.close()
        self.assert_openai_error(gateway.chat(), 502)
        self.assertEqual(len(upstream.turns), 3)

    def test_a_used_connection_that_dies_after_a_byte_is_not_tried_again(self):
        upstream, gateway = self.pair()
        self.assertEqual(gateway.chat().status, 200)

        def answer(exchange):
            exchange.send(b"HTTP")
            exchange.close()

        upstream.answer = answer
        self.assert_anthropic_error(gateway.messages(), 502)
        self.assertEqual(len(upstream.turns), 2)

    def test_an_engine_that_says_it_closes_is_believed(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.reply(200, b"{}", [("Connection", "close")])
            exchange.close()

        upstream.answer = answer
        for _ in range(5):
            self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(len({turn.connection for turn in upstream.turns}), 5)

    def test_connections_that_were_idle_for_long_are_not_used_again(self):
        upstream, gateway = self.pair(flags=["--timeouts-pool-idle", "100ms"])
        ended = []

        def answer(exchange):
            upstream.answer_as_vllm(exchange)
            if not ended:
                ended.append(exchange.wait_gone(10))

        upstream.answer = answer
        self.assertEqual(gateway.chat().status, 200)
        gateway.poll(lambda: ended, what="the idle connection to be closed")
        self.assertIsNotNone(ended[0])
        self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(len({turn.connection for turn in upstream.turns}), 2)

    def test_turns_at_once_have_connections_of_their_own(self):
        upstream, gateway = self.pair()
        all_there = threading.Barrier(8, timeout=10)

        def answer(exchange):
            all_there.wait()
            upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        threads = [threading.Thread(target=gateway.chat) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({turn.connection for turn in upstream.turns}), 8)


class ToClients(GatewayCase):
    def test_a_client_may_ask_again_on_its_connection_after_answers_and_errors_of_ours(self):
        _, gateway = self.pair()
        with gateway.connect() as client:
            for _ in range(3):
                self.assertEqual(client.ask("POST", "/v1/chat/completions", chat_request(stream=True)).status, 200)
                self.assertEqual(client.ask("POST", "/v1/chat/completions", chat_request(model="no")).status, 404)
                self.assertEqual(client.ask("POST", "/v1/messages", messages_request()).status, 200)
                self.assertEqual(client.ask("GET", "/health").status, 200)
                self.assertEqual(client.ask("GET", "/nothing").status, 404)
                self.assertEqual(client.ask("HEAD", "/").status, 200)

    def test_requests_sent_ahead_are_answered_in_order(self):
        upstream, gateway = self.pair()
        with gateway.connect() as client:
            for i in range(5):
                client.request("POST", "/v1/chat/completions", chat_request(stream=i % 2 == 1, n=i))
            client.request("GET", "/version")
            for i in range(5):
                answer = client.read_response()
                self.assertEqual(answer.status, 200)
                self.assertEqual(b"[DONE]" in answer.body, i % 2 == 1)
            self.assertIn("server", client.read_response().json())
        self.assertEqual([turn.json()["n"] for turn in upstream.turns], list(range(5)))

    def test_a_request_sent_ahead_in_two_parts_is_read_whole(self):
        upstream, gateway = self.pair()
        body = json.dumps(chat_request(pad="x" * 1000)).encode()
        second = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        for at in (1, 30, 90, len(second) - 500):
            there, go_on = threading.Event(), threading.Event()

            def answer(exchange, there=there, go_on=go_on):
                there.set()
                go_on.wait(10)
                upstream.answer_as_vllm(exchange)

            upstream.answer = answer
            with gateway.connect() as client:
                client.request("POST", "/v1/chat/completions", chat_request())
                self.assertTrue(there.wait(10))
                client.send(second[:at])
                go_on.set()
                self.assertEqual(client.read_response().status, 200)
                client.send(second[at:])
                self.assertEqual(client.read_response().status, 200)
            self.assertEqual(upstream.turns[-1].body, body)

    def test_a_client_that_wants_to_close_is_closed_after_its_answer(self):
        _, gateway = self.pair()
        with gateway.connect() as client:
            answer = client.ask("POST", "/v1/chat/completions", chat_request(stream=True), [("Connection", "close")])
            self.assertEqual(answer.headers.get("Connection"), "close")
            self.assertTrue(answer.body.endswith(b"data: [DONE]\n\n"))
            self.assertEqual(client.at_end(), b"")

    def test_an_engine_that_closes_does_not_close_our_client(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.reply(200, b"{}", [("Connection", "close")])
            exchange.close()

        upstream.answer = answer
        with gateway.connect() as client:
            for _ in range(5):
                answer_ = client.ask("POST", "/v1/chat/completions", chat_request())
                self.assertEqual(answer_.status, 200)
                self.assertIsNone(answer_.headers.get("Connection"))

    def test_beyond_the_limit_connections_wait_until_one_ends(self):
        _, gateway = self.pair(flags=["--limits-connections", "2"])
        first, second = gateway.connect(), gateway.connect()
        self.assertEqual(first.ask("GET", "/version").status, 200)
        self.assertEqual(second.ask("GET", "/version").status, 200)
        with gateway.connect() as third:
            third.request("GET", "/version")
            third.sock.settimeout(0.2)
            with self.assertRaises(TimeoutError):
                third.sock.recv(1)
            first.leave()
            third.sock.settimeout(20)
            self.assertEqual(third.read_response().status, 200)
        second.leave()


if __name__ == "__main__":
    unittest.main()
