"""Annotator pages handle any input and store valid answers only."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.crowd.models import Hit
from surveys.participation.answers import record_engagement
from surveys.participation.assignments import begin_assignment, start_assignment
from surveys.participation.introduction import Step, complete_step
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.design import configure_study
from surveys.web.annotate.urls import urlpatterns
from tests.factories.arrivals import PROLIFIC, RIGHT
from tests.factories.batches import arm, plan, publish
from tests.factories.second_looks import list_annotators, looking_study
from tests.factories.studies import finish, make_study, progress_of, rate_due
from tests.hostile import BODIES, NEVER, Attacker, spoil, watch_fields
from tests.inline import find_inline

pytestmark = pytest.mark.django_db

WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}
VISIT = {"shown": "1", "visible": "1", "pasted": ""}
CONSENT = {"answer": "agree"}
MTURK = {"hitId": "3HIT", "assignmentId": "3ASSIGNMENT1", "workerId": "A1WORKER"}
SENT = {"enter": MTURK}  # parameters of arrivals

# What each page looks for; a page that is not here looks for nothing.
FORMS = {
    "welcome": CONSENT,
    "arrive": {**CONSENT, **PROLIFIC},
    "join": CONSENT,
    "enter": {**CONSENT, **MTURK},
    "engage": {**WORDS, **VISIT},
    "rate": {"rating": "3", "comment": "", **VISIT},
    "change": {"rating": "5", "comment": ""},
    "look": VISIT,
    "change_look": {"rating": "3", "comment": "", **VISIT},
    "instructions": {},
    "practice": WORDS,
    "practice_rating": {"rating": "3", "comment": ""},
    "check": RIGHT,
    "withdraw": {"confirmed": "yes"},
}
STORING = {"engage", "rate", "change", "look", "change_look"}
PAGES = {pattern.name: pattern for pattern in urlpatterns}


# Fields about the page or the arrival, not the answer: invalid values are ignored.
ASIDE = {
    *VISIT,
    "layout",
    "comment",
    *PROLIFIC,
    *MTURK,
    "turkSubmitTo",
    "answer",
    "own_link",
    "item",
    "chosen",
}
READ_ALONE = {"instructions", "practice_answer", "look"}  # pages that send no answer


@pytest.fixture
def address(name, db):
    """The URL of the page, which is due for its annotator."""
    study = configure_study(make_study(2), n_check_tries=2)
    (link,) = invite_annotators(study, 1)
    given = {"token": link.token, "ticket": "A" * 22, "position": 1, "number": 1}
    if name == "arrive":
        given["token"] = open_entrance(study, "prolific", completion_code="C1").token
    elif name == "join":
        given["token"] = open_entrance(study, "link").token
    elif name == "enter":
        (hit,) = publish(arm(plan(study)))
        Hit.objects.update(hit_id=MTURK["hitId"])
        given["reservation"] = hit.reservation.token
    elif name in {"again", "look", "change_look"}:
        last = list_annotators(looking_study(slug="looked"))[-1]
        given["token"] = last.assignments.get().token
    elif name != "welcome":
        given["token"] = come_to(name, start_assignment(link)).token
    names = PAGES[name].pattern.converters
    return reverse(f"annotate:{name}", kwargs={key: given[key] for key in names})


def come_to(name, assignment):
    """Complete the steps before a page."""
    if name != "instructions":
        complete_step(assignment, Step.INSTRUCTIONS)
    if name not in {"practice", "practice_rating", "practice_answer"}:
        complete_step(assignment, Step.PRACTICE)
    if name in {"engage", "rate", "change", "thanks"}:
        begin_assignment(assignment)
    if name == "rate":
        record_engagement(progress_of(assignment), "sea", "salt")
    if name == "change":
        rate_due(assignment, 2)
    if name == "thanks":
        finish(assignment)
    return assignment


def right(name, address):
    """Return valid data for the page, with the hidden fields that it shows."""
    shown = Client().get(address, SENT.get(name, PROLIFIC)).content.decode()
    hidden = re.findall(r'name="(consent|text|n_tries)" value="([^"]*)"', shown)
    return {**FORMS.get(name, {}), **dict(hidden)}


@pytest.mark.parametrize(
    "name",
    [
        # On PostgreSQL what stores answers; with the rest, SQLite refuses what it would refuse.
        pytest.param(name, marks=pytest.mark.every_database) if name in STORING else name
        for name in PAGES
    ],
)
def test_pages_handle_any_input(name, address):
    attacker = Attacker()
    sent = right(name, address)
    with watch_fields() as read:  # from the URL; what most pages find there they ignore
        attacker.get(address, {})
    with watch_fields() as names:
        attacker.post(address, {})
    assert read | names <= sent.keys() | ASIDE

    for what, spoilt in spoil(sent):
        is_aside = what.split()[0] in ASIDE or name in READ_ALONE
        may_store = is_aside or not what.endswith(NEVER)
        attacker.judge(what, attacker.post(address, spoilt), may_store=may_store)
        if read and what != "files":
            attacker.judge(what, attacker.get(address, spoilt))
    for what, (body, kind) in BODIES.items() if name == "engage" else ():
        attacker.judge(what, attacker.send(address, body, kind), may_store=False)

    assert not attacker.complaints


@pytest.mark.parametrize("name", PAGES)
def test_reading_a_page_stores_nothing(name, address):
    with CaptureQueriesContext(connection) as queries:
        Client().get(address, SENT.get(name, PROLIFIC))

    written = ("INSERT", "UPDATE", "DELETE")
    changes = [query["sql"] for query in queries if query["sql"].startswith(written)]
    assert [sql for sql in changes if "surveys_studytext" not in sql] == []  # defaults are lazy


@pytest.mark.every_database
@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_nothing_inline(name, address):
    answers = (Client().get(address, SENT.get(name, PROLIFIC)), Client().post(address, {}))

    assert [find_inline(answer) for answer in answers] == [[], []]


@pytest.mark.every_database
@pytest.mark.parametrize("name", FORMS)
def test_valid_forms_are_accepted(name, address):
    answer = Client().post(address, right(name, address))

    assert answer.status_code == 302, answer.content.decode()


@pytest.mark.parametrize("name", ["practice", "practice_rating", "practice_answer"])
@pytest.mark.parametrize("odd", ["", "0", "-1", "99", "9999", "²", "<b>", "3.0", "nan"])
def test_practice_takes_any_item_and_rating_of_its_address(name, odd, address):
    answer = Client().get(address, {"item": odd, "chosen": odd})

    assert answer.status_code == 200
    assert "<b>" not in answer.content.decode()
