"""Profile the server's CPU time of a judgement with py-spy under load.

    BENCH_HOME=FOLDER .venv/bin/python bench/hotspots.py --case cosima-sqlite

py-spy comes from the virtual environment `vl` under BENCH_HOME. It slows the server down: use
the shares; the milliseconds are the CPU time of the run, divided by them. On PostgreSQL
waiting for an answer counts as `database: execute`.
"""

import argparse
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from load import add_common_arguments, describe, make_bench
from measuring import Running, running
from reporting import say, table
from serving import AS_SERVED, Server
from sites import Load

RATE = 100  # samples a second; more would slow the server down
SURROUNDING = 0.75  # a function with a larger share is too general
FRAME = re.compile(r"(?P<name>.+) \((?P<file>.+?)(?::\d+)?\)$")
PARTS = (  # the first that matches a frame, from the innermost frame outwards
    (
        "database: execute, fetch, commit",
        r"backends/(utils|sqlite3/base|postgresql/base)\.py|psycopg",
    ),
    ("database: connections", r"db/(utils|transaction)\.py|backends/base"),
    (
        "ORM: building and compiling queries",
        r"db/models/sql|models/(expressions|lookups|functions)",
    ),
    ("ORM: querysets and instances", r"db/models|django/db"),
    ("templates", r"django/template|templatetags"),
    ("forms", r"django/forms"),
    ("translation", r"utils/translation|gettext"),
    ("URLs: resolving and reversing", r"django/urls|shortcuts"),
    ("sessions, users, messages", r"contrib/(sessions|auth|messages)"),
    ("static files (whitenoise)", r"whitenoise"),
    ("content security policy", r"/csp/"),
    ("middleware, other", r"django/middleware|annotate/middleware|utils/deprecation"),
    ("requests and responses", r"django/http|utils/datastructures|core/handlers|dispatch"),
    ("the survey's own code", r"/surveys/"),
    ("the web server", r"granian|gunicorn|waitress|threading"),
)


def record(site: Running, links: list[str], n_tasks: int) -> tuple[Path, float, int]:
    """Run a load under py-spy; return its file, the CPU ms and the number of judgements."""
    out = site.folder / "samples"
    words = [site.bench.home / "vl/bin/py-spy", "record", "--subprocesses", "--rate", RATE]
    words += ["--pid", site.processes[0], "--format", "raw", "--output", out]
    with (site.folder / "py-spy.log").open("w") as log:
        spy = subprocess.Popen(  # noqa: S603  (commands of our own)
            [str(word) for word in words], stdout=log, stderr=log
        )
        result = site.annotate("ann", links, n_tasks)
        spy.send_signal(signal.SIGINT)
        spy.wait(timeout=60)
    return out, float(result["server_cpu_ms_per_judgement"]), int(result["acknowledged"])


def read_samples(path: Path) -> list[tuple[list[tuple[str, str]], int]]:
    """Return stacks of (function, file), outermost first, with their counts."""
    stacks = []
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [FRAME.match(frame) for frame in stack.split(";")]
        found = [(frame["name"], frame["file"]) for frame in frames if frame]
        if any("django" in file for _, file in found):
            stacks.append((found, int(count)))
    return stacks


def name_part(stack: Iterable[tuple[str, str]]) -> str:
    """Return the part of the work of the innermost matching frame."""
    for _, file in reversed(list(stack)):
        for part, pattern in PARTS:
            if re.search(pattern, file):
                return part
    return "other"


def main() -> None:
    """Measure once and print the time by part and by function."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--case", default="cosima-sqlite")
    parser.add_argument("--server", type=Server.named, default=AS_SERVED)
    parser.add_argument("--top", type=int, default=30, help="functions to list")
    add_common_arguments(parser)
    options = parser.parse_args()
    bench = make_bench(options, options.server)
    load = Load.exact(10, max(1, 100 // options.divide))
    say(describe(bench))
    with running(bench, options.case, load) as site:
        links = site.site.invite(load.n_annotators)
        out, cpu, n_judgements = record(site, links, load.n_tasks)
        stacks = read_samples(out)
    parts, functions = Counter[str](), Counter[tuple[str, str]]()
    for stack, count in stacks:
        parts[name_part(stack)] += count
        for frame in set(stack):
            functions[frame] += count
    total = parts.total()
    say(f"\n{n_judgements} judgements at {cpu:.1f} ms CPU under py-spy; {total} samples.\n")
    say(table(("part", "share", "ms"), [_row(p, n, total, cpu) for p, n in parts.most_common()]))
    named = [
        _row(f"{name} ({'/'.join(Path(file).parts[-3:])})", n, total, cpu)
        for (name, file), n in functions.most_common()
        if n < total * SURROUNDING
    ]
    say(f"\n{table(('function, with all it calls', 'share', 'ms'), named[: options.top])}")


def _row(name: str, count: int, total: int, cpu: float) -> list[str]:
    return [name, f"{count / total:.1%}", f"{cpu * count / total:.2f}"]


if __name__ == "__main__":
    main()
