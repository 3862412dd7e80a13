"""A scripted engine: raw sockets, a thread for each connection, and by default what vLLM would answer.

A test replaces `answer` (turns and lookups) or `metrics` by a function of the exchange; it may send any bytes,
wait, reset, or watch the connection end.
"""

import json
import socket
import threading
import time

from harness import answers
from harness.wire import Cut, Headers, Reader, chunk, head_bytes, reset

TURN_PATHS = ("/v1/chat/completions", "/v1/messages", "/v1/completions", "/v1/responses")


def free_port():
    """A port of the loopback that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Request:
    def __init__(self, method, target, headers, body, raw_head):
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.raw_head = raw_head
        self.connection = None

    @property
    def path(self):
        return self.target.partition("?")[0]

    @property
    def rank(self):
        """The X-data-parallel-rank that came with it, as text; None without."""
        return self.headers.get("X-data-parallel-rank")

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.method} {self.target} rank={self.rank} {self.body[:100]!r}>"


class Exchange:
    """One request and the connection to answer it on."""

    def __init__(self, request, reader):
        self.request = request
        self.reader = reader
        self.sock = reader.sock
        self.open = True

    def send(self, data):
        self.sock.sendall(data)

    def head(self, status=200, headers=(), reason="OK"):
        self.send(head_bytes(f"HTTP/1.1 {status} {reason}", headers))

    def stream_head(self, headers=()):
        self.head(200, [("content-type", "text/event-stream; charset=utf-8"), ("transfer-encoding", "chunked"),
                        *headers])

    def chunk(self, data):
        if data:
            self.send(chunk(data))

    def end(self):
        self.send(b"0\r\n\r\n")

    def reply(self, status, body, headers=(), content_type="application/json"):
        head = [("content-type", content_type), *headers, ("content-length", str(len(body)))]
        self.send(head_bytes(f"HTTP/1.1 {status} Whatever", head) + (b"" if self.request.method == "HEAD" else body))

    def stream(self, events):
        """A whole SSE answer, a chunk for each event."""
        self.stream_head()
        for event in events:
            self.chunk(event)
        self.end()

    def close(self):
        self.open = False
        self.sock.close()

    def reset(self):
        self.open = False
        reset(self.sock)

    def wait_gone(self, timeout=10.0):
        """The time (monotonic) at which the gateway ended the connection; None when it does not."""
        self.sock.settimeout(timeout)
        try:
            while self.sock.recv(65536):
                pass
        except TimeoutError:
            return None
        except OSError:
            pass
        self.open = False
        return time.monotonic()


class Upstream:
    def __init__(self, model="tiny", ranks=2, port=0, adapters=(), version="0.32.0", host="127.0.0.1"):
        self.version = version
        self.model = model
        self.ranks = ranks
        self.adapters = adapters
        self.usage = (100, 64, 2)
        self.words = ["Hello", " wörld"]
        self.answer = self.answer_as_vllm
        self.metrics = lambda exchange: exchange.reply(
            200, answers.metrics_page(self.model, self.ranks), content_type="text/plain; version=1.0.0")
        self.health = lambda exchange: exchange.reply(200, b"")
        self.requests = []
        self.connections = 0
        self.errors = []
        self._changed = threading.Condition()
        self._open = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=1024)
        self.host = f"[{host}]" if ":" in host else host
        self.port = self._listener.getsockname()[1]
        self._stopping = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    @property
    def turns(self):
        return [request for request in list(self.requests) if request.path in TURN_PATHS]

    def count(self, path):
        return sum(request.path == path for request in list(self.requests))

    def wait_for(self, condition, timeout=10.0):
        """Waits until `condition()` holds; it is looked at after each request."""
        with self._changed:
            return self._changed.wait_for(condition, timeout)

    def stop(self):
        """Closes the port and every connection, as a killed process does."""
        self._stopping = True
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        for sock in list(self._open):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def answer_as_vllm(self, exchange):
        request = exchange.request
        try:
            body = json.loads(request.body)
        except ValueError:
            exchange.reply(400, answers.openai_error("1 validation error", "Bad Request", 400))
            return
        if request.path == "/v1/messages/count_tokens":
            exchange.reply(200, b'{"input_tokens":42,"context_management":{"original_input_tokens":42}}')
            return
        if request.path == "/v1/responses":
            self.answer_responses(exchange, body)
            return
        chat = request.path == "/v1/chat/completions"
        model = body.get("model", self.model) if isinstance(body, dict) else self.model
        if not isinstance(body, dict) or not body.get("stream"):
            shape = answers.chat_body if chat else answers.messages_body
            exchange.reply(200, shape("".join(self.words), self.usage, model))
            return
        if not chat:
            exchange.stream(answers.messages_events(self.words, self.usage, model))
            return
        options = body.get("stream_options") or {}
        usage = self.usage if options.get("include_usage") else None
        exchange.stream(answers.chat_events(self.words, usage, model, options.get("continuous_usage_stats", False)))

    def answer_responses(self, exchange, body):
        whole = answers.response("".join(self.words), self.usage, body.get("model", self.model))
        if body.get("stream"):
            exchange.stream(answers.responses_events(self.words, whole))
        else:
            exchange.reply(200, answers.compact(whole))

    def _accept(self):
        while not self._stopping:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.add(sock)
            threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True).start()

    def _serve(self, sock, number):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = Reader(sock)
        try:
            while True:
                request = self._read_request(reader)
                request.connection = number
                exchange = Exchange(request, reader)
                with self._changed:
                    self.requests.append(request)
                    self._changed.notify_all()
                self._dispatch(exchange)
                if not exchange.open or request.headers.get("Connection", "").lower() == "close":
                    break
        except (Cut, OSError):
            pass  # the gateway has left, which is its right
        except Exception as error:  # a script that fails must fail its test
            self.errors.append(error)
            raise
        finally:
            self._open.discard(sock)
            sock.close()

    def _dispatch(self, exchange):
        request = exchange.request
        if request.path == "/metrics":
            self.metrics(exchange)
        elif request.path == "/health":
            self.health(exchange)
        elif request.path == "/version":
            exchange.reply(200, answers.compact({"version": self.version}))
        elif request.method == "HEAD":
            exchange.reply(405, b'{"detail":"Method Not Allowed"}')
        elif request.path == "/v1/models":
            exchange.reply(200, answers.models_page(self.model, self.adapters))
        elif request.method == "POST":
            self.answer(exchange)
        else:
            exchange.reply(404, b'{"detail":"Not Found"}')

    @staticmethod
    def _read_request(reader):
        head = reader.until(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        method, target, version = line.decode("latin-1").split(" ")
        assert version == "HTTP/1.1", line
        headers = Headers.parse(rest)
        assert headers.get("Transfer-Encoding") is None, "requests have a length"
        assert len(headers.all("Content-Length")) <= 1, headers.items
        body = reader.exactly(int(headers.get("Content-Length", "0")))
        return Request(method, target, headers, body, head)
