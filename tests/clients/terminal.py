"""A program on a pseudo-terminal, as a person has it."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CONTROL = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()].|\x1b[=>78]")


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

    def shows(self, pattern, limit_s=300):  # generous: few cores, and clients that take long to start
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
