"""Verification of releases by the API."""

import pytest
from django.db import transaction

from surveys.models import AuditEntry, Release, Role, Run, RunKind
from surveys.results.ratings_table import withdrawal_cutoff
from surveys.results.runs import request_release, request_verification
from tests.factories.jobs import perform_run
from tests.factories.programs import errors_of
from tests.factories.studies import QUICK, finish, make_run, make_study, start

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="released")]
DIFFERENCES = [["scores.tsv", f"row {n}, sim1", "9.99", f"{n}"] for n in range(5)]
NAMES = ("file", "place", "published", "computed")


@pytest.fixture(scope="module")
def released(django_db_setup, django_db_blocker):
    """The id of the finished run of a release, made once; changes by a test are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = make_study(2)
        for rating in (1, 5, 2, 4):
            finish(start(study), rating=rating)
        run = request_release(study, QUICK, {"has_report": False}, None)
        perform_run(run.pk)
        yield run.pk
        transaction.set_rollback(True)


@pytest.fixture
def verified_run(study, released):
    return Run.objects.get(pk=released)


def path_of(run, rest):
    return f"studies/study/releases/{run.pk}/{rest}/"


def test_a_release_is_verified_again(program, verified_run, django_capture_on_commit_callbacks):
    Release.objects.update(verified_at=None, n_figures=None, n_differences=None)
    asking = program(Role.RESEARCHER)
    with django_capture_on_commit_callbacks(execute=True):
        answer = asking.post(path_of(verified_run, "verification"))

    done = asking.get(path_of(verified_run, "verification")).json()
    release = asking.get(f"studies/study/releases/{verified_run.pk}/").json()

    assert (answer.status_code, answer.json()["state"]) == (201, "waiting")
    assert answer.json()["n_figures"] is None
    assert (done["id"], done["state"], done["n_differences"]) == (answer.json()["id"], "done", 0)
    assert done["n_figures"] == release["n_figures"] > 0
    assert release["verification"].startswith("All ")
    assert (done["n_reservations"], release["reservations"]) == (0, [])
    entries = AuditEntry.objects.filter(action="verify.requested")
    assert [entry.actor for entry in entries] == ["ana"]


def test_no_second_verification_starts_beside_one(program, verified_run):
    request_verification(verified_run.release, None)

    answer = program().post(path_of(verified_run, "verification"))

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "RunRefused")
    assert Run.objects.filter(kind=RunKind.VERIFY).count() == 1


def test_a_release_that_nobody_asked_to_verify_has_no_verification(program, verified_run):
    assert program().get(path_of(verified_run, "verification")).status_code == 404


def test_differences_are_listed_in_pages(program, verified_run):
    Release.objects.update(n_differences=5, differences=DIFFERENCES)
    asking = program()

    whole = asking.get(path_of(verified_run, "differences")).json()
    first = asking.get(path_of(verified_run, "differences"), limit=3).json()
    cursor = first["next"].rpartition("cursor=")[2].partition("&")[0]
    second = asking.get(path_of(verified_run, "differences"), limit=3, cursor=cursor).json()
    exact = asking.get(path_of(verified_run, "differences"), limit=5).json()

    expected = [dict(zip(NAMES, one, strict=True)) for one in DIFFERENCES]
    assert whole == exact == {"next": None, "results": expected}
    assert [*first["results"], *second["results"]] == expected
    assert second["next"] is None


def test_a_confirmed_release_has_no_differences(program, verified_run):
    listed = program().get(path_of(verified_run, "differences")).json()

    assert listed == {"next": None, "results": []}


@pytest.mark.parametrize(("wanted", "status"), [({"limit": "0"}, 422), ({"cursor": "!"}, 404)])
def test_an_invalid_page_of_differences_is_refused(program, verified_run, wanted, status):
    assert program().get(path_of(verified_run, "differences"), **wanted).status_code == status


@pytest.mark.parametrize("rest", ["verification", "differences"])
def test_only_a_finished_release_of_the_study_is_found(program, study, rest):
    asking = program()
    waiting = request_release(study, QUICK, {}, None)
    other = make_study(1, slug="other")
    done = {"state": "done", "report": {}, "collected_at": withdrawal_cutoff(study)}
    elsewhere = make_run(other, RunKind.RELEASE, **done)
    results = make_run(study, RunKind.RESULTS, **done)

    for run in (waiting, elsewhere, results):
        assert asking.get(path_of(run, rest)).status_code == 404
    assert asking.post(path_of(waiting, "verification")).status_code == 404
    assert not Run.objects.filter(kind=RunKind.VERIFY).exists()


def test_a_release_without_its_files_cannot_be_verified(program, verified_run):
    Run.objects.filter(pk=verified_run.pk).update(archive="")

    answer = program().post(path_of(verified_run, "verification"))

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "RunRefused")
    assert "python -m postprocess verify" in errors_of(answer)[0][1]
