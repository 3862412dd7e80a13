"""What every client goes through: several of its agents side by side, in conversations that are resumed and interrupted."""

import concurrent.futures
import contextlib
import dataclasses
import pathlib
import random

from harness import checks, lmwarden, metrics

import driver
import verdict

AGENTS = 4  # of one client
FREED_S = 20  # wall seconds in which interrupted turns must be gone; their answers would take a minute


@dataclasses.dataclass
class Setup:
    checks: checks.Checks
    engine: str  # URL
    ranks: int
    gateway: lmwarden.Gateway
    model: str
    folder: pathlib.Path  # for the homes of the clients

    def settled(self):
        """The conversations, once nothing is in flight."""
        checks.until(lambda: not any(self.gateway.in_flight(self.model)), 20)
        return self.gateway.conversations(self.model)

    def engine_running(self):
        return sum(metrics.Metrics(self.engine, self.ranks).of("num_requests_running"))


def steps(kind):
    """(what it is, the task, whether it resumes the last conversation); see script.py."""
    yield "tools in a loop", "TOOL-TASK", False
    yield "resumed: a question", "QUESTION-TASK", True
    if kind.delegate:
        yield "resumed: a sub-agent", "DELEGATE-TASK", True
    yield "resumed: tools again", "TOOL-TASK", True


def play(setup, kind):
    """The whole of it; the conversations at the end."""
    agents = [kind(setup.gateway.api, setup.model, setup.folder / f"agent-{i}") for i in range(AGENTS)]
    watch = metrics.Watch(setup.engine, setup.ranks)
    seen = []  # the conversations after each step
    for what, task, resume in steps(kind):
        if not side_by_side(setup, agents, what, task, resume):
            return setup.settled()  # nothing to be learnt from what follows
        seen.append(setup.settled())
    interrupted(setup, agents)
    one_by_one(setup, agents)
    seen.append(setup.settled())
    verdict.judge(setup, kind, AGENTS, seen, watch)
    return seen[-1]


def side_by_side(setup, agents, what, task, resume):
    def ask(i):
        return agents[i].ask(f"{task} {padding(task, i)}", resume)

    with concurrent.futures.ThreadPoolExecutor(AGENTS) as pool:
        answers = list(pool.map(ask, range(AGENTS)))
    return answered(setup, what, task, answers)


def answered(setup, what, task, answers):
    wrong = [answer for answer in answers if f"{task}-DONE" not in answer]
    seen = f"{len(wrong)} are not; one ends: {wrong[0][-600:]}" if wrong else ""
    setup.checks.that(f"{what}: all are answered", not wrong, seen)
    return not wrong


def padding(task, agent):
    """Some 3 kB of an agent's own, so that no two conversations share much beyond the client's system prompt."""
    draw = random.Random(f"{task} {agent}")
    return " ".join(str(draw.randrange(10**6)) for _ in range(400))


def interrupted(setup, agents):
    """Each agent in the middle of an answer."""
    ok = setup.checks
    before = setup.gateway.totals(setup.model)["cancelled"]
    with contextlib.ExitStack() as running:
        programs = [running.enter_context(agent.begin("ENDLESS-TASK", True)) for agent in agents]
        busy = checks.until(lambda: setup.engine_running() == AGENTS, driver.ANSWER_S)
        ok.that("all are in the middle of an answer", busy is not None)
        for program in programs:
            driver.interrupt(program)
        took = checks.until(lambda: not any(setup.gateway.in_flight(setup.model)) and not setup.engine_running(), FREED_S)
        for program in programs:  # it may still write down what was said
            driver.ended(program, 30)
    ok.that("interrupted: nothing in flight, nothing running in the engine", took is not None, f"after {took} s")
    ok.equal("each counted as cancelled", setup.gateway.totals(setup.model)["cancelled"] - before, AGENTS)


def one_by_one(setup, agents):
    """Asked after one another, so that the engine's counters tell whose turns went where."""
    answers, strayed = [], []
    for agent in agents:
        turns = {c["key"]: c["turns"] for c in setup.settled()}
        watch = metrics.Watch(setup.engine, setup.ranks)
        answers.append(agent.ask("TOOL-TASK after the interruption", True))
        homes = {c["rank"] for c in setup.settled() if c["turns"] > turns.get(c["key"], 0)}
        served = watch.served(3)
        if [rank for rank, count in enumerate(served) if count] != sorted(homes):
            strayed.append(f"home {sorted(homes)}, served {served}")
    answered(setup, "resumed after the interruption, one after another", "TOOL-TASK", answers)
    setup.checks.that("and each is served by its home alone", not strayed, "; ".join(strayed))
