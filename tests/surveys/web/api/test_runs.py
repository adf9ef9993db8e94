import io
import zipfile

import pytest

from surveys.models import Annotator, AuditEntry, Job, Release, Run, RunKind
from surveys.privacy.erasure import withdraw_annotator
from surveys.results.ratings_table import withdrawal_cutoff
from surveys.results.run_inspection import write_recipes
from surveys.results.runs import request_results
from tests.factories.programs import errors_of
from tests.factories.studies import QUICK, finish, make_release, make_run, make_study, start

pytestmark = [pytest.mark.usefixtures("figures_rendered_once"), pytest.mark.study(of="rated_twice")]


@pytest.fixture
def rated_twice(db):
    """A study with two ratings of every context."""
    study = make_study(3)
    for rating in (1, 2, 4, 5):
        finish(start(study), rating=rating)
    return study


def test_recipes_are_listed(program):
    recipes = program().get("recipes/").json()

    assert {recipe["name"] for recipe in recipes} == set(write_recipes())


def test_a_recipe_is_run_and_its_results_read(program, study, django_capture_on_commit_callbacks):
    asking, path = program(), "studies/study/runs/"
    with django_capture_on_commit_callbacks(execute=True):
        made = asking.post(path, {"recipe": QUICK}).json()
    with django_capture_on_commit_callbacks(execute=True):
        other = asking.post(path, {"recipe": QUICK}).json()

    run = asking.get(f"{path}{made['id']}/").json()
    ledger = asking.get(f"{path}{made['id']}/ledger/", context=1).json()
    apart = asking.get(f"{path}{made['id']}/compared-with/{other['id']}/").json()
    report = asking.get(f"{path}{made['id']}/report/").json()
    files = asking.get(f"{path}{made['id']}/files/").getvalue()

    assert made["state"] == "waiting"
    assert (run["state"], run["error"], run["share_done"]) == ("done", "", 100)
    assert ledger["n_found"] == len(ledger["rows"]) == 6
    assert (apart["pairs"], apart["annotators"]) == ([], [])
    assert report["counts"]["pairs"] == 3
    assert any(
        name.endswith("recipe.toml") for name in zipfile.ZipFile(io.BytesIO(files)).namelist()
    )
    assert [one["id"] for one in asking.get(path).json()["results"]] == [made["id"], other["id"]]


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 422), ({"recipe": ""}, 422), ({"recipe": "none"}, 409),
     ({"recipe": "x = ["}, 409), ({"recipe": 'name = "x"\nmore = 1'}, 409), ({"recipe": 1}, 422)],
)  # fmt: skip
def test_an_invalid_recipe_is_refused(program, body, status):
    answer = program().post("studies/study/runs/", body)

    assert answer.status_code == status
    assert errors_of(answer)
    assert not Run.objects.exists()


@pytest.mark.parametrize("wrong", [{"pair": "x"}, {"context": "3"}, {"page": "0"}, {"more": "1"}])
def test_an_invalid_search_is_refused(program, study, wrong):
    run = request_results(study, QUICK, None)

    answer = program().get(f"studies/study/runs/{run.pk}/ledger/", **wrong)

    assert answer.status_code == 422


def test_an_unfinished_run_has_no_files(program, study):
    run = request_results(study, QUICK, None)
    asking, path = program(), f"studies/study/runs/{run.pk}/"

    for what in ("report/", "files/", "ledger/", f"compared-with/{run.pk}/"):
        assert asking.get(path + what).status_code == 404
    assert asking.post(f"{path}retry/").status_code == 409


def test_a_failed_run_is_retried(program, study, django_capture_on_commit_callbacks):
    run = request_results(study, QUICK, None)
    Job.objects.update(state="failed", error="it was")

    with django_capture_on_commit_callbacks(execute=True):
        answer = program().post(f"studies/study/runs/{run.pk}/retry/")

    assert answer.json()["state"] == "waiting"
    run.refresh_from_db()
    assert run.state == "done"


def test_a_release_is_created_and_downloaded(program, study, django_capture_on_commit_callbacks):
    asking, path = program(), "studies/study/releases/"
    told_of = asking.get("studies/study/description/").json()["description"]
    wishes = {"recipe": "raw", "description": told_of, "has_report": False, "has_log": True}
    with django_capture_on_commit_callbacks(execute=True):
        made = asking.post(path, wishes).json()

    release = asking.get(f"{path}{made['id']}/").json()
    files = asking.get(f"{path}{made['id']}/files/")

    assert (release["state"], release["error"]) == ("done", "")
    assert release["release"] == Release.objects.get().pk
    assert (release["number"], release["is_rehearsal"]) == (1, False)
    assert files["Content-Type"] == "application/zip"
    packed = zipfile.ZipFile(io.BytesIO(files.getvalue()))
    assert packed.testzip() is None
    log = packed.read("study_en/log.tsv")
    assert b"person 1\trelease.requested" in log
    assert AuditEntry.objects.filter(study=study, action="member.granted").exists()
    assert b"member.granted" not in log
    assert asking.get(f"studies/study/runs/{made['id']}/").status_code == 404


@pytest.mark.needs("sharedtasks")
def test_runs_and_releases_count_later_withdrawals(program, study, django_assert_num_queries):
    now, asking = withdrawal_cutoff(study), program()
    done = {"state": "done", "report": {}, "collected_at": now}
    run = make_run(study, RunKind.RESULTS, **done)
    for _ in range(3):
        release = make_release(study, report={}, collected_at=now)
        published = make_run(study, RunKind.RELEASE, release=release, number=release.number, **done)
    for annotator in Annotator.objects.order_by("pk")[:2]:
        withdraw_annotator(annotator)
    asking.get("studies/")

    with django_assert_num_queries(5):  # token, study, role, releases, embargoes
        listed = asking.get("studies/study/releases/").json()["results"]

    assert [one["n_withdrawn_since"] for one in listed] == [2, 2, 2]
    for path in (f"releases/{published.pk}/", f"runs/{run.pk}/"):
        assert asking.get(f"studies/study/{path}").json()["n_withdrawn_since"] == 2


def test_the_ids_of_another_studys_release_are_refused(program, study):
    other = make_study(1, slug="other")
    foreign = make_release(other, report={})

    answer = program().post("studies/study/releases/", {"recipe": "raw", "ids_of": foreign.pk})

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "RunRefused")
