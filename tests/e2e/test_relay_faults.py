"""Engines that die, refuse or stay silent: what the client sees, and how often an engine is asked."""

import threading
import unittest

from harness import GatewayCase, answers
from harness.gateway import chat_request, messages_request

USAGE = (100, 64, 2)
CHAT = answers.chat_events(["a", "b", "c", "d"])
MESSAGES = answers.messages_events(["a", "b", "c", "d"], USAGE)


def last_event(body):
    """The last event of a body that ends with a whole one."""
    assert body.endswith(b"\n\n"), body[-100:]
    return body[:-2].rpartition(b"\n\n")[2] + b"\n\n"


class MidStream(GatewayCase):
    def run_cut(self, path, pieces, how="reset"):
        """The engine sends the pieces and then ends the connection inside its answer."""
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.stream_head()
            for piece in pieces:
                exchange.chunk(piece)
            # What was sent must have been read before a reset drops it from the kernel's buffers.
            sent.wait(10)
            getattr(exchange, how)()

        sent = threading.Event()
        upstream.answer = answer
        shape = chat_request if "chat" in path else messages_request
        with gateway.connect() as client:
            client.request("POST", path, shape(stream=True))
            if not pieces:
                sent.set()
            response = client.read_head()
            whole = sum(piece.endswith(b"\n\n") for piece in pieces)
            got = b""
            while got.count(b"\n\n") < whole:
                size = int(client.reader.until(b"\r\n"), 16)
                got += client.reader.exactly(size + 2)[:-2]
            sent.set()
            response.body = got
            client.read_body(response)
        self.assertEqual(len(upstream.turns), 1)
        gateway.wait_idle()
        return got, response, gateway

    def test_chat_a_reset_between_events_ends_in_an_error_event_and_no_done(self):
        for how in ("reset", "close"):
            with self.subTest(how):
                got, response, gateway = self.run_cut("/v1/chat/completions", CHAT[:3], how)
                self.assertEqual(got, b"".join(CHAT[:3]))
                self.assertTrue(response.body.startswith(got))
                error = response.body[len(got):]
                self.assertTrue(error.startswith(b'data: {"error":{'), error)
                self.assertEqual(last_event(response.body), error)
                self.assertNotIn(b"[DONE]", response.body)
                self.assertEqual(gateway.totals()["failed"], 1)

    def test_messages_a_reset_between_events_ends_in_an_error_event(self):
        got, response, gateway = self.run_cut("/v1/messages", MESSAGES[:3])
        error = response.body[len(got):]
        self.assertTrue(error.startswith(b'event: error\ndata: {"type":"error","error":{"type":"api_error"'), error)
        self.assertEqual(last_event(response.body), error)
        self.assertNotIn(b"message_stop", response.body)
        self.assertEqual(gateway.totals()["failed"], 1)

    def test_half_an_event_never_reaches_the_client(self):
        for path, events, marker in (("/v1/chat/completions", CHAT, b'data: {"error":{'),
                                     ("/v1/messages", MESSAGES, b"event: error\ndata: ")):
            for at in (1, 6, len(events[3]) // 2, len(events[3]) - 1):
                with self.subTest(path, at=at):
                    got, response, _ = self.run_cut(path, [*events[:3], events[3][:at]])
                    self.assertEqual(got, b"".join(events[:3]))
                    self.assertTrue(response.body[len(got):].startswith(marker), response)
                    self.assertEqual(response.body.count(b"\n\n"), 4)

    def test_a_reset_after_the_end_leaves_a_clean_answer(self):
        for path, events in (("/v1/chat/completions", CHAT), ("/v1/messages", MESSAGES)):
            with self.subTest(path):
                got, response, gateway = self.run_cut(path, events)
                self.assertEqual(response.body, b"".join(events))
                totals = gateway.totals()
                self.assertEqual((totals["answered"], totals["failed"]), (1, 0))

    def test_a_reset_after_the_head_is_still_an_error_of_its_own(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.stream_head()
            exchange.reset()

        upstream.answer = answer
        self.assert_anthropic_error(gateway.messages(stream=True), 502, "api_error")

    def test_an_error_event_of_the_engine_passes_and_is_not_doubled(self):
        upstream, gateway = self.pair()
        error = b'data: {"error": {"message":"EngineCore died","code":500}}\n\ndata: [DONE]\n\n'
        upstream.answer = lambda exchange: exchange.stream([*CHAT[:3], error])
        answer = gateway.chat(stream=True)
        self.assertEqual(answer.body, b"".join(CHAT[:3]) + error)
        self.assertEqual(gateway.totals()["failed"], 1)

    def test_a_stream_that_ends_without_its_last_event_is_not_counted_as_answered(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.stream(CHAT[:3])
        answer = gateway.chat(stream=True)
        self.assertTrue(answer.body.startswith(b"".join(CHAT[:3])))
        self.assertNotIn(b"[DONE]", answer.body)
        self.assertEqual(gateway.totals()["answered"], 0)

    def test_an_answer_without_a_stream_that_is_cut_short_looks_cut_short(self):
        upstream, gateway = self.pair()

        def answer(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"id\":")
            exchange.close()

        upstream.answer = answer
        response = gateway.chat()
        self.assertFalse(response.complete)
        self.assertEqual(response.body, b'{"id":')
        gateway.wait_idle()
        self.assertEqual(gateway.totals()["failed"], 1)

    def test_an_answer_without_a_stream_that_is_cut_short_before_its_first_byte_is_a_502(self):
        upstream, gateway = self.pair()
        for framing in (b"content-length: 100", b"transfer-encoding: chunked"):
            def answer(exchange, framing=framing):
                exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" + framing + b"\r\n\r\n")
                exchange.close()

            upstream.answer = answer
            self.assert_openai_error(gateway.chat(), 502, "server_error")
            self.assert_anthropic_error(gateway.messages(), 502, "api_error")
        self.assertEqual(len(upstream.turns), 4)
        self.assertEqual(gateway.totals()["failed"], 4)

    def test_a_silent_stream_is_ended_after_its_own_timeout(self):
        upstream, gateway = self.pair(flags=["--timeouts-stream-idle", "300ms"])
        gone = []

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(MESSAGES[0])
            gone.append(exchange.wait_gone())

        upstream.answer = answer
        response = gateway.messages(stream=True)
        self.assertTrue(response.body[len(MESSAGES[0]):].startswith(b"event: error\n"), response)
        gateway.poll(lambda: gone, what="the upstream connection to end")
        self.assertIsNotNone(gone[0])

    def test_an_engine_that_never_answers_is_given_up_after_its_own_timeout(self):
        upstream, gateway = self.pair(flags=["--timeouts-first-byte", "300ms"])
        gone = []
        upstream.answer = lambda exchange: gone.append(exchange.wait_gone())
        self.assert_openai_error(gateway.chat(), 502, "server_error")
        gateway.poll(lambda: gone, what="the upstream connection to end")
        self.assertIsNotNone(gone[0])
        self.assertEqual(len(upstream.turns), 1)
        self.assertEqual(gateway.totals()["in_flight"], 0)


class BeforeTheFirstByte(GatewayCase):
    def test_a_fresh_connection_closed_by_a_healthy_engine_is_a_502_after_one_call(self):
        for how in ("close", "reset"):
            upstream, gateway = self.pair()
            upstream.answer = lambda exchange, how=how: getattr(exchange, how)()
            self.assert_openai_error(gateway.chat(), 502, "server_error")
            self.assertEqual(len(upstream.turns), 1)
            self.assert_anthropic_error(gateway.messages(), 502, "api_error")
            self.assertEqual(len(upstream.turns), 2)
            self.assertTrue(gateway.routing()["replicas"][0]["up"])
            self.assertEqual(gateway.totals()["in_flight"], 0)

    def test_a_healthy_second_engine_is_not_asked_again_for_what_the_first_one_dropped(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two)
        one.answer = two.answer = lambda exchange: exchange.close()
        self.assert_openai_error(gateway.chat(), 502)
        self.assertEqual(len(one.turns) + len(two.turns), 1)

    def test_an_engine_that_refuses_connections_is_replaced_by_another(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two, flags=["--scrape-interval", "10m"])
        session = [("X-Session-Id", "conversation-1")]
        homes = []
        for _ in range(2):
            self.assertEqual(gateway.chat(session).status, 200)
        homes = [upstream for upstream in (one, two) if len(upstream.turns) == 2]
        self.assertEqual(len(homes), 1)
        other = two if homes[0] is one else one
        homes[0].stop()
        self.assertEqual(gateway.chat(session).status, 200)
        self.assertEqual(len(other.turns), 1)
        totals = gateway.totals()
        self.assertEqual((totals["moved"], totals["in_flight"]), (1, 0))
        self.assertEqual(gateway.chat(session).status, 200)
        self.assertEqual(len(other.turns), 2)

    def test_an_engine_that_dies_while_it_works_is_replaced_by_another(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two, flags=["--scrape-interval", "10m"])

        def die(upstream):
            def answer(exchange):
                upstream.stop()
                exchange.reset()
            return answer

        one.answer, two.answer = die(one), two.answer_as_vllm
        # Two conversations: one of them has its home on the engine that dies.
        statuses = [gateway.chat([("X-Session-Id", f"conversation-{i}")]).status for i in range(2)]
        self.assertEqual(statuses, [200, 200])
        self.assertEqual((len(one.turns), len(two.turns)), (1, 2))

    def test_no_engine_left_is_a_503(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two, flags=["--scrape-interval", "10m"])
        one.stop()
        two.stop()
        answer = gateway.chat()
        self.assert_openai_error(answer, 503)
        self.assert_retry_after(answer)
        self.assertEqual(gateway.totals()["in_flight"], 0)

    def test_half_a_head_is_a_502_and_the_turn_is_not_sent_again(self):
        one, two = self.upstream(ranks=1), self.upstream(ranks=1)
        gateway = self.gateway(one, two)

        def answer(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\ncontent-le")
            exchange.close()

        one.answer = two.answer = answer
        self.assert_openai_error(gateway.chat(), 502)
        self.assertEqual(len(one.turns) + len(two.turns), 1)


if __name__ == "__main__":
    unittest.main()
