"""Simultaneous verdicts. SQLite serialises writers, so these tests matter on PostgreSQL."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from surveys.errors import VerdictRefused
from surveys.models import Review, ReviewClaim, Verdict, VerdictKind
from surveys.review.verdicts import claim_answers, configure_review, give_verdict, undo_verdict
from tests.factories.reviews import answers, reviewed_study, reviewer, whole

pytestmark = [
    pytest.mark.every_database,  # at once
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="locks of rows"),
]
SECONDS = 60


def at_once(actions: Iterable[Callable[[], Any]]) -> list[Any]:
    """Run actions at the same moment; return their results or refusals."""
    todo = list(actions)
    start = Barrier(len(todo))

    def work(action: Callable[[], Any]) -> Any:
        try:
            start.wait(SECONDS)
            return action()
        except VerdictRefused as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(todo)) as people:
        return list(people.map(work, todo))


def test_one_of_many_simultaneous_verdicts_counts():
    study = reviewed_study()
    review = answers(study)[0]
    crowd = [reviewer(study, f"r{number}") for number in range(6)]

    done = at_once(lambda user=user: give_verdict(review, user, VerdictKind.GOOD) for user in crowd)

    assert sum(isinstance(one, Verdict) for one in done) == 1
    assert Verdict.objects.standing().count() == 1


def test_two_simultaneous_verdicts_count_if_two_are_wanted():
    study = reviewed_study()
    configure_review(study, sample_percent=100, double_percent=100)
    review = answers(study)[0]
    crowd = [reviewer(study, f"r{number}") for number in range(6)]

    at_once(lambda user=user: give_verdict(review, user, VerdictKind.UNUSED) for user in crowd)

    assert sorted(Verdict.objects.standing().values_list("opinion", flat=True)) == [1, 2]
    assert Review.objects.get(pk=review.pk).outcome == "unused"


def test_a_verdict_from_many_tabs_counts_once():
    study = reviewed_study()
    review, rea = answers(study)[0], reviewer(study)

    at_once([lambda: give_verdict(review, rea, VerdictKind.GOOD)] * 6)

    assert Verdict.objects.count() == 1


def test_simultaneous_verdicts_on_an_answer_and_its_questionnaire():
    study = reviewed_study(3, 1, block_size=3)
    rea, leo = reviewer(study), reviewer(study, "leo")
    of_all, of_each = whole(study), answers(study)

    for _ in range(3):
        at_once(
            [
                lambda: give_verdict(of_all, rea, VerdictKind.UNUSED),
                *[lambda r=r: give_verdict(r, leo, VerdictKind.GOOD) for r in of_each],
            ]
        )
        at_once(
            [
                lambda: undo_verdict(of_all, rea),
                *[lambda r=r: undo_verdict(r, leo) for r in of_each],
            ]
        )

    assert set(Review.objects.values_list("state", "outcome")) == {("open", "")}


def test_simultaneous_reviewers_claim_different_answers():
    study = reviewed_study(8, 1, block_size=8)
    crowd = [reviewer(study, f"r{number}") for number in range(4)]

    got = at_once(lambda user=user: [r.pk for r in claim_answers(study, user, 2)] for user in crowd)

    assert len({pk for some in got for pk in some}) == ReviewClaim.objects.count() == 8
