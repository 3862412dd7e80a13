#!/usr/bin/env python3
"""Install real clients, and the Node that some ask for, in the cache folder; print where each is.

Every version is pinned. Several runs at a time share one installation (a lock keeps them apart).
"""

import os
import pathlib
import platform
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import cache

NODE = "22.23.5"
ARCHITECTURE = {"x86_64": "x64", "aarch64": "arm64"}
FROM_NPM = {  # package, version, program
    "claude-code": ("@anthropic-ai/claude-code", "2.1.332", "claude"),
    "codex": ("@openai/codex", "0.171.0", "codex"),
    "opencode": ("opencode-ai", "1.18.33", "opencode"),
    "qwen-code": ("@qwen-code/qwen-code", "0.24.4", "qwen"),
}
FROM_PYPI = {
    "aider": ("aider-chat", "0.86.2"),  # pins all that it needs, litellm 1.81.10 among it
    "openai": ("openai", "3.57.0"),
    "anthropic": ("anthropic", "2.14.0"),
}


def version(name):
    return (FROM_NPM.get(name) or FROM_PYPI[name])[1]


def node():
    """The folder that holds the program `node`."""
    name = f"node-linux-{ARCHITECTURE[platform.machine()]}"
    folder = cache.once(f"node-{NODE}", NODE, lambda folder: _npm_install(folder, f"{name}@{NODE}", None))
    return folder / "node_modules" / name / "bin"


def program(name):
    """The path of a client that npm installs; it needs node() in its PATH."""
    package, version, program = FROM_NPM[name]
    package = f"{package}@{version}"
    # An older Node makes npm refuse or replace the version.
    environment = os.environ | {"PATH": f"{node()}:{os.environ['PATH']}"}
    folder = cache.once(f"{name}-{version}", package, lambda folder: _npm_install(folder, package, environment))
    return folder / "node_modules" / ".bin" / program


def packages(name):
    """The folder, to stand in Python's path, of a client that pip installs."""
    package, version = FROM_PYPI[name]
    wanted = f"{package}=={version}"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target"]
    recipe = f"{wanted} {sys.version}"
    return cache.once(f"{name}-{version}", recipe, lambda folder: cache.call([*command, folder, wanted]))


def client(name):
    """Where a client is, installed if it was not; SystemExit says what failed."""
    return program(name) if name in FROM_NPM else packages(name)


def _npm_install(folder, package, environment):
    cache.call(["npm", "install", "--silent", "--prefix", folder, package], env=environment)


if __name__ == "__main__":
    for name in sys.argv[1:] or [*FROM_NPM, *FROM_PYPI]:
        print(f"{name} {version(name)}: {client(name)}")
