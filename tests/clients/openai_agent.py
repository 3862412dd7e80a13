"""A small agent on the OpenAI Python SDK, as people write them: its history is all that it has.

openai_agent.py GATEWAY MODEL new|resume QUESTION
"""

import agent_loop
import openai

SHELL = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": agent_loop.DESCRIPTION,
        "parameters": agent_loop.PARAMETERS,
    },
}


def turn(gateway, model, messages):
    """One streamed turn: the message to keep, and the shell's calls as (id, arguments as JSON)."""
    client = openai.OpenAI(base_url=f"{gateway}/v1", api_key="dummy")
    system = {"role": "system", "content": agent_loop.SYSTEM}
    with client.chat.completions.stream(model=model, messages=[system, *messages], tools=[SHELL]) as stream:
        for event in stream:
            if event.type == "content.delta":
                print(event.delta, end="", flush=True)
        message = stream.get_final_completion().choices[0].message
    calls = [(call.id, call.function.arguments) for call in message.tool_calls or []]
    return message.to_dict(), calls


def result(call, output):
    return {"role": "tool", "tool_call_id": call, "content": output}


if __name__ == "__main__":
    agent_loop.run(turn, lambda results: [result(*one) for one in results])
