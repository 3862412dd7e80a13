"""aider: no ids and no tools; its last messages are rebuilt at every turn. Its loop: a test of what it wrote fails once."""

import driver
import script

FLAGS = [
    *("--max-chat-history-tokens", "100000"),  # else it has another model sum up what was said, and forgets it
    *("--yes-always", "--no-git", "--no-pretty", "--no-analytics"),
    *("--no-check-update", "--no-show-release-notes", "--no-show-model-warnings"),
    *("--auto-test", "--test-cmd", "grep -q two note.txt || { echo hi-one; exit 1; }"),
]


def written(text):
    return "note.txt\n```\n" + text + "\n```\n"


class Aider(driver.PythonDriver):
    name = "aider"
    package = "aider"
    loop = [
        script.rule("TOOL-TASK", {"text": "I will write one.\n\n" + written("one")}),
        script.rule("hi-one", {"text": "TOOL-TASK-DONE\n\n" + written("two")}),
    ]
    # Its first turn has the files before the question and not behind it, as all later ones; a restored history has other
    # line ends than the one that was sent.
    short_ones = 2
    kept = 0.5  # what reminds it of the format is glued to the last question, and gone one turn later

    def configure(self):
        return super().configure() | {"OPENAI_API_BASE": f"{self.gateway}/v1", "OPENAI_API_KEY": "dummy"}

    def command(self, prompt, resume):
        flags = ["--restore-chat-history"] if resume else []
        return self.python("-m", "aider", "--model", f"openai/{self.model}", *FLAGS, *flags, "--message", prompt)
