"""The bytes of an answer: what the engine sends, and what of it must reach the client."""

DONE = b"data: [DONE]\n\n"
USAGE = {"chat": b'{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":64}}',
         "messages": b'{"input_tokens":36,"cache_read_input_tokens":64,"output_tokens":5}',
         "responses": b'{"input_tokens":100,"input_tokens_details":{"cached_tokens":64},"output_tokens":5}'}
USAGE["completions"] = USAGE["chat"]
GARBAGE = (b"hello\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n",
           b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
           b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
           b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")


def words(plan):
    """The pieces of this turn's answer, of which no other turn has any."""
    return [b"t%d.%d %s" % (plan.number, index, plan.text.encode()) for index in range(plan.events)]


def named(name, members):
    return b'event: %s\ndata: {"type":"%s",%s}\n\n' % (name, name, members)


def stream(plan, model, usage):
    """The events of a streamed answer that names the model so, with the usage event of chat streams or without it."""
    model = model.encode()
    if plan.api == "messages":
        return [named(b"message_start", b'"message":{"model":"%s","usage":{"input_tokens":100,"output_tokens":0}}' % model),
                *(named(b"content_block_delta", b'"index":0,"delta":{"type":"text_delta","text":"%s"}' % word)
                  for word in words(plan)),
                named(b"message_delta", b'"delta":{"stop_reason":"end_turn"},"usage":%s' % USAGE["messages"]),
                named(b"message_stop", b'"x":0')]
    if plan.api == "responses":
        return [named(b"response.created", b'"response":{"model":"%s","status":"in_progress"}' % model),
                *(named(b"response.output_text.delta", b'"delta":"%s"' % word) for word in words(plan)),
                named(b"response.completed", b'"response":{"model":"%s","status":"completed","usage":%s}'
                      % (model, USAGE["responses"]))]
    shape = b'data: {"model":"%s","choices":[{"index":0,"text":"%s"}]}\n\n' if plan.api == "completions" else (
        b'data: {"model":"%s","choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n')
    events = [shape % (model, word) for word in words(plan)]
    if usage:
        events.append(b'data: {"model":"%s","choices":[],"usage":%s}\n\n' % (model, USAGE["chat"]))
    return [*events, DONE]


def is_usage(event):
    """Whether it is the usage event of a chat stream, which reaches only a client that has asked for it."""
    return b'"choices":[]' in event


def whole(plan, model):
    """An answer without a stream."""
    return b'{"model":"%s","text":["%s"],"usage":%s}' % (model.encode(), b'","'.join(words(plan)), USAGE[plan.api])


def refusal(plan):
    return b'{"error":{"message":"turn %d is refused","type":"soak","code":%d}}' % (plan.number, plan.status)


def cut_at(plan, events):
    """How many whole events an engine sends that is to die within the next one."""
    return int(plan.at * len(events))


def without_pings(plan, body):
    """What is left when the pings of a stream that was silent for long are taken out."""
    named_pings = plan.api in ("messages", "responses")
    return body.replace(b'event: ping\ndata: {"type": "ping"}\n\n' if named_pings else b": ping\n\n", b"")


def error_start(plan):
    """How an error event begins in this API."""
    return {"messages": b'event: error\ndata: {"type":"error","error":{"type":"',
            "responses": b'event: response.failed\ndata: {"type":"response.failed"'}.get(plan.api, b'data: {"error":{')
