"""Whether a turn's answer is what its plan wants."""

import answers


class Wrong(Exception):
    pass


def check(plan, response):
    """How the turn went; Wrong when it is not as its plan wants it."""
    if plan.fault in ("drops", "resets", "garbage", "silent"):
        return expect(response, 502, b'"error":{')
    if plan.fault == "refuses":
        return expect(response, plan.status, answers.refusal(plan), exact=True)
    if plan.fault == "cut" and not plan.stream:
        return check_cut(plan, response)
    if plan.fault in ("cut", "stalls"):
        return check_broken_stream(plan, response)
    good = b"".join(answers.stream(plan, plan.model, plan.asks_usage)) if plan.stream else answers.whole(plan, plan.model)
    return expect(response, 200, good, exact=True)


def expect(response, status, content, exact=False):
    good = response.body == content if exact else content in response.body
    if response.status != status or not good or not response.complete:
        raise Wrong(f"{response}, not {status} {content[:200]!r}")
    return {200: "answered", 502: "502 for an engine's fault"}.get(status, "refused by the engine")


def check_cut(plan, response):
    if response.status == 502 and response.complete:
        return "502 for an engine's fault"
    whole = answers.whole(plan, plan.model)
    if response.complete or not whole.startswith(response.body):
        raise Wrong(f"{response}, not a part of {whole[:200]!r}")
    return "cut short as its engine was"


def check_broken_stream(plan, response):
    """Whole events of its own, then one error event."""
    if response.status == 502 and response.complete and plan.reset:
        return "502 for an engine's fault"  # the reset was faster than the events
    sent = answers.stream(plan, plan.pool, True)
    whole = 1 if plan.fault == "stalls" else answers.cut_at(plan, sent)
    mine = [event for event in answers.stream(plan, plan.model, True)[:whole]
            if plan.asks_usage or not answers.is_usage(event)]
    body = response.body
    for event in mine:
        if not body.startswith(event):
            if not plan.reset:
                raise Wrong(f"an event is missing before {body[:200]!r}")
            break
        body = body[len(event):]
    one_error = body.startswith(answers.error_start(plan)) and body.count(b"\n\n") == 1
    if response.status != 200 or not response.complete or not one_error:
        raise Wrong(f"{response} ends in {body[:300]!r}")
    return "an error event for an engine's fault"
