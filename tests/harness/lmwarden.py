"""The binary under test: where it is, how it is started, what its admin API says."""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import urllib.parse

from . import http, process

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    default = os.environ.get("LMWARDEN") or REPOSITORY / "build/release/bin/lmwarden"
    parser.add_argument("--lmwarden", type=pathlib.Path, default=default, metavar="BINARY", help="default: %(default)s")
    parser.add_argument("--logs", type=pathlib.Path, help="keep the logs in this folder")
    return parser


def binary(args):
    path = pathlib.Path(args.lmwarden).absolute()
    if not os.access(path, os.X_OK):
        raise SystemExit(f"{path} is not there; build it first or name it with --lmwarden")
    return path


def environment(home):
    """The environment without what a person may have set for lmwarden; its files go under `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LMWARDEN", "XDG_"))}
    return kept | {"HOME": str(home)}


class Gateway:
    """`lmwarden serve`, started by `gateway()`."""

    def __init__(self, program, api, admin):
        self.program = program
        self.api = api
        self.admin = admin

    def routing(self, model):
        return self._model(model, "routing")

    def conversations(self, model):
        return self._model(model, "conversations")["conversations"]

    def totals(self, model):
        return self.routing(model)["totals"]

    def in_flight(self, model):
        """Every in_flight gauge that there is: the total, and one of each replica."""
        routing = self.routing(model)
        return [routing["totals"]["in_flight"]] + [replica["in_flight"] for replica in routing["replicas"]]

    def _model(self, model, what):
        path = f"/admin/api/models/{urllib.parse.quote(model, safe='')}/{what}"
        answer = http.get(self.admin, path)
        if answer.status != 200:
            raise AssertionError(f"GET {path}: {answer.status} {answer.body[:300]!r}")
        return answer.json()


@contextlib.contextmanager
def gateway(binary, engine, folder, flags=()):
    where = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", "none"]
    command = [binary, "serve", "--engine", engine, *where, *flags]
    with process.Program("lmwarden serve", command, folder / "gateway.log", environment(folder), folder) as program:
        api = program.announced(r"^\s*API\s+(http://\S+)", 20)[1]
        admin = program.announced(r"^\s*Admin\s+(http://\S+)", 20)[1]
        yield Gateway(program, api, admin)


@contextlib.contextmanager
def simulator(binary, folder, flags):
    command = [binary, "simulate", "--listen", "127.0.0.1:0", *flags]
    with process.Program("lmwarden simulate", command, folder / "simulator.log", environment(folder), folder) as program:
        yield program.announced(r"^\s*Engine\s+(http://\S+)", 20)[1]


def doctor(binary, engine, folder):
    """What `lmwarden doctor --json` says."""
    done = subprocess.run(
        [binary, "doctor", "--engine", engine, "--json"],
        env=environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if not done.stdout.strip():
        raise AssertionError(f"lmwarden doctor: exit {done.returncode}, {done.stderr[-500:]}")
    return json.loads(done.stdout)
