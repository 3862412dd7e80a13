"""A client as the scenario drives it: a program, started anew for each question, with a home of its own."""

import contextlib
import os
import signal
import subprocess
import sys

import install


ANSWER_S = 300  # generous: several clients start at once, on few cores


class Driver:
    """Base of the drivers. A subclass says what the client is called, how it is configured and how it is asked."""

    name = ""  # as ./dev test-clients takes it
    package = ""  # as install.py calls it
    tool = None  # of the shell: (name, function from a command to the tool's input)
    loop = None  # rules of script.py in place of the two tool calls, for a client without tools
    delegate = None  # starts a sub-agent that is told HELPER-TASK: (name, input)
    await_helper = None  # a command that prints helper-reported once the sub-agent is done, where the client won't wait
    source = "content"  # by what the gateway knows its conversations, as its admin API says
    side_requests = 0  # small requests beside each new conversation: a title
    goes_on = True  # its prompts stand at the head of its later ones; else each turn is a conversation of its own
    kept = 0.9  # the share of its last prompt that a turn finds in the cache, at least
    in_a_terminal = None  # one more scene, in which a person talks to it: function(setup), which returns the conversations
    grows_from = 0  # the step from which each finds more in the cache than the one before

    def __init__(self, gateway, model, folder):
        self.gateway = gateway  # URL
        self.model = model
        self.work = folder / "work"
        self.home = folder / "home"
        self.output = folder / "output.txt"  # of the last question
        for made in (self.work, self.home):
            made.mkdir(parents=True)
        self.environment = {
            # Nothing of the person who runs this: no setting, session or project.
            "PATH": f"{install.node()}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            # Nothing listens on port 9: whatever else a client may call fails at once.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1",
        }
        self.environment |= self.configure()

    def configure(self):
        """Write its settings below `home`; environment variables of its own."""
        return {}

    def command(self, prompt, resume):
        """The command line that asks one question, in a new conversation or in the last one."""
        raise NotImplementedError

    def ask(self, prompt, resume):
        """One question; all that it prints."""
        with self.begin(prompt, resume) as program:
            if not ended(program, ANSWER_S):
                return f"no answer after {ANSWER_S} s"
        return self.output.read_text(errors="replace")

    @contextlib.contextmanager
    def begin(self, prompt, resume):
        """The program, at work on one question; nothing of it is left after the context."""
        with open(self.output, "w") as output:  # a pipe that nobody reads would hold it up
            program = subprocess.Popen(
                self.command(prompt, resume), cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            yield program
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()


class PythonDriver(Driver):
    """A client of Python: one that pip installs."""

    def configure(self):
        return {"PYTHONPATH": str(install.packages(self.package)), "PYTHONDONTWRITEBYTECODE": "1"}

    def python(self, *arguments):
        return [sys.executable, *arguments]


def ended(program, limit_s):
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(limit_s)
    return program.poll() is not None


def interrupt(program):
    """As Ctrl-C in its terminal does: every process of its group."""
    os.killpg(program.pid, signal.SIGINT)
