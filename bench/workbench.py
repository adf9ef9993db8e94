"""Measure how long the pages of the step Contexts take, with many pairs and candidates.

    .venv/bin/python bench/workbench.py
    .venv/bin/python bench/workbench.py --cluster postgres://postgres@127.0.0.1:5432

A fresh site has one draft with 1000 pairs of 16 candidates each, in texts of 60 random words; the
contexts of half of them are chosen. Pages are requested through the WSGI application's middleware
and views, by Django's test client: no network. Printed are the median after a first visit and the
mean CPU time, in milliseconds, and the number of queries.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from statistics import mean, median
from typing import Any

import django
import pandas as pd
from console import cpu_seconds
from databases import fresh_site, settle
from django.db import connection
from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent
MAX_MILLISECONDS = 100  # that a page may take
SLUG, N_WORDS = "words", 60
N_WINDOWS = 28  # of a pair, in a file among whose windows candidates are picked
NOT_OF_WINDOWS = ["picked", "order", "score_e5", "score_minilm"]
PAGES = {
    "contexts": "",
    "contexts, last page": "?page=10",
    "candidates of a pair": "{n_open}/",
    "a pair that is decided": "1/",
    "another file": "file/",
    "settings": "settings/",
    "use as stimuli, asked": "stimuli/",
}
Timing = tuple[float, float, int]  # milliseconds, those of the processor, and queries


def make_file(n_pairs: int, n_candidates: int) -> bytes:
    """Return a file of candidates with random texts."""
    rng = random.Random(0)  # noqa: S311 (texts to repeat, not a secret)
    vocabulary = [f"w{number}" for number in range(5000)]
    rows = [
        make_row(pair, number, rng.choices(vocabulary, k=N_WORDS))
        for pair in range(1, n_pairs + 1)
        for number in range(1, n_candidates + 1)
    ]
    file = BytesIO()
    pd.DataFrame(rows).to_parquet(file, index=False)
    return file.getvalue()


def make_windows(n_pairs: int) -> bytes:
    """Return a file of windows with random texts, none of them rejected."""
    candidates = pd.read_parquet(BytesIO(make_file(n_pairs, N_WINDOWS)))
    file = BytesIO()
    windows = candidates.drop(columns=NOT_OF_WINDOWS).assign(rejected="", warnings="")
    windows.to_parquet(file, index=False)
    return file.getvalue()


def make_row(pair: int, number: int, words: list[str]) -> dict[str, Any]:
    """Return a candidate; two of the words are replaced by those of the pair."""
    word1, word2 = f"alpha{pair}", f"beta{pair}"
    words[number], words[-number] = word1, word2
    words[N_WORDS // 3] += "."
    text = " ".join(words).capitalize() + "."
    start1, start2 = text.index(word1), text.index(word2)
    return {
        "window": f"{pair}-{number}", "pair": pair, "word1": word1, "word2": word2, "text": text,
        "start1": start1, "end1": start1 + len(word1), "start2": start2,
        "end2": start2 + len(word2), "distance": N_WORDS - 2 * number, "file": "corpus.conllu",
        "first_sentence": 1, "last_sentence": 3, "first_id": "1", "last_id": "3",
        "document": "story", "title": "A story", "url": "", "revision": "", "licence": "CC0-1.0",
        "score_e5": number / 100, "score_minilm": -number / 100, "picked": "random",
        "order": number,
    }  # fmt: skip


def measure(n_pairs: int, n_candidates: int, n_visits: int) -> dict[str, Timing]:
    """Fill a site and visit its pages."""
    from django.contrib.auth.models import User
    from django.test import Client

    from surveys.models import Study
    from surveys.selection.candidates import begin_study, check_candidates
    from surveys.selection.choices import Chosen, record_choice
    from surveys.selection.picking import Picking, check_file
    from surveys.study.stimuli.load import StudyDesign

    owner = User.objects.create_user("bench")
    design = StudyDesign(slug=SLUG, language="en", ratings_per_context=11)
    data = make_file(n_pairs, n_candidates)
    windows = make_windows(n_pairs)
    found = {
        "checking the file": take(lambda: check_candidates(data), 1),
        f"picking among {N_WINDOWS * n_pairs:,} windows": take(
            lambda: check_file(windows, Picking()), 1
        ),
    }
    checked = check_candidates(data)
    found["storing it"] = take(lambda: begin_study(checked, design, owner), 1)
    study = Study.objects.get(slug=SLUG)
    n_open = n_pairs // 2 + 1
    for pair in study.candidate_pairs.filter(number__lt=n_open):
        record_choice(pair, owner, Chosen(1, 2))
    settle(os.environ["DATABASE_URL"])
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(owner)
    start = f"/console/studies/{SLUG}/contexts/"
    for name, address in PAGES.items():
        visit = visiting(client, start + address.format(n_open=n_open))
        visit()
        found[name] = take(visit, n_visits)
    numbers = iter(range(n_open, n_pairs))
    found["a choice, and the next pair"] = take(
        lambda: choose(client, f"{start}{next(numbers)}/"), n_visits
    )
    found["use as stimuli"] = take(lambda: client.post(f"{start}stimuli/"), 1)
    return found


def visiting(client: Any, address: str) -> Callable[[], None]:
    """Return an action that visits a page."""

    def visit() -> None:
        answer = client.get(address)
        if answer.status_code != 200:
            raise SystemExit(f"{answer.status_code} from {address}")

    return visit


def choose(client: Any, address: str) -> None:
    """Choose two candidates of a pair, and follow to the next."""
    answer = client.post(address, {"first": "1", "second": "2"}, follow=True)
    if answer.status_code != 200:
        raise SystemExit(f"{answer.status_code} from {address}")


def take(action: Callable[[], Any], n_times: int) -> Timing:
    """Return the median time of an action, its mean CPU time, and the number of its queries."""
    from django.test.utils import CaptureQueriesContext

    taken, cpu = [], []
    for _ in range(n_times):
        cpu_before, started = cpu_seconds(), time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - started))
        cpu.append(1000 * (cpu_seconds() - cpu_before))
    if n_times == 1:
        return taken[0], cpu[0], 0
    with CaptureQueriesContext(connection) as queries:
        action()
    return median(taken), mean(cpu), len(queries)


def act(options: argparse.Namespace) -> None:
    """Measure in the environment of a fresh site."""
    sys.path.insert(0, str(REPOSITORY))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    found = measure(options.pairs, options.candidates, options.visits)
    sys.stdout.write(json.dumps(found))


def list_rows(kind: str, options: argparse.Namespace) -> Iterator[str]:
    """Yield a row of the table per page, for one kind of database."""
    with fresh_site(kind, options.cluster) as environment:
        numbers = (options.pairs, options.candidates, options.visits)
        named = zip(("--pairs", "--candidates", "--visits"), map(str, numbers), strict=True)
        own = sys.executable, __file__, "--inside", *(word for pair in named for word in pair)
        output = run(*own, cwd=REPOSITORY, environment=environment)
    for name, (milliseconds, cpu, n_queries) in json.loads(output).items():
        mark = " **!**" if n_queries and cpu > MAX_MILLISECONDS else ""
        yield f"| {name} | {milliseconds:,.0f} ({cpu:,.0f}){mark} | {n_queries or '–'} |"


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--pairs", type=int, default=1000)
    add("--candidates", type=int, default=16)
    add("--visits", type=int, default=15, help="of each page, after the first")
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        act(options)
        return
    sys.stdout.write(f"Load average before: {os.getloadavg()[0]:.2f}\n")
    for kind in ["sqlite", "pg"] if options.cluster else ["sqlite"]:
        sys.stdout.write(f"\n| {kind} | milliseconds | queries |\n| --- | ---: | ---: |\n")
        for row in list_rows(kind, options):
            sys.stdout.write(f"{row}\n")


if __name__ == "__main__":
    main()
