"""The OpenAI and Anthropic Python SDKs, each under a small agent: they send no id of any kind."""

import pathlib

import driver

HERE = pathlib.Path(__file__).resolve().parent


class OpenAi(driver.PythonDriver):
    name = "openai"
    package = "openai"
    tool = ("shell", lambda command: {"command": command})
    agent = HERE / "openai_agent.py"

    def command(self, prompt, resume):
        return self.python(self.agent, self.gateway, self.model, "resume" if resume else "new", prompt)


class Anthropic(OpenAi):
    name = "anthropic"
    package = "anthropic"
    agent = HERE / "anthropic_agent.py"
