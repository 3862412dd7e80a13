"""Checks of a healthy engine: discovery, stickiness by the engine's own counters, usage, rank headers."""

import json

from harness import checks, http

import talk
import vllm_server
from vllm_server import MODEL, RANKS

CONVERSATIONS = 6
TURNS = 4
DECISIONS = ("placed", "sticky", "rehomed", "spilled", "client_pinned", "balanced", "side", "unrouted", "passed")


def decisions(setup):
    totals = setup.gateway.totals(MODEL)
    return {name: totals[name] for name in DECISIONS}


def decided(setup, before, **wanted):
    """What the gateway decided since `before`, once it is as wanted (it counts a turn just after its last byte)."""

    def change():
        now = decisions(setup)
        return {name: now[name] - before[name] for name in DECISIONS if now[name] != before[name]}

    checks.until(lambda: change() == wanted, 3)
    return change()


def discovery(setup):
    metrics = vllm_server.read_metrics(setup.engine)
    capacity = int(metrics.label("cache_config_info", "kv_cache_size_tokens"))
    version = http.get(setup.engine, "/version").json()["version"]

    seen = setup.gateway.routing(MODEL)["replicas"]
    ok = setup.checks
    ok.equal("the routing page has each rank as a replica", sorted(r["rank"] for r in seen), list(range(RANKS)))
    ok.equal("and its KV capacity", {r["kv_capacity_tokens"] for r in seen}, {capacity})

    [told] = setup.doctor()["engines"]
    ok.equal("doctor names the model and its longest context", _models(told), [(MODEL, vllm_server.MAX_MODEL_LEN)])
    ok.equal("doctor tells the replicas", told["replicas"], RANKS)
    ok.equal("doctor tells their KV capacity", {rank["kv_capacity_tokens"] for rank in told["ranks"]}, {capacity})
    ok.equal("doctor tells the version", told["version"], version)
    problems = [finding for finding in told["findings"] if finding["severity"] == "problem"]
    ok.that("doctor finds no problem", not problems, problems or "")


def _models(told):
    return [(model["id"], model["max_model_len"]) for model in told["models"]]


