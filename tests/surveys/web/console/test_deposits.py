"""Deposits on pages and by the command: all requests are shown before any is sent."""

import pytest
from django.core.management.base import CommandError

from surveys.models import AuditEntry, Deposit, Release, Role, Run
from tests.factories.pages import page, read
from tests.factories.repositories import TOKEN, make_complete_release
from tests.surveys.management.running import run as run_command


@pytest.fixture
def study_release(study):
    return make_complete_release(study)


def press(client, release, repository="zenodo"):
    return client.post(page("deposit", release.study, release.number, repository))


@pytest.mark.every_database
def test_the_requests_are_shown_and_a_button_sends_them(
    zenodo, study_release, researcher, django_capture_on_commit_callbacks
):
    study = study_release.study
    text = read(researcher, "run", study, study_release.run.pk)
    assert "No draft of this study." in text
    shown = read(researcher, "deposit", study, study_release.number, "zenodo")
    assert "Nothing has been sent yet." in shown
    assert f"<code>POST {zenodo.url}/api/records</code>" in shown
    assert "Authorization: Bearer (ZENODO_TOKEN)" in shown
    assert "&quot;title&quot;: &quot;Similarity of words in context&quot;" in shown
    assert "cosimlex_sl.zip" in shown
    assert TOKEN not in shown
    assert zenodo.requests == []

    with django_capture_on_commit_callbacks(execute=True):
        answer = press(researcher, study_release)

    assert answer["Location"] == page("run", study, study_release.run.pk)
    deposit = Deposit.objects.get()
    text = read(researcher, "run", study, study_release.run.pk)
    assert f'<a href="{deposit.url}" rel="noreferrer">Draft of this release</a>, sent on' in text
    again = read(researcher, "deposit", study, study_release.number, "zenodo")
    assert "it is updated, and no second one is created" in again
    assert "(2 files, 127.0.0.1:" in read(researcher, "jobs", study)
    assert AuditEntry.objects.filter(action="deposit.requested", actor="ana").exists()
    stored = str(list(Run.objects.values())) + str(list(AuditEntry.objects.values()))
    assert TOKEN not in stored


def test_an_obstacle_is_explained_instead_of_the_button(zenodo, study_release, researcher):
    Release.objects.update(n_differences=1)

    text = read(researcher, "run", study_release.study, study_release.run.pk)

    assert "This release cannot be sent. It has 1 difference from what the ratings give." in text
    assert page("deposit", study_release.study, study_release.number, "zenodo") not in text
    assert press(researcher, study_release).status_code == 409
    assert zenodo.requests == []


def test_without_a_token_no_page_mentions_repositories(study_release, researcher):
    assert "Drafts in repositories" not in read(
        researcher, "run", study_release.study, study_release.run.pk
    )
    refused = researcher.get(page("deposit", study_release.study, study_release.number, "zenodo"))
    assert refused.status_code == 409
    assert "Drafts at Zenodo are off on this site." in refused.content.decode()


def test_a_failure_is_shown_with_its_advice(
    zenodo, study_release, researcher, settings, django_capture_on_commit_callbacks
):
    settings.ZENODO_TOKEN = "wrong"
    with django_capture_on_commit_callbacks(execute=True):
        press(researcher, study_release)

    text = read(researcher, "run", study_release.study, study_release.run.pk)

    assert "Ask an operator whether ZENODO_TOKEN is a valid token of this host" in text


@pytest.mark.parametrize("role", [Role.REVIEWER, None])
def test_only_those_who_release_can_deposit(zenodo, study_release, sign_in, role):
    other = sign_in(role, "other")

    assert press(other, study_release).status_code == (403 if role else 404)
    assert not Run.objects.filter(kind="deposit").exists()
    assert zenodo.requests == []


def test_the_command_shows_the_requests_and_sends_them(hub, study_release):
    command = ("deposit_release", "study", "1", "huggingface")
    shown, _ = run_command(*command, "--dry-run")
    assert "POST " + hub.url + "/api/repos/create" in shown
    assert '"visibility": "private"' in shown
    assert "README.md, " in shown
    assert shown.endswith("Nothing was sent.\n")
    assert TOKEN not in shown
    assert hub.requests == []

    sent, _ = run_command(*command)

    assert f"release 1 sent as a draft: {hub.url}/datasets/ana/cosimlex_sl\n" in sent
    hub.repositories["ana/cosimlex_sl"]["private"] = False
    with pytest.raises(CommandError, match="is public"):
        run_command(*command)
