"""Measure the CPU time of an annotator's start, which locks the study, by its number of places.

    .venv/bin/python bench/enrolment.py
    .venv/bin/python bench/enrolment.py --databases sqlite pg --cluster postgres://postgres@127.0.0.1

Each size has a fresh site with half of the responses in the measured study. The sites are measured
in turns, in process; the time includes that of PostgreSQL's process.
"""

import argparse
import time
from collections import defaultdict
from contextlib import ExitStack
from statistics import median

from console import cpu_of_request
from databases import CLUSTER, DATABASES, KINDS
from filling import STUDY, fill
from reporting import read_options, say, table
from sites import fresh_site

WARM_UP, N_STARTS = 10, 60  # of a turn


def measure() -> tuple[int, float, float]:
    """Return the places of the filled site, and milliseconds of a start, also in Python alone."""
    from surveys.models import Place, Study
    from surveys.participation.assignments import start_assignment
    from surveys.recruitment.links import invite_annotators

    study = Study.objects.get(slug=STUDY)
    links = invite_annotators(study, WARM_UP + N_STARTS)
    for link in links[:WARM_UP]:
        start_assignment(link)
    before, in_python = cpu_of_request(), []
    for link in links[WARM_UP:]:
        began = time.process_time()
        start_assignment(link)
        in_python.append(1000 * (time.process_time() - began))
    cpu = 1000 * (cpu_of_request() - before) / N_STARTS
    return Place.objects.filter(study=study).count(), cpu, median(in_python)


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, measure them in turns, and write a table of medians."""
    turns_of: dict[int, list[tuple[float, float]]] = defaultdict(list)
    with ExitStack() as stack:
        sites = [stack.enter_context(fresh_site(kind, options.cluster)) for _ in options.sizes]
        for site, size in zip(sites, options.sizes, strict=True):
            site.call(fill, size)
            site.settle()
        for _ in range(options.turns):
            for site in sites:
                n_places, *figures = site.call(measure)
                turns_of[n_places].append(tuple(figures))
    rows = []
    for n_places, turns in turns_of.items():
        cpus, in_python = zip(*turns, strict=True)
        spread = f"{median(cpus):.1f} ({min(cpus):.1f}–{max(cpus):.1f})"
        rows.append([f"{n_places:,} places", spread, f"{median(in_python):.1f}"])
    return table((KINDS[kind], "CPU ms of a start (least–greatest)", "of it in Python"), rows)


def main() -> None:
    """Measure and print a table for each database."""
    sizes = [90_000, 900_000, 7_480_000]  # the last: the most places that a study may have
    options = read_options(
        __doc__, sizes=(sizes, "responses of the site"), databases=DATABASES, cluster=CLUSTER,
        turns=5,
    )  # fmt: skip
    for kind in options.databases:
        say(f"{compare(kind, options)}\n")


if __name__ == "__main__":
    main()
