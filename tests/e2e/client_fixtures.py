"""The recorded requests of real clients, their placeholders expanded to the sizes they stand for."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "fixtures/clients"
TEXT = re.compile(r"<(\d+) bytes of text>")
SCHEMA = re.compile(r"<(\d+) bytes of JSON schema>")
WORDS = "the quick brown fox jumps over the lazy dog and reads another line of this file "


def text(size):
    """The same for the same size, so that prefixes stay prefixes."""
    return (WORDS * (size // len(WORDS) + 1))[:size]


def schema(size):
    empty = {"type": "object", "description": ""}
    return {**empty, "description": text(max(0, size - len(json.dumps(empty, separators=(",", ":")))))}


def expand(value):
    if isinstance(value, str):
        if match := SCHEMA.fullmatch(value):
            return schema(int(match[1]))
        return TEXT.sub(lambda match: text(int(match[1])), value)
    if isinstance(value, list):
        return [expand(item) for item in value]
    if isinstance(value, dict):
        return {key: expand(item) for key, item in value.items()}
    return value


class Recorded:
    def __init__(self, entry):
        self.kind = entry["kind"]
        self.method = entry["method"]
        self.target = entry["path"]
        self.wire_bytes = entry["wire_bytes"]
        self.json = expand(entry["body"])
        self.body = json.dumps(self.json, ensure_ascii=False, separators=(",", ":")).encode() if self.json else None
        own = ("host", "content-length")
        self.headers = [(name, value) for name, value in entry["headers"] if name.lower() not in own]


def load(name):
    return [Recorded(entry) for entry in json.loads((FOLDER / f"{name}.json").read_text())["requests"]]


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))
