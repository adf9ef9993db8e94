"""Commands for links, entrances and revocation."""

import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError

from surveys.models import Entrance, Invitation, Study
from surveys.recruitment.links import invite_annotators, invite_listed, invite_scripted_annotators
from tests.factories.studies import finish, make_study, start, stored
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=4)]

SITE = "https://survey.example.org"


@pytest.fixture(autouse=True)
def site_url(settings) -> None:
    settings.SITE_URL = SITE


@pytest.fixture
def give_input(monkeypatch):
    """Let a command read these bytes from standard input."""

    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return give


def links() -> dict[str, str]:
    return {i.note: f"{SITE}/invitation/{i.token}/" for i in Invitation.objects.all()}


def entrance(study: Study, *fields: str) -> list[tuple[object, ...]]:
    """Return some fields of the study's entrances."""
    found = Entrance.objects.filter(study=study)
    return [(row[0] is not None, *row[1:]) for row in found.values_list("closed_at", *fields)]


def address(study: Study) -> str:
    return f"{SITE}/join/{Entrance.objects.get(study=study).token}/"


def test_invite_annotators_prints_links(study):
    out, _ = run("invite_annotators", "study", "--count", "3")

    tokens = Invitation.objects.order_by("pk").values_list("token", flat=True)
    assert out.split() == [f"{SITE}/invitation/{token}/" for token in tokens]
    assert len(tokens) == 3


def test_invite_annotators_from_a_list_prints_note_and_link(study, tmp_path):
    listed = tmp_path / "people.txt"
    listed.write_bytes("\ufeffanna@example.org\r\n\r\nČrt\r\n".encode())

    out, err = run("invite_annotators", "study", "--from", listed)

    assert out == f"anna@example.org\t{links()['anna@example.org']}\nČrt\t{links()['Črt']}\n"
    assert err == "New: 2, known already: 0.\n"


def test_invite_annotators_from_a_list_prints_new_links_only(study, give_input):
    invite_listed(study, ["anna", "bert"])
    give_input(b"bert\ncarl\nanna\n")

    out, err = run("invite_annotators", "study", "--from", "-")

    assert out == f"carl\t{links()['carl']}\n"
    assert err == "New: 1, known already: 2.\n"


def test_export_invitations_prints_personal_links(study):
    start(study, invite_listed(study, ["anna", "=bert"]).new[0])
    invite_scripted_annotators(study, 1)

    out, err = run("export", "invitations", "study")

    lines = [line.rpartition(",")[0] for line in out.splitlines()]
    assert lines == [
        "note,link,state",
        f"anna,{links()['anna']},started",
        f"'=bert,{links()['=bert']},unused",
    ]
    assert err == ""


def test_export_invitations_writes_a_file_with_all(study, tmp_path):
    run("entrance", "link", "study")
    Invitation.objects.create(study=study, entrance=Entrance.objects.get())
    path = tmp_path / "links.csv"

    out, _ = run("export", "invitations", "study", "--all", "--out", path)

    assert out == ""
    assert [line.count(",") for line in path.read_text().splitlines()] == [3, 3]
    assert len(run("export", "invitations", "study")[0].splitlines()) == 1


@pytest.mark.parametrize("named", ["link", "token", "note"])
def test_revoke_invitation_finds_it_by_link_token_or_note(study, named):
    invitation = invite_listed(study, ["anna b"]).new[0]
    names = {"link": links()["anna b"], "token": invitation.token, "note": "anna b"}

    out, _ = run("revoke_invitation", "study", names[named], "--because", "moved away")

    assert out == f"Revoked invitation {invitation.pk} to study (anna b).\n"
    assert stored(invitation, "revoked_because") == ("moved away",)
    assert stored(invitation, "revoked_at") != (None,)


def test_revoke_invitation_without_a_note_keeps_submitted_answers(study):
    (invitation,) = invite_annotators(study, 1)
    assignment = start(study, invitation)
    finish(assignment)

    out, _ = run("revoke_invitation", "study", invitation.token, "--because", "x")

    assert out == f"Revoked invitation {invitation.pk} to study.\n"
    assert stored(assignment, "state") == ("submitted",)


def test_revoke_invitation_twice_keeps_the_first_reason(study):
    (invitation,) = invite_annotators(study, 1)
    run("revoke_invitation", "study", invitation.token, "--because", "first")

    out, _ = run("revoke_invitation", "study", invitation.token, "--because", "second")

    assert out == f"Nothing changed: invitation {invitation.pk} to study is revoked (first).\n"
    assert stored(invitation, "revoked_because") == ("first",)


def test_revoke_invitation_by_a_note_takes_the_link_that_is_valid(study):
    (first,) = invite_listed(study, ["anna"]).new
    run("revoke_invitation", "study", "anna", "--because", "first")
    (second,) = invite_listed(study, ["anna"]).new

    out, _ = run("revoke_invitation", "study", "anna", "--because", "second")
    again, _ = run("revoke_invitation", "study", "anna", "--because", "third")

    assert out == f"Revoked invitation {second.pk} to study (anna).\n"
    assert again == (
        f"Nothing changed: invitation {second.pk} to study (anna) is revoked (second).\n"
    )
    assert [stored(i, "revoked_because") for i in (first, second)] == [("first",), ("second",)]


