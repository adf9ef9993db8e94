"""Concurrent requests: no ceiling is passed, nothing is paid or given twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from surveys.crowd.budget import begin_creating, count_spent
from surveys.crowd.errors import CeilingReached, HitRefused
from surveys.crowd.ledger import begin_sending, intend_bonus, intend_reward
from surveys.crowd.models import Batch
from surveys.errors import NoPlaceLeft, SurveyError
from surveys.models import Annotator, Assignment, Place, Visit
from tests.factories.batches import OTHER, arm, come, do, hand_in, plan, publish, questionnaires
from tests.factories.studies import make_study, start

pytestmark = [
    pytest.mark.every_database,  # at once
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="threads on one database"),
]


def at_once(action: Callable[[Any], Any], arguments: list[Any]) -> list[Any]:
    """Run an action in concurrent threads; return each result or refusal."""

    def work(argument: Any) -> Any:
        try:
            return action(argument)
        except SurveyError as error:
            return type(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(arguments)) as people:
        return list(people.map(work, arguments))


def test_no_two_publishers_pass_the_ceiling_together():
    batch = arm(plan(make_study(2, ratings_per_context=36), 36))
    Batch.objects.update(ceiling_cents=2 * 540, total_cents=2 * 540)

    done = at_once(begin_creating, list(batch.hits.all()))

    assert done.count(CeilingReached) == 2
    assert count_spent(batch).committed_cents == 1080


def test_no_two_payers_pass_the_ceiling_together_or_pay_twice():
    hit = publish(arm(plan(make_study(2, ratings_per_context=4), 4), more_cents=24))[0]
    visit = hand_in(do(hit))
    ana = User.objects.get()

    def grant(key: str) -> Any:
        return intend_bonus(visit, key, 10, by=ana, reason="careful")

    done = at_once(grant, ["k1", "k2", "k3", "k4"])
    assert done.count(CeilingReached) == 2
    rewards = at_once(intend_reward, [visit] * 4)
    assert len({payment.pk for payment in rewards}) == 1
    senders = at_once(begin_sending, [rewards[0]] * 4)
    assert len([sender for sender in senders if sender]) == 1


def test_places_of_a_hit_are_never_given_to_others():
    study = make_study(2, ratings_per_context=4)
    hit = publish(arm(plan(study, 3)))[0]
    assert start(study).questionnaire in questionnaires(study)

    arrivals = at_once(start, [study] * 6)

    assert arrivals.count(NoPlaceLeft) == 2  # of eight places three are the HIT's, one was taken
    assert Place.objects.filter(reservation=hit.reservation, assignment=None).count() == 3


def test_two_tabs_at_once_with_two_hits_of_a_block_get_one():
    """A new worker has accepted A and B of the same block and opens both."""
    hits = publish(arm(plan(make_study(2, ratings_per_context=2), 1, 2)))

    done = at_once(lambda hit: come(hit, submission=f"3A{hit.pk}"), hits)

    assert done.count(HitRefused) == 1
    assert (Assignment.objects.count(), Annotator.objects.count()) == (1, 1)
    assert Place.objects.filter(reservation__isnull=False, assignment=None).count() == 1


def test_one_arrival_in_many_tabs_at_once_is_one_visit():
    (hit,) = publish(arm(plan(make_study(2, ratings_per_context=4), 4)))

    done = at_once(lambda _: come(hit), [1, 2, 3, 4])

    assert len({assignment.pk for assignment in done}) == 1
    assert Visit.objects.count() == 1


def test_more_workers_than_places_at_once_get_no_more_than_there_are():
    (hit,) = publish(arm(plan(make_study(2, ratings_per_context=4), 2)))

    done = at_once(lambda n: come(hit, f"A{n}WORKERWORKER", f"3A{n}"), list(range(5)))

    assert done.count(HitRefused) == 3
    assert (Visit.objects.count(), Assignment.objects.count()) == (2, 2)


def test_of_two_workers_on_one_submission_one_can_submit():
    (hit,) = publish(arm(plan(make_study(2, ratings_per_context=4), 1)))

    at_once(lambda worker: come(hit, worker), ["A1ONEONEONE", OTHER])

    assert (Visit.objects.count(), Visit.objects.current().count()) == (2, 1)
    assert Assignment.objects.unfinished().count() == 1
