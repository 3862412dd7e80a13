"""opencode, through each of the two provider packages that people use with vLLM."""

import json

import driver
import install


class Opencode(driver.Driver):
    name = "opencode"
    package = "opencode"
    provider = "@ai-sdk/openai-compatible"
    tool = ("bash", lambda command: {"command": command, "description": "Say something"})
    delegate = ("task", {"description": "Help out", "prompt": "HELPER-TASK: report", "subagent_type": "general"})
    source = "session-header"
    side_requests = 1

    def configure(self):
        provider = {
            "npm": self.provider,
            "options": {"baseURL": f"{self.gateway}/v1", "apiKey": "dummy"},
            "models": {self.model: {"limit": {"context": 100000, "output": 8000}}},
        }
        settings = {
            "model": f"lmwarden/{self.model}",
            "small_model": f"lmwarden/{self.model}",
            "provider": {"lmwarden": provider},
            "permission": "allow",
            "autoupdate": False,
            "share": "disabled",
        }
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def command(self, prompt, resume):
        return [install.program(self.package), "run", *(["-c"] if resume else []), prompt]


class OpencodeAnthropic(Opencode):
    name = "opencode-anthropic"
    provider = "@ai-sdk/anthropic"
