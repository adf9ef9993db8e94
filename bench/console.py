"""Measure how long each page of the console takes when many responses are stored.

    .venv/bin/python bench/console.py --databases pg --cluster postgres://postgres@127.0.0.1
    .venv/bin/python bench/console.py --sizes 525000 --open 0.8

Each size has a fresh site with that many responses in the measured study (20,000 pairs in
1000 blocks) and as many in other studies. Pages are requested through the WSGI application's
middleware and views, by Django's test client: no network. Printed are the median after a first
visit, and the CPU time of a page, which other work on the machine changes little.
"""

import argparse
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from databases import CLUSTER, DATABASES, KINDS, settle
from django.apps import apps
from django.db import connection
from filling import N_PAIRS, STUDY, file_all, fill, gauge_all, judge_some, make_runs
from processes import cpu_seconds
from reporting import read_options, say, table
from sites import fresh_site

MAX_MILLISECONDS = 200  # milliseconds that a page may take
POSTED = "review/more/"  # the only address here that is read by POST
PAGES = {  # names and addresses within a study, whose parts in braces `list_pages` knows
    "overview": "",
    "close": "close/",
    "duplicate": "duplicate/",
    "rehearsal": "rehearsal/",
    "delete the rehearsal": "rehearsal/delete/",
    "stimuli": "stimuli/",
    "stimuli, last page": "stimuli/?page=9999",
    "stimuli, by word": "stimuli/?word=alpha19",
    "replace the file": "stimuli/file/",
    "checkpoint items": "stimuli/checkpoints/",
    "a row": "stimuli/{pair}/",
    "design": "design/",
    "workload": "design/workload/",
    "a text": "design/texts/consent/",
    "practice items": "design/texts/practice/form/",
    "check questions": "design/texts/check/form/",
    "opening": "open/",
    "preview": "preview/",
    "preview, instructions": "preview/instructions/",
    "preview, practice": "preview/practice/",
    "preview, page 1 of a text": "preview/texts/{context}/words/",
    "preview, page 2": "preview/texts/{context}/rating/",
    "preview, thanks": "preview/thanks/",
    "recruitment": "recruitment/",
    "recruitment, finished": "recruitment/?state=submitted",
    "recruitment, by note": "recruitment/?note=ana&through=all",
    "a link": "recruitment/links/{link}/",
    "make links": "recruitment/invite/",
    "an open link": "recruitment/open-link/",
    "Prolific": "recruitment/prolific/",
    "e-mail": "recruitment/mails/",
    "send invitations": "recruitment/mails/invitations/",
    "send reminders": "recruitment/mails/reminders/",
    "batches": "recruitment/batches/",
    "plan a batch": "recruitment/batches/new/",
    "cost of a batch": "recruitment/batches/workload/",
    "collection": "collection/",
    "collection, last page": "collection/?page=9999",
    "a block": "collection/blocks/2/",
    "repeat a block": "collection/blocks/2/repeat/",
    "replacements": "collection/replacements/",
    "annotators": "collection/annotators/",
    "annotators, by state": "collection/annotators/?state=submitted",
    "annotators, last page": "collection/annotators/?page=99999",
    "an annotator": "collection/annotators/{code}/",
    "a context": "collection/contexts/1/1/",
    "review": "review/",
    "review, more answers": POSTED,
    "review, an answer": "review/{answer}/",
    "review, a questionnaire": "review/{whole}/",
    "review, whole questionnaires": "review/questionnaires/",
    "review, whole questionnaires, last page": "review/questionnaires/?page=9999",
    "review, disputes": "review/disputes/",
    "review, agreement": "review/agreement/",
    "review, settings": "review/settings/",
    "results": "results/",
    "recipe as text": "results/toml/",
    "compare": "results/compare/?first={first}&second={run}",
    "a run": "runs/{run}/",
    "report": "runs/{run}/report/",
    "ledger": "runs/{run}/ledger/",
    "ledger of an annotator": "runs/{run}/ledger/?annotator={code}",
    "pairs": "runs/{run}/pairs/",
    "pairs, last page": "runs/{run}/pairs/?page=9999",
    "pairs, by word": "runs/{run}/pairs/?word=alpha19&order=-size",
    "a pair": "runs/{run}/pairs/{middle}/",
    "a pair of a search": "runs/{run}/pairs/190/?word=alpha19&order=-size",
    "plots": "runs/{run}/plots/",
    "a plot": "runs/{run}/plots/calibration/svg/",
    "release": "release/",
    "description": "release/description/",
    "description as text": "release/description/toml/",
    "answers as a file": "errands/",
    "people": "people/",
    "invite a person": "people/invite/",
    "webhooks": "webhooks/",
    "privacy": "privacy/",
    "a person": "collection/annotators/{code}/person/",
    "erase a person": "collection/annotators/{code}/person/erase/",
    "find a person": "privacy/find/",
    "pay": "privacy/paid/",
    "settle": "privacy/settled/",
    "drop personal data": "privacy/drop/",
    "log": "log/",
}


