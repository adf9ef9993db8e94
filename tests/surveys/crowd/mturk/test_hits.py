"""Planning of HITs: places are reserved, split, closed and freed."""

import pytest
from django.db import IntegrityError

from surveys.crowd.budget import begin_creating, count_spent
from surveys.crowd.errors import BatchRefused, TargetRefused
from surveys.crowd.models import Batch, BatchWork
from surveys.crowd.mturk.batch_jobs import request_batch_work
from surveys.crowd.mturk.hits import close_hit, drop_plan, plan_batch
from surveys.errors import NoPlaceLeft
from surveys.models import Place, Study
from tests.factories.batches import TERMS, arm, come, plan, publish, questionnaires
from tests.factories.studies import count_places_left, make_study, stored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # locks
    pytest.mark.study(ratings_per_context=12),
]
MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


def test_plan_batch_splits_places_into_hits_of_nine_and_reserves_them(study):
    batch = plan(study, 12, 2)

    assert [hit.n_places for hit in batch.hits.all()] == [9, 3, 9, 3]
    assert (batch.fee_cents, count_spent(batch)) == (10, (0, 24 * 60))
    assert [hit.reservation.places.count() for hit in batch.hits.all()] == [9, 3, 9, 3]
    assert count_places_left(study) == 0
    assert len({hit.token for hit in batch.hits.all()}) == 4


def test_batches_are_numbered_by_study(study):
    batches = [plan(of, 1) for of in (study, make_study(2, slug="other"), study)]

    names = ["batch 1 of study", "batch 1 of other", "batch 2 of study"]
    assert [str(batch) for batch in batches] == names
    assert request_batch_work(batches[2], BatchWork.FETCH, None).name == "fetch 1"
    with pytest.raises(IntegrityError):
        Batch.objects.filter(study=study).update(number=1)


def test_plan_batch_refuses_places_that_are_not_free_and_changes_nothing(study):
    plan(study, 10)

    with pytest.raises(NoPlaceLeft, match="has 2 places to give, not 3"):
        plan(study, 3)

    assert (Batch.objects.count(), Place.objects.filter(reservation=None).count()) == (1, 14)


@pytest.mark.parametrize("target", ["sandbox", "production"])
def test_plan_batch_refuses_a_live_target_unless_the_site_allows_it(study, target, settings):
    places = {questionnaires(study)[0]: 1}
    with pytest.raises(TargetRefused, match="MTURK_LIVE_KEYS"):
        plan_batch(study, target, places, **TERMS)
    with pytest.raises(TargetRefused, match="prolific is not a target"):
        plan_batch(study, "prolific", places, **TERMS)

    settings.MTURK_IS_LIVE = True
    assert plan_batch(study, target, places, **TERMS).provider == target


def test_plan_batch_refuses_no_places_and_no_pay(study):
    with pytest.raises(BatchRefused, match="how many places"):
        plan_batch(study, "simulator", {}, **TERMS)
    with pytest.raises(BatchRefused, match="one cent"):
        plan(study, reward_cents=0)
    with pytest.raises(BatchRefused, match=r"at most 20\.00"):
        plan(study, reward_cents=2001)


def test_plan_batch_refuses_a_study_in_one_block():
    study = make_study(2, block_size=None)

    with pytest.raises(BatchRefused, match="All pairs are in one block"):
        plan(study, 1)

    assert not Batch.objects.exists()


def test_places_for_masters_cost_more(study):
    masters = {"QualificationTypeId": MASTERS_OF_SANDBOX, "Comparator": "Exists"}

    assert plan(study, reward_cents=100, requirements=[masters]).fee_cents == 25


def test_closing_frees_places_that_are_not_held(hit):
    held = come(hit)

    close_hit(hit, n_owed=1)
    close_hit(hit)

    assert stored(hit, "state", "n_released") == ("closed", 1)
    assert not Place.objects.filter(reservation=hit.reservation).exists()
    assert Place.objects.get(assignment=held).reservation is None
    assert count_places_left(hit.batch.study) == 23
    assert count_spent(hit.batch).committed_cents == 60
    with pytest.raises(BatchRefused, match="cannot owe"):
        close_hit(publish(arm(plan(hit.batch.study, 1)))[0], n_owed=2)


def test_drop_plan_closes_hits_that_were_never_requested(study):
    batch = arm(plan(study, 12))
    begin_creating(batch.hits.first())

    assert (drop_plan(batch), drop_plan(batch)) == (1, 0)

    assert list(batch.hits.values_list("state", flat=True)) == ["creating", "closed"]


def test_places_of_a_hit_are_closed_when_given_back_to_a_study_that_wants_fewer(study):
    batch = plan(study, 12)
    Study.objects.filter(pk=study.pk).update(ratings_per_context=10)

    for hit in batch.hits.all():
        close_hit(hit)

    questionnaire = questionnaires(study)[0]
    assert Place.objects.filter(questionnaire=questionnaire, is_open=True).count() == 10
