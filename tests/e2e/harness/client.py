"""A client that sends exactly the bytes it is told to."""

import json
import socket

from harness.wire import Cut, Headers, Reader, head_bytes, reset


class Response:
    def __init__(self, status, reason, headers):
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = b""
        self.chunks = []
        self.complete = False

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.headers.items} {self.body[:300]!r}{'' if self.complete else ' (cut)'}>"


class Connection:
    def __init__(self, port, timeout=20.0, host="127.0.0.1"):
        self.sock = socket.create_connection((host, port), timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = Reader(self.sock)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)

    def request(self, method, target, body=None, headers=()):
        """Sends a well-formed request. A body that is no bytes is sent as JSON."""
        given = [("Host", "127.0.0.1"), *headers]
        if body is not None and not isinstance(body, (bytes, bytearray)):
            body = json.dumps(body).encode()
        names = [name.lower() for name, _ in given]
        if body is not None and "content-type" not in names:
            given.append(("Content-Type", "application/json"))
        if body is not None and "content-length" not in names and "transfer-encoding" not in names:
            given.append(("Content-Length", str(len(body))))
        self.send(head_bytes(f"{method} {target} HTTP/1.1", given) + (body or b""))

    def read_head(self):
        text = self.reader.until(b"\r\n\r\n")
        line, _, rest = text.partition(b"\r\n")
        version, status, reason = (line.split(b" ", 2) + [b""])[:3]
        assert version == b"HTTP/1.1", line
        return Response(int(status), reason.decode(), Headers.parse(rest))

    def read_body(self, response, head_only=False):
        if head_only or response.status in (204, 304):
            response.complete = True
            return response
        try:
            if "chunked" in response.headers.get("Transfer-Encoding", ""):
                self._read_chunks(response)
            elif response.headers.get("Content-Length") is not None:
                response.body = self.reader.exactly(int(response.headers.get("Content-Length")))
            else:
                response.body = self.reader.to_end()
            response.complete = True
        except Cut as cut:
            response.body += cut.partial
        return response

    def _read_chunks(self, response):
        while True:
            size = int(self.reader.until(b"\r\n")[:-2], 16)
            data = self.reader.exactly(size + 2)
            assert data.endswith(b"\r\n"), data[-10:]
            if size == 0:
                return
            response.chunks.append(data[:-2])
            response.body += data[:-2]

    def read_response(self, head_only=False):
        return self.read_body(self.read_head(), head_only)

    def ask(self, method, target, body=None, headers=()):
        self.request(method, target, body, headers)
        return self.read_response(head_only=method == "HEAD")

    def at_end(self):
        """What else comes until the other side closes. Fails (timeout) when it does not close."""
        return self.reader.to_end()

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def leave(self):
        self.sock.close()

    def reset(self):
        reset(self.sock)
