"""The real client against a repository that behaves as InvenioRDM's documentation says."""

import hashlib
import json

import pytest

from surveys.errors import DepositRefused
from surveys.models import AuditEntry, Deposit, JobState, Run
from surveys.results.deposit.deposit_jobs import list_requests, request_deposit
from surveys.results.runs import retry_run
from tests.factories.jobs import perform_run
from tests.factories.repositories import TOKEN, make_complete_release
from tests.postprocess.release import releases

pytestmark = pytest.mark.django_db


def send(release, repository="zenodo"):
    run = request_deposit(release, repository, None)
    perform_run(run.pk)
    return Run.objects.get(pk=run.pk)


def without_doi(name=None):
    dataset = {**releases.full_entries()["dataset"], "name": name}
    del dataset["doi"]
    return releases.release(description=releases.full_description(dataset=dataset))


@pytest.fixture(scope="module")
def release_without_doi():
    return without_doi()


def test_a_draft_with_metadata_files_and_doi_is_created(zenodo, release_without_doi):
    release = make_complete_release(made=release_without_doi)

    run = send(release)

    assert (run.state, run.error) == (JobState.DONE, "")
    (draft,) = zenodo.drafts.values()
    assert not draft["is_published"]
    files = zenodo.files[draft["id"]]
    md5 = hashlib.md5(release_without_doi.archive, usedforsecurity=False).hexdigest()
    assert files.keys() == {"cosimlex_sl.zip", "README.md"}
    assert files["cosimlex_sl.zip"]["checksum"] == f"md5:{md5}"
    assert {one["status"] for one in files.values()} == {"completed"}
    deposit = Deposit.objects.get()
    assert (deposit.release, deposit.remote_id) == (release, draft["id"])
    assert deposit.url == f"{zenodo.url}/uploads/{draft['id']}"
    assert deposit.doi == f"10.5281/zenodo.{draft['id']}"
    assert deposit.sent_at
    assert run.report == {"n_files": 2, "url": deposit.url, "host": deposit.host}
    logged = AuditEntry.objects.get(action="release.deposited")
    assert (logged.subject, logged.details["url"]) == ("release 1", deposit.url)


def test_the_metadata_are_those_of_the_description(zenodo, release_without_doi):
    send(make_complete_release(made=release_without_doi))

    (draft,) = zenodo.drafts.values()
    metadata = draft["metadata"]
    assert draft["access"] == {"record": "public", "files": "public"}
    assert metadata["resource_type"] == {"id": "dataset"}
    assert metadata["title"] == "Similarity of words in context"
    assert metadata["creators"] == [
        {"person_or_org": {
            "type": "personal", "family_name": "Novak", "given_name": "Ana",
            "identifiers": [{"scheme": "orcid", "identifier": "0000-0002-1825-0097"}]}},
        {"person_or_org": {"type": "organizational", "name": "The Similarity Group"}},
    ]  # fmt: skip
    assert (metadata["publication_date"], metadata["version"]) == ("2026-11-30", "1.2.0")
    assert metadata["rights"] == [{"id": "cc-by-4.0"}]
    assert metadata["languages"] == [{"id": "slv"}]
    assert metadata["subjects"] == [{"subject": "Slovene"}]
    notes = metadata["additional_descriptions"][-1]
    assert notes["type"] == {"id": "notes"}
    assert hashlib.sha256(release_without_doi.archive).hexdigest() in notes["description"]


def test_exactly_the_requests_of_the_dry_run_are_sent(zenodo, release_without_doi):
    release = make_complete_release(made=release_without_doi)
    shown = list_requests(release, "zenodo")
    assert zenodo.requests == []

    send(release)

    (number,) = zenodo.drafts
    expected = [
        f"{step.method} {step.url}".replace("{draft}", number)
        for step in shown if "another file" not in step.when
    ]  # fmt: skip
    assert zenodo.list_sent() == expected
    created = next(step for step in shown if step.purpose == "Create the draft")
    (sent,) = (one for one in zenodo.requests if one.path == "/api/records")
    assert json.loads(sent.body) == created.body
    assert not any("publish" in sent.path for sent in zenodo.requests)
    assert TOKEN not in repr(shown)


def test_a_second_click_changes_the_same_draft(zenodo, release_without_doi):
    release = make_complete_release(made=release_without_doi)
    send(release)
    n_requests = len(zenodo.requests)

    send(release)

    assert len(zenodo.drafts) == Deposit.objects.count() == 1
    again = zenodo.list_sent()[n_requests:]
    assert [one.partition(" ")[0] for one in again] == ["GET", "PUT", "GET"]  # no file is sent
    (draft,) = zenodo.drafts.values()
    assert draft["pids"]["doi"]["identifier"] == Deposit.objects.get().doi


def test_a_later_release_replaces_the_files_and_keeps_the_doi(zenodo, release_without_doi):
    first = make_complete_release(made=release_without_doi)
    send(first)
    doi = Deposit.objects.get().doi
    later = make_complete_release(first.study, without_doi("words"))

    send(later)

    (number,) = zenodo.drafts
    assert zenodo.files[number].keys() == {"words_sl.zip", "README.md"}
    deposit = Deposit.objects.get()
    assert (deposit.release, deposit.doi) == (later, doi)


def test_an_interrupted_upload_is_continued(zenodo, release_without_doi):
    zenodo.fail("PUT", "README.md/content", 400, {"message": "Broken."})
    run = send(make_complete_release(made=release_without_doi))
    assert run.state == JobState.FAILED
    assert "refused to send README.md (400: Broken.)" in run.error
    assert Deposit.objects.get().sent_at is None

    again = retry_run(run)
    perform_run(again.pk)

    again.refresh_from_db()
    assert again.state == JobState.DONE
    assert len(zenodo.drafts) == 1
    sent = [one for one in zenodo.list_sent() if one.endswith("cosimlex_sl.zip/content")]
    assert len(sent) == 1  # the archive had arrived


