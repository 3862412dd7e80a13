"""What must hold after a soak, and its table."""

import re
from collections import Counter
from dataclasses import dataclass

import plan as plans

GROWTH_LIMIT = 8 << 20           # of the memory after the warm-up
GROWTH_LIMIT_SANITIZED = 96 << 20
UNREAD_LIMIT = 0.001             # of the turns, left unread by an engine that goes away every nine seconds
FILES_LIMIT = 4                  # more than before the run: a scrape may be under way
OUTCOMES = ("placed", "sticky", "rehomed", "spilled", "client_pinned", "balanced", "side", "unrouted", "passed", "not_followed")
ENDS = ("answered", "cancelled", "failed")
# What the log may say at warn: faults of the engines, each of which a plan has asked for.
EXPECTED = re.compile(
    r" warning http://127\.0\.0\.1:\d+: the engine (closed the connection before its answer was complete"
    r"|did not answer in time|answered with something that is not valid HTTP/1\.1)$")


@dataclass
class Run:
    seed: int
    numbers: range
    seconds: float
    clients: dict
    engines: list
    watch: object
    gateway: object

    def totals(self):
        return [self.gateway.totals(model) for model in plans.POOLS]


def faults(run):
    """All that is wrong, in words."""
    return [*of_clients(run), *of_engines(run), *of_gauges(run), *of_resources(run), *of_log(run)]


def of_clients(run):
    failures = run.clients["failures"]
    if failures:
        yield f"{len(failures)} turns went wrong:" + "".join(examples(failures))
    ended = sum(run.clients["outcomes"].values()) + len(failures)
    if ended != len(run.numbers):
        yield f"{len(run.numbers) - ended} turns have not ended"


def examples(failures):
    """The kinds of failures, and one of each."""
    kinds = {}
    for number, client, fault, api, error in failures:
        kinds.setdefault((client, fault, error.partition(" ")[0] + error[:30]), []).append((number, api, error))
    for (client, fault, _), alike in sorted(kinds.items(), key=lambda item: -len(item[1]))[:15]:
        number, api, error = alike[0]
        yield f"\n  {len(alike)} as turn {number}: {client}, {fault}, {api}: {error}"


def of_engines(run):
    received = sum((Counter(engine["received"]) for engine in run.engines), Counter())
    for engine in run.engines:
        if engine["wrong"]:
            yield f"{len(engine['wrong'])} requests were not what their clients had sent, such as {engine['wrong'][0]}"
        if engine["busy"]:
            yield f"an engine still works on {engine['busy']} turns"
    again = {number: count for number, count in received.items() if count > allowed(plans.make(run.seed, number))}
    if again:
        yield f"{len(again)} turns were sent to engines more often than they may: {dict(list(again.items())[:10])}"
    yield from of_missing(run, received)


def of_missing(run, received):
    """A turn that reaches no engine is lost; but for the few that met one of the twins as it went away."""
    missing = [number for number in run.numbers if number not in received and must_reach(plans.make(run.seed, number))]
    lost = [number for number in missing if plans.make(run.seed, number).pool != "twins"]
    if lost or len(missing) > UNREAD_LIMIT * len(run.numbers) + 2:
        yield f"{len(lost or missing)} turns never reached an engine, such as {(lost or missing)[:10]}"
    answered = [number for number in run.clients["unread"] if number in received]
    if answered:
        yield f"{len(answered)} turns were said to be unread, but engines had them: {answered[:10]}"


def allowed(plan):
    """A turn whose connection ends before a byte of its answer may be sent again: once, on a fresh connection of the same
    replica; and, where the engine is judged down, to the other one in the same way."""
    if plan.fault not in ("drops", "resets", "cut"):
        return 1
    return 2 if plan.pool == "ranked" else 4


def must_reach(plan):
    return plan.client in ("reads", "reads_slowly", "sends_ahead")


def of_gauges(run):
    for model in plans.POOLS:
        try:
            run.gateway.wait_idle(model)
        except AssertionError as error:
            yield f"{model}: {error}"
    for line in run.gateway.metrics().splitlines():
        if line.startswith("lmwarden_in_flight") and not line.endswith(" 0"):
            yield line
    for model, totals in zip(plans.POOLS, run.totals()):
        began, ended = (sum(totals[name] for name in names) for names in (OUTCOMES, ENDS))
        if began != ended:
            yield f"{model}: {began} turns began and {ended} ended"
        if totals["held"]:
            yield f"{model}: {totals['held']} turns are still held"
        if totals["conversations"] > plans.TABLE:
            yield f"{model}: {totals['conversations']} conversations in a table of {plans.TABLE}"


def of_resources(run):
    from harness.gateway import SANITIZED
    limit = GROWTH_LIMIT_SANITIZED if SANITIZED else GROWTH_LIMIT
    if run.watch.growth() > limit:
        yield f"the memory grew by {run.watch.growth() / (1 << 20):.1f} MiB after the warm-up, more than {limit >> 20} MiB"
    before = run.watch.files_before
    try:
        run.gateway.poll(lambda: run.gateway.open_files() <= before + FILES_LIMIT, what="files to be closed")
    except AssertionError:
        yield f"{run.gateway.open_files()} files are open, {before} were before"


def of_log(run):
    told = [line for line in run.gateway.log.splitlines() if re.search(r" (warning|error|critical) ", line)]
    odd = [line for line in told if not EXPECTED.search(line)]
    if odd:
        yield f"{len(odd)} lines of the log are of no fault that was asked for:" + "".join("\n  " + line for line in odd[:10])


def print_table(run):
    mib = 1 << 20
    turns, watch, totals = len(run.numbers), run.watch, run.totals()
    again = sum(count - 1 for engine in run.engines for count in engine["received"].values())
    sizes = [size for _, size in watch.warm()]

    def both(name):
        return sum(each[name] for each in totals)

    rows = [("turns", f"{turns} in {run.seconds:.0f} s, {turns / run.seconds:.0f} a second")]
    rows += [("  " + what, f"{count}") for what, count in sorted(run.clients["outcomes"].items(), key=lambda item: -item[1])]
    rows += [("  gone wrong", f"{len(run.clients['failures'])}"),
             ("reached an engine", f"{sum(len(engine['received']) for engine in run.engines)}"),
             ("sent again", f"{again} to the same engine, {both('moved')} to another"),
             ("counted", ", ".join(f"{name} {both(name)}" for name in OUTCOMES)),
             ("ended", ", ".join(f"{name} {both(name)}" for name in ENDS)),
             ("held", f"{both('held_total')}, of which {both('left_while_held')} left; {both('held_s_total'):.0f} s in all"),
             ("in flight at the end", f"{both('in_flight')}, held {both('held')}"),
             ("memory", f"{watch.samples[0][1] / mib:.1f} MiB before; after the warm-up {min(sizes) / mib:.1f} to "
                        f"{max(sizes) / mib:.1f}, rising by {watch.growth() / mib:+.2f} MiB in all"),
             ("open files", f"{watch.files_before} before, {run.gateway.open_files()} after"),
             ("CPU", f"gateway {watch.cpu_seconds():.0f} s, {watch.cpu_seconds() / turns * 1e6:.0f} µs a turn; clients "
                     f"{run.clients['cpu']:.0f} s, engines {sum(engine['cpu'] for engine in run.engines):.0f} s")]
    width = max(len(what) for what, _ in rows)
    for what, value in rows:
        print(f"{what:<{width}}  {value}")
