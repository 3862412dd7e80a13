"""Claude Code, as a person would run it: `-p` for one question, or in a terminal."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import install

API_KEY = "dummy"
CONTROL = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()].|\x1b[=>78]")


class ClaudeCode:
    """An installation with a home of its own: no setting, session or project of the person who runs this."""

    def __init__(self, gateway, model, folder, nonessential_traffic):
        self._program = install.claude_code()
        self._work = folder / "work"
        self._work.mkdir(parents=True)
        home = folder / "home"
        settings = home / ".claude"
        settings.mkdir(parents=True)
        (settings / ".claude.json").write_text(json.dumps(self._answered_questions()))
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(settings),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": gateway,
            "ANTHROPIC_API_KEY": API_KEY,
            "ANTHROPIC_MODEL": model,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": model,
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "1024",  # its default is as large as the whole context of a small model
            "IS_SANDBOX": "1",  # else root may not skip the permission questions
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            # Nothing listens on port 9: whatever else it may call fails at once.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1",
        }
        if not nonessential_traffic:
            self._environment["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"

    def ask(self, prompt, *flags):
        """One question in `-p` mode; its final text."""
        command = [self._program, *flags, "-p", prompt, "--dangerously-skip-permissions", "--output-format", "json"]
        done = subprocess.run(
            command, cwd=self._work, env=self._environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        try:
            return json.loads(done.stdout)["result"]
        except (ValueError, KeyError):
            return f"exit {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}"

    def terminal(self):
        return Terminal([self._program, "--dangerously-skip-permissions"], self._work, self._environment)

    def _answered_questions(self):
        """What a first start would ask."""
        return {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [API_KEY], "rejected": []},
            "projects": {str(self._work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }


class Terminal:
    """The program on a pseudo-terminal; ended with the context."""

    def __init__(self, command, folder, environment):
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            try:
                os.chdir(folder)
                os.execve(command[0], [str(part) for part in command], environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)

    def say(self, line):
        """Type a line, and press return once it is on the screen (else it counts as pasted)."""
        self._text = ""
        os.write(self._fd, line.encode())
        self.shows(re.escape(line[-10:]))
        os.write(self._fd, b"\r")

    def shows(self, pattern, limit_s=30):
        """Whether the pattern appears in what is printed since the last `say`."""
        deadline = time.monotonic() + limit_s
        while not re.search(pattern, self._text):
            ready, _, _ = select.select([self._fd], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return False
            try:
                piece = os.read(self._fd, 65536)
            except OSError:  # the program ended
                return False
            self._text += CONTROL.sub(" ", self._decoder.decode(piece))
        return True
