"""HTTP/1.1 bytes as both sides of a test need them: small, strict, and never repairing what they read."""

import socket
import struct


class Cut(Exception):
    """The peer ended or reset the connection inside a message. `partial` holds what had come."""

    def __init__(self, partial=b""):
        super().__init__(f"cut after {len(partial)} bytes")
        self.partial = partial


class Reader:
    """Buffered reading from a socket."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = bytearray()

    def fill(self):
        """Waits for more bytes; False at the end of the connection, however it ended."""
        try:
            data = self.sock.recv(256 * 1024)
        except (ConnectionError, BrokenPipeError):
            return False
        self.buffer += data
        return bool(data)

    def until(self, marker):
        while True:
            at = self.buffer.find(marker)
            if at >= 0:
                return self.take(at + len(marker))
            if not self.fill():
                raise Cut(bytes(self.buffer))

    def exactly(self, size):
        while len(self.buffer) < size:
            if not self.fill():
                raise Cut(bytes(self.buffer))
        return self.take(size)

    def take(self, size):
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def to_end(self):
        while self.fill():
            pass
        return self.take(len(self.buffer))


class Headers:
    """Header lines in order, with duplicates."""

    def __init__(self, lines):
        self.items = lines

    @classmethod
    def parse(cls, text):
        items = []
        for line in text.split(b"\r\n"):
            if line:
                name, _, value = line.partition(b":")
                items.append((name.decode("latin-1"), value.strip(b" \t").decode("latin-1")))
        return cls(items)

    def all(self, name):
        return [value for key, value in self.items if key.lower() == name.lower()]

    def get(self, name, default=None):
        values = self.all(name)
        return values[0] if values else default

    def names(self):
        return [name.lower() for name, _ in self.items]


def head_bytes(first_line, headers):
    lines = [first_line] + [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunk(data):
    return b"%x\r\n" % len(data) + data + b"\r\n"


def reset(sock):
    """Ends the connection with RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
