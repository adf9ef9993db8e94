"""The real client against a hub that behaves as the Hugging Face Hub, with its storage host."""

import json

import pytest

from surveys.models import Deposit, JobState
from surveys.results.deposit.deposit_jobs import list_requests
from tests.factories.repositories import TOKEN, make_complete_release
from tests.postprocess.release import releases
from tests.surveys.results.deposit.test_zenodo import send, without_doi

pytestmark = pytest.mark.django_db
NAME = "ana/cosimlex_sl"


def send_to_hub(release):
    return send(release, "huggingface")


def files_of(hub, name=NAME):
    return {path: hub.repositories[name]["files"][path] for path in hub.repositories[name]["files"]}


def test_a_private_repository_holds_the_files_of_the_release(hub, release):
    run = send_to_hub(release)

    assert (run.state, run.error) == (JobState.DONE, "")
    assert hub.repositories[NAME]["private"]
    assert files_of(hub) == {".gitattributes": b"lfs", **releases.release().files}
    assert hub.commits == ["Add release 1 of study study"]
    deposit = Deposit.objects.get()
    assert (deposit.remote_id, deposit.url) == (NAME, f"{hub.url}/datasets/{NAME}")
    assert deposit.sent_at
    assert len(hub.storage.objects) == 3  # the Parquet files


def test_the_requests_of_the_dry_run_are_sent_and_the_token_goes_to_the_hub_alone(hub, release):
    shown = list_requests(release, "huggingface")
    assert hub.requests == []

    send_to_hub(release)

    expected = [
        f"{step.method} {step.url}".replace("{account}", "ana")
        for step in shown if step.has_token
    ]  # fmt: skip
    sent = [one for one in hub.list_sent() if not one.endswith("/verify")]
    assert sent == expected
    assert {step.content.name for step in shown if step.content} == {*releases.release().files}
    assert all(TOKEN not in json.dumps(one.headers) for one in hub.storage.requests)
    assert TOKEN not in repr(shown)


def test_a_second_click_and_a_later_release_use_the_same_repository(hub, release):
    send_to_hub(release)
    n_objects = len(hub.storage.requests)

    send_to_hub(release)

    assert len(hub.storage.requests) == n_objects  # the hub has them
    later = make_complete_release(release.study, without_doi("words"))
    send_to_hub(later)
    assert list(hub.repositories) == [NAME]
    assert files_of(hub).keys() == {".gitattributes", "words_sl.csv", "words_sl.parquet"} | {
        path for path in releases.release().files if "cosimlex" not in path
    }
    assert Deposit.objects.get().release == later


@pytest.mark.parametrize("is_known", [False, True])
def test_a_public_repository_is_not_changed(hub, release, is_known):
    if is_known:
        send_to_hub(release)
        hub.repositories[NAME]["private"] = False
    else:
        hub.repositories[NAME] = {"private": False, "files": {}}
    before = files_of(hub)

    run = send_to_hub(release)

    assert run.state == JobState.FAILED
    assert "is public, and this site does not change what is published" in run.error
    assert files_of(hub) == before


def test_a_repository_with_other_files_is_not_changed(hub, release):
    hub.repositories[NAME] = {"private": True, "files": {"mine.csv": b"1"}}

    run = send_to_hub(release)

    assert "contains files that are not from this study" in run.error
    assert (files_of(hub), Deposit.objects.count()) == ({"mine.csv": b"1"}, 0)


def test_a_repository_whose_answer_was_lost_is_used(hub, release):
    hub.lose("POST", "/api/repos/create")
    assert send_to_hub(release).state == JobState.WAITING

    assert send_to_hub_again() == JobState.DONE
    assert len(hub.repositories) == 1


def send_to_hub_again():
    from surveys.models import Run
    from tests.factories.jobs import perform_run

    run = Run.objects.get(kind="deposit")
    perform_run(run.pk)
    run.refresh_from_db()
    return run.state


def test_files_go_to_no_host_that_is_not_listed(hub, release, settings):
    settings.HUGGING_FACE_STORAGE_HOSTS = ["storage.example.org"]

    run = send_to_hub(release)

    assert run.state == JobState.FAILED
    assert "asks to send a file to 127.0.0.1, which is not among the hosts" in run.error
    assert hub.storage.requests == []
    assert hub.commits == []


def test_an_account_of_the_settings_owns_the_repository(hub, release, settings):
    settings.HUGGING_FACE_ACCOUNT = "lab"

    send_to_hub(release)

    assert list(hub.repositories) == ["lab/cosimlex_sl"]
    assert not any(one.endswith("whoami-v2") for one in hub.list_sent())
