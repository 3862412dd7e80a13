"""Short turns of each family, and what a client must see when the engine's answer ends after any byte of it."""

import json

from harness.answers import compact, data_event
from harness.wire import chunk, head_bytes

MESSAGES = [{"role": "user", "content": "Hi"}]
USAGE = {"prompt_tokens": 3, "completion_tokens": 1}


def is_openai_error(value):
    return set(value) == {"error"} and set(value["error"]) == {"message", "type", "param", "code"}


def is_anthropic_error(value):
    return set(value) == {"type", "error"} and value["type"] == "error" and set(value["error"]) == {"type", "message"}


def error_event_of(path, event):
    """Whether the event is an error as the clients of this path know it."""
    lines = event.decode().removesuffix("\n\n").split("\n")
    name = lines.pop(0).removeprefix("event: ") if lines[0].startswith("event: ") else None
    if len(lines) != 1 or not lines[0].startswith("data: "):
        return False
    value = json.loads(lines[0].removeprefix("data: "))
    if path == "/v1/messages":
        return name == "error" and is_anthropic_error(value)
    if path == "/v1/responses":
        return name == value.get("type") == "response.failed" and set(value["response"]) >= {"status", "error"}
    return name is None and is_openai_error(value)


class Turn:
    """`parts` is the answer in the steps that a server writes it in: head, chunk sizes, events, chunk ends."""

    def __init__(self, path, body, parts, events=()):
        self.path = path
        self.stream = bool(events)
        self.name = f"{path} {'stream' if self.stream else 'plain'}"
        self.events = events
        self.shown = events
        self.answer = b"".join(parts)
        self.head = len(parts[0])
        self.steps = [sum(map(len, parts[:i + 1])) for i in range(len(parts))]
        self.body = compact({"model": "tiny", **body, **({"stream": True} if self.stream else {})})

    def request(self, headers=()):
        return head_bytes(f"POST {self.path} HTTP/1.1", [
            ("Host", "x"), ("Content-Type", "application/json"), ("Content-Length", str(len(self.body))), *headers
        ]) + self.body

    def near_steps(self):
        return sorted({at for step in [0, *self.steps] for at in (step - 1, step, step + 1)
                       if 0 <= at <= len(self.answer)})

    def payload(self, size):
        """The body's bytes in the first `size` bytes of the answer, chunk framing removed."""
        rest, payload = self.answer[self.head:size], b""
        if not self.stream:
            return rest
        while b"\r\n" in rest:
            line, _, rest = rest.partition(b"\r\n")
            length = int(line, 16)
            payload, rest = payload + rest[:length], rest[length + 2:]
        return payload

    def expected(self, size):
        """What the client must see when the answer ends after `size` bytes: refused, or (its body, whether an
        error event follows, whether it ends well)."""
        payload = self.payload(size)
        if not payload:
            return "refused"
        if not self.stream:
            return payload, False, size == len(self.answer)
        whole = 0
        while len(b"".join(self.events[:whole + 1])) <= len(payload) and whole < len(self.events):
            whole += 1
        body = b"".join(event for event in self.events[:whole] if event in self.shown)
        return body, whole < len(self.events), True

    def seen(self, response):
        """The same of a response."""
        if response.status == 502:
            assert response.complete, response
            is_error = is_anthropic_error if self.path == "/v1/messages" else is_openai_error
            assert is_error(response.json()), response
            return "refused"
        assert response.status == 200, response
        if not self.stream:
            return response.body, False, response.complete
        before, end, last = response.body.removesuffix(b"\n\n").rpartition(b"\n\n")
        last += b"\n\n"
        if last in self.events or not error_event_of(self.path, last):
            return response.body, False, response.complete
        return before + end, True, response.complete


def plain(path, body, answer):
    data = compact(answer)
    head = head_bytes("HTTP/1.1 200 OK", [("content-type", "application/json"), ("content-length", len(data))])
    return Turn(path, body, [head, data])


def streamed(path, body, events):
    parts = [head_bytes("HTTP/1.1 200 OK", [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")])]
    for event in events:
        framed = chunk(event)
        size = framed.index(b"\r\n") + 2
        parts += [framed[:size], event, b"\r\n"]
    return Turn(path, body, [*parts, b"0\r\n\r\n"], events)


def chat_stream():
    usage = data_event({"choices": [], "usage": USAGE})
    turn = streamed("/v1/chat/completions", {"messages": MESSAGES},
                    [data_event({"choices": [{"delta": {"content": "a"}}]}), usage, b"data: [DONE]\n\n"])
    turn.shown = [event for event in turn.events if event != usage]  # it has not been asked for
    return turn


def completions_stream():
    return streamed("/v1/completions", {"prompt": "Hi", "stream_options": {"include_usage": True}},
                    [data_event({"choices": [{"text": "a"}]}), data_event({"choices": [], "usage": USAGE}),
                     b"data: [DONE]\n\n"])


def messages_stream():
    values = [{"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 0}}},
              {"type": "content_block_delta", "delta": {"text": "a"}},
              {"type": "message_delta", "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return streamed("/v1/messages", {"messages": MESSAGES}, [data_event(value, value["type"]) for value in values])


def responses_stream():
    values = [{"type": "response.created", "response": {}}, {"type": "response.output_text.delta", "delta": "a"},
              {"type": "response.completed", "response": {"usage": {"input_tokens": 3, "output_tokens": 1}}}]
    return streamed("/v1/responses", {"input": "Hi"}, [data_event(value, value["type"]) for value in values])


CHAT_STREAM = chat_stream()
MESSAGES_PLAIN = plain("/v1/messages", {"messages": MESSAGES}, {"content": [], "usage": {"input_tokens": 3}})
OTHERS = [
    plain("/v1/chat/completions", {"messages": MESSAGES}, {"choices": [], "usage": USAGE}),
    completions_stream(),
    plain("/v1/completions", {"prompt": "Hi"}, {"choices": [{"text": "a"}], "usage": USAGE}),
    messages_stream(),
    responses_stream(),
    plain("/v1/responses", {"input": "Hi"}, {"output": [], "usage": {"input_tokens": 3}}),
]
ALL = [CHAT_STREAM, MESSAGES_PLAIN, *OTHERS]
