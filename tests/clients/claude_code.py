"""Claude Code: `-p` for one question; and in a terminal, where it sends a title beside the first turn."""

import json

import driver
import install
import terminal

API_KEY = "dummy"


class ClaudeCode(driver.Driver):
    name = "claude-code"
    package = "claude-code"
    tool = ("Bash", lambda command: {"command": command, "description": "Say something"})
    delegate = (
        "Agent",
        {
            "description": "Help out",
            "subagent_type": "general-purpose",
            "prompt": "HELPER-TASK: report",
            "run_in_background": False,  # else the report comes as a reminder, which the script passes over
        },
    )
    source = "claude-code"

    def configure(self):
        settings = self.home / ".claude"
        settings.mkdir()
        (settings / ".claude.json").write_text(json.dumps(self._answered_questions()))
        return {
            "CLAUDE_CONFIG_DIR": str(settings),
            "ANTHROPIC_BASE_URL": self.gateway,
            "ANTHROPIC_API_KEY": API_KEY,
            "ANTHROPIC_MODEL": self.model,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": self.model,
            "IS_SANDBOX": "1",  # else root may not skip the permission questions
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def command(self, prompt, resume):
        flags = ["-c"] if resume else []
        return [install.program(self.package), *flags, "-p", prompt, "--dangerously-skip-permissions"]

    def terminal(self):
        command = [install.program(self.package), "--dangerously-skip-permissions"]
        return terminal.Terminal(command, self.work, self.environment)

    def _answered_questions(self):
        """What a first start would ask."""
        return {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [API_KEY], "rejected": []},
            "projects": {str(self.work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }

    @classmethod
    def in_a_terminal(cls, setup):
        """/context and a title are no turns."""
        ok = setup.checks
        client = cls(setup.gateway.api, setup.model, setup.folder / "terminal")
        with client.terminal() as screen:
            ok.that("it starts", screen.shows("❯"))
            screen.say("TOOL-TASK please")
            ok.that("two tool calls and an answer", screen.shows("TOOL-TASK-DONE"))
            setup.settled()
            before = setup.gateway.totals(setup.model)
            screen.say("/context")
            ok.that("/context asks for two dozen token counts and is answered", screen.shows("Free space"))
            conversations = setup.settled()
            after = setup.gateway.totals(setup.model)
            ok.equal("which are no turns", after, before)
        ok.equal("one conversation of three turns", [c["turns"] for c in conversations], [3])
        ok.equal("and a title beside it", [after["placed"], after["sticky"], after["side"]], [1, 2, 1])
        ok.that("most prompt tokens were found cached", (after["cached_share"] or 0) > 0.6, f"{after['cached_share'] or 0:.0%}")
        return conversations
