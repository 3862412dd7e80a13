"""What must be true of the conversations that a client has had, by the gateway's admin API and the engine's counters."""

import itertools

BLOCK = 16  # tokens that the simulator caches together
MANY_TURNS = 5  # an agent's conversation has more; a sub-agent's two, or without ids those of all that are asked the same
OUTCOMES = ("rehomed", "spilled", "balanced", "unrouted", "not_followed", "client_pinned", "passed")


def judge(setup, kind, agents, seen, watch):
    """`seen`: the conversations after each step of the scenario; `watch`: the engine since before the first."""
    last = seen[-1]
    if not kind.goes_on:
        return each_by_itself(setup, kind, last, agents, watch)
    main = [c for c in last if c["turns"] > MANY_TURNS]
    recognised(setup.checks, kind, agents, main, last)
    stayed(setup, kind.side_requests * agents, last, main, watch)
    kept(setup.checks, kind, [steps_of(c["key"], seen) for c in main])


def each_by_itself(setup, kind, conversations, interrupted, watch):
    """The turns of a client whose prompts don't go on from one another."""
    ok = setup.checks
    ok.equal("each turn is a conversation", {c["turns"] for c in conversations}, {1})
    ok.equal("known by", sorted({c["source"] for c in conversations}), [kind.source])
    totals = setup.gateway.totals(setup.model)
    wanted = {"placed": len(conversations), "sticky": 0, "side": 0} | dict.fromkeys(OUTCOMES, 0)
    ok.equal("and is placed", {name: totals[name] for name in wanted}, wanted)
    served = watch.served(len(conversations) - interrupted)
    ok.equal("the engine's counters say the same", sum(served), len(conversations) - interrupted)


def recognised(ok, kind, agents, main, conversations):
    """As many conversations as there are agents and sub-agents."""
    ok.equal("each agent is one conversation", len(main), agents)
    others = agents if kind.delegate else 0
    ok.equal("and there are no others than its sub-agents'", len(conversations) - len(main), others)
    ok.equal("known by", sorted({c["source"] for c in conversations}), [kind.source])
    ok.equal("no two of them on one replica", len({c["home"] for c in main}), agents)
    if kind.delegate and kind.source != "content":  # without ids nothing tells whose a sub-agent is
        groups = sorted(c["group"] for c in conversations if c not in main)
        ok.equal("each sub-agent is one, in the group of its agent", groups, sorted(c["group"] for c in main))


def stayed(setup, side, conversations, interrupted, watch):
    """Every turn but the first of its conversation went home; `side` requests stand beside them.

    Of each interrupted conversation the engine does not count the one turn that was.
    """
    ok = setup.checks
    totals = setup.gateway.totals(setup.model)
    turns = sum(c["turns"] for c in conversations)
    wanted = {"placed": len(conversations), "sticky": turns - len(conversations), "side": side}
    wanted |= dict.fromkeys(OUTCOMES, 0)
    ok.equal("every later turn was sticky", {name: totals[name] for name in wanted}, wanted)

    at_home = [0] * setup.ranks
    for c in conversations:
        at_home[c["rank"]] += c["turns"] - (c in interrupted)
    served = watch.served(sum(at_home) + side)
    fits = sum(served) == sum(at_home) + side and all(map(int.__ge__, served, at_home))
    ok.that("the engine's counters say the same", fits, f"served {served}, at home {at_home}")


def grows(old, new):
    """As much is cached again only where all of the last prompt is, up to a block: the step may have added less."""
    before, now = old["last_cached_tokens"], new["last_cached_tokens"]
    return now > before or (now == before and now > old["last_prompt_tokens"] - BLOCK)


def kept(ok, kind, agents):
    """What each agent's turns find in the cache: nearly all of its last prompt, and more from step to step."""
    agents = [[turn for turn in turns if turn["last_cached_tokens"] is not None] for turns in agents]
    cached = [[turn["last_cached_tokens"] for turn in turns[kind.grows_from :]] for turns in agents]
    grew = cached and all(grows(*steps) for turns in agents for steps in itertools.pairwise(turns[kind.grows_from :]))
    ok.that("cached tokens grow from step to step", grew, cached)
    shares = [
        new["last_cached_tokens"] / old["last_prompt_tokens"] for turns in agents for old, new in zip(turns, turns[1:])
    ]
    least = min(shares, default=0)
    ok.that(f"and hold {kind.kept:.0%} of the last step's prompt or more", least >= kind.kept, f"{least:.1%}")


def steps_of(key, seen):
    """One conversation after each step in which it was there."""
    return [c for step in seen for c in step if c["key"] == key]
