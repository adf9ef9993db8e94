"""Imported collections and comparisons by the API."""

import pytest

from surveys.access.roles import grant_role
from surveys.models import ApiToken, ImportedCollection, Role, Run
from surveys.results.comparisons.comparing import (
    GONE,
    KEYS,
    ComparisonRequest,
    request_comparison,
)
from surveys.web.console.results.comparison_forms import ComparisonForm
from tests.factories.imported import OF_MODEL, import_model, rated_study, ratings_csv
from tests.factories.jobs import perform_run
from tests.factories.programs import errors_of
from tests.factories.studies import make_study, make_study_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("comparisons_without_plots")]
NEW = {"name": "Parrot", "kind": "model", "ratings": ratings_csv(2).decode(), **OF_MODEL}


def test_a_model_is_imported_listed_and_deleted(program, study):
    asking = program(Role.RESEARCHER)

    made = asking.post("studies/study/collections/", NEW)

    assert made.status_code == 201
    expected = {"number": 1, "kind": "model", "model": "Parrot", "n_ratings": 8}
    assert {name: made.json()[name] for name in expected} == expected
    listed = asking.get("studies/study/collections/").json()["results"]
    assert [one["name"] for one in listed] == ["Parrot"]
    assert (
        asking.send("delete", f"studies/study/collections/{made.json()['id']}/").status_code == 204
    )
    assert not ImportedCollection.objects.exists()
    assert asking.send("delete", "studies/study/collections/1/").status_code == 404


def test_an_import_is_refused_with_advice(program, study):
    answer = program().post("studies/study/collections/", {**NEW, "ratings": "a,b\n1,2\n"})

    assert answer.status_code == 409
    assert "the ratings: missing columns: pair, context" in errors_of(answer)[0][1]


@pytest.mark.every_database
def test_a_comparison_is_made_and_read(program):
    rated = rated_study(slug="rated")
    imported = import_model(rated)
    asking = program()
    grant_role(rated, ApiToken.objects.get().user, Role.RESEARCHER)

    made = asking.post("studies/rated/comparisons/", {"collection": imported.pk})
    assert (made.status_code, made.json()["state"], made.json()["stamps"]) == (201, "waiting", None)
    path = f"studies/rated/comparisons/{made.json()['id']}/"
    assert asking.get(f"{path}report/").status_code == 404
    perform_run(made.json()["id"])

    shown = asking.get(path).json()
    assert (shown["state"], shown["stamps"], shown["recipe"]) == ("done", ["MODEL"], "raw")
    assert asking.get(f"{path}report/").json()["second"]["source"]["model"] == "Parrot"
    files = asking.get(f"{path}files/")
    assert "comparison_rated_1_MODEL.zip" in files["Content-Disposition"]


@pytest.mark.every_database
def test_a_comparison_with_a_hidden_study_is_not_found(program, study):
    other = rated_study(2, slug="secretive")
    run = request_comparison(study, ComparisonRequest(f"study-{other.pk}"), None)
    asking = program(Role.OWNER)

    assert asking.get("studies/study/comparisons/").json()["results"] == []
    for rest in ("", "report/", "files/"):
        assert asking.get(f"studies/study/comparisons/{run.pk}/{rest}").status_code == 404
    for sent in ({"study": "secretive"}, {"study": "nothing"}, {"run": 1}):
        answer = asking.post("studies/study/comparisons/", sent)
        assert (answer.status_code, errors_of(answer)[0][1]) == (409, GONE)

    grant_role(other, ApiToken.objects.get().user, Role.RESEARCHER)
    listed = asking.get("studies/study/comparisons/").json()["results"]
    assert [one["id"] for one in listed] == [run.pk]


@pytest.mark.parametrize(
    ("design", "keys", "recipe"),
    [
        ("simlex", ["id", "words"], "simlex"),
        ("scws", ["id", "words", "texts"], "raw"),
        ("", ["number", "words", "texts"], "raw"),
    ],
)
def test_pairs_are_matched_by_what_items_have(program, design, keys, recipe):
    other = make_study_of(design, 1, slug="other") if design else make_study(1, slug="other")
    asking = program()
    grant_role(other, ApiToken.objects.get().user, Role.RESEARCHER)
    imported = ImportedCollection.objects.create(
        study=other, number=1, kind="people", n_ratings=0, n_annotators=0,
        scale_minimum=0, scale_maximum=1, scale_step=1,
    )  # fmt: skip
    path, sent = "studies/other/comparisons/", {"collection": imported.pk}

    answers = {key: asking.post(path, {**sent, "match": key}) for key in KEYS}

    assert [key for key, answer in answers.items() if answer.status_code == 201] == keys
    assert {answer.json()["recipe"] for answer in map(answers.get, keys)} == {recipe}
    (refused,) = errors_of(answers["number" if "number" not in keys else "id"])
    assert refused[1] == f"Pairs are matched by {', '.join(keys)}."
    offered = ComparisonForm(other, ApiToken.objects.get().user).fields["match"].choices
    assert [key for key, _ in offered] == ["", *keys]


def test_a_comparison_needs_one_other_collection(program, study):
    asking = program()
    for sent in ({}, {"collection": 1, "study": "x"}, {"study": "x", "run": 1}, {"x": 1}):
        assert asking.post("studies/study/comparisons/", sent).status_code == 422

    assert not Run.objects.exists()
