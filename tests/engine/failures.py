"""Checks of what goes wrong: clients that leave, an engine that dies, an engine that comes back."""

import json
import os
import signal
import threading
import time

from harness import checks, http

import talk
import vllm_server
from vllm_server import MODEL, RANKS

PATH = "/v1/chat/completions"
RUNNING = "num_requests_running"


def body(seed, prompt_words, reply_tokens):
    return talk.chat_body([{"role": "user", "content": talk.words(seed, prompt_words)}], max_tokens=reply_tokens)


def long_body(seed):
    """A reply that takes some 20 s: far longer than any check waits."""
    return body(seed, prompt_words=100, reply_tokens=6000)


def running(setup):
    return sum(vllm_server.read_metrics(setup.engine).of(RUNNING))


def idle(setup):
    return not any(setup.gateway.in_flight(MODEL))


def disconnects(setup):
    """A client that leaves frees its slot in the engine and its place in the gateway."""

    def leaves_midway():
        with http.Stream(setup.gateway.api, PATH, long_body("midway"), {"X-Session-Id": "leaves-midway"}) as stream:
            events = iter(stream)
            for _ in range(3):
                next(events)
            running_before.append(running(setup))

    def leaves_before_a_byte():
        # Some 6,500 prompt tokens; not streamed, so that no byte comes before the whole reply.
        data = json.dumps(body("early", prompt_words=2000, reply_tokens=1500))
        connection = http.connect(setup.gateway.api, 30)
        headers = {"Content-Type": "application/json", "X-Session-Id": "leaves-early"}
        connection.request("POST", PATH, data, headers)
        checks.until(lambda: running(setup), 10)
        running_before.append(running(setup))
        connection.close()

    for name, leave in ("in mid-stream", leaves_midway), ("before a byte", leaves_before_a_byte):
        running_before = []
        leave()
        freed = checks.until(lambda: running(setup) == 0, 5)
        setup.checks.equal(f"a client that leaves {name} was running in the engine", running_before, [1])
        seen = "never" if freed is None else f"{freed:.2f} s"
        setup.checks.that("and its slot is free within a second", freed is not None and freed < 1, seen)
        setup.checks.that("and nothing of it is in flight", checks.until(lambda: idle(setup), 1) is not None)


class LongStream(threading.Thread):
    """One client that reads a long stream to whatever end it has."""

    def __init__(self, url, name, headers):
        super().__init__(daemon=True)
        self.name = name
        self.events = []
        self.problem = None
        self._stream = http.Stream(url, PATH, long_body(name), headers, limit_s=60)
        self.start()

    def run(self):
        try:
            for _, data in self._stream:
                self.events.append(data)
        except (OSError, ValueError) as error:
            self.problem = repr(error)
        self._stream.close()

    def verdict(self):
        """How it ended."""
        if self.is_alive() or self.problem:
            return self.problem or "hangs"
        if self._stream.rest:
            return f"half an event: {self._stream.rest[:80]!r}"
        if self._stream.cut:
            return "the body was cut"
        last = self.events[-1]
        if last == "[DONE]":
            before = json.loads(self.events[-2])
            return "error, [DONE]" if "error" in before else f"{before['choices'][0]['finish_reason']}, [DONE]"
        return "error event" if "error" in json.loads(last) else f"stops at {last[:80]}"


def engine_death(setup):
    """SIGKILL of one rank takes vLLM down in some 6 to 12 s: every client gets an end, then an honest 503."""
    ok = setup.checks
    streams = [
        LongStream(setup.gateway.api, f"long stream {number}", {"X-Session-Id": f"long-stream-{number}"})
        for number in range(2 * RANKS)
    ]
    checks.until(lambda: all(len(stream.events) > 5 for stream in streams), 30)
    on_ranks = vllm_server.read_metrics(setup.engine).of(RUNNING)
    ok.equal("before the crash every rank has streams", on_ranks, [2] * RANKS)

    os.kill(vllm_server.engine_cores(setup.server)[1], signal.SIGKILL)
    answers = _ask_until_refused(setup, limit_s=45)
    for stream in streams:
        stream.join(60)
    checks.table([("stream", "events", "end")] + [(s.name, len(s.events), s.verdict()) for s in streams])
    checks.table([("s after the kill", "took", "status", "retry-after", "error")] + answers)
    ends = {"error, [DONE]", "error event", "abort, [DONE]"}
    ok.that("every stream ended with an error or an honest abort, no half event", {s.verdict() for s in streams} <= ends)
    ok.that("every later request was answered, with an error of the caller's family", all(row[4] for row in answers))
    ok.that("at last with 503 and Retry-After 1 to 59", _refused(answers[-1]), answers[-1][2:4])
    ok.that("nothing is in flight", checks.until(lambda: idle(setup), 5) is not None, setup.gateway.in_flight(MODEL))
    ok.that("/health of the gateway is not 200", http.get(setup.gateway.api, "/health").status != 200)


def _refused(row):
    _, _, status, retry_after, _ = row
    return status == 503 and retry_after.isdigit() and 1 <= int(retry_after) <= 59


def _ask_until_refused(setup, limit_s):
    """Ask again and again; a row for each different answer, the last being the first 503 with Retry-After or the last one."""
    start, rows = time.monotonic(), []
    while time.monotonic() - start < limit_s and not (rows and _refused(rows[-1])):
        asked = time.monotonic()
        row = _ask(setup)
        if not rows or rows[-1][2:] != row:
            rows.append((f"{asked - start:.1f}", f"{time.monotonic() - asked:.1f}", *row))
        time.sleep(0.5)
    return rows


def _ask(setup):
    """(status, Retry-After, error text); no text when it is no proper answer."""
    data = body("still there", prompt_words=10, reply_tokens=8)
    try:
        answer = http.post(setup.gateway.api, PATH, data, {"X-Session-Id": "asks-again"}, limit_s=30)
        if answer.status == 200:
            return 200, "", answer.json()["choices"][0]["finish_reason"]
        return answer.status, answer.headers.get("retry-after", ""), answer.json()["error"]["message"][:60]
    except (OSError, ValueError, KeyError) as error:
        return "none", repr(error)[:60], ""


def engine_return(setup):
    """A new server on the same port is found by itself."""
    ok = setup.checks
    served = checks.until(lambda: _ask(setup)[0] == 200, 30, pause_s=0.5)
    ok.that("a restarted engine is found again", served is not None, "never" if served is None else f"{served:.1f} s")
    ok.equal("with all its replicas", len(setup.gateway.routing(MODEL)["replicas"]), RANKS)
    talks = [talk.Conversation(f"after the restart {number}") for number in range(RANKS)]
    for _ in range(3):
        for talk_ in talks:
            watch = vllm_server.watch(setup.engine)
            talk_.turn(setup.gateway.api)
            talk_.ranks.append(watch.rank())
    ok.that("and conversations stick on it", all(t.ranks == t.ranks[:1] * 3 for t in talks), [t.ranks for t in talks])
    ok.that("nothing is in flight", checks.until(lambda: idle(setup), 2) is not None)
