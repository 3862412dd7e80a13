"""What one turn is. All of it is drawn from the run's seed and the turn's number, so that client and engine agree on it."""

import random
from dataclasses import dataclass, field

# Pools: one engine of four ranks, and two engines of one replica each.
POOLS = {"ranked": 4, "twins": 1}
ALIASES = {"ranked": "claude-sonnet-9", "twins": "gpt-9"}
PATHS = {"chat": "/v1/chat/completions", "completions": "/v1/completions", "messages": "/v1/messages",
         "responses": "/v1/responses"}
CONVERSATIONS = 20_000  # ten times what the table holds
TABLE = 2_000
BODY_LIMIT = 4 << 20
CACHE_TOKENS = 20_000

# What the engine does with a turn, and how often.
FAULTS = {"none": 780, "paced": 60, "closes_after": 40, "refuses": 40, "drops": 15, "resets": 15, "garbage": 10,
          "cut": 30, "silent": 5, "stalls": 5}
# What the client does.
CLIENTS = {"reads": 660, "reads_slowly": 20, "sends_part": 50, "reads_part": 150, "leaves": 40, "half_closes": 20,
           "sends_ahead": 20, "lookup": 20, "malformed": 20}
TEXTS = {0: 30, 5: 30, 20: 30, 200: 2, 20_000: 2}                       # characters of an event
PADDINGS = {0: 40, 200: 30, 4_000: 20, 60_000: 9, 1_000_000: 1}        # characters of a prompt
FRAMINGS = {"length": 80, "chunked": 10, "encoded": 5, "expects": 2, "dribbles": 3}


@dataclass(slots=True)
class Plan:
    number: int
    pool: str
    api: str
    stream: bool
    alias: bool
    asks_usage: bool
    events: int
    text: str          # of each event
    padding: int       # of the request's body
    fault: str
    client: str
    framing: str
    reset: bool        # leaves by RST, not FIN
    at: float          # 0..1: where something is cut
    pause: float       # seconds
    status: int        # of an engine that refuses
    headers: list = field(default_factory=list)
    member: bytes = b""  # of the body: a conversation's id, where it stands there

    @property
    def path(self):
        return PATHS[self.api]

    @property
    def model(self):
        return ALIASES[self.pool] if self.alias else self.pool


def draw(rng, weights):
    return rng.choices(tuple(weights), tuple(weights.values()))[0]


def make(seed, number):
    rng = random.Random((seed << 32) + number)
    client = draw(rng, CLIENTS)
    # Where the client's own doing is looked at, the engine does its part well.
    fault = draw(rng, FAULTS) if client in ("reads", "leaves", "sends_part", "reads_part") else "none"
    if client == "leaves":
        fault = rng.choice(("none", "silent", "stalls", "paced"))
    plan = Plan(number, rng.choice(tuple(POOLS)), rng.choice(tuple(PATHS)), stream=rng.random() < 0.7,
                alias=rng.random() < 0.3, asks_usage=rng.random() < 0.3, events=rng.choice((1, 2, 3, 8, 30)),
                text="x" * draw(rng, TEXTS), padding=draw(rng, PADDINGS), fault=fault, client=client,
                framing=draw(rng, FRAMINGS), reset=rng.random() < 0.5, at=rng.random(), pause=rng.random() * 0.02,
                status=rng.choice((400, 404, 429, 500, 503, 529)))
    if client == "reads_slowly":
        plan.events, plan.text, plan.stream = 30, "x" * 30_000, True
    if fault in ("paced", "stalls"):
        plan.stream, plan.events = True, 8
    if client in ("lookup", "malformed", "sends_ahead"):
        plan.padding, plan.framing = 0, "length"
    name_conversation(rng, plan)
    return plan


def name_conversation(rng, plan):
    """Half of the turns belong to a few lively conversations, the others to very many."""
    identity = f"soak-{rng.randrange(200) if rng.random() < 0.5 else rng.randrange(CONVERSATIONS):08d}"
    way = rng.randrange(8)
    if way < 2:
        plan.headers = [("X-Claude-Code-Session-Id", identity)]
        if way == 1:
            plan.headers.append(("X-Claude-Code-Agent-Id", f"a{rng.randrange(3)}"))
    elif way == 2:
        plan.headers = [("session-id", identity), ("thread-id", identity)]
    elif way == 3:
        plan.headers = [("X-Session-Id", identity)]
    elif way == 4:
        plan.member = b'"prompt_cache_key":"%s",' % identity.encode()
    elif way == 5:
        plan.member = b'"metadata":{"user_id":"user_a_account__session_%s"},' % identity.encode()
    if rng.random() < 0.02:
        plan.headers.append(("X-data-parallel-rank", rng.choice(("0", "3", "9", "abc"))))


PROMPTS = {"chat": b'"messages":[{"role":"user","content":"%s"}]', "completions": b'"prompt":"%s"',
           "messages": b'"max_tokens":9,"messages":[{"role":"user","content":"%s"}]', "responses": b'"input":"%s"'}
USAGE = b'"stream_options":{"include_usage":true},'
TOOLS = b'"tools":[{"name":"Read","input_schema":{"type":"object"}}],'


def request_body(plan):
    usage = USAGE if plan.asks_usage and has_usage_event(plan) else b""
    tools = TOOLS if plan.api in ("chat", "messages") and plan.number % 4 else b""  # small and without: a side request
    return b'{"soak":%d,"model":"%s",%s%s%s"stream":%s,%s}' % (
        plan.number, plan.model.encode(), usage, plan.member, tools, b"true" if plan.stream else b"false",
        PROMPTS[plan.api] % (b"p" * plan.padding))


def has_usage_event(plan):
    return plan.stream and plan.api in ("chat", "completions")


def upstream_body(plan):
    """What must reach the engine: the client's bytes, but for the two edits."""
    body = request_body(plan).replace(b'"model":"%s"' % plan.model.encode(), b'"model":"%s"' % plan.pool.encode(), 1)
    if has_usage_event(plan) and not plan.asks_usage:
        body = b"{" + USAGE + body[1:]
    return body
