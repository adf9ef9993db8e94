import io
import re
import zipfile
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import html

from postprocess.release.description.study import parse_description
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Job,
    JobState,
    Release,
    Response,
    Run,
    RunKind,
    VerdictKind,
)
from surveys.privacy.erasure import erase_annotator
from surveys.results.description import describe_study
from surveys.results.entries.description import store_written
from surveys.results.runs import request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.design import configure_study
from tests.factories.jobs import perform_run
from tests.factories.pages import page
from tests.factories.reviews import reviewer, whole
from tests.factories.studies import QUICK, finish, make_run, make_study, start

pytestmark = [
    pytest.mark.usefixtures("figures_rendered_once"),
    pytest.mark.study(of="four_finished"),
]


@pytest.fixture
def four_finished(db):
    study = make_study(4)
    for _ in range(4):
        finish(start(study))
    return study


def run_recipe(client, study, capture, recipe=QUICK):
    with capture(execute=True):
        answer = client.post(page("recipe_text", study), {"recipe": recipe})
    assert answer.status_code == 302, answer.content.decode()
    return Run.objects.latest("pk")


def test_a_recipe_is_run_and_its_report_and_files_are_there(
    study, researcher, django_capture_on_commit_callbacks
):
    run = run_recipe(researcher, study, django_capture_on_commit_callbacks)

    assert (run.state, run.recipe_name, run.error) == ("done", "raw", "")
    overview = researcher.get(page("run", study, run.pk)).content.decode()
    for figure in ("given", "current", "used"):  # of 4 pairs, 2 contexts, 2 ratings
        assert f"<dt>Ratings {figure}</dt><dd>16</dd>" in overview
    places = [overview.index(name) for name in ("q &lt; 0.05", "two-sided p", "as published")]
    assert places == sorted(places)
    report = researcher.get(page("report", study, run.pk))
    assert b"<h1" in report.content
    assert b"<svg" in report.content
    assert f'<a href="{page("run", study, run.pk)}">Back to run 1</a>' in report.content.decode()
    assert b" style=" not in report.content  # the policy of the page refuses them
    policy = report["Content-Security-Policy"]
    assert "sandbox" in policy
    assert "unsafe" not in policy
    archive = b"".join(researcher.get(page("download", study, run.pk)).streaming_content)
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        names = {name.partition("/")[2] for name in files.namelist()}
    assert {"study_en.csv", "ledger.tsv", "recipe.toml", "report.html"} <= names
    assert AuditEntry.objects.filter(action="results.requested", actor="ana").exists()


def words_of(page: str | bytes) -> set[str]:
    """Return the words that the rows of a page's tables name."""
    cells = html.document_fromstring(page).xpath("//tbody//*[contains(@class, 'both')]")
    return {" ".join(cell.text_content().split()) for cell in cells}


def test_the_ledger_is_searched(study, researcher, django_capture_on_commit_callbacks):
    run = run_recipe(researcher, study, django_capture_on_commit_callbacks)

    def search(**wanted):
        return researcher.get(page("ledger", study, run.pk), wanted).content.decode()

    assert "16 ratings" in search()
    code = Annotator.objects.first().code
    assert "4 ratings" in search(annotator=code)
    assert page("annotator", study, code) in search(annotator=code)
    assert page("pair", study, run.pk, 3) in search(pair="3")
    assert words_of(search(pair="3")) == {str(study.pairs.get(position=3)).replace(" – ", " · ")}
    assert "2 ratings" in search(pair="3", context="2")
    assert "No rating matches" in search(reason="*")
    assert "pair must be a number" in search(pair="three")


