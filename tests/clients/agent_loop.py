"""What the small agents on the Python SDKs share: a history in the working folder, a shell, and the loop of turns."""

import json
import pathlib
import subprocess
import sys

HISTORY = pathlib.Path("history.json")
SYSTEM = "You are an agent with a shell. " + "Think before you act, and say what you do. " * 200
DESCRIPTION = "Runs a command in a shell."
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def run(turn, as_messages):
    """Answer the question of the command line.

    turn(gateway, model, messages) gives the answer to keep and the shell's calls (id, arguments); as_messages([(id, output)])
    gives the messages that answer these.
    """
    gateway, model, how, question = sys.argv[1:]
    messages = json.loads(HISTORY.read_text()) if how == "resume" else []
    messages.append({"role": "user", "content": question})
    calls = True
    try:
        while calls:
            answer, calls = turn(gateway, model, messages)
            messages.append(answer)
            messages += as_messages([(call, shell(json.loads(arguments)["command"])) for call, arguments in calls])
    except KeyboardInterrupt:
        messages.append({"role": "assistant", "content": "(interrupted)"})
    HISTORY.write_text(json.dumps(messages))


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout
