"""The clients of the soak: each takes the next turn, does what its plan says, and checks that it got just its own answer."""

import asyncio
import collections
import os
import signal
import time

import answers
import beside
import plan as plans
from check import LEFT_UNREAD, Wrong, check
from connection import Connection, request

AT_ONCE = 48
LOST_AFTER_S = 60  # less than the gateway's keep-alive: a connection that it forgets is a lost turn
PATIENCE_S = 0.1  # of clients that leave while they read


class Clients:
    def __init__(self, seed, port, numbers, progress):
        self.seed = seed
        self.port = port
        self.numbers = iter(numbers)
        self.progress = progress
        self.outcomes = collections.Counter()
        self.failures = []
        self.unread = []

    async def run(self):
        await asyncio.gather(*(self.worker() for _ in range(AT_ONCE)))

    async def worker(self):
        connection = None
        for number in self.numbers:
            plan = plans.make(self.seed, number)
            try:
                async with asyncio.timeout(LOST_AFTER_S):
                    if connection and plan.client == "reads_slowly":
                        connection.leave(False)
                        connection = None
                    connection = connection or await Connection.open(self.port, plan.client == "reads_slowly")
                    outcome, connection = await getattr(self, plan.client)(plan, connection)
                self.outcomes[outcome] += 1
                if outcome == LEFT_UNREAD:
                    self.unread.append(number)
            except Exception as error:  # whatever it is, this turn went wrong
                self.failures.append((number, plan.client, plan.fault, plan.api, f"{type(error).__name__}: {error}"))
                connection = None
            with self.progress.get_lock():
                self.progress.value += 1
        if connection:
            connection.leave(False)

    # --- what a client may do; each returns how it went, and the connection if it may be used again

    async def reads(self, plan, connection):
        await self.send(plan, connection)
        response = await connection.read_response()
        outcome = check(plan, response)
        return outcome, connection if response.leaves_open() else None

    async def reads_slowly(self, plan, connection):
        await self.send(plan, connection)
        response = await connection.read_response(pause=plan.pause)
        outcome = check(plan, response)
        connection.leave(False)
        return outcome, None

    async def sends_part(self, plan, connection):
        data = b"".join(request(plan))
        connection.writer.write(data[:int(plan.at * (len(data) - 1))])
        await asyncio.sleep(plan.pause)
        connection.leave(plan.reset)
        return "left while sending", None

    async def reads_part(self, plan, connection):
        await self.send(plan, connection)
        want = int(plan.at * (200 + len(b"".join(answers.stream(plan, plan.model, False)))))
        try:
            async with asyncio.timeout(PATIENCE_S):  # what comes may be shorter than that
                while want > 0 and (data := await connection.reader.read(min(want, 1 << 16))):
                    want -= len(data)
        except TimeoutError:
            pass
        except ConnectionError:
            raise Wrong("the connection was reset") from None
        connection.leave(plan.reset)
        return "left while reading", None

    async def leaves(self, plan, connection):
        await self.send(plan, connection)
        await asyncio.sleep(plan.pause)
        connection.leave(plan.reset)
        return "left while waiting", None

    async def half_closes(self, plan, connection):
        await self.send(plan, connection)
        connection.writer.write_eof()
        rest = await connection.at_end()
        if rest and not rest.startswith(b"HTTP/1.1 "):
            raise Wrong(f"got {rest[:100]!r}")
        connection.leave(False)
        return "left while waiting", None

    async def sends_ahead(self, plan, connection):
        await connection.send(b"".join(request(plan)) + b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n")
        outcome = check(plan, await connection.read_response())
        version = await connection.read_response()
        if b'"server":"lmwarden"' not in version.body:
            raise Wrong(f"got {version.body!r} instead of the version")
        return outcome, connection

    async def lookup(self, plan, connection):
        method, path, status, content = beside.lookup(plan.number)
        body = b'{"soak":%d,"model":"%s","prompt":"x"}' % (plan.number, plan.pool.encode()) if method == "POST" else b""
        await connection.send(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        response = await connection.read_response(head_only=method == "HEAD")
        if b"%d" in content:
            content %= plan.number
        if response.status != status or content not in response.body:
            raise Wrong(f"{method} {path} was answered with {response.status} {response.body[:200]!r}")
        return "lookup", connection if response.leaves_open() else None

    async def malformed(self, plan, connection):
        data, status, ends = beside.malformed(plan.number)
        await connection.send(data)
        response = await connection.read_response()
        if response.status != status:
            raise Wrong(f"{data[:100]!r} was answered with {response.status} {response.body[:200]!r}")
        if ends and await connection.at_end():
            raise Wrong("more came after a refusal")
        return "refused by us", connection if response.leaves_open() else None

    async def send(self, plan, connection):
        head, body = request(plan)
        if plan.framing == "dribbles":
            for at in range(0, len(head), 40):
                await connection.send(head[at:at + 40])
                await asyncio.sleep(0)
            head = b""
        if plan.framing == "expects":
            await connection.send(head)
            line = await connection.reader.readuntil(b"\r\n\r\n")
            if b" 100 " not in line:
                raise Wrong(f"got {line!r} instead of 100")
            head = b""
        await connection.send(head + body)


def main(seed, port, numbers, progress, pipe):
    """Runs these turns and sends the outcome."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    clients = Clients(seed, port, numbers, progress)
    asyncio.run(clients.run())
    pipe.send({"outcomes": clients.outcomes, "failures": clients.failures, "unread": clients.unread,
               "cpu": time.process_time()})
    os._exit(0)
