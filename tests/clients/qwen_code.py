"""qwen-code: it sends no id at all."""

import driver
import install


class QwenCode(driver.Driver):
    name = "qwen-code"
    package = "qwen-code"
    tool = (
        "run_shell_command",
        lambda command: {"command": command, "description": "Say something", "is_background": False},
    )
    delegate = (
        "agent",
        {"description": "Help out", "prompt": "HELPER-TASK: report", "subagent_type": "general-purpose"},
    )
    grows_from = 1  # what reminds it of the date in its first question is gone when it is resumed

    def configure(self):
        settings = self.home / ".qwen"
        settings.mkdir()
        # Else it now and then has a conversation with itself on what to remember.
        (settings / "settings.json").write_text('{"memory": {"enableManagedAutoMemory": false}}')
        return {"OPENAI_BASE_URL": f"{self.gateway}/v1", "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": self.model}

    def command(self, prompt, resume):
        flags = ["-c"] if resume else []
        return [install.program(self.package), *flags, "--auth-type", "openai", "--yolo", "-p", prompt]
