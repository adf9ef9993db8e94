"""Whatever is sent to a page of annotators is answered, and nothing but answers is stored."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from surveys.models import Hit
from surveys.participation.answers import record_engagement
from surveys.participation.assignments import begin_assignment, start_assignment
from surveys.participation.introduction import Step, complete_step
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.design import configure_study
from surveys.web.annotate.urls import urlpatterns
from tests.annotate.arriving import PROLIFIC, RIGHT
from tests.factories import finish, make_study, whereabouts
from tests.hostile import BODIES, NEVER, Attacker, spoil, watch_fields
from tests.inline import find_inline
from tests.mturk.offered import arm, plan, publish

# Each database refuses other texts and numbers.
pytestmark = [pytest.mark.django_db, pytest.mark.every_database]

WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}
VISIT = {"shown": "1", "visible": "1", "pasted": ""}
CONSENT = {"answer": "agree"}
MTURK = {"hitId": "3HIT", "assignmentId": "3ASSIGNMENT1", "workerId": "A1WORKER"}
SENT = {"enter": MTURK}  # by whom people are sent there

# What each page looks for; a page that is not here looks for nothing.
FORMS = {
    "welcome": CONSENT,
    "arrive": {**CONSENT, **PROLIFIC},
    "join": CONSENT,
    "enter": {**CONSENT, **MTURK},
    "engage": {**WORDS, **VISIT},
    "rate": {"rating": "3", "comment": "", **VISIT},
    "instructions": {},
    "practice": WORDS,
    "practice_rating": {"rating": "3", "comment": ""},
    "check": RIGHT,
    "withdraw": {"confirmed": "yes"},
}
PAGES = {pattern.name: pattern for pattern in urlpatterns}


# What tells of the page, not of what is thought: what it holds beside the point is passed over.
ASIDE = {*VISIT, "comment", *PROLIFIC, *MTURK, "turkSubmitTo", "answer", "own_link"}


@pytest.fixture
def address(name, db):
    """The page, of somebody for whom it is due."""
    study = configure_study(make_study(2), n_check_tries=2)
    (link,) = invite_annotators(study, 1)
    given = {"token": link.token, "ticket": "A" * 22, "position": 1}
    if name == "arrive":
        given["token"] = open_entrance(study, "prolific", completion_code="C1").token
    elif name == "join":
        given["token"] = open_entrance(study, "link").token
    elif name == "enter":
        (hit,) = publish(arm(plan(study)))
        Hit.objects.update(hit_id=MTURK["hitId"])
        given["key"] = hit.key
    elif name != "welcome":
        given["token"] = come_to(name, start_assignment(link)).token
    names = PAGES[name].pattern.converters
    return reverse(f"annotate:{name}", kwargs={key: given[key] for key in names})


def come_to(name, assignment):
    """Do what comes before a page."""
    if name != "instructions":
        complete_step(assignment, Step.INSTRUCTIONS)
    if name not in {"practice", "practice_rating", "practice_answer"}:
        complete_step(assignment, Step.PRACTICE)
    if name in {"engage", "rate", "thanks"}:
        begin_assignment(assignment)
    if name == "rate":
        record_engagement(whereabouts(assignment), "sea", "salt")
    if name == "thanks":
        finish(assignment)
    return assignment


def right(name, address):
    """What the page takes; what it says of itself is read off it."""
    shown = Client().get(address, SENT.get(name, PROLIFIC)).content.decode()
    hidden = re.findall(r'name="(consent|text|n_tries)" value="([^"]*)"', shown)
    return {**FORMS.get(name, {}), **dict(hidden)}


@pytest.mark.parametrize("name", PAGES)
def test_pages_answer_whatever_is_sent(name, address):
    attacker = Attacker()
    sent = right(name, address)
    with watch_fields() as names:
        attacker.get(address, {})
        attacker.post(address, {})
    assert names <= sent.keys() | ASIDE

    for what, spoilt in spoil(sent):
        is_aside = what.split()[0] in ASIDE
        may_store = is_aside or not what.endswith(NEVER)
        attacker.judge(what, attacker.post(address, spoilt), may_store=may_store)
        if what != "files":
            attacker.judge(what, attacker.get(address, spoilt))
    for what, (body, kind) in BODIES.items() if name == "engage" else ():
        attacker.judge(what, attacker.send(address, body, kind), may_store=False)

    assert not attacker.complaints


@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_nothing_inline(name, address):
    answers = (Client().get(address, SENT.get(name, PROLIFIC)), Client().post(address, {}))

    assert [find_inline(answer) for answer in answers] == [[], []]


@pytest.mark.parametrize("name", FORMS)
def test_forms_take_what_is_right(name, address):
    answer = Client().post(address, right(name, address))

    assert answer.status_code == 302, answer.content.decode()