def test_compared_runs_have_dashes_and_minus_signs(
    study, researcher, django_capture_on_commit_callbacks
):
    questionnaires = Assignment.objects.order_by("questionnaire", "pk")
    for assignment, rating in zip(questionnaires, (6, 5, 1, 0), strict=True):
        assignment.responses.update(rating=rating)
    file_answers(study)
    give_verdict(whole(study), reviewer(study), VerdictKind.REJECTED, "at random")
    strict = QUICK.replace("rejected_engagement = false", "rejected_engagement = true")
    first = run_recipe(researcher, study, django_capture_on_commit_callbacks)
    second = run_recipe(researcher, study, django_capture_on_commit_callbacks, strict)

    answer = researcher.get(page("compare", study), {"first": first.pk, "second": second.pk})

    text = html.document_fromstring(answer.content).get_element_by_id("content").text_content()
    assert words_of(answer.content) <= {str(p).replace(" – ", " · ") for p in study.pairs.all()}
    assert words_of(answer.content)
    assert "engagement rejected" in text
    assert re.search(r"−\d\.\d\d → −\d\.\d\d", text)
    assert 'data-label="One-sided p, as published"' in answer.content.decode()
    assert re.findall(r"moved by|\bnan\b|\bNone\b|(?<![\w-])-\d", text) == []


def test_two_runs_are_compared_with_a_warning_of_erased_annotators(
    study, researcher, django_capture_on_commit_callbacks
):
    other = QUICK.replace("maximum = 10", "maximum = 1")
    first, second = (
        run_recipe(researcher, study, django_capture_on_commit_callbacks, recipe)
        for recipe in (QUICK, other)
    )
    asked = {"first": first.pk, "second": second.pk}
    before = researcher.get(page("compare", study), asked).content.decode()
    erase_annotator(Annotator.objects.latest("pk"), "asked by mail")

    after = researcher.get(page("compare", study), asked).content.decode()

    assert "Pairs with different scores" in before
    assert "withdrew or was erased" not in before
    for which in ("first", "second"):
        assert f"The {which} run was made before 1 annotator withdrew or was erased" in " ".join(
            after.split()
        )


def test_an_error_of_the_library_is_stored_in_the_run(
    researcher, sign_in, django_capture_on_commit_callbacks
):
    empty = make_study(1, slug="empty")
    run = request_results(empty, QUICK, None)

    perform_run(run.pk)

    run.refresh_from_db()
    assert run.state == JobState.FAILED
    assert "have no rating from a finished questionnaire" in run.error


def test_a_run_is_performed_once(study):
    run = request_results(study, QUICK, None)
    Job.objects.filter(run=run).update(state=JobState.RUNNING)

    perform_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.report) == (JobState.RUNNING, None)


def test_an_interrupted_run_is_retried(study, researcher, django_capture_on_commit_callbacks):
    run = request_results(study, QUICK, None)
    assert (
        researcher.post(page("retry", study, run.pk)).status_code == 409
    )  # it may still be running
    Job.objects.update(state=JobState.RUNNING, heard_at=timezone.now() - timedelta(minutes=11))
    assert "interrupted" in researcher.get(page("run", study, run.pk)).content.decode()

    with django_capture_on_commit_callbacks(execute=True):
        researcher.post(page("retry", study, run.pk))

    run.refresh_from_db()
    assert run.state == JobState.DONE


@pytest.mark.usefixtures("kept_contexts")
def test_a_release_is_created_and_downloaded(study, researcher, django_capture_on_commit_callbacks):
    Response.objects.update(words_shown_at=F("rated_at") - timedelta(seconds=31))
    request_results(study, QUICK, None)  # its recipe is that of the first choice
    recipe = researcher.get(page("release", study)).context["form"]["recipe"].value()
    store_written(study, "[dataset]\nsummary = 'Ratings of words.'")
    with django_capture_on_commit_callbacks(execute=True):
        answer = researcher.post(
            page("release", study), {"recipe": recipe, "n_practice": 0, "seed": 0}
        )
    assert answer.status_code == 302

    run = Run.objects.releases().get()
    assert (run.state, run.error) == ("done", "")
    assert run.recipe == QUICK
    assert run.release == Release.objects.get()
    archive = b"".join(researcher.get(page("download", study, run.pk)).streaming_content)
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        assert files.testzip() is None
        described = parse_description(files.read("study_en/description.toml"))
    facts = describe_study(study)
    assert (described.collection, described.recruitment) == (facts.collection, facts.recruitment)
    assert described.collection.median_seconds_per_item == 31
    assert described.dataset.summary == "Ratings of words."
    assert (
        f"Release {run.release.number}" in researcher.get(page("release", study)).content.decode()
    )


