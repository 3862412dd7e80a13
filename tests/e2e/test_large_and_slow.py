"""Bodies near the limit, and work that takes its time: neither clients nor engines are cut off for being slow."""

import os
import subprocess
import time
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor

from harness import GatewayCase, answers
from harness.gateway import BINARY, messages_request
from harness.wire import chunk

LONG = os.environ.get("E2E_LONG") == "1"
MIB = 1 << 20
HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n"


def body_of(size):
    start, end = b'{"model":"tiny","max_tokens":1,"messages":[{"role":"user","content":"', b'"}]}'
    return start + b"x" * (size - len(start) - len(end)) + end


class LargeBodies(GatewayCase):
    def test_a_body_of_63_mib_passes_with_and_without_a_length(self):
        upstream, gateway = self.pair()
        body = body_of(63 * MIB)
        self.assertEqual(gateway.ask("POST", "/v1/messages", body).status, 200)
        self.assertTrue(upstream.turns[0].body == body)
        upstream.requests.clear()
        with gateway.connect() as client:
            client.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            for at in range(0, len(body), MIB):
                client.send(chunk(body[at:at + MIB]))
            client.send(b"0\r\n\r\n")
            self.assertEqual(client.read_response().status, 200)
        self.assertTrue(upstream.turns[0].body == body)

    def test_chunks_that_add_up_to_65_mib_are_refused_by_the_name_of_the_limit_and_the_session_goes_on(self):
        upstream, gateway = self.pair()
        session = [("X-Claude-Code-Session-Id", "57a121ec-f78c-48c3-a745-e3036a3ecc33")]
        gateway.messages(session)
        with gateway.connect() as client:
            client.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            piece = chunk(b"x" * MIB)
            for _ in range(65):
                client.send(piece)
            error = self.assert_anthropic_error(client.read_response(), 413, "request_too_large")
            self.assertIn(str(64 * MIB), error["message"])
        self.assertEqual(gateway.messages(session).status, 200)
        self.assertEqual(len({turn.rank for turn in upstream.turns}), 1)

    def test_a_body_that_drips_is_read_to_its_end(self):
        # All of it takes several times the limit between two of its pieces.
        upstream, gateway = self.pair(flags=() if LONG else ["--timeouts-body-idle", "500ms"])
        pause, body = 1.0 if LONG else 0.03, body_of(100)
        with gateway.connect() as client:
            client.send(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
            for byte in body:
                client.send(bytes([byte]))
                time.sleep(pause)
            self.assertEqual(client.read_response().status, 200)
        self.assertEqual(upstream.turns[0].body, body)


class Pauses(GatewayCase):
    """An engine may be silent for minutes: a long prefill, a preempted turn. Every other timeout has passed by then."""

    SHORT = [f"--timeouts-{name}=300ms" for name in ("head", "body-idle", "keep-alive", "write-idle", "pool-idle", "scrape")]
    PAUSE_S = 180.0 if LONG else 1.2

    def pair_with_pause(self, pause_after):
        """The engine stops for a while after so many events; before its head where that is nothing."""
        upstream, gateway = self.pair(flags=() if LONG else self.SHORT)
        events = answers.messages_events(["a", "b", "c"], upstream.usage)

        def answer(exchange):
            if pause_after is None:
                time.sleep(self.PAUSE_S)
            exchange.stream_head()
            for number, event in enumerate(events):
                if number == pause_after:
                    time.sleep(self.PAUSE_S)
                exchange.chunk(event)
            exchange.end()

        upstream.answer = answer
        return upstream, gateway, b"".join(events)

    def test_a_pause_is_waited_out_and_the_turn_is_not_sent_again(self):
        def ask(upstream, gateway, whole):
            with gateway.connect(240) as client:
                answer = client.ask("POST", "/v1/messages", messages_request(stream=True))
            totals = gateway.totals()
            return answer.body == whole, answer.status, len(upstream.turns), totals["answered"], totals["moved"]

        pairs = [self.pair_with_pause(pause_after) for pause_after in (None, 0, 3)]
        with ThreadPoolExecutor(len(pairs)) as pool:
            results = list(pool.map(lambda pair: ask(*pair), pairs))
        self.assertEqual(results, [(True, 200, 1, 1, 0)] * len(pairs))

    def test_by_default_silence_is_borne_for_longer_than_any_client_bears_it(self):
        printed = subprocess.run([str(BINARY), "serve", "--engine", "http://x", "--print-config"], capture_output=True,
                                 check=True, timeout=20).stdout
        timeouts = tomllib.loads(printed.decode())["timeouts"]
        self.assertEqual((timeouts["first_byte"], timeouts["stream_idle"]), ("30m", "30m"))


if __name__ == "__main__":
    unittest.main()
