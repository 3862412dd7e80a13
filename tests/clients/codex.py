"""Codex, which speaks only /v1/responses."""

import driver
import install

SETTINGS = """\
model = "{model}"
model_provider = "lmwarden"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.lmwarden]
name = "LM Warden"
base_url = "{gateway}/v1"
wire_api = "responses"
"""


class Codex(driver.Driver):
    name = "codex"
    package = "codex"
    tool = ("exec_command", lambda command: {"cmd": command})
    delegate = ("multi_agent_v1__spawn_agent", {"message": "HELPER-TASK: report", "agent_type": "default"})
    # It ends with its own last answer, whatever its sub-agents do: only their logs tell that they are done.
    await_helper = "until grep -rq 'HELPER[-]DONE' ../home/.codex/sessions; do sleep 0.2; done; echo helper-reported"
    source = "codex"

    def configure(self):
        settings = self.home / ".codex"
        settings.mkdir()
        (settings / "config.toml").write_text(SETTINGS.format(model=self.model, gateway=self.gateway))
        return {}

    def command(self, prompt, resume):
        flags = ["resume", "--last"] if resume else []
        return [install.program(self.package), "exec", "--skip-git-repo-check", *flags, prompt]
