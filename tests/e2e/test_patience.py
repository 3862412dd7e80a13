"""A session after a body that was too large, and engines that take their time."""

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
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n"


class TooLarge(GatewayCase):
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


class Pauses(GatewayCase):
    PAUSE_S = 190.0  # a ping every 45 s

    @unittest.skipUnless(LONG, "takes three minutes: ./dev test-long")
    def test_engines_that_are_silent_for_three_minutes_are_waited_for(self):
        def ask(pause_after):
            """A turn whose engine stops for a while after so many events; before its head where that is nothing."""
            upstream, gateway = self.pair()
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
            with gateway.connect(60) as client:
                body = client.ask("POST", "/v1/messages", messages_request(stream=True)).body
            return body.count(PING), body.replace(PING, b"") == b"".join(events), len(upstream.turns)

        with ThreadPoolExecutor(3) as pool:
            self.assertEqual(list(pool.map(ask, (None, 0, 3))), [(4, True, 1)] * 3)

    def test_by_default_silence_is_borne_for_longer_than_any_client_bears_it(self):
        printed = subprocess.run([str(BINARY), "serve", "--engine", "http://x", "--print-config"], capture_output=True,
                                 check=True, timeout=20).stdout
        timeouts = tomllib.loads(printed.decode())["timeouts"]
        self.assertEqual((timeouts["first_byte"], timeouts["stream_idle"]), ("30m", "30m"))


if __name__ == "__main__":
    unittest.main()
