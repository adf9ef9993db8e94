"""Actions that cannot be undone easily ask for confirmation."""

import lxml.html
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from surveys.access.api_tokens import make_token
from surveys.access.roles import grant_role
from surveys.crowd.models import Batch, Hit
from surveys.models import (
    Annotator,
    ApiToken,
    AuditEntry,
    Entrance,
    Membership,
    Role,
    Run,
    Study,
    Worker,
)
from surveys.participation.assignments import begin_assignment
from surveys.privacy.retention import mark_paid, set_retention
from surveys.recruitment.links import open_entrance
from tests.factories.batches import plan
from tests.factories.newcomers import CODES, arrive
from tests.factories.pages import page, read
from tests.factories.studies import finish

TABLES = (Annotator, ApiToken, Batch, Entrance, Hit, Membership, Run, Study, Worker)


def add_mate(study):
    mate = User.objects.create_user("mate")
    grant_role(study, mate, Role.RESEARCHER)
    return page("leave", study, mate.pk), page("people", study)


def add_token(study):
    token, _ = make_token(User.objects.get(username="ana"), "nightly", ["studies:read"])
    return reverse("console:revoke_token", args=[token.pk]), reverse("console:tokens")


def add_open_link(study):
    entrance = open_entrance(study, "link")
    return page("close_entrance", study, entrance.pk), page("open_link", study)


def add_plan(study):
    return page("drop_batch", study, plan(study).pk), page("batch", study, Batch.objects.get().pk)


def add_batch(study):
    batch = plan(study)
    batch.hits.update(state="live", hit_id="HIT1", first_attempt_at=timezone.now())
    return page("stop_batch", study, batch.pk), page("batch", study, batch.pk)


def add_unpaid(study):
    finish(begin_assignment(arrive(open_entrance(study, "prolific", **CODES), "5f0c0ffee00000")))
    return page("pay", study), page("privacy", study)


def add_nothing(study):
    return page("settle", study), page("privacy", study)


def add_due(study):
    add_unpaid(study)
    mark_paid(study)
    set_retention(study, 0)
    return page("drop", study), page("privacy", study)


ACTS = {
    add_mate: ("Remove mate", "member.revoked"),
    add_token: ("Revoke the token", "token.revoked"),
    add_open_link: ("Close the open link", "entrance.closed"),
    add_plan: ("Delete the planned HITs", "batch.dropped"),
    add_unpaid: ("Mark 1 as paid", "annotators.paid"),
    add_nothing: ("Settle the study", "study.settled"),
    add_due: ("Drop what is due", "personal_data.dropped"),
}


def everything():
    return {table: list(table.objects.order_by("pk").values()) for table in TABLES}


@pytest.mark.parametrize("add", [*ACTS, add_batch], ids=lambda add: add.__name__)
def test_a_page_links_to_a_confirmation_and_changes_nothing(add, study, owner):
    act, where = add(study)
    before = everything()

    shown = lxml.html.fromstring(owner.get(where).content)
    asked = owner.get(act)

    assert act in shown.xpath("//main//a/@href")
    assert act not in shown.xpath("//form/@action")
    assert where in lxml.html.fromstring(asked.content).xpath("//form/a[text()='Cancel']/@href")
    assert everything() == before


@pytest.mark.parametrize("add", ACTS, ids=lambda add: add.__name__)
def test_the_button_of_a_confirmation_acts_and_is_logged(add, study, owner):
    act, _ = add(study)
    button, logged = ACTS[add]
    (form,) = lxml.html.fromstring(owner.get(act).content).xpath("//main//form")
    assert button in form.text_content()

    answer = owner.post(form.action or act, dict(form.form_values()))

    assert answer.status_code == 302
    assert AuditEntry.objects.filter(action=logged, actor="ana").count() == 1


def test_the_button_of_a_confirmation_stops_a_batch(study, owner):
    act, where = add_batch(study)
    (form,) = lxml.html.fromstring(owner.get(act).content).xpath("//main//form")

    answer = owner.post(form.action, dict(form.form_values()))

    assert answer.url == where
    assert list(Run.objects.values_list("kind", flat=True)) == ["stop"]


def test_removing_a_member_is_reported_and_idempotent(study, owner):
    act, where = add_mate(study)

    answers = [owner.post(act) for _ in range(2)]

    assert [answer.url for answer in answers] == [where, where]
    assert "mate was removed from the study." in read(owner, "people", study)
    assert AuditEntry.objects.filter(action="member.revoked").count() == 1


def test_owners_who_remove_themselves_are_redirected_to_their_studies(study, owner):
    grant_role(study, User.objects.create_user("mate"), Role.OWNER)
    own = User.objects.get(username="ana")

    answer = owner.post(page("leave", study, own.pk))

    assert answer.url == reverse("console:studies")
    assert owner.get(page("people", study)).status_code == 404
