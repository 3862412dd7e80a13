"""Whether a turn's answer is what its plan wants."""

import answers


class Wrong(Exception):
    pass


LEFT_UNREAD = "left unread by an engine that went away"


def check(plan, response):
    """How the turn went; Wrong when it is not as its plan wants it."""
    try:
        return check_answer(plan, response)
    except Wrong:
        # An engine that goes away resets what it has not accepted yet. If it is back when it is asked, that is a 502.
        if plan.pool != "twins" or b"the engine closed the connection before its answer was complete" not in response.body:
            raise
        return LEFT_UNREAD


def check_answer(plan, response):
    if plan.stream and response.status == 200:
        response.body = answers.without_pings(plan, response.body)
    if plan.fault in ("drops", "resets", "garbage", "silent"):
        return expect_failure(plan, response, 502, b'"error":{', "502 for an engine's fault")
    if plan.fault == "refuses":
        return expect_failure(plan, response, plan.status, answers.refusal(plan), "refused by the engine")
    if plan.fault == "cut" and not plan.stream:
        return check_cut(plan, response)
    if plan.fault in ("cut", "stalls"):
        return check_broken_stream(plan, response)
    good = b"".join(answers.stream(plan, plan.model, plan.asks_usage)) if plan.stream else answers.whole(plan, plan.model)
    if response.status != 200 or response.body != good or not response.complete:
        raise Wrong(f"{response}, not {good[:200]!r}")
    return "answered"


def expect_failure(plan, response, status, content, outcome):
    """A status of its own; or, where a ping has gone out before, an error event."""
    if plan.stream and response.status == 200 and response.complete and is_one_error(plan, response.body):
        return "an error event for an engine's fault"
    if response.status != status or content not in response.body or not response.complete:
        raise Wrong(f"{response}, not {status} {content[:200]!r}")
    return outcome


def is_one_error(plan, body):
    return body.startswith(answers.error_start(plan)) and body.count(b"\n\n") == 1


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
    if response.status != 200 or not response.complete or not is_one_error(plan, body):
        raise Wrong(f"{response} ends in {body[:300]!r}")
    return "an error event for an engine's fault"
