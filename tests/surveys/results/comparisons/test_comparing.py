"""Comparisons with other studies, runs and imported collections, and who may see them."""

import json

import pytest
from django.contrib.auth.models import User

from surveys.access.roles import grant_role
from surveys.errors import RunRefused
from surveys.models import Annotator, AuditEntry, Role, Run
from surveys.privacy.erasure import withdraw_annotator
from surveys.rehearsal.deletion import delete_scripted
from surveys.results.comparisons.candidates import (
    count_withdrawn,
    list_candidates,
    visible_comparisons,
)
from surveys.results.comparisons.comparing import GONE, ComparisonRequest, request_comparison
from surveys.results.run_inspection import read_member
from surveys.results.runs import request_results
from tests.factories.imported import import_model, rated_study
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, make_study, stored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("comparisons_without_plots"),
    pytest.mark.study(of="rated_alone"),
]


@pytest.fixture
def rated_alone():
    return rated_study()


@pytest.fixture
def twin():
    """A study of the same stimuli in another language."""
    return rated_study(slug="hidden", language="fi")


@pytest.fixture
def colleague(study):
    user = User.objects.create_user("ana")
    grant_role(study, user, Role.RESEARCHER)
    return user


@pytest.fixture
def twin_run(twin, monkeypatch):
    """A finished run of the other study, without its report."""
    monkeypatch.setattr("postprocess.reporting.report_files.render_reports", lambda *given: {})
    monkeypatch.setattr("postprocess.reporting.plots.plot_files.draw_plots", lambda *given: [])
    made = request_results(twin, QUICK.replace('name = "raw"', 'name = "mine"'), None)
    perform_run(made.pk)
    return Run.objects.get(pk=made.pk)


def compared(study, code, by=None, **wanted):
    run = request_comparison(study, ComparisonRequest(code, **wanted), by)
    perform_run(run.pk)
    run.refresh_from_db()
    return run


def labels(candidates):
    return [one.label for group in candidates for one in group]


@pytest.mark.every_database
def test_candidates_are_the_studies_whose_results_a_user_may_see(study, twin, twin_run, colleague):
    import_model(study)

    assert labels(list_candidates(study, colleague)) == ["Parrot (MODEL)"]
    assert len(labels(list_candidates(study, None))) == 3  # an operator sees all

    grant_role(twin, colleague, Role.REVIEWER)  # who may not see results
    assert labels(list_candidates(study, colleague)) == ["Parrot (MODEL)"]

    grant_role(twin, colleague, Role.RESEARCHER)
    found = list_candidates(study, colleague)
    assert [one.label for one in found.same_stimuli] == ["hidden: hidden (fi)"]
    assert [one.label for one in found.runs] == ["hidden, run 1: mine"]

    withdraw_annotator(Annotator.objects.filter(study=twin).first())
    assert list_candidates(study, colleague).runs == []


@pytest.mark.every_database
def test_a_comparison_with_a_study_is_visible_to_members_of_both(study, twin, colleague):
    (candidate,) = list_candidates(study, None).same_stimuli

    run = compared(study, candidate.code)

    assert run.state == "done"
    assert run.report["second"]["name"] == "hidden"
    assert run.report["matching"]["by"] == "number"
    assert not visible_comparisons(study, colleague).exists()
    grant_role(twin, colleague, Role.OWNER)
    assert visible_comparisons(study, colleague).get() == run
    entries = AuditEntry.objects.filter(study=study).values("subject", "details")
    assert "hidden" not in json.dumps(list(entries))


def test_a_comparison_with_a_model_is_marked_and_visible_to_all_members(study, colleague):
    import_model(study)
    (candidate,) = list_candidates(study, colleague).collections

    run = compared(study, candidate.code, colleague)

    assert visible_comparisons(study, colleague).get() == run
    assert run.report["stamps"] == ["MODEL"]
    assert run.report["second"]["source"]["model"] == "Parrot"
    assert str(run.archive).rpartition("/")[2] == "comparison_study_1_MODEL.zip"
    assert b"MODEL: study and Parrot" in read_member(run, "comparison_MODEL.html")
    assert run.name == "comparison 1"


def test_a_comparison_with_a_run_has_the_ratings_of_its_scores(study, twin, twin_run):
    (candidate,) = list_candidates(study, None).runs

    made = compared(study, candidate.code)

    assert made.report["second"]["name"] == "hidden, run 1"
    assert made.report["second"]["recipe"] == "mine"
    assert made.collected_at == twin_run.collected_at  # read before the study
    assert made.request["other_study"] == twin.pk


def test_request_comparison_refuses_with_advice(db):
    study = make_study(2)
    refused = [
        (ComparisonRequest("collection-9"), GONE),
        (ComparisonRequest("study-9"), GONE),
        (ComparisonRequest("x"), GONE),
        (ComparisonRequest("collection-1", "mine"), "Unknown recipe. Recipes: cosimlex, raw, sim"),
        (ComparisonRequest("collection-1", "raw", "sound"), "Pairs are matched by number, words"),
    ]

    for wanted, message in refused:
        with pytest.raises(RunRefused, match=message):
            request_comparison(study, wanted, None)

    assert not Run.objects.exists()


def test_a_comparison_fails_if_the_user_may_no_longer_see_the_other_study(study, twin, colleague):
    grant_role(twin, colleague, Role.RESEARCHER)
    (candidate,) = list_candidates(study, colleague).same_stimuli
    run = request_comparison(study, ComparisonRequest(candidate.code), colleague)
    twin.memberships.all().delete()

    perform_run(run.pk)

    assert stored(run, "state", "error") == ("failed", GONE)


def test_a_comparison_fails_if_the_collection_was_deleted_meanwhile(study):
    made = import_model(study)
    (candidate,) = list_candidates(study, None).collections
    run = request_comparison(study, ComparisonRequest(candidate.code), None)
    made.delete()

    perform_run(run.pk)

    assert stored(run, "state", "error") == ("failed", GONE)


def test_a_comparison_names_pairs_that_cannot_be_matched(study):
    rated_study(4, slug="longer")
    (candidate,) = list_candidates(study, None).other_stimuli

    refused = compared(study, candidate.code)
    made = compared(study, candidate.code, only_matched=True)

    assert "longer: row 4 (alpha4, beta4)" in refused.error
    assert made.report["matching"]["only_second"] == [4]
    assert made.report["matching"]["by"] == "texts"


def test_withdrawals_from_either_study_are_counted(study, twin):
    (candidate,) = list_candidates(study, None).same_stimuli
    run = compared(study, candidate.code)
    assert count_withdrawn(run) == 0

    for one in (study, twin):
        withdraw_annotator(Annotator.objects.filter(study=one).first())

    assert count_withdrawn(run) == 2


def test_deleting_a_rehearsal_deletes_the_comparisons_with_its_ratings(study, twin):
    Annotator.objects.filter(study=twin).first().invitation.__class__.objects.filter(
        study=twin
    ).update(is_rehearsal=True)
    (candidate,) = list_candidates(study, None).same_stimuli
    run = compared(study, candidate.code)
    assert run.report["stamps"] == ["REHEARSAL"]
    assert run.is_rehearsal

    delete_scripted(twin)

    assert not Run.objects.exists()
