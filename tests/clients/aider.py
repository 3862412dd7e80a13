"""aider: no ids and no tools. Its loop: a test of what it wrote fails once.

Of what it sends for --message, no prompt stands at the head of the next: the files come behind what was said before the last
edit, and a restored history has other line ends than the one that was sent. In a terminal, prompts go on until it edits.
"""

import driver
import script
import terminal

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

    @classmethod
    def in_a_terminal(cls, setup):
        """Questions without edits are one conversation."""
        ok = setup.checks
        client = cls(setup.gateway.api, setup.model, setup.folder / "terminal")
        command = client.python("-m", "aider", "--model", f"openai/{client.model}", *FLAGS, "--no-fancy-input")
        with terminal.Terminal(command, client.work, client.environment) as screen:
            ok.that("it starts", screen.shows("> $"))
            for number in ("one", "two", "three"):
                screen.say(f"QUESTION-TASK {number}")
                ok.that(f"question {number} is answered", screen.shows("QUESTION-TASK-DONE"))
                setup.settled()
        conversations = setup.settled()
        totals = setup.gateway.totals(setup.model)
        ok.equal("one conversation of three turns", [c["turns"] for c in conversations], [3])
        ok.equal("two of which went home", [totals["placed"], totals["sticky"]], [1, 2])
        return conversations
