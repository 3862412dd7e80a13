"""aider: no ids and no tools. Its loop: a test of what it wrote fails once.

Asked as here, by --message, no prompt stands at the head of the next: the files come before a question once it was answered
by an edit, and a restored history has other line ends than the one that was sent.
"""

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
    goes_on = False

    def configure(self):
        return super().configure() | {"OPENAI_API_BASE": f"{self.gateway}/v1", "OPENAI_API_KEY": "dummy"}

    def command(self, prompt, resume):
        flags = ["--restore-chat-history"] if resume else []
        return self.python("-m", "aider", "--model", f"openai/{self.model}", *FLAGS, *flags, "--message", prompt)
