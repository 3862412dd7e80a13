"""A client's connection to the gateway, and how a turn's request is written on it."""

import asyncio
import socket
import struct

import plan as plans
from harness import codings

CODINGS = tuple(codings.ENCODERS)
SLOW_BUFFER = 32 * 1024


class Response:
    def __init__(self, status, headers):
        self.status = status
        self.headers = headers
        self.body = b""
        self.complete = False

    def leaves_open(self):
        return self.complete and self.headers.get(b"connection") != b"close"

    def __str__(self):
        return f"{self.status} {'' if self.complete else 'incomplete '}{len(self.body)} bytes {self.body[:200]!r}"


class Connection:
    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, port, slow=False):
        """A slow reader has small buffers, so that the gateway feels it."""
        sock = socket.socket()
        sock.setblocking(False)
        if slow:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        return cls(*await asyncio.open_connection(sock=sock, limit=SLOW_BUFFER if slow else 1 << 20))

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    def leave(self, by_reset):
        if by_reset:
            sock = self.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
        else:
            self.writer.close()

    async def read_response(self, head_only=False, pause=0.0):
        while True:
            head = await self.reader.readuntil(b"\r\n\r\n")
            status = int(head[9:12])
            if status >= 200:
                break
        headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2] if b": " in line)
        response = Response(status, headers)
        try:
            if head_only or status == 204:
                pass
            elif b"content-length" in headers:
                await self._take(response, int(headers[b"content-length"]), pause)
            elif headers.get(b"transfer-encoding") == b"chunked":
                while size := int(await self.reader.readuntil(b"\r\n"), 16):
                    await self._take(response, size, pause)
                    await self.reader.readexactly(2)
                await self.reader.readexactly(2)
            else:
                response.body = await self.reader.read(-1)
            response.complete = True
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        return response

    async def _take(self, response, size, pause):
        while size:
            data = await self.reader.read(min(size, SLOW_BUFFER if pause else 1 << 20))
            if not data:
                raise asyncio.IncompleteReadError(b"", size)
            response.body += data
            size -= len(data)
            if pause:
                await asyncio.sleep(pause)

    async def at_end(self):
        try:
            return await self.reader.read(-1)
        except ConnectionError:
            return b""


def head_of(plan, length):
    lines = [f"POST {plan.path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in plan.headers]
    lines.append("Transfer-Encoding: chunked" if plan.framing == "chunked" else f"Content-Length: {length}")
    if plan.framing == "encoded":
        lines.append(f"Content-Encoding: {CODINGS[plan.number % len(CODINGS)]}")
    if plan.framing == "expects":
        lines.append("Expect: 100-continue")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def request(plan):
    body = plans.request_body(plan)
    if plan.framing == "encoded":
        body = codings.ENCODERS[CODINGS[plan.number % len(CODINGS)]](body)
    head = head_of(plan, len(body))
    if plan.framing != "chunked":
        return head, body
    third = len(body) // 3
    pieces = (body[:third], body[third:2 * third], body[2 * third:])
    return head, b"".join(b"%x;e=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\nx-t: 1\r\n\r\n"
