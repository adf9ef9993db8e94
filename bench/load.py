"""Compare Cosima with a bare app and with peers under the same load, in turn, several times.

    .venv/bin/python bench/load.py
    .venv/bin/python bench/load.py --cluster postgres://postgres@127.0.0.1:5432
    .venv/bin/python bench/load.py --cases cosima-sqlite --annotators 40 --repositories . ../before

Every run has a fresh site. `bench/README.md` describes the measurements, and what peers need.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import peers
from comparing import (
    COMPARED,
    COSIMA,
    DROPOUT_COLUMNS,
    LOAD_COLUMNS,
    dropout_row,
    list_ratios,
    load_row,
    ratio_row,
)
from databases import CLUSTER
from measuring import Bench, Load, Result, measure, measure_dropout
from peers import Peers
from reporting import REPOSITORY, read_options, say, table
from serving import AS_SERVED, Server, python_of, python_with_servers, run

TASKS = {1: 200, 10: 100, 40: 25}  # items per annotator, by the number of annotators
OURS = (*COSIMA, "bare-sqlite", "bare-pg")
LARGE = 20_000
FILLED = 4  # of 5 places, for a nearly complete large study


class Run(NamedTuple):
    """A measurement."""

    kind: str  # "load", "large", "filled" or "dropout"
    case: str
    load: Load
    server: Server = AS_SERVED
    repository: Path = REPOSITORY

    @property
    def name(self) -> str:
        """Return the name in the tables."""
        case = self.case if self.server == AS_SERVED else f"{self.case}, {self.server}"
        case += "" if self.repository == REPOSITORY else f", {self.repository.name}"
        return {
            "large": f"{case}, {self.load.n_contexts} contexts",
            "filled": f"{case}, {self.load.n_contexts} contexts, {FILLED} of 5 answered",
        }.get(self.kind, case)


def plan(options: argparse.Namespace) -> list[Run]:
    """Return the measurements of one repetition, in order, each of all checkouts in turn."""
    return [
        task._replace(repository=repository)
        for task in plan_once(options)
        for repository in (options.repositories if task.case in COSIMA else [REPOSITORY])
    ]


def plan_once(options: argparse.Namespace) -> list[Run]:
    """Return the measurements of one repetition for one checkout."""
    servers = [Server.named(name) for name in options.servers]
    runs = [
        Run("load", case, Load.exact(n, max(1, TASKS[n] // options.divide)), server)
        for n in options.annotators
        for case in options.cases
        for server in (servers if case in OURS else [AS_SERVED])
    ]
    tasks = max(1, TASKS[10] // options.divide)
    large = Load(10, tasks, options.large)
    for case in options.cases if options.large else ():
        if case.startswith("cosima"):
            runs += [Run(kind, case, large, servers[0]) for kind in ("large", "filled")]
    for case in options.cases if options.dropout else ():
        if case.startswith("cosima") or case in peers.DROPOUT_CASES:
            runs.append(Run("dropout", case, Load.exact(40, 25), servers[0]))
    return runs


def carry_out(task: Run, bench: Bench, systems: Peers | None, name: str) -> Result:
    """Measure once; `name` keeps the peers' files apart."""
    if systems and task.case in peers.CASES:
        if task.kind == "dropout":
            return systems.measure_dropout(task.case)
        return systems.measure(task.case, task.load, name)
    if task.kind == "dropout":
        return measure_dropout(bench, task.case, task.server)
    filled = FILLED if task.kind == "filled" else 0
    return measure(bench, task.case, task.server, task.load, filled=filled)


def describe(task: Run, result: Result) -> str:
    """Return a line about a run."""
    is_load = task.kind != "dropout"
    columns: Sequence[str] = LOAD_COLUMNS if is_load else DROPOUT_COLUMNS
    row = load_row(task.name, [result]) if is_load else dropout_row(task.name, [result])
    return ", ".join(f"{column} {cell}" for column, cell in zip(columns[1:], row[1:], strict=True))


def report(results: dict[Run, list[Result]]) -> str:
    """Return the tables of all results."""
    loads = [load_row(r.name, several) for r, several in results.items() if r.kind != "dropout"]
    drops = [dropout_row(r.name, several) for r, several in results.items() if r.kind == "dropout"]
    first = next(iter(results))
    ratios = [*list_ratios({
        (r.kind, r.case, r.load.n_annotators): several
        for r, several in results.items()
        if r.server in (first.server, AS_SERVED)
        and (r.case not in COSIMA or r.repository == first.repository)
    })]  # fmt: skip
    others = [
        ratio_row(r.name, several, results[r._replace(repository=first.repository)])
        for r, several in results.items()
        if r.kind != "dropout" and r.case in COSIMA and r.repository != first.repository
    ]
    parts = [table(LOAD_COLUMNS, loads)] if loads else []
    parts += [table((f"÷ {first.repository.name}", "N", *COMPARED), others)] if others else []
    parts += [table(DROPOUT_COLUMNS, drops)] if drops else []
    parts += [table(("to beat", "ours ÷ theirs", "aim", "reached"), ratios)] if ratios else []
    return "\n\n".join(parts)


def write_results(path: Path | None, results: dict[Run, list[Result]]) -> None:
    """Write all results as JSON."""
    if path:
        kept: list[dict[str, Any]] = [
            {"run": task._asdict(), "results": [{**r, "acks": None} for r in several]}
            for task, several in results.items()
        ]
        path.write_text(json.dumps(kept, indent=1, default=str))


def main() -> None:
    """Run the chosen measurements and print tables."""
    options = read_options(
        __doc__,
        cases=(list(OURS), ", ".join((*OURS, *peers.CASES)), [*OURS, *peers.CASES]),
        annotators=(list(TASKS), None, list(TASKS)),
        servers=([str(AS_SERVED)], "such as granian:1x2 waitress:1x4"),
        large=(LARGE, "contexts of a large study, 0 for none"),
        dropout=True,
        repositories=([REPOSITORY], "checkouts of Cosima to measure, in turns"),
        generator=(REPOSITORY.parent / "shared/bench", "the peers' annotators.py and peer_setup/"),
        cluster=CLUSTER,
        repetitions=3,
        divide=(1, "a trial: this many times fewer items each"),
        out=(Path, "file for all results, as JSON"),
    )
    if options.cases == [*OURS] and not options.cluster:
        options.cases = [case for case in OURS if case.endswith("sqlite")]
    options.repositories = [path.resolve() for path in options.repositories]
    pythons = {path: python_of(path) for path in (REPOSITORY, *options.repositories)}
    if any(not name.startswith("granian") for name in options.servers):
        pythons = dict.fromkeys(pythons, python_with_servers())
    systems = Peers.find(options.generator) if {*options.cases} & {*peers.CASES} else None
    for path in options.repositories:
        commit = run("git", "describe", "--always", "--dirty", cwd=path).strip()
        say(f"{path.name}: commit {commit}; the cores are shared with the annotators.")
    results: dict[Run, list[Result]] = defaultdict(list)
    for repetition in range(1, options.repetitions + 1):
        for task in plan(options):
            bench = Bench(task.repository, pythons[task.repository], options.cluster)
            result = carry_out(task, bench, systems, f"side{repetition}")
            results[task].append(result)
            n_annotators = task.load.n_annotators
            say(f"{repetition}: {task.name}, {n_annotators} annotators: {describe(task, result)}")
            write_results(options.out, results)
    say(f"\n{report(results)}")


if __name__ == "__main__":
    main()
