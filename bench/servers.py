"""Compare Cosima under different web servers with the same load.

    BENCH_HOME=FOLDER .venv/bin/python bench/servers.py

The servers come from the virtual environment `vs` under BENCH_HOME; see `bench/README.md`.
"""

import argparse
from collections import defaultdict

from load import add_common_arguments, describe, make_bench
from measuring import Result, measure
from reporting import LOAD_COLUMNS, load_row, say, table
from serving import Server
from sites import Load

SERVERS = (
    "granian-wsgi:2x2",
    "granian:1x1", "granian:1x2", "granian:1x4", "granian:2x1", "granian:2x2", "granian:2x4",
    "gunicorn-sync:1x1", "gunicorn-sync:2x1", "gunicorn-gthread:1x4", "gunicorn-gthread:2x2",
    "gunicorn-gthread:2x4", "waitress:1x4", "uwsgi:1x4", "uwsgi:2x2", "uvicorn:1x4",
)  # fmt: skip


def main() -> None:
    """Measure each server in turn, several times, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--servers", nargs="+", type=Server.named, default=[Server.named(s) for s in SERVERS])
    add("--cases", nargs="+", default=["cosima-sqlite"], help="cosima-sqlite, cosima-pg, bare-…")
    add_common_arguments(parser)
    options = parser.parse_args()
    load = Load.exact(40, max(1, 25 // options.divide))
    bench = make_bench(options, options.servers[0])
    if not options.python:
        bench = bench._replace(python=bench.home / "vs/bin/python")
    say(describe(bench))
    results: dict[tuple[str, Server], list[Result]] = defaultdict(list)
    for _ in range(options.repetitions):
        for case in options.cases:
            for server in options.servers:
                result = measure(bench._replace(server=server), case, load)
                results[case, server].append(result)
                say(" | ".join(load_row(f"{case}, {server}", [result])))
    rows = [load_row(f"{case}, {server}", found) for (case, server), found in results.items()]
    say(f"\n{table(LOAD_COLUMNS, rows)}")


if __name__ == "__main__":
    main()
