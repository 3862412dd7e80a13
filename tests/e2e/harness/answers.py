"""What vLLM 0.32 answers, as bytes: shapes as measured on the real server."""

import json


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def data_event(value, name=None):
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + compact(value) + b"\n\n"


def chat_chunk(delta, finish=None, model="tiny", **more):
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
            "choices": [choice], **more}


def chat_usage(prompt, cached, completion):
    return {"prompt_tokens": prompt, "total_tokens": prompt + completion, "completion_tokens": completion,
            "prompt_tokens_details": {"cached_tokens": cached, "created_cache_tokens": 0}}


def chat_events(words, usage=None, model="tiny", continuous=False):
    """Events of a chat stream; `usage` = (prompt, cached, completion) adds the usage event."""

    def running(done):
        prompt = usage[0] if usage else 1
        return {"usage": {"prompt_tokens": prompt, "total_tokens": prompt + done, "completion_tokens": done}}

    more = (lambda done: running(done)) if continuous else (lambda done: {})
    events = [data_event(chat_chunk({"role": "assistant", "content": ""}, model=model, **more(0)))]
    for i, word in enumerate(words):
        finish = "stop" if i == len(words) - 1 else None
        events.append(data_event(chat_chunk({"content": word}, finish, model, **more(i + 1))))
    if usage:
        events.append(usage_event(usage, model))
    events.append(b"data: [DONE]\n\n")
    return events


def usage_event(usage, model="tiny"):
    return data_event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
                       "choices": [], "usage": chat_usage(*usage),
                       "system_fingerprint": "vllm-0.32.0-dp2-053949fb"})


def messages_usage(prompt, cached, completion):
    return {"input_tokens": prompt - cached, "output_tokens": completion,
            "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0}


def messages_events(words, usage, model="tiny"):
    prompt, _, _ = usage
    start = {"type": "message_start",
             "message": {"id": "chatcmpl-1", "type": "message", "role": "assistant", "content": [],
                         "model": model, "stop_reason": None,
                         "usage": {"input_tokens": prompt, "output_tokens": 0}}}
    events = [data_event(start, "message_start"),
              data_event({"type": "content_block_start", "index": 0,
                          "content_block": {"type": "text", "text": ""}}, "content_block_start")]
    for word in words:
        events.append(data_event({"type": "content_block_delta", "index": 0,
                                  "delta": {"type": "text_delta", "text": word}}, "content_block_delta"))
    events.append(data_event({"type": "content_block_stop", "index": 0}, "content_block_stop"))
    events.append(data_event({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                              "usage": messages_usage(*usage)}, "message_delta"))
    events.append(data_event({"type": "message_stop"}, "message_stop"))
    return events


def response(text, usage, model="tiny", status="completed"):
    prompt, cached, completion = usage
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": model, "status": status,
            "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": text, "annotations": []}]}],
            "usage": {"input_tokens": prompt, "input_tokens_details": {"cached_tokens": cached},
                      "output_tokens": completion, "total_tokens": prompt + completion}}


def responses_events(words, whole):
    created = {**whole, "status": "in_progress", "output": [], "usage": None}
    events = [data_event({"type": "response.created", "response": created, "sequence_number": 0}, "response.created")]
    for word in words:
        events.append(data_event({"type": "response.output_text.delta", "delta": word, "item_id": "msg_1",
                                  "output_index": 0, "content_index": 0}, "response.output_text.delta"))
    events.append(data_event({"type": "response.completed", "response": whole}, "response.completed"))
    return events


def chat_body(text, usage, model="tiny"):
    return compact({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
                    "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                                 "finish_reason": "stop"}], "usage": chat_usage(*usage)})


def messages_body(text, usage, model="tiny"):
    return compact({"id": "chatcmpl-1", "type": "message", "role": "assistant", "model": model,
                    "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                    "usage": messages_usage(*usage)})


def openai_error(message, kind, code):
    return compact({"error": {"message": message, "type": kind, "param": None, "code": code}})


BUSY = openai_error("The engine is currently busy and cannot accept new requests.", "Service Unavailable", 503)
TOO_LONG = openai_error("This model's maximum context length is 8192 tokens.", "BadRequestError", 400)


def models_page(model, adapters=()):
    cards = [{"id": model, "object": "model", "created": 1, "owned_by": "vllm", "root": model, "parent": None,
              "max_model_len": 8192}]
    cards += [{"id": name, "object": "model", "created": 1, "owned_by": "vllm", "root": name, "parent": model}
              for name in adapters]
    return compact({"object": "list", "data": cards})


def metrics_page(model="tiny", ranks=2, running=0, waiting=0, kv=0.0, queries=1000, hits=500, first_rank=0):
    """The families of /metrics that matter. `kv` may be one value, or one for each rank."""
    lines = []

    def family(name, kind, value):
        lines.append(f"# HELP {name} ...")
        lines.append(f"# TYPE {name} {kind}")
        for rank in range(first_rank, first_rank + ranks):
            one = value[rank] if isinstance(value, (list, tuple)) else value
            lines.append(f'{name}{{engine="{rank}",model_name="{model}"}} {one}')

    family("vllm:num_requests_running", "gauge", running)
    family("vllm:num_requests_waiting", "gauge", waiting)
    family("vllm:kv_cache_usage_perc", "gauge", kv)
    family("vllm:prefix_cache_queries_total", "counter", queries)
    family("vllm:prefix_cache_hits_total", "counter", hits)
    lines.append("# TYPE vllm:cache_config_info gauge")
    for rank in range(first_rank, first_rank + ranks):
        lines.append(f'vllm:cache_config_info{{block_size="16",enable_prefix_caching="True",engine="{rank}",'
                     f'kv_cache_size_tokens="100000",num_gpu_blocks="6250"}} 1.0')
    return ("\n".join(lines) + "\n").encode()
