"""Clients that leave anywhere: in the middle of what they send, of what they get, and between."""

import asyncio
import os
import random
import socket
import struct
import unittest

from harness import GatewayCase, answers
from harness.gateway import chat_request, messages_request
from harness.wire import head_bytes

EVENTS = answers.chat_events(["a", "b"])


class RandomCuts(GatewayCase):
    """Many requests, each cut at a random point of its sending or its answer. E2E_SEED repeats a run."""

    REQUESTS = int(os.environ.get("E2E_CUTS", "10000"))
    AT_ONCE = 24

    def test_requests_cut_at_random_points_leave_no_trace(self):
        seed = int(os.environ.get("E2E_SEED", "1"))
        upstream, gateway = self.pair(ranks=4)

        def answer(exchange):
            plan = exchange.request.headers.get("X-Plan")
            if plan == "hang":
                exchange.wait_gone()
            elif plan == "stall":
                exchange.stream_head()
                exchange.chunk(EVENTS[0])
                exchange.wait_gone()
            else:
                upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        gateway.chat(stream=True)
        files, memory = gateway.open_files(), gateway.rss()
        print(f"\n{self.REQUESTS} cuts, E2E_SEED={seed}", end=" ", flush=True)
        asyncio.run(self.run_all(gateway.port, random.Random(seed)))
        gateway.wait_idle()
        totals = gateway.totals()
        ended = totals["answered"] + totals["cancelled"] + totals["failed"]
        self.assertEqual(ended, sum(totals[name] for name in ("placed", "sticky", "rehomed", "spilled", "balanced", "side")))
        self.assertGreaterEqual(ended, len(upstream.turns))
        self.assertEqual(totals["failed"], 0)
        self.assertGreater(totals["cancelled"], self.REQUESTS // 10)
        self.assertGreater(totals["answered"], self.REQUESTS // 10)
        self.assertLess(len([c for c in gateway.conversations() if c["source"] != "content"]), 60)
        for line in gateway.metrics().splitlines():
            if line.startswith("lmwarden_in_flight"):
                self.assertTrue(line.endswith(" 0"), line)
        # Idle connections to the engine stay for a while: as many as were in use at once.
        self.assertLess(gateway.open_files() - files, 2 * self.AT_ONCE + 8)
        self.assertLess(gateway.rss() - memory, 96 << 20)
        self.assertEqual(gateway.chat().status, 200)

    async def run_all(self, port, rng):
        plans = iter([self.plan(rng) for _ in range(self.REQUESTS)])

        async def worker():
            for plan in plans:
                await asyncio.wait_for(self.one(port, *plan), 30)

        await asyncio.gather(*(worker() for _ in range(self.AT_ONCE)))

    @staticmethod
    def plan(rng):
        """What to send, after how many bytes of it to leave, or after how many bytes of the answer, and how."""
        stream, chat = rng.random() < 0.7, rng.random() < 0.5
        body = (chat_request if chat else messages_request)(stream=stream, pad="x" * rng.choice((0, 10, 20_000)))
        behaviour = rng.choices(("answer", "hang", "stall"), (6, 1, 1))[0]
        data = str(body).replace("'", '"').replace("True", "true").encode()
        path = "/v1/chat/completions" if chat else "/v1/messages"
        headers = [("Host", "x"), ("X-Plan", behaviour), ("Content-Type", "application/json"),
                   ("Content-Length", str(len(data)))]
        if rng.random() < 0.9:
            headers.append(("X-Session-Id", f"conversation-{rng.randrange(50)}"))
        request = head_bytes(f"POST {path} HTTP/1.1", headers) + data
        send = rng.randrange(len(request)) if rng.random() < 0.2 else len(request)
        if behaviour == "hang":
            read = 0
        elif behaviour == "stall":
            read = rng.randrange(100)
        else:
            read = rng.choice((0, rng.randrange(900), 1 << 20))  # the last: all of it
        return request, send, read, rng.random() < 0.5, rng.random() * 0.01

    @staticmethod
    async def one(port, request, send, read, by_reset, pause):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        sock = writer.get_extra_info("socket")
        try:
            writer.write(request[:send])
            await writer.drain()
            if send == len(request):
                if read == 0:
                    await asyncio.sleep(pause)
                got = b""
                while len(got) < read:
                    data = await reader.read(min(4096, read - len(got)))
                    got += data
                    if not data or b"0\r\n\r\n" in got or (b"Content-Length" in got and got.endswith(b"}")):
                        break
        except ConnectionError:
            pass
        if by_reset:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort() if by_reset else writer.close()


if __name__ == "__main__":
    unittest.main()
