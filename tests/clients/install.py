#!/usr/bin/env python3
"""Install a real agent (and the Node that it asks for) in the cache folder; print where its program is."""

import os
import pathlib
import platform
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import cache

NODE = "22.23.5"
CLAUDE_CODE = "2.1.332"
ARCHITECTURE = {"x86_64": "x64", "aarch64": "arm64"}


def npm_install(folder, package, environment=None):
    cache.call(["npm", "install", "--silent", "--prefix", folder, package], env=environment)


def node():
    """The folder that holds the program `node`."""
    name = f"node-linux-{ARCHITECTURE[platform.machine()]}"
    folder = cache.once(f"node-{NODE}", NODE, lambda folder: npm_install(folder, f"{name}@{NODE}"))
    return folder / "node_modules" / name / "bin"


def claude_code():
    """The program `claude`."""
    package = f"@anthropic-ai/claude-code@{CLAUDE_CODE}"
    # An older Node makes npm refuse or replace the version.
    environment = os.environ | {"PATH": f"{node()}:{os.environ['PATH']}"}
    folder = cache.once(f"claude-code-{CLAUDE_CODE}", package, lambda folder: npm_install(folder, package, environment))
    return folder / "node_modules" / ".bin" / "claude"


if __name__ == "__main__":
    print(f"node        {node()}\nclaude-code {claude_code()}")