def test_a_draft_whose_answer_was_lost_is_found_again(zenodo, release_without_doi):
    zenodo.lose("POST", "/api/records")
    run = send(make_complete_release(made=release_without_doi))
    assert (run.state, Deposit.objects.count()) == (JobState.WAITING, 0)
    assert "does not respond" in run.error

    perform_run(run.pk)

    run.refresh_from_db()
    assert run.state == JobState.DONE
    assert len(zenodo.drafts) == 1


def test_a_repository_that_is_down_is_tried_later(zenodo, release_without_doi):
    zenodo.fail("GET", "/api/user/records", 503)

    run = send(make_complete_release(made=release_without_doi))

    assert run.state == JobState.WAITING
    assert "cannot take the draft now (503: later). Nothing was published." in run.error


def test_a_published_draft_is_not_changed(zenodo, release_without_doi):
    release = make_complete_release(made=release_without_doi)
    send(release)
    (draft,) = zenodo.drafts.values()
    draft["is_published"] = True

    run = send(release)

    assert run.state == JobState.FAILED
    assert "has been published" in run.error
    assert len(zenodo.drafts) == 1


def test_a_draft_that_was_deleted_there_is_created_again(zenodo, release_without_doi):
    release = make_complete_release(made=release_without_doi)
    send(release)
    zenodo.drafts.clear()

    run = send(release)

    assert run.state == JobState.DONE
    assert Deposit.objects.get().remote_id in zenodo.drafts


def test_a_wrong_token_is_explained_without_it(zenodo, release_without_doi, settings):
    settings.ZENODO_TOKEN = "wrong-token"

    run = send(make_complete_release(made=release_without_doi))

    assert run.state == JobState.FAILED
    assert "(403: Permission denied.)" in run.error
    assert "whether ZENODO_TOKEN is a valid token" in run.error
    assert "wrong-token" not in run.error


def test_what_the_repository_finds_wrong_is_listed(zenodo, release_without_doi):
    errors = [{"field": "metadata.title", "messages": ["Too short."]}]
    answer = {"message": "A validation error occurred.", "errors": errors}
    zenodo.fail("POST", "/api/records", 400, answer)

    run = send(make_complete_release(made=release_without_doi))

    assert "(400: A validation error occurred.; metadata.title: Too short.)" in run.error
    assert "such as an entry of the description" in run.error


def test_redirects_are_not_followed(zenodo, hub, release_without_doi):
    zenodo.fail("GET", "/api/user/records", 307, {"message": "elsewhere"})

    run = send(make_complete_release(made=release_without_doi))

    assert run.state == JobState.FAILED
    assert hub.requests == []


def test_a_file_that_arrives_damaged_is_noticed(zenodo, release_without_doi):
    damaged = {"key": "cosimlex_sl.zip", "status": "completed", "checksum": "md5:0"}
    zenodo.fail("POST", "cosimlex_sl.zip/commit", 200, damaged)

    run = send(make_complete_release(made=release_without_doi))

    assert run.error == "cosimlex_sl.zip did not arrive as it was sent. Try again to send it."


def test_an_answer_in_another_format_is_refused(zenodo, release_without_doi):
    zenodo.fail("POST", "/api/records", 200, {"number": 1})

    assert (
        "does not answer as its documentation says: no id"
        in send(make_complete_release(made=release_without_doi)).error
    )


def test_a_doi_from_elsewhere_is_that_of_the_draft(zenodo, release):
    send(release)

    (draft,) = zenodo.drafts.values()
    external = {"doi": {"identifier": "10.5281/zenodo.1234567", "provider": "external"}}
    assert draft["pids"] == external
    assert not any(one.endswith("/pids/doi") for one in zenodo.list_sent())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"verified_at": None, "n_figures": None, "n_differences": None}, "not verified yet"),
        ({"n_differences": 2}, "has 2 differences"),
    ],
)
def test_a_release_that_is_not_confirmed_is_refused(zenodo, changes, reason):
    release = make_complete_release(**changes)

    with pytest.raises(DepositRefused, match=reason):
        request_deposit(release, "zenodo", None)
    with pytest.raises(DepositRefused, match=reason):
        list_requests(release, "zenodo")
    assert not Run.objects.filter(kind="deposit").exists()


def test_an_incomplete_a_rehearsed_and_an_unkept_release_are_refused(zenodo, release):
    missing = [{"file": "README.md", "section": "Uses", "what": "what for"}]
    for report, reason in (
        ({"to_be_written": missing}, "Its description is incomplete"),
        ({"counts": {**release.report["counts"], "ratings_scripted": 1}}, "a rehearsal"),
    ):
        changed = make_complete_release(release.study)
        changed.report = {**release.report, **report}
        changed.save()
        with pytest.raises(DepositRefused, match=reason):
            request_deposit(changed, "zenodo", None)
    Run.objects.filter(release=release).update(archive="")
    release.refresh_from_db()
    with pytest.raises(DepositRefused, match="does not keep its files"):
        request_deposit(release, "zenodo", None)
    assert zenodo.requests == []


def test_nothing_is_sent_without_a_token(release, settings):
    settings.ZENODO_TOKEN = ""

    with pytest.raises(DepositRefused, match="Drafts at Zenodo are off on this site"):
        request_deposit(release, "zenodo", None)
