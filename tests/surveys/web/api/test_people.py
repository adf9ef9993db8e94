from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from surveys.access.audit_log import acting, record
from surveys.models import AuditEntry, Membership, Role
from tests.factories.programs import errors_of
from tests.factories.studies import make_study

PEOPLE, LOG = "studies/study/people/", "studies/study/log/"


def test_roles_are_granted_and_revoked(study, program):
    asking = program()
    User.objects.create_user("eva")

    given = asking.post(PEOPLE, {"username": "eva", "role": "reviewer"})
    raised = asking.post(PEOPLE, {"username": "eva", "role": "researcher"}).json()
    listed = asking.get(PEOPLE).json()["results"]
    taken = asking.send("delete", f"{PEOPLE}{raised['id']}/")

    assert (given.status_code, given.json()["role"]) == (200, "reviewer")
    assert given.json()["id"] == raised["id"]
    assert [(one["username"], one["role"]) for one in listed] == [
        ("ana", "owner"), ("eva", "researcher"),
    ]  # fmt: skip
    assert taken.status_code == 204
    assert asking.send("delete", f"{PEOPLE}{raised['id']}/").status_code == 404
    assert list(Membership.objects.values_list("user__username", flat=True)) == ["ana"]


def test_the_last_owner_cannot_be_removed(study, program):
    asking = program()
    only = Membership.objects.get()

    answers = [
        asking.send("delete", f"{PEOPLE}{only.pk}/"),
        asking.post(PEOPLE, {"username": "ana", "role": "reviewer"}),
    ]

    assert [(one.status_code, errors_of(one)[0][0]) for one in answers] == [
        (409, "AccessRefused"), (409, "AccessRefused"),
    ]  # fmt: skip
    assert Membership.objects.get().role == Role.OWNER


@pytest.mark.parametrize(
    ("body", "status"),
    [({"username": "nobody", "role": "owner"}, 409), ({"username": "off", "role": "owner"}, 409),
     ({"username": "ana", "role": "king"}, 422), ({"username": "", "role": "owner"}, 422),
     ({}, 422)],
)  # fmt: skip
def test_an_invalid_grant_is_refused(study, program, body, status):
    User.objects.create_user("off", is_active=False)

    answer = program().post(PEOPLE, body)

    assert answer.status_code == status
    assert errors_of(answer)
    assert Membership.objects.count() == 1


def test_a_member_of_another_study_is_not_removed(study, program):
    asking = program()
    other = make_study(1, slug="other")
    theirs = Membership.objects.create(
        study=other, user=User.objects.create_user("eva"), role=Role.REVIEWER
    )

    assert asking.send("delete", f"{PEOPLE}{theirs.pk}/").status_code == 404
    assert Membership.objects.filter(pk=theirs.pk).exists()


@pytest.fixture
def logged(study, program):
    """The program of an owner of a study with decisions by several people."""
    asking = program()
    with acting("somebody"):
        record("block.repeated", study, "block 1", reason="bad")
    record("block.repeated", make_study(1, slug="other"), "of another study")
    return asking


def test_the_log_lists_decisions_and_their_authors(logged):
    entries = logged.get(LOG).json()["results"]

    assert [entry["action"] for entry in entries] == ["member.granted", "block.repeated"]
    assert (entries[1]["actor"], entries[1]["subject"]) == ("somebody", "block 1")
    assert entries[1]["details"] == {"reason": "bad"}


@pytest.mark.parametrize(("role", "shown"), [(Role.OWNER, True), (Role.RESEARCHER, False)])
def test_only_owners_see_addresses_in_the_log(study, program, role, shown):
    AuditEntry.objects.create(
        study=study, action="block.repeated", details={"reason": "asked ana@example.org"}
    )

    told_of = program(role=role).get(LOG).content.decode()

    assert ("ana@example.org" in told_of) == shown


def test_the_log_is_filtered_and_paginated(logged):
    def count(**wanted):
        return len(logged.get(LOG, **wanted).json()["results"])

    later = (timezone.now() + timedelta(hours=1)).isoformat()
    assert count(action="block.") == count(actor="somebody") == 1
    assert count(action="block.", actor="ana") == count(since=later) == 0
    assert count(since="0480-01-01T00:00:00Z") == 2
    page = logged.get(LOG, limit=1).json()
    assert logged.client.get(page["next"]).json()["results"][0]["action"] == "block.repeated"


@pytest.mark.parametrize("wrong", [{"since": "today"}, {"who": "ana"}, {"action": "x" * 41}])
def test_an_invalid_log_filter_is_refused(logged, wrong):
    answer = logged.get(LOG, **wrong)

    assert (answer.status_code, errors_of(answer)[0][2]) == (422, *wrong)


@pytest.mark.parametrize("n", [1, 3, 300])
def test_people_and_log_make_constant_queries(study, program, n, django_assert_num_queries):
    asking = program()
    users = User.objects.bulk_create(User(username=f"u{number}") for number in range(n))
    Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.REVIEWER) for user in users
    )
    for number in range(n):
        record("block.repeated", study, f"block {number}")
    asking.get("studies/")

    for path in (PEOPLE, LOG):
        with django_assert_num_queries(4):  # token, study, role, rows
            assert len(asking.get(path, limit=1000).json()["results"]) > n
