"""Numbers of runs and releases on pages, and the marks of rehearsals."""

import re

import pytest

from surveys.models import JobState, Run, Study
from surveys.recruitment.links import invite_scripted_annotators
from surveys.results.runs import request_export, request_release, request_results
from surveys.templatetags.dates import day
from tests.factories.jobs import perform_run
from tests.factories.pages import page, read
from tests.factories.studies import QUICK, finish, make_release, make_study, start

pytestmark = pytest.mark.usefixtures("figures_rendered_once")

PLAIN = {"has_report": False}


@pytest.fixture
def busy_study(db) -> Study:
    """A study with runs and releases, so that ids and numbers differ."""
    other = make_study(2, slug="other", ratings_per_context=4)
    for _ in range(3):
        request_results(other, QUICK, None)
        request_release(other, QUICK, PLAIN, None)
        make_release(other, report={"counts": {}})
    return other


def make(study: Study, **wishes: object) -> Run:
    run = request_release(study, QUICK, {**PLAIN, **wishes}, None)
    perform_run(run.pk)
    run.refresh_from_db()
    return run


def test_the_next_release_has_the_recipe_of_the_last_one(study, owner):
    for _ in range(4):
        finish(start(study))
    made = make(study)
    looked = request_results(study, QUICK, None)
    perform_run(looked.pk)

    def chosen(query: str) -> str:
        text = owner.get(page("release", study) + query).content.decode()
        return re.search(r'<option value="([^"]*)"[^>]* selected', text)[1]

    assert chosen("") == str(made.pk)
    assert chosen(f"?run={looked.pk}") == str(looked.pk)


def test_a_release_has_pages_of_its_pairs_and_ratings(study, owner):
    for _ in range(4):
        finish(start(study))
    made = make(study)

    results, pairs = read(owner, "results", study), read(owner, "pairs", study, made.pk)
    pair, ledger = (
        read(owner, "pair", study, made.pk, 1),
        read(owner, "ledger", study, made.pk),
    )

    assert f'href="{page("pairs", study, made.pk)}">Pairs of release 1</a>' in results
    assert f"<h1>Release 1: {made.recipe_name}</h1>" in pairs
    assert page("pair", study, made.pk, 2) in pairs
    assert "A01" in pair
    assert re.search(r"2 of 2\b", pair)  # ratings used
    assert "8 ratings" in ledger
    for text in (pairs, pair, ledger):
        assert re.search(r'href="[^"]*/release/"\s*aria-current="true"', text)
        assert page("plots", study, made.pk) not in text
        assert page("report", study, made.pk) not in text


def test_results_say_where_the_pairs_of_a_release_of_the_command_line_are(study, owner):
    make_release(study, report={"counts": {}})

    text = read(owner, "results", study)

    assert "Release 1 has no page of pairs here: it was created on the command line." in text
    assert "Run a recipe below" in text
    assert "Run a recipe below" not in read(owner, "release", study)


def test_pages_name_everything_by_its_number_in_the_study(busy_study, study, owner):
    for _ in range(4):
        finish(start(study))
    failed, made = make(study, complete=True), make(study)
    elsewhere = make_release(study, report={"counts": {}})
    results, export = request_results(study, QUICK, None), request_export(study, "csv", None)
    for run in (results, export):
        perform_run(run.pk)

    assert (failed.state, made.state, elsewhere.number) == (JobState.FAILED, JobState.DONE, 3)
    listed = read(owner, "release", study)
    assert ">Release 1</a> </th>" in listed
    assert '<span class="badge grave">Failed</span>' in listed
    assert ">Release 2</a> </th>" in listed
    assert "Release 3, created on the command line" in listed
    assert '<option value="' in listed
    made_on = day(made.release.created_at).replace("\u00a0", " ")
    assert f">Release 2 of {made_on}</option>" in listed
    assert "<h1>Release 1 (failed)</h1>" in read(owner, "run", study, failed.pk)
    assert "<h1>Release 2</h1>" in read(owner, "run", study, made.pk)
    assert ">Run 1</a>" in read(owner, "results", study)
    assert "<h1>Run 1: " in read(owner, "run", study, results.pk)
    assert "<h1>Ratings ledger of run 1</h1>" in read(owner, "ledger", study, results.pk)
    assert '<span class="hint">(1)</span>' in read(owner, "jobs", study)
    for run, name in ((made, "study_en_2.zip"), (results, "results_study_1.zip")):
        answer = owner.get(page("download", study, run.pk))
        assert f'filename="{name}"' in answer["Content-Disposition"]
    log = read(owner, "log", study)
    for name in ("Started release 1", "Finished release 2", "Finished run 1", "(export 1)"):
        assert f"{name}</th>" in log
    assert f"run {made.pk}" not in log


def test_a_release_with_ratings_by_scripts_is_named_a_rehearsal(study, owner):
    for rating, invitation in enumerate(invite_scripted_annotators(study, 4), 1):
        finish(start(study, invitation), rating=rating)
    made, results = make(study), request_results(study, QUICK, None)
    perform_run(results.pk)

    mark = '<strong class="warning">REHEARSAL</strong>'
    assert f"Release 1</a> {mark} </th>" in read(owner, "release", study)
    assert f"Run 1</a> {mark} </th>" in read(owner, "results", study)
    text = read(owner, "run", study, made.pk)
    assert "<h1>REHEARSAL: Release 1</h1>" in text
    assert "<h1>REHEARSAL: Ratings ledger of release 1</h1>" in read(
        owner, "ledger", study, made.pk
    )
    assert "8 of the 8 ratings, by 4 of the 4 annotators, come from scripts." in text
    answer = owner.get(page("download", study, made.pk))
    assert 'filename="study_en_REHEARSAL_1.zip"' in answer["Content-Disposition"]


def test_a_release_by_people_is_not_named_a_rehearsal(study, owner):
    for _ in range(4):
        finish(start(study))
    made = make(study)

    for text in (read(owner, "release", study), read(owner, "run", study, made.pk)):
        assert "REHEARSAL" not in text
