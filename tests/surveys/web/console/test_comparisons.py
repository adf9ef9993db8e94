"""Pages on the comparison with another collection."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.models import ImportedCollection, JobState, Role, Run, RunKind
from surveys.results.comparisons.candidates import list_candidates
from surveys.results.comparisons.comparing import ComparisonRequest, request_comparison
from tests.factories.imported import OF_MODEL, import_model, rated_study, ratings_csv
from tests.factories.jobs import perform_run
from tests.factories.pages import page, read
from tests.factories.studies import finish, make_run, make_study, start

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=3)]
PAGES = ("comparison", "comparison_report", "comparison_files", "comparison_plot")


@pytest.fixture
def rated():
    return rated_study()


def compared(study):
    """A finished comparison with the first candidate of an operator."""
    candidates = list_candidates(study, None)
    first = next(one for group in candidates for one in group)
    run = request_comparison(study, ComparisonRequest(first.code), None)
    perform_run(run.pk)
    return Run.objects.get(pk=run.pk)


def addresses(study, run):
    more = {"comparison_plot": ("calibration-curve", "svg")}
    return [page(name, study, run.pk, *more.get(name, ())) for name in PAGES]


def upload(client, study, **sent):
    data = {
        "name": "Parrot",
        "kind": "model",
        "model": "Parrot",
        "file": SimpleUploadedFile("parrot.csv", ratings_csv()),
        **sent,
    }
    return client.post(page("new_collection", study), data, follow=True)


@pytest.mark.every_database
@pytest.mark.usefixtures("comparisons_with_one_plot")
def test_a_model_is_imported_compared_and_marked_on_every_page(rated, sign_in):
    study, researcher = rated, sign_in(Role.RESEARCHER)
    imported = upload(researcher, study)
    assert "Parrot is imported." in imported.content.decode()
    assert '<span class="badge">Model</span>' in read(researcher, "comparisons", study)

    code = f"collection-{ImportedCollection.objects.get().pk}"
    sent = {"second": code, "recipe": "raw", "match": ""}
    answer = researcher.post(page("comparisons", study), sent, follow=True)

    assert "The comparison has started" in answer.content.decode()
    run = Run.objects.comparisons().get()
    perform_run(run.pk)
    shown = read(researcher, "comparison", study, run.pk)
    assert "MODEL: <bdi>study</bdi> and <bdi>Parrot</bdi>" in shown
    assert "given by the language model Parrot, not by people" in shown
    assert "Scores: correlation" in shown
    assert "calibration-curve_MODEL/svg/" in shown
    assert shown.count('<figure class="plot"') == 1
    report = researcher.get(page("comparison_report", study, run.pk))
    assert b"MODEL: study and Parrot: comparison of two collections" in report.content
    assert "sandbox" in report["Content-Security-Policy"]
    files = researcher.get(page("comparison_files", study, run.pk))
    assert 'filename="comparison_study_1_MODEL.zip"' in files["Content-Disposition"]
    plot = researcher.get(page("comparison_plot", study, run.pk, "calibration-curve_MODEL", "svg"))
    assert plot["Content-Type"] == "image/svg+xml"


@pytest.mark.every_database
@pytest.mark.usefixtures("comparisons_without_plots")
def test_a_figure_that_cannot_be_estimated_is_a_dash_with_the_reason(rated, researcher):
    for rating in (2, 6):
        finish(start(rated), rating=rating)
    ratings = [  # two people who never agree
        f"en,{pair},{context},{name},{(pair + context + name) % 2 * (6 - name)}"
        for name in (0, 1) for pair in (1, 2, 3) for context in (1, 2)
    ]  # fmt: skip
    rows = "\n".join(["language,pair,context,annotator,rating", *ratings]).encode()
    upload(researcher, rated, kind="people", model="", file=SimpleUploadedFile("two.csv", rows))
    code = f"collection-{ImportedCollection.objects.get().pk}"
    sent = {"second": code, "recipe": "raw", "match": ""}
    researcher.post(page("comparisons", rated), sent)
    run = Run.objects.comparisons().get()
    perform_run(run.pk)

    shown = " ".join(read(researcher, "comparison", rated, run.pk).split())

    reason = '<p class="hint">not estimable: too little agreement</p>'
    assert f"<dt>Scores: without noise</dt><dd> –{reason}</dd>" in shown


def test_a_comparison_with_a_hidden_study_is_found_nowhere(rated, sign_in):
    study = rated
    other = rated_study(slug="secretive")
    client = sign_in(Role.OWNER)
    run = compared(study)
    assert run.state == JobState.DONE

    assert "secretive" not in read(client, "comparisons", study)
    generic = [page(name, study, run.pk) for name in ("run", "download", "report", "ledger")]
    for address in (*addresses(study, run), *generic):
        assert client.get(address).status_code == 404
    for name in ("retry", "retry_comparison"):
        assert client.post(page(name, study, run.pk)).status_code == 404
    for listed in ("results", "jobs", "log"):
        assert "secretive" not in read(client, listed, study)
    sent = {"second": f"study-{other.pk}", "recipe": "raw"}
    refused = client.post(page("comparisons", study), sent)
    assert refused.status_code == 422

    grant_role(other, client.get(page("log", study)).wsgi_request.user, Role.RESEARCHER)
    assert "secretive" in read(client, "comparisons", study)
    assert client.get(page("comparison", study, run.pk)).status_code == 200


def test_comparisons_of_another_study_are_not_found(study, researcher):
    elsewhere = make_study(2, slug="elsewhere")
    run = make_run(elsewhere, RunKind.COMPARE, request={"recipe": "raw"})

    for address in addresses(study, run):
        assert researcher.get(address).status_code == 404


def test_a_failed_comparison_says_why_and_can_be_retried(study, researcher):
    run = make_run(
        study, RunKind.COMPARE, state=JobState.FAILED, error="Row 3 is missing.",
        request={"second": ["collection", 9], "recipe": "raw", "match": "", "only_matched": False},
    )  # fmt: skip
    assert "Row 3 is missing." in read(researcher, "comparison", study, run.pk)
    for address in addresses(study, run)[1:]:  # there are no files yet
        assert researcher.get(address).status_code == 404

    answer = researcher.post(page("retry_comparison", study, run.pk))

    assert answer["Location"] == page("comparison", study, run.pk)
    perform_run(run.pk)
    shown = read(researcher, "comparison", study, run.pk)
    assert "6 of the 6 contexts of study study have no rating" in shown


def test_an_import_is_refused_with_advice(study, researcher):
    refused = [
        ({"file": SimpleUploadedFile("x.csv", ratings_csv(2))}, "contexts without ratings"),
        ({"model": ""}, "does not say which model rated"),
        ({"kind": "people", "model": "x"}, "choose that a model rated"),
        ({"file": ""}, "This field is required"),
        ({"scale_minimum": "1"}, "Give all three numbers of the scale"),
        ({"file": SimpleUploadedFile("x.csv", b"x" * 4_000_001)}, "more than 4,000,000"),
    ]

    for sent, message in refused:
        answer = upload(researcher, study, **sent)
        assert answer.status_code == 422
        assert message in answer.content.decode()

    assert not ImportedCollection.objects.exists()


def test_an_import_takes_another_language_and_scale(study, researcher):
    data = {
        "file": SimpleUploadedFile("x.csv", ratings_csv(language="fi")), "language": "fi",
        "scale_minimum": "0", "scale_maximum": "10", "scale_step": "1",
    }  # fmt: skip

    upload(researcher, study, **data)

    made = ImportedCollection.objects.get()
    assert (made.language, made.scale_maximum, made.model) == ("fi", 10, OF_MODEL["model"])


def test_an_imported_collection_is_deleted_once_that_is_confirmed(study, researcher):
    made = import_model(study)

    asked = read(researcher, "remove_collection", study, made.number)
    assert "Delete Parrot?" in asked
    assert ImportedCollection.objects.exists()
    answer = researcher.post(page("remove_collection", study, made.number), follow=True)

    assert "Parrot is deleted." in answer.content.decode()
    assert not ImportedCollection.objects.exists()


def test_the_page_says_that_there_is_nothing_to_compare_with(study, researcher):
    assert "There is nothing to compare with yet" in read(researcher, "comparisons", study)
    assert reverse("console:comparisons", args=[study.slug]) in read(researcher, "results", study)
