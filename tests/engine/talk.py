"""Growing conversations in the two families of API, as an agent holds them."""

import dataclasses
import random
import uuid

from harness import http

from vllm_server import MODEL

REPLY_TOKENS = 32
TOOLS = [{"name": "Bash", "description": "Run a command", "input_schema": {"type": "object", "properties": {}}}]
SYLLABLES = "ba de fi go lu ma ne po ri su ta ve wo xi zu".split()


def words(seed, count):
    """A text of `count` made-up words, the same for the same seed. About three tokens a word with the tiny tokenizer."""
    source = random.Random(seed)
    return " ".join("".join(source.choices(SYLLABLES, k=source.randint(1, 4))) for _ in range(count))


@dataclasses.dataclass
class Tokens:
    prompt: int
    cached: int
    completion: int


def chat_body(messages, **more):
    # Random weights end a text early now and then; ignore_eos gives every reply its full length.
    return {"model": MODEL, "messages": messages, "max_tokens": REPLY_TOKENS, "ignore_eos": True, "temperature": 0} | more


class Conversation:
    """A chat/completions conversation whose prompt starts unlike any other's."""

    path = "/v1/chat/completions"
    session_header = "X-Session-Id"

    def __init__(self, name):
        self.name = name
        self.headers = {self.session_header: str(uuid.uuid4())}
        self.turns = []  # Tokens of each
        self.ranks = []
        self._messages = self._start()

    def turn(self, url):
        """Say something, keep the answer, return its tokens."""
        self._messages.append({"role": "user", "content": words(f"{self.name}/{len(self.turns)}", 60)})
        answer = http.post(url, self.path, self._body(), self.headers)
        if answer.status != 200:
            raise AssertionError(f"{self.name}: {answer.status} {answer.body[:300]!r}")
        text, tokens = self._read(answer.json())
        self._messages.append({"role": "assistant", "content": text or "(nothing)"})
        self.turns.append(tokens)
        return tokens

    def _system(self):
        return words(self.name, 150)

    def _start(self):
        return [{"role": "system", "content": self._system()}]

    def _body(self):
        return chat_body(self._messages)

    def _read(self, answer):
        usage = answer["usage"]
        details = usage["prompt_tokens_details"]
        tokens = Tokens(usage["prompt_tokens"], details["cached_tokens"], usage["completion_tokens"])
        return answer["choices"][0]["message"]["content"], tokens


class Messages(Conversation):
    """The same over /v1/messages, as Claude Code names its sessions. It always offers tools, except in side requests."""

    path = "/v1/messages"
    session_header = "X-Claude-Code-Session-Id"

    def _start(self):
        return []

    def _body(self):
        body = {"model": MODEL, "system": self._system(), "messages": self._messages, "max_tokens": REPLY_TOKENS}
        return body | {"tools": TOOLS, "tool_choice": {"type": "none"}}

    def _read(self, answer):
        usage = answer["usage"]
        cached = usage["cache_read_input_tokens"]
        prompt = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
        text = "".join(part.get("text", "") for part in answer["content"])
        return text, Tokens(prompt, cached, usage["output_tokens"])