def test_revoke_invitation_searches_its_study_only(study):
    (other,) = invite_annotators(make_study(slug="other"), 1)

    with pytest.raises(CommandError, match="no invitation"):
        run("revoke_invitation", "study", other.token, "--because", "x")

    assert stored(other, "revoked_at") == (None,)


def test_open_link_prints_its_address(study):
    out, err = run("entrance", "link", "study", "--cap", "40", "--completion-code", "THANKS")

    assert (out, err) == (f"{address(study)}\n", "")
    assert entrance(study, "provider", "cap", "completion_code") == [(False, "link", 40, "THANKS")]


def test_open_link_again_changes_the_given_settings_only(study):
    first, _ = run("entrance", "link", "study", "--cap", "40", "--completion-code", "THANKS")

    assert run("entrance", "link", "study", "--cap", "50")[0] == first
    assert entrance(study, "cap", "completion_code") == [(False, 50, "THANKS")]
    run("entrance", "link", "study", "--no-cap", "--no-completion-code")
    assert entrance(study, "cap", "completion_code") == [(False, None, "")]


def test_open_link_refuses_a_paid_study_without_a_code(study):
    run("configure_study", "study", "--pay", "2 €")

    with pytest.raises(CommandError, match="the open link a completion code"):
        run("entrance", "link", "study")

    run("entrance", "link", "study", "--completion-code", "THANKS")
    with pytest.raises(CommandError, match="the open link a completion code"):
        run("entrance", "link", "study", "--no-completion-code")
    assert Entrance.objects.get().completion_code == "THANKS"


def test_open_link_closes_and_opens_again(study):
    first, _ = run("entrance", "link", "study", "--cap", "40")

    out, _ = run("entrance", "link", "study", "--close")

    assert out == "The open link is closed to new annotators; those who have started can finish.\n"
    assert entrance(study, "cap") == [(True, 40)]
    assert run("entrance", "link", "study") == (first, "It was closed, and is open again.\n")
    assert run("entrance", "link", "study") == (first, "")
    assert entrance(study, "cap") == [(False, 40)]


def test_connect_prolific_prints_the_address_with_its_parameters(study):
    out, _ = run("entrance", "prolific", "study", "--completion-code", "C1", "--no-place-code",
                 "N_2", "--cap", "9")  # fmt: skip

    assert out == (
        f"{address(study)}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}\n"
    )
    assert entrance(study, "provider", "completion_code", "no_place_code", "cap") == [
        (False, "prolific", "C1", "N_2", 9)
    ]


def test_connect_prolific_again_keeps_the_address(study):
    first, _ = run("entrance", "prolific", "study", "--completion-code", "C1", "--cap", "9")

    assert run("entrance", "prolific", "study", "--completion-code", "C2")[0] == first
    assert entrance(study, "completion_code", "cap") == [(False, "C2", 9)]


def test_connect_prolific_removes_optional_settings(study):
    first, _ = run("entrance", "prolific", "study", "--completion-code", "C1", "--no-place-code",
                   "N_2", "--cap", "9")  # fmt: skip

    assert run("entrance", "prolific", "study", "--no-cap", "--without-no-place-code")[0] == first
    assert entrance(study, "completion_code", "no_place_code", "cap") == [(False, "C1", "", None)]


def test_connect_prolific_requires_a_completion_code(study):
    run("entrance", "prolific", "study", "--completion-code", "C1")

    run("entrance", "prolific", "study", "--cap", "7")
    assert entrance(study, "completion_code", "cap") == [(False, "C1", 7)]

    Entrance.objects.update(completion_code="")
    with pytest.raises(CommandError, match="Give --completion-code"):
        run("entrance", "prolific", "study", "--cap", "8")
    assert entrance(study, "completion_code", "cap") == [(False, "", 7)]


def test_connect_prolific_reopens_with_its_settings(study):
    first, _ = run("entrance", "prolific", "study", "--completion-code", "C1", "--cap", "9")
    run("entrance", "prolific", "study", "--close")

    assert run("entrance", "prolific", "study")[0] == first
    assert entrance(study, "completion_code", "cap") == [(False, "C1", 9)]


def test_connect_prolific_closes(study):
    run("entrance", "prolific", "study", "--completion-code", "C1")

    out, _ = run("entrance", "prolific", "study", "--close")

    assert out == (
        "The connection to Prolific is closed to new annotators; those who have started can "
        "finish.\n"
    )
    assert entrance(study, "completion_code") == [(True, "C1")]


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", SITE])
@pytest.mark.parametrize(
    "command",
    [("invite_annotators", "study"), ("entrance", "link", "study"),
     ("export", "invitations", "study"),
     ("entrance", "prolific", "study", "--completion-code", "C1")],
)  # fmt: skip
def test_commands_that_print_links_warn_of_an_unreachable_address(command, url, settings):
    settings.SITE_URL = url
    make_study(1)

    printed, warned = run(*command)

    assert ("warning: Links begin with http://127.0.0.1:8000" in warned) is (url != SITE)
    assert "warning" not in printed
