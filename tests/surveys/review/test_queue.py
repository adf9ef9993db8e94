from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from surveys.models import Assignment, Job, Review, ReviewSettings, ReviewState
from surveys.privacy.erasure import withdraw_annotator
from surveys.review import queue
from surveys.review.queue import (
    count_unfiled,
    draw_number,
    file_answers,
    has_failed,
    is_drawn,
    is_filing,
    n_reviewers,
    request_filing,
)
from tests.factories.jobs import perform_all
from tests.factories.reviews import reviewed_study, submit, whole
from tests.factories.studies import make_study, start

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # conflicts, partial indexes


def make(n_pairs=2, **design):
    return make_study(n_pairs, **{"language": "tlh", "ratings_per_context": 10, **design})


def test_file_answers_files_submitted_questionnaires_once():
    study = make()
    submit(study)
    start(study)

    assert count_unfiled(study) == 1
    assert file_answers(study) == 1
    assert file_answers(study) == 0
    assert Review.objects.answers(study).count() == 2
    assert Review.objects.assignments(study).count() == 1


def test_file_answers_stores_the_evidence_of_answers_and_assignments():
    study = make(3)
    assignment = submit(study, [("alpha1", "beta1"), ("sea", "salt"), ("sea", "sand")])

    file_answers(study)

    found = {r.response.position: r.evidence for r in Review.objects.answers(study)}
    assert found[2] == found[3] == [["repeated", 1, 1]]
    assert whole(study).assignment == assignment
    assert whole(study).evidence[-1][0] == "flagged"
    assert whole(study).risk == sum(r.risk for r in Review.objects.answers(study))


def test_file_answers_renews_the_evidence_about_earlier_answers():
    study = make(1, ratings_per_context=2, block_size=1)
    ReviewSettings.objects.create(study=study, sample_percent=0)
    first = submit(study, [("wind", "moon")])
    file_answers(study)
    assert Review.objects.get(response__assignment=first).state == ReviewState.NOT_DRAWN

    for _ in range(3):  # one of them gets the same questionnaire
        submit(study, [("moon", "Wind")])
    file_answers(study)

    again = Review.objects.get(response__assignment=first)
    assert again.evidence == [["shared", 0, 1]]
    assert again.state == ReviewState.OPEN


def test_file_answers_takes_some_questionnaires_at_a_time():
    study = make(4, block_size=2)
    for _ in range(4):
        submit(study)

    filed = [file_answers(study, at_most=2) for _ in range(5)]

    assert sum(filed) == 4
    assert filed[0] < 4
    assert filed[-1] == 0


def test_file_answers_draws_a_sample_of_answers_without_evidence():
    study = make(40, block_size=40)
    ReviewSettings.objects.create(study=study, sample_percent=25, double_percent=50)
    for _ in range(5):
        submit(study)
    file_answers(study)

    drawn = Review.objects.answers(study).filter(state=ReviewState.OPEN)
    assert 30 <= drawn.count() <= 70  # 50 of 200 are expected
    assert 0.3 < drawn.filter(n_wanted=2).count() / drawn.count() < 0.7
    assert Review.objects.assignments(study).filter(state=ReviewState.OPEN).count() == 5


def test_file_answers_opens_all_answers_with_evidence():
    study = make()
    ReviewSettings.objects.create(study=study, sample_percent=0)
    submit(study, has_pasted_word1=True)
    file_answers(study)

    assert Review.objects.answers(study).filter(state=ReviewState.OPEN).count() == 2


def test_file_answers_uses_server_times_without_browser_times():
    study = make()
    assignment = submit(study, words_visible_seconds=None)
    for response in assignment.responses.all():
        response.words_shown_at = response.engaged_at
        response.save()
    file_answers(study)

    codes = {piece[0] for r in Review.objects.answers(study) for piece in r.evidence}
    assert codes == {"hasty"}


def test_unfiled_assignments_are_found_by_a_partial_index():
    """However many are filed; see `bench/console.py`."""
    study = make()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # else it is used for so few rows

        unfiled = Assignment.objects.for_study(study).unfiled()

        assert "submitted_and_not_filed" in unfiled.explain()
        assert "submitted_and_not_filed" in unfiled.order_by("questionnaire").explain()


def test_filing_is_requested_if_there_is_something_new():
    study = make()
    request_filing(study)
    assert not Job.objects.exists()
    submit(study)

    for _ in range(2):
        request_filing(study)

    assert (is_filing(study), perform_all()) == (True, 1)
    assert (is_filing(study), count_unfiled(study)) == (False, 0)


def test_answers_submitted_while_filing_runs_are_filed(monkeypatch):
    study = make()
    submit(study)
    request_filing(study)
    arrived = []

    def file_late(study, *, at_most):
        """Find nothing new; then more arrives and is asked for, before the job ends."""
        if n_new := file_answers(study, at_most=at_most):
            return n_new
        if not arrived:
            arrived.append(submit(study))
            request_filing(study)
        return 0

    monkeypatch.setattr(queue, "file_answers", file_late)
    perform_all()

    assert Job.objects.get().state == "done"
    assert count_unfiled(study) == 0


def test_filing_that_failed_is_not_retried_at_once(monkeypatch):
    study = make()
    submit(study)
    request_filing(study)
    with monkeypatch.context() as patched:
        patched.setattr(queue, "find_doubted", lambda words, language: words[0])
        with pytest.raises(TypeError):
            perform_all()

    request_filing(study)
    assert (has_failed(study), is_filing(study)) == (True, False)
    Job.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
    request_filing(study)

    assert (has_failed(study), perform_all(), count_unfiled(study)) == (False, 1, 0)


@pytest.mark.parametrize("n", [1, 4])
def test_file_answers_needs_the_same_queries_for_many(n, db, django_assert_num_queries):
    study = make(2 * n, block_size=2)
    ReviewSettings.objects.create(study=study)
    for _ in range(2 * n):
        submit(study)

    with django_assert_num_queries(11):
        file_answers(study)


def test_draws_are_reproducible_and_independent():
    study = reviewed_study()
    draws = [draw_number(study, str(number)) for number in range(2000)]

    assert draws == [draw_number(study, str(number)) for number in range(2000)]
    sampled = [draw for draw in draws if is_drawn(draw, 20)]
    twice = [draw for draw in sampled if n_reviewers(draw, 30) == 2]
    assert len(sampled) / len(draws) == pytest.approx(0.2, abs=0.03)
    assert len(twice) / len(sampled) == pytest.approx(0.3, abs=0.08)
    assert queue.DRAWS == 10_000


def test_withdrawing_closes_reviews():
    study = reviewed_study()

    withdraw_annotator(whole(study).assignment.annotator)

    assert set(Review.objects.values_list("state", "risk")) == {(ReviewState.WITHDRAWN, 0)}
    assert file_answers(study) == 0


def test_the_command_files_everything(capsys):
    study = make(4, block_size=2)
    for _ in range(4):
        submit(study)

    call_command("file_answers", study.slug)
    assert capsys.readouterr().out == "4 questionnaires are added to the review queue.\n"
    call_command("file_answers", study.slug)
    assert capsys.readouterr().out == "0 questionnaires are added to the review queue.\n"