class Visit(NamedTuple):
    """Time of a page: first visit, median of later visits, and queries.

    `cpu` is the CPU time of a later visit, including the database: about the page's time on an
    idle machine.
    """

    first: float
    later: float
    cpu: float
    n_queries: int


def list_pages(study: Any) -> Iterator[tuple[str, str]]:
    """Yield names and addresses of all pages of a study, including expensive pages.

    Files, and pages that only receive forms, are left out.
    """
    pair = study.pairs.filter(is_checkpoint=False).first()
    first, run = study.runs.order_by("pk").values_list("pk", flat=True)[:2]
    reviews = study.reviews.filter(state="open").order_by("pk")
    parts = {
        "answer": reviews.filter(response__isnull=False).first().pk,
        "whole": reviews.filter(response__isnull=True).first().pk,
        "code": study.assignments.filter(state="submitted").order_by("-pk").first().annotator.code,
        "link": study.invitations.order_by("-pk").first().pk,
        "pair": pair.pk,
        "middle": N_PAIRS // 2,
        "context": pair.contexts.first().pk,
        "first": first,
        "run": run,
    }
    yield from {"studies": "/console/", "new study": "/console/new/"}.items()
    yield from {"tokens": "/console/tokens/", "password": "/console/password/"}.items()
    for name, address in PAGES.items():
        yield name, f"/console/studies/{study.slug}/{address.format_map(parts)}"


def measure(n_visits: int) -> dict[str, Visit]:
    """Visit the pages of a filled site."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    study = apps.get_model("surveys", "Study").objects.get(slug=STUDY)
    client, visits = Client(SERVER_NAME="127.0.0.1"), {}
    client.force_login(User.objects.create_superuser(f"bench{time.time_ns()}"))
    client.get("/console/")  # warm-up: loads modules and templates
    client.post(f"/console/studies/{STUDY}/review/")  # claims an answer
    for name, address in list_pages(study):
        request = client.post if address.endswith(POSTED) else client.get
        taken, cpu = [], []
        for _ in range(1 + n_visits):
            cpu_before, started = cpu_of_request(), time.perf_counter()
            answer = request(address)
            taken.append(1000 * (time.perf_counter() - started))
            cpu.append(1000 * (cpu_of_request() - cpu_before))
            if answer.status_code != 200:
                raise SystemExit(f"{name}: {answer.status_code} from {address}")
        with CaptureQueriesContext(connection) as queries:
            request(address)
        visits[name] = Visit(taken[0], median(taken[1:]), mean(cpu[1:]), len(queries))
    return visits


def cpu_of_request() -> float:
    """Return the CPU time of this process, pyarrow's threads too, and its PostgreSQL backend.

    Background jobs of a page are included as far as they run before it is answered.
    """
    seconds = time.process_time()
    if connection.vendor != "postgresql":
        return seconds
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return seconds + cpu_seconds([cursor.fetchone()[0]])


def fill_site(n_responses: int, open_share: float) -> int:
    """Fill a study with responses, filed and partly judged, and runs; return their number."""
    fill(2 * n_responses, open_share)
    settle(os.environ["DATABASE_URL"])
    file_all()
    make_runs()  # before some are set aside, so that each context has a rating
    judge_some()
    gauge_all()
    responses = apps.get_model("surveys", "Response").objects
    n: int = responses.filter(annotator__study__slug=STUDY).count()
    return n


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, visit its pages, and write a table."""
    visits: dict[int, dict[str, Visit]] = {}
    for size in options.sizes:
        with fresh_site(kind, options.cluster, below=options.folder) as site:
            n = site.call(fill_site, size, options.open)
            site.settle()
            visits[n] = site.call(measure, options.visits)
    return write_table(KINDS[kind], visits)


def write_table(database: str, visits: Mapping[int, Mapping[str, Visit]]) -> str:
    """Return a row per page: for each size the median, CPU time and first visit; queries."""
    sizes = sorted(visits)
    rows = []
    for name in visits[sizes[0]]:
        cells = []
        for visit in (visits[size][name] for size in sizes):
            mark = " **!**" if visit.later > MAX_MILLISECONDS else ""
            cells.append(f"{visit.later:.0f} ({visit.cpu:.0f}; {visit.first:.0f}){mark}")
        rows.append([name, *cells, str(visits[sizes[-1]][name].n_queries)])
    return table([database, *(f"{size:,}" for size in sizes), "queries"], rows)


def main() -> None:
    """Measure and print a table for each database."""
    options = read_options(
        __doc__,
        sizes=([100_000, 1_000_000], "responses of the study"),
        databases=DATABASES,
        cluster=CLUSTER,
        open=(0.0, "share of assignments in progress, 0.8 at most"),
        visits=(9, "of each page, after the first"),
        folder=(Path, "where the sites are; a million responses take 1 GB"),
    )
    say("Milliseconds: median (CPU; first visit)\n")
    for kind in options.databases:
        say(f"{compare(kind, options)}\n")


if __name__ == "__main__":
    main()
