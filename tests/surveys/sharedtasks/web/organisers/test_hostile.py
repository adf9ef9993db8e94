"""The organisers' forms answer any input with a page, and store nothing that they refuse."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.sharedtasks.scoring.score import find_scoring
from tests.factories.sharedtasks import START, make_data, make_phase, make_shared_task
from tests.factories.task_files import part_files
from tests.hostile import BODIES, FILES, NEVER, TEXTS, Attacker, watch_fields
from tests.surveys.sharedtasks.web.organisers.test_tasks import EVALUATION, RULES

pytestmark = pytest.mark.django_db
TIMES = {"practice_opens_at": "2099-01-02T00:00", "opens_at": "2099-02-01T00:00",
         "closes_at": "2099-03-01T00:00"}  # fmt: skip
CHECK_BOXES = {"requires_description", "accepts_probing"}  # any text ticks them
FORMS = {
    "new_task": {"title": "New", "slug": "new-one", "contact": "lab@example.org"},
    "rules": {**RULES, "requires_description": "on"},
    "add_phase": EVALUATION,
    "gwsc": TIMES,
    "organisers": {"username": "mate"},
    "invite_team": {"name": "Otters"},
    "opening": {"accepts_probing": "on"},
    "correct": {"reason": "exchanged"},
    "finalise": {"settled": "1"},
    "retract": {"reason": "withdrawn"},
}
# On all databases, the forms whose fields together are stored in columns of each kind.
STORED, ON_ALL = {"new_task", "add_phase", "organisers"}, pytest.mark.every_database
TEXT_FILES = ("test_data", "test_gold", "practice_data", "practice_gold")


@pytest.fixture
def organiser_attacker(as_ana):
    """Return a client signed in as the organiser of a draft."""
    return Attacker(sessionid=as_ana.session.session_key)


@pytest.fixture
def draft_world(ana):
    shared_task = make_shared_task(ana, state="draft", opened_at=None, zone="UTC", text="Predict.",
                                   terms="Be fair.")  # fmt: skip
    make_data(shared_task)
    make_phase(shared_task, "later", opens_at=START)
    find_scoring(shared_task)
    User.objects.create_user("mate")
    return shared_task


def address_of(name):
    return reverse(f"organisers:{name}", args=[] if name == "new_task" else ["gwsc"])


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=ON_ALL if name in STORED else ()) for name in FORMS],
)
def test_forms_take_any_text_in_any_field(organiser_attacker, draft_world, name):
    for field in FORMS[name]:
        for kind, text in TEXTS.items():
            answer = organiser_attacker.post(address_of(name), {**FORMS[name], field: text})
            may_store = kind not in NEVER or field in CHECK_BOXES
            organiser_attacker.judge(f"{field}, {kind}", answer, may_store=may_store)

    assert organiser_attacker.complaints == []


@pytest.mark.parametrize("name", FORMS)
def test_forms_take_any_body(organiser_attacker, draft_world, name):
    for kind, (body, sort) in BODIES.items():
        organiser_attacker.judge(kind, organiser_attacker.send(address_of(name), body, sort))

    assert organiser_attacker.complaints == []


@pytest.mark.parametrize("field", TEXT_FILES)
def test_uploads_take_any_file(organiser_attacker, draft_world, field):
    files = part_files(first=500)
    good = dict(zip(TEXT_FILES, (files.data, files.gold, files.practice_data,
                                 files.practice_gold), strict=True))  # fmt: skip
    rest = {"language": "fi", "instructions": "", "reliability": "", "human": ""}
    for kind, content in FILES.items():
        sent = {name: SimpleUploadedFile("a.tsv", one) for name, one in good.items()}
        sent[field] = SimpleUploadedFile("a.tsv", content)
        organiser_attacker.judge(
            kind, organiser_attacker.post(address_of("add_files"), {**rest, **sent})
        )

    assert organiser_attacker.complaints == []


@pytest.mark.every_database
def test_lists_take_any_query(organiser_attacker, draft_world):
    read = {}
    for name in ("overview", "submissions", "teams", "log", "scores"):
        with watch_fields() as names:
            organiser_attacker.judge(
                name, organiser_attacker.get(address_of(name), {}), may_store=False
            )
        read[name] = names & {"page", "team", "phase"}
        for key in sorted(read[name]):
            for kind, text in TEXTS.items():
                if kind != "very long":
                    answer = organiser_attacker.get(address_of(name), {key: text})
                    organiser_attacker.judge(f"{name}, {key}, {kind}", answer, may_store=False)

    assert organiser_attacker.complaints == []
    assert read == {
        "overview": set(), "submissions": {"page", "team", "phase"}, "teams": {"page"},
        "log": {"page"}, "scores": set(),
    }  # fmt: skip
