"""aider: no ids, no tools; its last messages are rebuilt at every turn. Its loop is a test that fails at first."""

import driver


class Aider(driver.PythonDriver):
    name = "aider"
    package = "aider"
    kept = 0.5  # what reminds it of the format is glued to the last question, and gone one turn later

    def configure(self):
        return super().configure() | {"OPENAI_API_BASE": f"{self.gateway}/v1", "OPENAI_API_KEY": "dummy"}

    def command(self, prompt, resume):
        flags = ["--yes-always", "--no-git", "--no-check-update", "--no-analytics", "--no-show-model-warnings"]
        if resume:
            flags.append("--restore-chat-history")
        return self.python("-m", "aider", "--model", f"openai/{self.model}", *flags, "--message", prompt)
