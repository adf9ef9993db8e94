import random
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.core.management import CommandError

from surveys.errors import RehearsalFailed
from surveys.models import Context, Invitation
from surveys.rehearsal.annotator import Character
from surveys.rehearsal.rating_source import ModelledRatings, Person, read_played_back
from surveys.rehearsal.study import Rehearsal, rehearse_study
from tests.end_to_end.databases import free_port
from tests.factories.studies import make_study, numbered_stimuli, start
from tests.surveys.management.running import run

MODEL = ModelledRatings([Decimal(point) for point in range(7)], seed=0)
PERSON = Person(random.Random(0), bias=0, noise=0)


def ratings_file(*rows: str) -> bytes:
    return "\n".join(["language,pair,context,annotator,rating", *rows, ""]).encode()


@pytest.mark.django_db
def test_played_back_ratings_follow_the_order_of_the_file():
    study = make_study(1)
    first = study.pairs.get().contexts.get(number=1)

    ratings = read_played_back(study, ratings_file("en,1,1,A01,4", "en,1,1,A02,5", "en,1,2,A01,0"))

    assert [ratings.rate(first, PERSON) for _ in range(2)] == [4, 5]
    assert ratings.n_unused == 1
    with pytest.raises(RehearsalFailed, match="No rating is left for pair 1 context 1"):
        ratings.rate(first, PERSON)


@pytest.mark.django_db
@pytest.mark.parametrize("row", ["en,9,1,A01,4", "en,1,3,A01,4", "en,1,1,A01,7", "sl,1,1,A01,4"])
def test_read_played_back_refuses_ratings_of_another_study(row):
    with pytest.raises(RehearsalFailed, match="row 1"):
        read_played_back(make_study(1), ratings_file(row))


@pytest.mark.django_db
def test_rehearse_study_reports_a_site_that_does_not_run():
    study = make_study(stimuli=numbered_stimuli(1))
    nowhere = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(RehearsalFailed, match="Is the site running"):
        rehearse_study(study, Rehearsal(nowhere, MODEL))

    assert Invitation.objects.get().is_rehearsal


@pytest.mark.django_db
def test_rehearse_study_refuses_a_draft():
    study = make_study(stimuli=numbered_stimuli(1))
    study.opened_at = None

    with pytest.raises(RehearsalFailed, match="is a draft"):
        rehearse_study(study, Rehearsal("http://127.0.0.1:1", MODEL))

    assert not Invitation.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("n_annotators", "n_started"), [(None, 4), (4, 1), (0, 0)])
def test_rehearse_study_refuses_more_annotators_than_places(n_annotators, n_started):
    study = make_study(stimuli=numbered_stimuli(1))
    for _ in range(n_started):
        start(study)

    with pytest.raises(RehearsalFailed, match=f"has {4 - n_started} places left"):
        rehearse_study(study, Rehearsal("http://127.0.0.1:1", MODEL), n_annotators=n_annotators)

    assert not Invitation.objects.filter(is_rehearsal=True).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://127.0.0.1", "http://["])
def test_rehearse_study_refuses_an_invalid_address(url):
    with pytest.raises(RehearsalFailed, match="is not an address"):
        rehearse_study(make_study(1), Rehearsal(url, MODEL))


@pytest.mark.django_db
def test_rehearse_study_refuses_too_few_ratings_before_it_starts():
    study = make_study(stimuli=numbered_stimuli(1))
    ratings = read_played_back(study, ratings_file("en,1,1,A01,4", "en,1,1,A02,4", "en,1,2,A01,1"))

    with pytest.raises(RehearsalFailed, match="pair 1 context 2 has 1 of 2"):
        rehearse_study(study, Rehearsal("http://127.0.0.1:1", ratings))

    assert not Invitation.objects.exists()


PAGE = "<html><body><main>{}</main></body></html>"
FORM = PAGE.format('<form method="post"><input type="hidden" name="h"><button>Go</button></form>')


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, PAGE.format("<h1>Closed today</h1>"), "stopped at its page annotate:welcome: Closed"),
        (404, PAGE.format("No such link"), "GET annotate:welcome was answered with 404: No such"),
        (500, "", "was answered with 500"),
        (200, FORM, "does not come to an end"),
    ],
    ids=["a page without a form", "not found", "empty error", "in circles"],
)
def test_rehearse_study_reports_where_a_site_fails(monkeypatch, status, body, message):
    study = make_study(stimuli=numbered_stimuli(1))
    monkeypatch.setattr("surveys.rehearsal.annotator.MAX_PAGES", 5)

    with answering(status, body) as url, pytest.raises(RehearsalFailed, match=message) as failed:
        rehearse_study(study, Rehearsal(url, MODEL))

    assert Invitation.objects.get().token not in str(failed.value)


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    """Yield a server that gives every request the same answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_modelled_ratings_stay_on_the_scale_and_agree_about_a_text():
    scale = [Decimal(point) for point in range(1, 8)]
    ratings = ModelledRatings(scale, seed=1)
    people = [Person.drawn(f"1 {number}") for number in range(200)]
    contexts = [Context(text=text, word1_start=0, word1_end=1) for text in "abcdef"]

    given = [[ratings.rate(context, person) for person in people] for context in contexts]

    assert {rating for row in given for rating in row} <= set(scale)
    means = sorted(sum(row) / len(row) for row in given)
    assert means[-1] - means[0] > 1
    assert len(set(given[0])) > 1


@pytest.mark.django_db
def test_rehearse_study_needs_a_writable_log_before_it_starts(tmp_path):
    make_study(stimuli=numbered_stimuli(1))
    log = tmp_path / "missing" / "log.csv"

    with pytest.raises(CommandError, match=f"Cannot write {log}: No such file or directory."):
        run("rehearse_study", "study", "--base-url", "http://127.0.0.1:1", "--log", log)

    assert not Invitation.objects.exists()


@pytest.mark.django_db
def test_a_failed_rehearse_study_keeps_the_previous_log(tmp_path):
    make_study(stimuli=numbered_stimuli(1))
    log = tmp_path / "log.csv"
    log.write_text("of before\n")

    with pytest.raises(CommandError, match="is not an address"):
        run("rehearse_study", "study", "--base-url", "nowhere", "--log", log)

    assert log.read_text() == "of before\n"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_questionnaires", [2, 4, 6, 12])  # filled in turn
def test_characters_are_equally_frequent_and_not_in_step_with_questionnaires(
    n_questionnaires, seed
):
    characters = [*[Character.CAREFUL] * 5, Character.HASTY]
    rehearsal = Rehearsal("http://testserver", MODEL, seed, characters)

    drawn = [rehearsal.draw_character(number) for number in range(1, 97)]

    assert drawn == [rehearsal.draw_character(number) for number in range(1, 97)]
    assert drawn.count(Character.HASTY) == 16
    groups = [drawn[number::n_questionnaires] for number in range(n_questionnaires)]
    assert all(Character.CAREFUL in group for group in groups)
    assert sum(Character.HASTY in group for group in groups) >= n_questionnaires / 2
