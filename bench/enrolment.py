"""Measure the CPU time of an annotator's start, which locks the study, by its number of places.

    .venv/bin/python bench/enrolment.py --cluster postgres://postgres@127.0.0.1:5432

Each size has a fresh site with half of the responses in the measured study. The sites are measured
in turns, in process; the time includes that of PostgreSQL's process.
"""

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import django
from console import DATABASES, cpu_seconds
from databases import fresh_site, print_by_database, settle
from filling import STUDY, fill
from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent
WARM_UP, N_STARTS = 10, 60  # of a turn


def act(action: str, number: int) -> None:
    """Fill or measure the site of this process's environment."""
    sys.path.insert(0, str(REPOSITORY))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    if action == "fill":
        fill(number)
        return
    from surveys.models import Place, Study
    from surveys.participation.assignments import start_assignment
    from surveys.recruitment.links import invite_annotators

    study = Study.objects.get(slug=STUDY)
    links = invite_annotators(study, WARM_UP + N_STARTS)
    for link in links[:WARM_UP]:
        start_assignment(link)
    before, in_python = cpu_seconds(), []
    for link in links[WARM_UP:]:
        began = time.process_time()
        start_assignment(link)
        in_python.append(1000 * (time.process_time() - began))
    cpu = 1000 * (cpu_seconds() - before) / N_STARTS
    n_places = Place.objects.filter(study=study).count()
    sys.stdout.write(json.dumps([n_places, cpu, median(in_python)]))


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, measure them in turns, and write a table of medians."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    own = sys.executable, __file__, "--inside"
    with ExitStack() as stack:
        sites = []
        for size in options.sizes:
            environment = stack.enter_context(fresh_site(kind, options.cluster))
            run(*own, "fill", str(size), cwd=REPOSITORY, environment=environment)
            settle(environment["DATABASE_URL"])
            sites.append(environment)
        for _ in range(options.turns):
            for environment in sites:
                output = run(*own, "measure", "0", cwd=REPOSITORY, environment=environment)
                n_places, *figures = json.loads(output)
                found[n_places].append(tuple(figures))
    lines = [[DATABASES[kind], "CPU ms of a start (least–greatest)", "of it in Python, median"]]
    lines.append(["---:", "---:", "---:"])
    for n_places, turns in found.items():
        cpus, in_python = zip(*turns, strict=True)
        spread = f"{median(cpus):.1f} ({min(cpus):.1f}–{max(cpus):.1f})"
        lines.append([f"{n_places:,} places", spread, f"{median(in_python):.1f}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    sizes = [90_000, 900_000, 7_480_000]  # the last: the most places that a study may have
    add("--sizes", type=int, nargs="+", default=sizes, help="responses of the site")
    add("--databases", nargs="+", choices=DATABASES, help="default: sqlite, and pg with --cluster")
    add("--cluster", default="", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--turns", type=int, default=5)
    add("--inside", nargs=2, metavar=("ACTION", "NUMBER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        act(options.inside[0], int(options.inside[1]))
        return
    print_by_database(options.databases, options.cluster, lambda kind: compare(kind, options))


if __name__ == "__main__":
    main()
