"""What the simulated model answers (docs/simulator-script.md), so that a client goes through its tools and sub-agents.

TOOL-TASK: two calls of the shell, one after the other. QUESTION-TASK: a plain answer. DELEGATE-TASK: a sub-agent, which calls
the shell once and reports. ENDLESS-TASK: an answer that takes minutes. What a client sends beside these is noted.
"""

ENDLESS = "and so on " * 30_000


def rule(last_user_contains, *reply, **when):
    return {"when": {"last_user_contains": last_user_contains} | when, "reply": list(reply)}


def rules(client):
    """The script for a driver."""
    made = [
        *(client.loop or _tool_task(client.tool)),
        rule("QUESTION-TASK", {"text": "QUESTION-TASK-DONE"}),
        rule("ENDLESS-TASK", {"text": ENDLESS}),  # last: some clients send an interrupted question once more with the next
        *(_delegate_task(client) if client.delegate else []),
        {"when": {}, "reply": [{"text": "NOTED"}]},
    ]
    return {"rules": made}


def _tool_task(tool):
    return [
        rule("TOOL-TASK", {"text": "I will say something first."}, _call(tool, "echo hi-one"), is_tool_result=False),
        rule("hi-one", _call(tool, "echo hi-two"), is_tool_result=True),
        rule("hi-two", {"text": "TOOL-TASK-DONE"}, is_tool_result=True),
    ]


def _delegate_task(client):
    name, arguments = client.delegate
    offered = {"has_tool": name}
    meanwhile = {"text": "The helper is at work."}
    if client.await_helper:
        meanwhile = _call(client.tool, client.await_helper)
    done = {"text": "DELEGATE-TASK-DONE"}
    return [
        rule("HELPER-TASK", _call(client.tool, "echo from-the-helper"), is_tool_result=False),
        rule("from-the-helper", {"text": "HELPER-DONE"}, is_tool_result=True),
        rule("HELPER-DONE", done, is_tool_result=True),
        rule("helper-reported", done, is_tool_result=True),
        rule("DELEGATE-TASK", {"tool_use": {"name": name, "input": arguments}}, is_tool_result=False),
        # Some clients don't wait for the sub-agent: its report comes with a later message.
        {"when": offered | {"is_tool_result": True}, "reply": [meanwhile]},
        {"when": offered, "reply": [done]},
    ]


def _call(tool, command):
    name, arguments = tool
    return {"tool_use": {"name": name, "input": arguments(command)}}
