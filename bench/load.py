"""Compare Cosima with its peers and a bare app under the same load, in turn, several times.

    BENCH_HOME=FOLDER .venv/bin/python bench/load.py
    BENCH_HOME=FOLDER .venv/bin/python bench/load.py --cases cosima-pg bare-pg --annotators 40

Every run has a fresh site. `bench/README.md` describes the measurements and requirements.
"""

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import peers
from measuring import Bench, Result, measure, measure_dropout
from peers import Peers
from ratios import list_ratios
from reporting import (
    DROPOUT_COLUMNS,
    LOAD_COLUMNS,
    dropout_row,
    load_row,
    say,
    table,
)
from serving import AS_SERVED, Server, run
from sites import Load

REPOSITORY = Path(__file__).resolve().parent.parent
TASKS = {1: 200, 10: 100, 40: 25}  # items per annotator, by the number of annotators
OURS = ("cosima-sqlite", "cosima-pg", "bare-sqlite", "bare-pg")
LARGE = 20_000
FILLED = 4  # of 5 places, for a nearly complete large study


class Run(NamedTuple):
    """A measurement."""

    kind: str  # "load", "large", "filled" or "dropout"
    case: str
    load: Load

    @property
    def name(self) -> str:
        """Return the name in the tables."""
        return {
            "large": f"{self.case}, {self.load.n_contexts} contexts",
            "filled": f"{self.case}, {self.load.n_contexts} contexts, {FILLED} of 5 answered",
        }.get(self.kind, self.case)


def plan(options: argparse.Namespace) -> list[Run]:
    """Return the measurements of one repetition, in order."""
    runs = [
        Run("load", case, Load.exact(n, max(1, TASKS[n] // options.divide)))
        for n in options.annotators
        for case in options.cases
    ]
    tasks = max(1, TASKS[10] // options.divide)
    large = Load(10, tasks, options.large)
    for case in options.cases if options.large else ():
        if case.startswith("cosima"):
            runs += [Run("large", case, large), Run("filled", case, large)]
        elif case == "turkle-pg" and options.large_peer:
            runs.append(Run("large", case, large._replace(n_tasks=max(1, tasks // 5))))
    for case in options.cases if options.dropout else ():
        if case.startswith("cosima") or case in peers.DROPOUT_CASES:
            runs.append(Run("dropout", case, Load.exact(40, 25)))
    return runs


def carry_out(task: Run, bench: Bench, name: str) -> Result:
    """Perform a measurement once."""
    system = Peers(bench.home, bench.generator)
    is_ours = task.case in OURS
    if task.kind == "dropout":
        return measure_dropout(bench, task.case) if is_ours else system.measure_dropout(task.case)
    if is_ours:
        filled = FILLED if task.kind == "filled" else 0
        return measure(bench, task.case, task.load, filled=filled)
    if task.kind == "large":
        return system.measure_large(task.load, f"large-{name}")
    return system.measure(task.case, task.load, name)


def print_line(task: Run, result: Result) -> None:
    """Print a line when a run is over."""
    is_load = task.kind != "dropout"
    columns: Sequence[str] = LOAD_COLUMNS if is_load else DROPOUT_COLUMNS
    row = load_row(task.name, [result]) if is_load else dropout_row(task.name, [result])
    say(", ".join(f"{column} {cell}" for column, cell in zip(columns[1:], row[1:], strict=True)))


def report(results: dict[Run, list[Result]]) -> str:
    """Return the tables of all results."""
    loads = [load_row(r.name, found) for r, found in results.items() if r.kind != "dropout"]
    drops = [dropout_row(r.name, found) for r, found in results.items() if r.kind == "dropout"]
    ratios = list_ratios({(r.kind, r.case, r.load.n_annotators): f for r, f in results.items()})
    parts = [table(LOAD_COLUMNS, loads)] if loads else []
    parts += [table(DROPOUT_COLUMNS, drops)] if drops else []
    parts += [table(("to beat", "ours ÷ theirs", "aim", "reached"), ratios)] if ratios else []
    return "\n\n".join(parts)


def describe(bench: Bench) -> str:
    """Return the text above the tables."""
    commit = run("git", "describe", "--always", "--dirty", cwd=bench.repository).strip()
    busy = os.getloadavg()[0]
    return (
        f"Commit {commit}, {bench.server}, {os.cpu_count()} cores shared with the generator, "
        f"load average at the start {busy:.1f}{' (something else is running!)' * (busy > 0.7)}. "
        "With 1 annotator the study has two contexts for each judgement, since an annotator "
        "judges one context of a pair."
    )


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments shared by the scripts."""
    default = REPOSITORY.parent / "shared/bench"
    add = parser.add_argument
    add("--generator", type=Path, default=default, help="folder of annotators.py and peer_setup/")
    add("--repository", type=Path, default=REPOSITORY, help="checkout of Cosima to measure")
    add("--python", type=Path, help="its Python (.venv/bin/python in the checkout)")
    add("--cluster", default="postgres://postgres@127.0.0.1:5544", help="PostgreSQL, on loopback")
    add("--repetitions", type=int, default=3)
    add("--divide", type=int, default=1, help="a trial: this many times fewer items each")
    add("--out", type=Path, help="file for all results, as JSON")


def make_bench(options: argparse.Namespace, server: Server) -> Bench:
    """Return the bench of the arguments and BENCH_HOME."""
    if not (home := os.environ.get("BENCH_HOME")):
        raise SystemExit("BENCH_HOME must name the folder of the peers; see bench/README.md.")
    repository = options.repository.resolve()
    return Bench(
        home=Path(home).resolve(),
        generator=options.generator.resolve(),
        repository=repository,
        python=(options.python or repository / ".venv/bin/python").absolute(),
        cluster=options.cluster,
        server=server,
    )


def write_results(path: Path | None, results: dict[Run, list[Result]]) -> None:
    """Write all results as JSON."""
    if path:
        kept = [
            {"run": task._asdict(), "results": [{**r, "acks": None} for r in found]}
            for task, found in results.items()
        ]
        path.write_text(json.dumps(kept, indent=1, default=str))


def main() -> None:
    """Run the chosen measurements and print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    known = [*OURS, *peers.CASES]
    add = parser.add_argument
    add("--cases", nargs="+", choices=known, default=known, metavar="CASE", help=", ".join(known))
    add("--annotators", nargs="+", type=int, choices=list(TASKS), default=list(TASKS))
    add("--server", type=Server.named, default=AS_SERVED, help="such as granian:1x4")
    add("--large", type=int, default=LARGE, help="contexts of a large study, 0 for none")
    add("--large-peer", action="store_true", help="Turkle too; its batch 2 must hold 20,000")
    add("--dropout", action=argparse.BooleanOptionalAction, default=True)
    add_common_arguments(parser)
    options = parser.parse_args()
    bench = make_bench(options, options.server)
    say(describe(bench))
    results: dict[Run, list[Result]] = defaultdict(list)
    for repetition in range(1, options.repetitions + 1):
        for task in plan(options):
            sys.stdout.write(f"{repetition}: {task.name}, {task.load.n_annotators} annotators: ")
            results[task].append(carry_out(task, bench, f"side{repetition}"))
            print_line(task, results[task][-1])
            write_results(options.out, results)
    say(f"\n{report(results)}")


if __name__ == "__main__":
    main()