def test_the_pages_of_a_release_count_no_answers(study, researcher):
    for name in ("release", "description"):
        with CaptureQueriesContext(connection) as asked:
            researcher.get(page(name, study))

        assert not [query for query in asked if "surveys_response" in query["sql"]]


def test_a_release_with_gaps_is_refused_on_request(
    study, researcher, django_capture_on_commit_callbacks
):
    wanted = {"recipe": "raw", "n_practice": 0, "seed": 0, "complete": "on"}
    with django_capture_on_commit_callbacks(execute=True):
        researcher.post(page("release", study), wanted)

    run = Run.objects.get()
    assert run.state == JobState.FAILED
    assert not Release.objects.exists()


@pytest.mark.parametrize(
    ("kind", "step"), [(RunKind.RESULTS, "Results"), (RunKind.RELEASE, "Release")]
)
def test_a_run_and_a_release_lead_back_to_their_lists(kind, step, study, researcher):
    run = make_run(study, kind, recipe=QUICK, state=JobState.FAILED)

    menu = researcher.get(page("run", study, run.pk)).wsgi_request.menu()

    assert [link.label for link in menu.links if link.current] == [step]
    assert menu.parent.label == step


def test_the_gaps_of_a_release_link_to_the_form_of_the_description(study, researcher):
    gap = {"file": "README.md", "section": "Summary", "what": "what it is"}
    run = make_run(
        study, RunKind.RELEASE, recipe=QUICK, state=JobState.DONE,
        report={"to_be_written": [gap]}, request={"description": "[dataset]\nsummary = 'Pairs.'"},
    )  # fmt: skip

    text = researcher.get(page("run", study, run.pk)).content.decode()

    written = re.search(r"(\d+) of (\d+) entries were written", " ".join(text.split()))
    listed = researcher.get(page("release", study)).content.decode()
    assert int(written[1]) + text.count("#id_") == int(written[2])
    assert f"{written[1]} of {written[2]}</td>" not in listed  # there is no release of the run
    assert f'href="{page("description", study)}?run={run.pk}#id_dataset-licence"' in text
    assert "#id_dataset-summary" not in text
    assert "README.md" not in text


@pytest.mark.usefixtures("kept_contexts")
def test_the_recipe_of_a_run_can_be_changed(study, researcher, django_capture_on_commit_callbacks):
    run = run_recipe(researcher, study, django_capture_on_commit_callbacks)
    text = researcher.get(page("run", study, run.pk)).content.decode()
    address = f"{page('results', study)}?run={run.pk}"

    assert f'href="{address}#recipe"' in text
    assert researcher.get(address).context["form"]["name"].value() == "raw"


def test_runs_of_different_ratings_are_not_compared(
    study, researcher, django_capture_on_commit_callbacks
):
    first = run_recipe(researcher, study, django_capture_on_commit_callbacks)
    finish(start(make_room(study)))
    second = run_recipe(researcher, study, django_capture_on_commit_callbacks)

    answer = researcher.get(page("compare", study), {"first": first.pk, "second": second.pk})

    assert answer.status_code == 422
    said = html.fromstring(answer.content).xpath("string(//main)")
    assert "run 1 read 16 and run 2 20. Answers arrived or were withdrawn" in said


def test_runs_with_other_annotators_are_not_compared(
    study, researcher, django_capture_on_commit_callbacks
):
    first = run_recipe(researcher, study, django_capture_on_commit_callbacks)
    for annotator in Annotator.objects.all():
        Annotator.objects.filter(pk=annotator.pk).update(code=f"other{annotator.pk}")
    second = run_recipe(researcher, study, django_capture_on_commit_callbacks)

    answer = researcher.get(page("compare", study), {"first": first.pk, "second": second.pk})

    assert "their number is the same" in answer.content.decode()


def make_room(study):
    return configure_study(study, ratings_per_context=3)
