"""The folder where downloaded things are kept between runs: never in the repository."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys


def root():
    """The cache folder, made if absent."""
    default = pathlib.Path.home() / ".cache" / "lmwarden"
    folder = pathlib.Path(os.environ.get("LMWARDEN_CACHE") or default).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def once(name, recipe, make):
    """The folder `name` of the cache, made by make(folder) if it is not complete or was made by another recipe.

    A half-made folder (interrupted, disk full) has no mark and is made again from nothing. A lock keeps two runs apart.
    """
    folder = root() / name
    mark = folder / ".complete"
    wanted = hashlib.sha256(recipe.encode()).hexdigest()
    with _locked(root() / f"{name}.lock"):
        if mark.exists() and mark.read_text() == wanted:
            return folder
        print(f"cache: making {folder}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        make(folder)
        mark.write_text(wanted)
    return folder


def call(command, **options):
    """Run a command of an installer; its output is shown only when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


@contextlib.contextmanager
def _locked(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