def conversations(setup, kind):
    """Conversations of one API, their turns interleaved but one at a time, so that each is seen in the engine's counters."""
    ok = setup.checks
    name = kind.path
    talks = [kind(f"{name} {number}") for number in range(CONVERSATIONS)]
    before, tokens_before = decisions(setup), setup.gateway.totals(MODEL)
    watch = vllm_server.watch(setup.engine)
    for _ in range(TURNS):
        for talk_ in talks:
            one = vllm_server.watch(setup.engine)
            talk_.turn(setup.gateway.api)
            talk_.ranks.append(one.rank())

    checks.table([("conversation", "rank of each turn", "prompt tokens", "cached")] + [_row(talk_) for talk_ in talks])
    ok.that(f"{name}: every turn of a conversation ran on one rank", all(len(set(t.ranks)) == 1 for t in talks))
    homes = [sum(t.ranks[0] == rank for t in talks) for rank in range(RANKS)]
    ok.equal(f"{name}: the conversations are spread evenly", homes, [CONVERSATIONS // RANKS] * RANKS)
    ok.that(f"{name}: from turn 2 on the last prompt's whole blocks are found cached", all(map(_cached_grows, talks)))
    ok.equal(
        f"{name}: the gateway placed each conversation once and sent all other turns home",
        decided(setup, before, placed=CONVERSATIONS, sticky=CONVERSATIONS * (TURNS - 1)),
        {"placed": CONVERSATIONS, "sticky": CONVERSATIONS * (TURNS - 1)},
    )
    _compare_tokens(setup, name, talks, tokens_before, watch)


def _row(conversation):
    turns = conversation.turns
    ranks = " ".join(map(str, conversation.ranks))
    return conversation.name, ranks, " ".join(str(t.prompt) for t in turns), " ".join(str(t.cached) for t in turns)


def _cached_grows(conversation):
    block = 128  # vLLM's default on a CPU
    pairs = zip(conversation.turns, conversation.turns[1:])
    return all(later.cached >= earlier.prompt // block * block > 0 for earlier, later in pairs)


def _compare_tokens(setup, name, talks, before, watch):
    """The gateway's sums are those of the answers and those of the engine."""
    turns = [turn for talk_ in talks for turn in talk_.turns]
    wanted = {
        "measured_turns": len(turns),
        "unmeasured_turns": 0,
        "prompt_tokens": sum(turn.prompt for turn in turns),
        "cached_tokens": sum(turn.cached for turn in turns),
        "computed_tokens": sum(turn.prompt - turn.cached for turn in turns),
        "completion_tokens": sum(turn.completion for turn in turns),
    }
    now = setup.gateway.totals(MODEL)
    setup.checks.equal(
        f"{name}: the gateway counted the tokens of the answers", {k: now[k] - before[k] for k in wanted}, wanted
    )
    engine = sum(watch.delta("prompt_tokens_total")), sum(watch.delta("prompt_tokens_cached_total"))
    setup.checks.equal(f"{name}: so did the engine", engine, (wanted["prompt_tokens"], wanted["cached_tokens"]))


def usage(setup):
    """A stream whose client did not ask for usage shows none, and is measured all the same."""
    ok = setup.checks
    for asked in False, True:
        body = talk.chat_body([{"role": "user", "content": talk.words(f"usage {asked}", 100)}])
        if asked:
            body["stream_options"] = {"include_usage": True}
        before = setup.gateway.totals(MODEL)
        with http.Stream(
            setup.gateway.api, "/v1/chat/completions", body, {"X-Session-Id": f"usage-asked-{asked}"}
        ) as stream:
            data = [text for _, text in stream]
        chunks = [json.loads(text) for text in data[:-1]]
        shown = [chunk for chunk in chunks if chunk.get("usage") or not chunk["choices"]]
        who = "a stream that asked for usage" if asked else "a stream that did not ask for usage"
        ok.equal(f"{who} sees {int(asked)} usage chunk", len(shown), int(asked))
        ok.equal(f"{who} ends with [DONE], whole", (data[-1], stream.rest, stream.cut), ("[DONE]", b"", False))
        checks.until(lambda: setup.gateway.totals(MODEL)["measured_turns"] > before["measured_turns"], 3)
        now = setup.gateway.totals(MODEL)
        measured = {key: now[key] - before[key] for key in ("measured_turns", "completion_tokens")}
        ok.equal(f"{who} is measured", measured, {"measured_turns": 1, "completion_tokens": talk.REPLY_TOKENS})


def rank_headers(setup):
    """A client's own rank header is never overridden: the engine is the judge of a bad one."""
    ok = setup.checks
    path = "/v1/chat/completions"
    bad = {"X-data-parallel-rank": "9"}
    body = talk.chat_body([{"role": "user", "content": talk.words("rank", 50)}])

    before = decisions(setup)
    direct, passed = (http.post(url, path, body, bad) for url in (setup.engine, setup.gateway.api))
    ok.equal("rank 9: the engine's refusal", direct.status, 400)
    ok.that("rank 9: comes through unchanged", (passed.status, passed.body) == (400, direct.body), passed.status)
    direct, passed = (_stream(url, path, body, bad) for url in (setup.engine, setup.gateway.api))
    ok.that("rank 9, streamed: the engine's 200 with an error event", direct[0] == 200 and '"error"' in direct[1][0][1])
    ok.that("rank 9, streamed: comes through unchanged", passed == direct, passed if passed != direct else "")
    ok.equal("rank 9: counted as passed on, and as nothing else", decided(setup, before, passed=2), {"passed": 2})

    before, watch = decisions(setup), vllm_server.watch(setup.engine)
    for _ in range(3):
        http.post(setup.gateway.api, path, body, {"X-data-parallel-rank": "1", "X-Session-Id": "pinned-by-client"})
    ok.equal("rank 1: obeyed", watch.served(3), [0, 3])
    ok.equal("rank 1: counted as the client's", decided(setup, before, client_pinned=3), {"client_pinned": 3})


def _stream(url, path, body, headers):
    with http.Stream(url, path, body, headers) as stream:
        events = list(stream)
    return stream.status, events, stream.rest, stream.cut
