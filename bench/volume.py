"""Measure whether annotators' pages stay fast when millions of responses are stored.

    .venv/bin/python bench/volume.py --databases sqlite pg --cluster postgres://postgres@127.0.0.1
    .venv/bin/python bench/volume.py --sizes 10000 1000000

Each size has a fresh site. Half of its responses are in the study that is measured (20,000 pairs,
nearly all places held), half in other studies of 500 pairs. The sites of a database are
measured in turn, several times, through the WSGI application: no network, no other annotators.
"""

import argparse
import io
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

from databases import CLUSTER, DATABASES, KINDS
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.utils import timezone
from filling import BLOCK_SIZE, STUDY, execute, fill
from reporting import read_options, say, table
from sites import Site, fresh_site

WARM_UP = 4  # annotators before the measured ones
RESUMED_AT = 3  # the item before which every annotator's lease ends
Figures = dict[str, list[tuple[float, int]]]  # milliseconds and queries, by the request's name


class Browser:
    """A client of the WSGI application that records time and queries of each request."""

    def __init__(self, application: Callable[..., Any]) -> None:
        self.application, self.n_queries, self.is_warm = application, 0, False
        self.figures: Figures = defaultdict(list)

    def count(self, execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        """Count a statement, except the begin and end of transactions; called by Django."""
        self.n_queries += sql.split(None, 1)[0] in {"SELECT", "INSERT", "UPDATE", "DELETE"}
        return execute(sql, *arguments)

    def ask(self, name: str, address: str, **answers: object) -> tuple[str, str]:
        """Get a page or post answers to it; return the address it redirects to and the body."""
        sent, parts, heads = urlencode(answers).encode(), urlsplit(address), dict[str, str]()
        environ = {
            "REQUEST_METHOD": "POST" if answers else "GET", "SCRIPT_NAME": "",
            "PATH_INFO": parts.path, "QUERY_STRING": parts.query, "CONTENT_LENGTH": str(len(sent)),
            "CONTENT_TYPE": "application/x-www-form-urlencoded", "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.input": io.BytesIO(sent),
            "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.version": (1, 0),
        }  # fmt: skip

        def start_response(status: str, headers: Sequence[tuple[str, str]]) -> None:
            heads.update(headers, status=status)

        self.n_queries, started = 0, time.perf_counter()
        with connection.execute_wrapper(self.count):
            response = self.application(environ, start_response)
            text = b"".join(response).decode()
            response.close()
        taken = 1000 * (time.perf_counter() - started), self.n_queries
        is_moved = "redirect" in name or (answers and "asked once more" not in name)
        expected = "4" if "refused" in name else "3" if is_moved else "2"
        if not heads["status"].startswith(expected):
            raise SystemExit(f"{name}: {heads['status']} from {address}\n{text}")
        if self.is_warm:
            self.figures[name].append(taken)
        return heads.get("Location", ""), text

    def agree(self, who: str, address: str, **claims: str) -> str:
        """Read the welcome page and consent; return the address of the new assignment."""
        query = f"?{urlencode(claims)}" if claims else ""
        _, page = self.ask(f"{who}: welcome", f"{address}{query}")
        return self.ask(f"{who}: agree", address, answer="agree", **hidden_in(page))[0]


def visit(browser: Browser, invitation: Any, entrances: Mapping[str, str], number: str) -> None:
    """Visit with a personal link, an open link, and from Prolific, each as a new annotator."""
    welcome = f"/invitation/{invitation.token}/"
    survey = browser.agree("personal link", welcome)
    browser.ask("personal link: return (redirect)", welcome)
    browser.ask("the page that is due (redirect)", survey)
    introduce(browser, survey)
    judge(browser, survey)
    browser.ask("thanks", f"{survey}thanks/")
    another, _ = browser.ask("thanks: one more block", f"{survey}thanks/", more=1)
    browser.ask("page 1", f"{another}1/words/")
    browser.ask("withdraw", f"{survey}withdraw/")
    browser.ask("withdraw: asked once more", f"{survey}withdraw/", sure=1)
    browser.ask("withdraw: done", f"{survey}withdraw/", confirmed="yes")
    browser.ask("ended", f"{survey}ended/")
    ticket, _ = browser.ask("open link (redirect)", entrances["link"])
    survey = browser.agree("open link", ticket)
    end_lease(survey)  # found by the next arrival
    claims = {"STUDY_ID": "study", "SESSION_ID": f"s{number}", "PROLIFIC_PID": f"p{number}"}
    browser.agree("Prolific, after a lease ended", entrances["prolific"], **claims)
    address = f"{entrances['prolific']}?{urlencode(claims)}"
    browser.ask("Prolific: return (redirect)", address)


def introduce(browser: Browser, survey: str) -> None:
    """Visit the pages before the first text."""
    words: dict[str, object] = {"inspired_word1": "music", "inspired_word2": "longing"}
    steps: dict[str, dict[str, object]] = {
        "instructions": {"read": 1}, "practice": words, "practice/rating": {"rating": 1},
        "practice/answer": {"read": 1}, "check": {"question0": 1, "question1": 2, "question2": 0},
    }  # fmt: skip
    for step, answers in steps.items():
        address = f"{survey}{step}/" + ("?item=2" if step.startswith("practice") else "")
        _, page = browser.ask(step, address)
        browser.ask(f"{step}: done", address, **hidden_in(page), **answers)


def judge(browser: Browser, survey: str) -> None:
    """Answer all items; in the middle the lease ends."""
    n_items = BLOCK_SIZE + 1
    for position in range(1, n_items + 1):
        words, rating = (f"{survey}{position}/{page}/" for page in ("words", "rating"))
        browser.ask("page 1", words)
        if position == RESUMED_AT:
            apps.get_model("surveys", "Place").objects.filter(
                assignment__token=token_of(survey)
            ).update(assignment=None)
            end_lease(survey, state="expired")
        which = ", resuming" if position == RESUMED_AT else ""
        browser.ask(f"page 1: words{which}", words, inspired_word1="salt", inspired_word2="sea")
        browser.ask("page 2", rating)
        which = ", the last" if position == n_items else ""
        browser.ask(f"page 2: rating{which}", rating, rating=position % 7)


def hidden_in(page: str) -> dict[str, str]:
    """Return the hidden fields of a page."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def token_of(survey: str) -> str:
    """Return the token in the address of an assignment."""
    return survey.split("/")[2]


def end_lease(survey: str, **changes: str) -> None:
    """Set the last activity to a month ago, so that the lease has ended."""
    assignments = apps.get_model("surveys", "Assignment").objects
    long_ago = timezone.now() - timedelta(days=30)
    assignments.filter(token=token_of(survey)).update(active_at=long_ago, **changes)


def measure(n_annotators: int) -> Figures:
    """Let annotators visit a filled site, some under the other policies, until it is full."""
    from django.core.wsgi import get_wsgi_application

    from surveys.models import Place, Study, TextKind
    from surveys.recruitment.links import invite_annotators
    from surveys.study.design import configure_study
    from surveys.study.texts import current_text

    settings.ARRIVALS_PER_ADDRESS = settings.ARRIVALS_PER_LINK = 0  # all come from one address
    study, browser = Study.objects.get(slug=STUDY), Browser(get_wsgi_application())
    links = {e.provider: f"/join/{e.token}/" for e in study.entrances.all()}
    run_id = timezone.now().strftime("%H%M%S")
    for number, invitation in enumerate(invite_annotators(study, WARM_UP + n_annotators)):
        browser.is_warm = number >= WARM_UP
        visit(browser, invitation, links, f"{run_id}-{number}")
    for policy in ("blockwise", "random"):
        configure_study(study, assigning_policy=policy)
        for number, invitation in enumerate(invite_annotators(study, WARM_UP + n_annotators)):
            browser.is_warm = number >= WARM_UP
            browser.agree(policy, f"/invitation/{invitation.token}/")
    configure_study(study, assigning_policy="balanced")
    Place.objects.free(study).update(is_open=False)
    consent = current_text(study, TextKind.CONSENT)
    shown = f"{consent.pk} {study.erases_withdrawn:d} {study.publishes_words:d}"
    agreed = {"answer": "agree", "consent": shown}
    for invitation in invite_annotators(study, n_annotators):
        browser.ask("no place left: welcome", f"/invitation/{invitation.token}/")
        browser.ask("no place left: agree, refused", f"/invitation/{invitation.token}/", **agreed)
    Place.objects.filter(study=study, is_open=False).update(is_open=True)
    return dict(browser.figures)


def fill_site(n_responses: int, analyze: bool) -> int:
    """Fill the site; return its number of responses."""
    fill(n_responses)
    if analyze and connection.vendor == "sqlite":
        execute("ANALYZE")
    n: int = apps.get_model("surveys", "Response").objects.count()
    return n


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, measure them in turn, and write a table of medians."""
    figures_of: dict[int, Figures] = defaultdict(lambda: defaultdict(list))
    sites: dict[int, Site] = {}
    with ExitStack() as stack:
        for size in options.sizes:
            site = stack.enter_context(fresh_site(kind, options.cluster, below=options.folder))
            started = time.perf_counter()
            n_stored = site.call(fill_site, size, options.analyze)
            seconds = time.perf_counter() - started
            sys.stderr.write(f"{kind}: {n_stored} responses in {seconds:.0f} s\n")
            sites[n_stored] = site
        for _ in range(options.rounds):
            for size, site in sites.items():
                site.settle()
                taken: Figures = site.call(measure, options.annotators // options.rounds)
                for name, figures in taken.items():
                    figures_of[size][name] += figures
    return write_table(KINDS[kind], figures_of)


def write_table(database: str, figures_of: Mapping[int, Figures]) -> str:
    """Return median milliseconds and queries per request and size, and the ratio of sizes."""
    sizes = sorted(figures_of)
    rows = []
    for name in figures_of[sizes[0]]:
        taken = [figures_of[size][name] for size in sizes]
        times = [median(milliseconds for milliseconds, _ in several) for several in taken]
        queries = [median(n for _, n in several) for several in taken]
        cells = [f"{t:.2f} ({n:g})" for t, n in zip(times, queries, strict=True)]
        rows.append([name, *cells, f"{times[-1] / times[0]:.2f}"])
    return table([database, *(f"{size:,}" for size in sizes), "largest ÷ smallest"], rows)


def main() -> None:
    """Measure and print a table for each database."""
    options = read_options(
        __doc__,
        sizes=([10_000, 100_000, 1_000_000, 10_000_000], "responses stored, about"),
        databases=DATABASES,
        cluster=CLUSTER,
        annotators=(60, "measured at each size"),
        rounds=(3, "in which the sizes are measured in turn"),
        analyze=(False, "run ANALYZE on SQLite, which Cosima does not do"),
        folder=(Path, "where the sites are; 10 million responses take 4 GB"),
    )
    for kind in options.databases:
        say(f"{compare(kind, options)}\n")


if __name__ == "__main__":
    main()
