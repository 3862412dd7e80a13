"""A small HTTP client which tells what came over the wire: whole answers, SSE events, and how a stream ended."""

import dataclasses
import http.client
import json
import urllib.parse


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict  # names in lower case
    body: bytes

    def json(self):
        return json.loads(self.body)


def connect(url, limit_s):
    parts = urllib.parse.urlsplit(url)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=limit_s)


def get(url, path, limit_s=10):
    return _exchange(url, "GET", path, None, {}, limit_s)


def post(url, path, body, headers=None, limit_s=120):
    return _exchange(url, "POST", path, body, headers or {}, limit_s)


def _exchange(url, method, path, body, headers, limit_s):
    connection = connect(url, limit_s)
    try:
        _send(connection, method, path, body, headers)
        response = connection.getresponse()
        return Answer(response.status, _lower(response), response.read())
    finally:
        connection.close()


def _send(connection, method, path, body, headers):
    data = None if body is None else json.dumps(body).encode()
    typed = {"Content-Type": "application/json"} if data else {}
    connection.request(method, path, data, typed | headers)


def _lower(response):
    return {name.lower(): value for name, value in response.getheaders()}


class Stream:
    """One streamed answer, read event by event.

    After the last event `cut` says whether the body ended without its last chunk, `rest` holds bytes after the last whole
    event (a half event).
    """

    def __init__(self, url, path, body, headers=None, limit_s=120):
        self._connection = connect(url, limit_s)
        _send(self._connection, "POST", path, body | {"stream": True}, headers or {})
        self._response = self._connection.getresponse()
        self.status = self._response.status
        self.headers = _lower(self._response)
        self.cut = False
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        """Each whole event's (name, data); name is "" where there is none."""
        while True:
            try:
                piece = self._response.read1(65536)
            except (http.client.IncompleteRead, ConnectionError) as error:
                self.cut = True
                piece = getattr(error, "partial", b"")
            self.rest += piece
            while b"\n\n" in self.rest:
                event, self.rest = self.rest.split(b"\n\n", 1)
                yield _parse(event)
            if not piece:
                return

    def close(self):
        """Leave, whether or not the answer is complete: the peer sees the connection close."""
        self._response.close()
        self._connection.close()


def _parse(event):
    name, data = "", []
    for line in event.decode().replace("\r\n", "\n").split("\n"):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data.append(value.removeprefix(" "))
    return name, "\n".join(data)
