"""Engines that stay silent, in each family of streams."""

import threading

from harness import GatewayCase, answers
from harness.gateway import chat_request, messages_request
from harness.wire import chunk

USAGE = (100, 64, 2)
COMMENT = b": ping\n\n"
EVENT = b'event: ping\ndata: {"type": "ping"}\n\n'
# path -> request, ping, events of an answer
FAMILIES = {
    "/v1/chat/completions": (chat_request(stream=True), COMMENT, answers.chat_events(["a", "b", "c"])),
    "/v1/completions": ({"model": "tiny", "prompt": "x", "stream": True}, COMMENT, answers.chat_events(["a", "b"])),
    "/v1/messages": (messages_request(stream=True), EVENT, answers.messages_events(["a", "b", "c"], USAGE)),
    "/v1/responses": ({"model": "tiny", "input": "x", "stream": True}, EVENT,
                      answers.responses_events(["a", "b"], answers.response("ab", USAGE))),
}
FAST = ["--timeouts-heartbeat", "20ms", "--scrape-interval", "100ms"]
OFF = ["--timeouts-heartbeat", "0ms", "--scrape-interval", "100ms"]


class SilentCase(GatewayCase):
    """An engine that stays silent until the client has seen something, or for some reads of its metrics."""

    def start(self, flags=FAST):
        self.go = threading.Semaphore(0)
        return self.pair(flags=flags)

    def stay_silent(self, upstream):
        """For 300 ms and more by the gateway's own clock: many heartbeats."""
        after = upstream.count("/metrics") + 4
        self.assertTrue(upstream.wait_for(lambda: upstream.count("/metrics") >= after))

    def silent_until_told(self):
        self.assertTrue(self.go.acquire(timeout=10))

    def read_pings(self, client, ping, count=3):
        """Chunks of the answer under way: pings and nothing else."""
        for _ in range(count):
            self.assertEqual(client.reader.exactly(len(chunk(ping))), chunk(ping))

    def skip_pings(self, client, ping):
        """The first chunk that is none: an engine on a busy machine is later than it means to be."""
        while True:
            size = int(client.reader.until(b"\r\n"), 16)
            data = client.reader.exactly(size + 2)[:-2]
            if data != ping:
                return data

    def check_rest(self, client, head, ping, events):
        """After some more pings, if any, come exactly these events."""
        client.read_body(head)
        self.assertTrue(head.complete)
        self.assertEqual(without_leading(ping, head.body), b"".join(events))


def without_leading(ping, body):
    while body.startswith(ping):
        body = body[len(ping):]
    return body
