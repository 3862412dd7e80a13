"""An engine that ends a turn's connection at a chosen step."""

import socket
import threading
from dataclasses import dataclass

from harness.upstream import Upstream
from harness.wire import Cut, reset


@dataclass
class Plan:
    """What happens to the next turn. `step`: "accept", "request" (after `at` bytes of it are read), "answer"
    (after `at` bytes of it are sent), "hold" (the same, but the engine waits to be left)."""

    step: str = "none"
    at: int = 0
    how: str = "FIN"
    answer: bytes = b""
    times: int = 1  # how often; after that turns are answered
    deadly: bool = False  # the engine's health fails from then on


class CuttingEngine(Upstream):
    def __init__(self, plan=None, **options):
        super().__init__(**options)
        self.lock = threading.Lock()
        self.plan = plan or Plan()
        self.calls = 0  # connections on which a turn, or part of one, has been read
        self.sent = threading.Semaphore(0)  # of "hold": what was to be sent has been sent
        self.left = threading.Semaphore(0)  # the gateway has closed a connection that was cut or held
        self.answer = self._answer

    def _take(self, step):
        """Whether the plan is for this step now."""
        with self.lock:
            if self.plan.step != step or self.plan.times == 0:
                return False
            self.plan.times -= 1
            if self.plan.deadly:
                self.health = lambda exchange: exchange.reply(503, b"")
            return True

    def _end(self, sock, how):
        if how == "RST":
            reset(sock)
            return
        sock.shutdown(socket.SHUT_WR)
        self._wait_left(sock)

    def _wait_left(self, sock):
        sock.settimeout(10)
        try:
            while sock.recv(65536):
                pass
        except ConnectionError:
            pass
        self.left.release()
        sock.close()

    def _serve(self, sock, number):
        if self._take("accept"):
            self._open.discard(sock)
            self._end(sock, self.plan.how)
        else:
            super()._serve(sock, number)

    def _read_request(self, reader):
        if not reader.buffer and reader.sock.recv(4, socket.MSG_PEEK) == b"POST":
            self.calls += 1
            if self._take("request"):
                left = self.plan.at
                while left:
                    left -= len(reader.sock.recv(left))
                self._end(reader.sock, self.plan.how)
                raise Cut()
        return Upstream._read_request(reader)

    def _answer(self, exchange):
        if self._take("answer"):
            exchange.open = False
            exchange.send(self.plan.answer[:self.plan.at])
            self._end(exchange.sock, self.plan.how)
        elif self._take("hold"):
            exchange.open = False
            exchange.send(self.plan.answer[:self.plan.at])
            self.sent.release()
            self._wait_left(exchange.sock)
        else:
            exchange.send(self.plan.answer)
