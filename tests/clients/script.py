"""What the simulated model answers (docs/simulator-script.md), so that a client goes through its tools and sub-agents.

TOOL-TASK: two calls of the shell, one after the other. QUESTION-TASK: a plain answer. DELEGATE-TASK: a sub-agent, which calls
the shell once and reports. ENDLESS-TASK: an answer that takes minutes.
"""

ENDLESS = 100_000  # words


def rules(client):
    """The rules for a driver."""
    made = [
        _rule("QUESTION-TASK", {"text": "QUESTION-TASK-DONE"}),
        _rule("ENDLESS-TASK", {"text": "and so on " * (ENDLESS // 3)}),
    ]
    if client.tool:
        made += _tool_task(client.tool)
    if client.delegate:
        made += _delegate_task(client)
    # What a client sends beside its conversations: titles, notes.
    made.append({"when": {}, "reply": [{"text": "NOTED"}]})
    return {"rules": made}


def _tool_task(tool):
    return [
        _rule("TOOL-TASK", {"text": "I will say something first."}, _call(tool, "echo hi-one"), is_tool_result=False),
        _rule("hi-one", _call(tool, "echo hi-two"), is_tool_result=True),
        _rule("hi-two", {"text": "TOOL-TASK-DONE"}, is_tool_result=True),
    ]


def _delegate_task(client):
    name, arguments = client.delegate
    offered = {"has_tool": client.delegate_offered or name}
    if client.await_helper:
        waiting = _call(client.tool, client.await_helper)
    else:
        waiting = {"text": "The helper is at work."}
    return [
        _rule("HELPER-TASK", _call(client.tool, "echo from-the-helper"), is_tool_result=False),
        _rule("from-the-helper", {"text": "HELPER-DONE"}, is_tool_result=True),
        _rule("DELEGATE-TASK", {"tool_use": {"name": name, "input": arguments}}, is_tool_result=False),
        _rule("HELPER-DONE", {"text": "DELEGATE-TASK-DONE"}, is_tool_result=True),
        _rule("helper-reported", {"text": "DELEGATE-TASK-DONE"}, is_tool_result=True),
        # Some clients don't wait for the sub-agent: its report comes with a later message.
        {"when": offered | {"is_tool_result": True}, "reply": [waiting]},
        {"when": offered, "reply": [{"text": "DELEGATE-TASK-DONE"}]},
    ]


def _call(tool, command):
    name, arguments = tool
    return {"tool_use": {"name": name, "input": arguments(command)}}


def _rule(last_user_contains, *reply, **when):
    return {"when": {"last_user_contains": last_user_contains} | when, "reply": list(reply)}
