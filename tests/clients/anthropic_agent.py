"""A small agent on the Anthropic Python SDK: anthropic_agent.py GATEWAY MODEL new|resume QUESTION."""

import json

import agent_loop
import anthropic

SHELL = {"name": "shell", "description": agent_loop.DESCRIPTION, "input_schema": agent_loop.PARAMETERS}


def turn(gateway, model, messages):
    client = anthropic.Anthropic(base_url=gateway, api_key="dummy")
    with client.messages.stream(
        model=model, max_tokens=1024, system=agent_loop.SYSTEM, messages=messages, tools=[SHELL]
    ) as stream:
        for text in stream.text_stream:
            print(text, end="", flush=True)
        message = stream.get_final_message()
    calls = [(part.id, json.dumps(part.input)) for part in message.content if part.type == "tool_use"]
    return {"role": "assistant", "content": [part.to_dict() for part in message.content]}, calls


def results(all):
    parts = [{"type": "tool_result", "tool_use_id": call, "content": output} for call, output in all]
    return [{"role": "user", "content": parts}] if parts else []


if __name__ == "__main__":
    agent_loop.run(turn, results)
