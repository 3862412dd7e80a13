"""The engines of the soak, one process each. They know by its number what a turn must look like and what to do with it."""

import asyncio
import os
import re
import signal
import socket
import struct
import time

import answers
import plan as plans

HEAD_LIMIT = 1 << 20
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
NUMBER = re.compile(rb'"soak":(\d+)')
METRICS = ("vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
           "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total")
# So small that turns are held now and then: a conversation has some hundred tokens, a large prompt 250,000.
CACHE = f'vllm:cache_config_info{{engine="%d",block_size="16",kv_cache_size_tokens="{plans.CACHE_TOKENS}"}} 1.0\n'


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def reply(status, body, more=b""):
    head = b"HTTP/1.1 %d Whatever\r\ncontent-type: application/json\r\n%scontent-length: %d\r\n\r\n"
    return head % (status, more, len(body)) + body


STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Engine:
    def __init__(self, seed, model, ranks):
        self.seed = seed
        self.model = model
        self.ranks = ranks
        self.received = {}      # number of a turn: how often it came
        self.answered = set()   # turns whose answer was sent to its end
        self.wrong = []         # requests that were not what their turn's client had sent
        self.idle = set()       # connections that wait for a request
        self.busy = 0

    async def serve(self, reader, writer):
        try:
            while True:
                self.idle.add(writer)
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                finally:
                    self.idle.discard(writer)
                length = LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                self.busy += 1
                try:
                    if not await self.answer(reader, writer, head, body):
                        break
                finally:
                    self.busy -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, reader, writer, head, body):
        """False when the connection is over."""
        method, target = head.split(b" ", 2)[:2]
        path = target.partition(b"?")[0].decode()
        if path in plans.PATHS.values():
            return await self.turn(reader, writer, path, body)
        if path == "/metrics":
            ranks = range(self.ranks)
            lines = [f'{name}{{engine="{rank}",model_name="{self.model}"}} 0\n' for name in METRICS for rank in ranks]
            lines += [CACHE % rank for rank in ranks]
            writer.write(reply(200, "".join(lines).encode()))
        elif path == "/v1/models":
            writer.write(reply(200, b'{"object":"list","data":[{"id":"%s","object":"model"}]}' % self.model.encode()))
        elif path == "/version":
            writer.write(reply(200, b'{"version":"0.33.0"}'))
        elif path == "/health":
            writer.write(reply(200, b""))
        else:  # lookups
            number = NUMBER.search(body)
            writer.write(reply(200, b'{"count":%s}' % (number[1] if number else b"0")))
        await writer.drain()
        return True

    async def turn(self, reader, writer, path, body):
        number = NUMBER.search(body, 0, 200)
        plan = plans.make(self.seed, int(number[1])) if number else None
        if not plan or plan.path != path or plan.pool != self.model or body != plans.upstream_body(plan):
            self.wrong.append((path, body[:300]))
            writer.write(reply(500, b"{}"))
            return True
        self.received[plan.number] = self.received.get(plan.number, 0) + 1
        going_on = await getattr(self, plan.fault, self.none)(plan, reader, writer)
        await writer.drain()
        return going_on

    # --- the faults of a plan

    async def none(self, plan, reader, writer):
        if plan.stream:
            writer.write(STREAM_HEAD + b"".join(map(chunk, self.events(plan))) + b"0\r\n\r\n")
        else:
            writer.write(reply(200, answers.whole(plan, self.model)))
        self.answered.add(plan.number)
        return True

    async def closes_after(self, plan, reader, writer):
        await self.none(plan, reader, writer)
        return False

    async def paced(self, plan, reader, writer):
        writer.write(STREAM_HEAD)
        for event in self.events(plan):
            writer.write(chunk(event[:len(event) // 2]))
            await writer.drain()
            await asyncio.sleep(plan.pause)
            writer.write(chunk(event[len(event) // 2:]))
        writer.write(b"0\r\n\r\n")
        self.answered.add(plan.number)
        return True

    async def refuses(self, plan, reader, writer):
        writer.write(reply(plan.status, answers.refusal(plan), b"retry-after: 2\r\n"))
        self.answered.add(plan.number)
        return True

    async def drops(self, plan, reader, writer):
        return False

    async def resets(self, plan, reader, writer):
        reset(writer)
        return False

    async def garbage(self, plan, reader, writer):
        writer.write(answers.GARBAGE[plan.number % len(answers.GARBAGE)])
        return False

    async def cut(self, plan, reader, writer):
        if plan.stream:
            events = self.events(plan)
            whole = answers.cut_at(plan, events)
            writer.write(STREAM_HEAD + b"".join(map(chunk, events[:whole])) + chunk(events[whole][:5]))
        else:
            whole = reply(200, answers.whole(plan, self.model))
            writer.write(whole[:int(plan.at * len(whole))])
        await writer.drain()
        if plan.reset:
            await asyncio.sleep(plan.pause)
            reset(writer)
        return False

    async def silent(self, plan, reader, writer):
        await reader.read(1)
        return False

    async def stalls(self, plan, reader, writer):
        writer.write(STREAM_HEAD + chunk(self.events(plan)[0]))
        await reader.read(1)
        return False

    def events(self, plan):
        return answers.stream(plan, self.model, usage=True)


def reset(writer):
    """Ends the connection with RST, unless it has ended already."""
    if writer.transport.is_closing():
        return
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def blink(engine, listen):
    """Away for a second now and then, as one whose API server restarts: nobody listens, idle connections end."""
    server = await listen()
    while True:
        await asyncio.sleep(8)
        server.close()
        for writer in list(engine.idle):
            writer.close()
        await asyncio.sleep(1)
        server = await listen()


def main(seed, model, ranks, blinks, pipe):
    """Serves until the parent asks for its results. `pipe` first gives the port."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = Engine(seed, model, ranks)

    async def run():
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        port = listener.getsockname()[1]

        async def listen():
            return await asyncio.start_server(engine.serve, "127.0.0.1", port, limit=HEAD_LIMIT, backlog=1024)

        listener.close()
        if blinks:
            task = asyncio.create_task(blink(engine, listen))
        else:
            server = await listen()
        pipe.send(port)
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        pipe.send({"received": engine.received, "answered": engine.answered, "wrong": engine.wrong, "busy": engine.busy,
                   "cpu": time.process_time()})

    asyncio.run(run())
    os._exit(0)
