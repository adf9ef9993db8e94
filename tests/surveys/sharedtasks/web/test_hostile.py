"""Any invalid request to a page of teams is answered with a message and stores nothing."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse

from surveys.access.api_tokens import make_token
from surveys.sharedtasks.models import Registration, TeamInvitation
from surveys.sharedtasks.teams.description import accept_terms
from surveys.sharedtasks.teams.links import make_link, make_member_link
from surveys.sharedtasks.teams.members import add_member
from surveys.sharedtasks.uploads import check_files
from surveys.sharedtasks.web.urls import ACCOUNTS, OF_A_TEAM, PUBLIC, urlpatterns
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_participant,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    send,
)
from tests.hostile import BODIES, Attacker, spoil
from tests.inline import find_inline

pytestmark = pytest.mark.django_db

SECRET = "correct horse battery"
NEW = {"username": "eva", "password1": SECRET, "password2": SECRET, "accepts": "on"}
CHANGES = {"old_password": SECRET, "new_password1": SECRET + "2", "new_password2": SECRET + "2"}
ALONE = {"sign_in", "invitation", "register"}  # for a person without a session
# What each page takes in a POST; those without fields are only confirmed.
FORMS = {
    "sign_in": {"username": "otters", "password": SECRET, "next": "/tasks/"},
    "change_password": CHANGES,
    "tokens": {"name": "nightly", "scopes": "sharedtasks:read", "last_day": "2999-12-31"},
    "invitation": NEW,
    "register": {**NEW, "name": "Blue Herons", "contact": "eva@example.org"},
    "terms": {"accepts": "on"},
    "description": {
        "system": "Beaver", "summary": "Text", "models_used": "none", "resources": "none",
        "paper_url": "https://example.org/a", "code_url": "https://example.org/b",
        "contact": "eva", "publishes_scores": "on", "publishes_files": "on", "hides_name": "True",
    },
    "rename": {"name": "Sea Otters"},
    "submit": {"phase": "evaluation"},
    "checked": {"phase": "evaluation", "note": "run"},
    "submission": {"note": "run"},
    "choice": {"phase": "evaluation", "subtask": "1", "number": "1"},
    "withdraw": {"hides_name": "on"},
    **{name: {} for name in (
        "sign_out", "make_invitation", "revoke_invitation", "promote", "remove",
        "withdraw_submission", "revoke_token",
    )},
}  # fmt: skip
OPTIONAL = {"submission", "withdraw"}  # whose fields may be left out
PAGES = {one.name: one for one in urlpatterns if one.name in {*ACCOUNTS, *OF_A_TEAM, "register"}}


@pytest.fixture(autouse=True)
def stopped_clocks(clock, stopped_budgets):
    """Let requests begin at START, and no check be restored."""


@pytest.fixture(scope="module")
def team_world(django_db_setup, django_db_blocker):
    """A shared task and a team that has submitted, made once; changes by a test are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


def make_world():
    """Return a shared task before its test data, and a team that has submitted."""
    organiser = User.objects.create_user("ana")
    shared_task = make_shared_task(organiser, terms="Be fair.", registration=Registration.FORM)
    make_data(shared_task)
    phase = make_phase(shared_task, data="practice")
    team = make_team(shared_task)
    user = team.members.get().participant.user
    user.set_password(SECRET)
    user.save()
    accept_terms(team, now=START)
    send(team, phase, [result_file(predictions(1, 4))])
    checked = [result_file(predictions(2, 4))]
    upload = check_files(team, phase, checked, by=user, now=START)
    other = make_participant(User.objects.create_user("zoe"))
    return SimpleNamespace(
        slug=shared_task.slug,
        phase=phase.name,
        number=1,
        upload_id=upload.pk,
        member_id=add_member(team, other, is_captain=False).pk,
        token=make_link(team, by=organiser, now=START).rstrip("/").rpartition("/")[2],
        link_id=(make_member_link(team.members.first(), now=START),
                 TeamInvitation.objects.latest("pk").pk)[1],
        token_id=make_token(user, "daily", ["sharedtasks:read"])[0].pk,
        user=user,
    )  # fmt: skip


def address_of(name, world):
    values = {key: getattr(world, key) for key in PAGES[name].pattern.converters}
    return reverse(f"sharedtasks:{name}", kwargs=values)


@pytest.fixture
def team_attacker(team_world, name, client):
    if name in ALONE:
        return Attacker()
    client.force_login(team_world.user)
    return Attacker(sessionid=client.session.session_key)


@pytest.mark.every_database
@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_nothing_inline_and_forms_accept_valid_data(name, team_world, team_attacker):
    address = address_of(name, team_world)
    sent = dict(FORMS.get(name, {}))
    if name == "submit":
        sent["results"] = SimpleUploadedFile(*result_file(predictions(3, 4)))

    found, right = team_attacker.get(address, {}), team_attacker.post(address, sent)

    if not found.streaming:
        assert find_inline(found) == []
    assert right.status_code == 405 if name not in FORMS else right.status_code in (200, 302)


@pytest.mark.parametrize("name", FORMS)
def test_forms_answer_any_data(name, team_world, team_attacker):
    address = address_of(name, team_world)
    for what, sent in spoil(FORMS[name]):
        team_attacker.judge(what, team_attacker.post(address, sent))
    for what, (body, kind) in BODIES.items():
        answer = team_attacker.send(address, body, kind)
        team_attacker.judge(what, answer, may_store=not FORMS[name] or name in OPTIONAL)

    assert team_attacker.complaints == []


@pytest.mark.parametrize("name", ["submit"])
def test_any_files_are_answered(name, team_world, team_attacker):
    address = address_of(name, team_world)
    sent = FORMS[name] | {"results": SimpleUploadedFile(*result_file(predictions(3, 4)))}
    for what, changed in spoil(sent, files=["results"]):
        answer = team_attacker.post(address, changed)
        if answer.written == ["sharedtasks_refusedupload"]:  # refused files are counted
            continue
        team_attacker.judge(what, answer)

    assert team_attacker.complaints == []


@pytest.mark.parametrize("name", ["submissions"])
def test_the_history_answers_any_page(name, team_world, team_attacker):
    for page in ("x", "-1", "0", "9" * 5000, "\0", "²"):
        team_attacker.judge(page, team_attacker.get(address_of(name, team_world), {"page": page}))

    assert team_attacker.complaints == []


@pytest.mark.parametrize("name", ["submission"])
@pytest.mark.parametrize("number", ["0", "9" * 19, "9" * 400])
def test_numbers_of_submissions_may_be_any(name, team_world, team_attacker, number):
    address = address_of(name, team_world).replace("/1/", f"/{number}/")

    assert team_attacker.get(address, {}).status_code == 404


def test_every_page_is_tried():
    assert set(PAGES) == {*ACCOUNTS, *OF_A_TEAM, "register"}
    assert "register" in PUBLIC
