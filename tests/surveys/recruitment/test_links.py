"""Personal links, lists of them, and entrances."""

import pytest

from surveys.errors import InvitationRefused, SettingRefused
from surveys.models import Entrance, Invitation
from surveys.participation.withdrawal import revoke_invitation
from surveys.recruitment.links import (
    LONGEST_NOTE,
    close_entrance,
    invite_annotators,
    invite_listed,
    invite_scripted_annotators,
    open_entrance,
    personal_link,
)
from tests.factories.studies import make_study, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # searched for, locks


def notes() -> list[str]:
    return list(Invitation.objects.order_by("pk").values_list("note", flat=True))


def test_invite_annotators_creates_unguessable_links(study):
    invitations = invite_annotators(study, 3)

    tokens = {invitation.token for invitation in invitations}
    assert len(tokens) == 3
    assert {len(token) for token in tokens} == {22}
    assert notes() == ["", "", ""]
    assert not Invitation.objects.filter(is_rehearsal=True).exists()


def test_no_token_begins_like_an_option(study, monkeypatch):
    drawn = iter(["-" + "x" * 21, "-" + "y" * 21, "z" * 22])
    monkeypatch.setattr("secrets.token_urlsafe", lambda n_bytes: next(drawn))

    assert [invitation.token for invitation in invite_annotators(study, 1)] == ["z" * 22]


def test_invite_scripted_annotators_marks_their_links(study):
    invite_scripted_annotators(study, 2)

    assert Invitation.objects.filter(is_rehearsal=True).count() == 2


def test_personal_link_is_on_this_site_or_the_given_one(settings):
    settings.SITE_URL = "https://survey.example.org"

    assert personal_link("token") == "https://survey.example.org/invitation/token/"
    assert personal_link("token", "http://127.0.0.1:8000/") == (
        "http://127.0.0.1:8000/invitation/token/"
    )


# Lists


def test_invite_listed_creates_a_link_per_line(study):
    listed = invite_listed(study, ["  ana@example.org\r\n", "", "seat 7", "\n", "Žiga"])

    assert notes() == ["ana@example.org", "seat 7", "Žiga"]
    assert [invitation.note for invitation in listed.new] == notes()
    assert listed.existing == []


def test_invite_listed_again_returns_the_existing_links(study):
    first = invite_listed(study, ["a", "b"])

    again = invite_listed(study, ["c", "b", "a"])

    assert [invitation.note for invitation in again.new] == ["c"]
    assert {(i.note, i.token) for i in again.existing} == {(i.note, i.token) for i in first.new}
    assert notes() == ["a", "b", "c"]


def test_invite_listed_of_a_known_list_creates_nothing(study):
    invite_listed(study, ["a", "b"])

    assert invite_listed(study, ["a", "b"]).new == []

    assert notes() == ["a", "b"]


def test_invite_listed_does_not_mix_studies(study):
    other = make_study(2, slug="other")
    invite_listed(other, ["a"])

    assert [i.study for i in invite_listed(study, ["a"]).new] == [study]

    assert Invitation.objects.count() == 2


def test_invite_listed_leaves_used_links_alone(study):
    (used,) = invite_listed(study, ["a"]).new
    start(study, used)
    before = list(Invitation.objects.order_by("pk").values())

    invite_listed(study, ["a"])

    assert list(Invitation.objects.order_by("pk").values()) == before


def test_invite_listed_replaces_a_revoked_link(study):
    (revoked,) = invite_listed(study, ["a"]).new
    revoke_invitation(revoked, "sent to a wrong address")

    (again,) = invite_listed(study, ["a"]).new

    assert again.token != revoked.token
    assert stored(revoked, "note", "revoked_because") == ("a", "sent to a wrong address")


def test_invite_listed_invites_an_address_once(study):
    invite_listed(study, ["ana@example.org", "bo@example.org", "ana@example.org "])

    assert notes() == ["ana@example.org", "bo@example.org"]


def test_invite_listed_accepts_the_longest_note(study):
    invite_listed(study, ["x" * LONGEST_NOTE])

    assert notes() == ["x" * LONGEST_NOTE]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "the list is empty"),
        (["", " \n"], "the list is empty"),
        (["a", "", "a "], "line 3 says the same as line 1"),
        (["a", "x" * (LONGEST_NOTE + 1)], "line 2 is longer than 200 characters"),
        (["a", "b\0"], "line 2 holds a null character"),
        (["a", "a", "x" * 201], "line 2 says the same as line 1; line 3 is longer than 200"),
    ],
    ids=["nothing", "empty lines", "twice", "too long", "null character", "all of it"],
)
def test_invite_listed_refuses_and_invites_nobody(study, lines, said):
    with pytest.raises(InvitationRefused, match=f"Nobody was invited: {said}"):
        invite_listed(study, lines)

    assert notes() == []


# Entrances


def test_open_entrance_stores_its_settings(study):
    entrance = open_entrance(study, "prolific", cap=40, completion_code="C1", no_place_code="C2")

    assert stored(
        entrance, "study", "provider", "cap", "completion_code", "no_place_code", "closed_at"
    ) == (study.pk, "prolific", 40, "C1", "C2", None)


def test_open_entrance_again_changes_the_given_settings(study):
    first = open_entrance(study, "prolific", cap=40, completion_code="C1")

    again = open_entrance(study, "prolific", cap=50)

    assert (again, again.token) == (first, first.token)
    assert stored(first, "cap", "completion_code") == (50, "C1")


def test_a_study_has_one_entrance_per_provider(study):
    first, second = open_entrance(study, "link"), open_entrance(study, "prolific")

    assert first.token != second.token
    assert Entrance.objects.count() == 2


def test_close_entrance_again_keeps_the_first_instant(study):
    entrance = close_entrance(open_entrance(study, "link"))
    closed_at = entrance.closed_at

    assert closed_at is not None
    assert close_entrance(entrance).closed_at == closed_at


def test_open_entrance_reopens_a_closed_one(study):
    closed = close_entrance(open_entrance(study, "link", cap=3))

    assert open_entrance(study, "link") == closed

    assert stored(closed, "closed_at", "cap") == (None, 3)


@pytest.mark.parametrize(
    ("provider", "chosen", "said"),
    [
        ("nobody", {}, "No such provider: nobody"),
        ("link", {"kap": 3}, "No such setting: kap"),
        ("link", {"cap": -1}, "whole number from 0"),
        ("link", {"cap": "3"}, "whole number from 0"),
        ("prolific", {"completion_code": "x" * 41}, "completion code may have up to 40"),
        ("prolific", {"no_place_code": "a&b"}, "no place code may have up to 40"),
    ],
)
def test_open_entrance_refuses_invalid_settings(study, provider, chosen, said):
    with pytest.raises(SettingRefused, match=said):
        open_entrance(study, provider, **chosen)

    assert not Entrance.objects.exists()
