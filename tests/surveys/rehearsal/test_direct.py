"""Rehearsals as a background job, and their deletion in one step."""

from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.errors import OpeningRefused, RunRefused, StudyOpen
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Invitation,
    Place,
    Release,
    Response,
    Review,
    Run,
    RunKind,
    Study,
    Verdict,
)
from surveys.rehearsal.deletion import Scripted, count_scripted, delete_scripted
from surveys.results.runs import request_export, request_rehearsal, request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study
from surveys.tasks import perform_run
from tests.factories.studies import (
    QUICK,
    count_places_left,
    finish,
    make_study,
    start,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]


def rehearse(study, count):
    run = request_rehearsal(study, count, None)
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")
    return run


def list_free(study):
    return list(Place.objects.free(study).values_list("pk", flat=True))


def test_scripted_annotators_fill_places_with_plausible_times():
    study = make_study(3, ratings_per_context=4)
    begun_at = timezone.now()

    run = rehearse(study, 6)

    assert run.report == {"n_done": 6}
    done = Assignment.objects.for_study(study).submitted()
    assert done.scripted().count() == 6
    assert Response.objects.for_study(study).rated().count() == 18
    for assignment in done:
        seconds = (assignment.submitted_at - assignment.started_at).total_seconds()
        answers = list(assignment.responses.order_by("position"))
        visible = [r.words_visible_seconds + r.rating_visible_seconds for r in answers]
        assert 0 < sum(visible) <= seconds < sum(visible) + 10
        assert abs(assignment.submitted_at - begun_at) < timedelta(minutes=1)
    constant = [len({*a.responses.values_list("rating", flat=True)}) == 1 for a in done]
    assert any(constant)


def test_a_draft_is_rehearsed_and_not_opened_until_that_is_deleted():
    study = make_study(2)
    Study.objects.update(opened_at=None, organisation="Lab", contact="lab@example.org")
    study.refresh_from_db()
    rehearse(study, 2)

    with pytest.raises(OpeningRefused, match="Delete the rehearsal first"):
        open_study(study)
    with pytest.raises(StudyOpen, match="Delete the rehearsal first"):
        configure_study(study, seed=5)

    delete_scripted(study)
    assert configure_study(study, seed=5).seed == 5


@pytest.mark.parametrize("count", [0, 5])
def test_a_rehearsal_needs_free_places(count):
    study = make_study(2)

    with pytest.raises(RunRefused, match="4 places are free"):
        request_rehearsal(study, count, None)

    assert not Run.objects.exists()


def test_one_rehearsal_at_a_time():
    study = make_study(2)
    request_rehearsal(study, 1, None)

    with pytest.raises(RunRefused, match="already in progress"):
        request_rehearsal(study, 1, None)


def test_a_closed_study_is_not_rehearsed():
    study = make_study(2)
    study.closed_at = timezone.now()

    with pytest.raises(RunRefused, match="closed"):
        request_rehearsal(study, 1, None)


def test_a_rehearsal_ends_when_all_places_are_taken():
    study = make_study(2)
    run = request_rehearsal(study, 4, None)
    finish(start(study))

    perform_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.report) == ("done", {"n_done": 3})


def test_everything_scripted_is_deleted_and_nothing_else(django_user_model):
    study = make_study(2, ratings_per_context=3)
    person = start(study)
    finish(person)
    before, free = count_places_left(study), list_free(study)
    rehearse(study, 4)
    configure_review(study, sample_percent=100, double_percent=0)
    file_answers(study)
    olga = django_user_model.objects.create_user("olga")
    for review in Review.objects.answers(study):
        give_verdict(review, olga, "good")
    run = request_results(study, QUICK, None)
    perform_run(run.pk)
    perform_run(request_export(study, "csv", None).pk)
    run.refresh_from_db()
    assert run.is_rehearsal
    assert count_scripted(study) == Scripted(4, 8, 8, 1, 0, 0)

    delete_scripted(study)

    assert count_scripted(study).is_empty
    assert list(Assignment.objects.all()) == [person]
    assert list(Annotator.objects.all()) == [person.annotator]
    assert not Invitation.objects.filter(is_rehearsal=True).exists()
    assert (count_places_left(study), list_free(study)) == (before, free)
    assert Verdict.objects.count() == Review.objects.answers(study).count() == 2
    assert set(Run.objects.values_list("kind", "archive")) == {
        (RunKind.EXPORT, ""), (RunKind.REHEARSE, ""),
    }  # fmt: skip
    entry = AuditEntry.objects.get(action="rehearsal.deleted")
    assert entry.details["annotators"] == 4


def test_deleting_twice_does_no_harm():
    study = make_study(2)
    rehearse(study, 2)

    delete_scripted(study)
    again = delete_scripted(study)

    assert again.is_empty
    assert AuditEntry.objects.filter(action="rehearsal.deleted").count() == 1


def test_releases_with_scripted_ratings_are_deleted():
    study = make_study(2)
    rehearse(study, 1)
    _, of_people = (
        Release.objects.create(
            study=study, number=n, report={"counts": {"ratings_scripted": n_scripted}}
        )
        for n, n_scripted in ((1, 2), (2, 0))
    )

    delete_scripted(study)

    assert list(Release.objects.all()) == [of_people]


def test_nothing_is_deleted_while_a_job_reads_answers():
    study = make_study(2)
    rehearse(study, 1)
    request_results(study, QUICK, None)

    with pytest.raises(RunRefused, match="background job"):
        delete_scripted(study)

    assert count_scripted(study).annotators == 1


def test_the_demo_study_is_kept(monkeypatch):
    study = make_study(2)
    rehearse(study, 1)
    monkeypatch.setattr("surveys.rehearsal.deletion.is_demonstration", lambda study: True)

    with pytest.raises(RunRefused, match="demo study"):
        delete_scripted(study)

    assert count_scripted(study).annotators == 1
