from dataclasses import replace
from decimal import Decimal

import pytest
from django.db.models import Count

from surveys.models import Item
from surveys.study.planning.workload import Plan
from tests.factories.studies import make_study_of


def test_plan_by_hand():
    """50 pairs in blocks of 20: 3 blocks of 17 at most, 6 questionnaires, 60 assignments."""
    plan = Plan(
        n_pairs=50, block_size=20, ratings_per_context=10, seconds_per_item=36,
        introduction_seconds=0, n_checkpoints=3, pay_per_hour=Decimal(10), fee_percent=Decimal(50),
    )  # fmt: skip

    assert (plan.n_blocks, plan.n_assignments, plan.n_ratings) == (3, 60, 1000)
    assert (plan.n_items, plan.minutes) == (20, 12)
    assert plan.hours == Decimal("11.8")  # 1,000 ratings and 180 checkpoint items
    assert (plan.pay, plan.wages, plan.fee, plan.total) == (2, 118, 59, 177)


def test_plan_counts_the_introduction_once_for_each_assignment():
    """2 pairs in a block, 3 ratings: 6 assignments of 2 texts of a minute, and 3 minutes before."""
    plan = Plan(
        n_pairs=2, block_size=2, ratings_per_context=3, seconds_per_item=60,
        introduction_seconds=180, pay_per_hour=Decimal(12),
    )  # fmt: skip

    assert (plan.minutes, plan.introduction_minutes) == (5, 3)
    assert (plan.hours, plan.pay, plan.wages) == (Decimal("0.5"), 1, 6)


@pytest.mark.django_db
@pytest.mark.parametrize(("n_doubled", "block_size"), [(0, 4), (4, 4), (5, 3), (50, 4)])
def test_a_plan_counts_what_is_laid_out_for_doubled_items(n_doubled, block_size):
    numbers = {"ratings_per_context": 1, "n_doubled": n_doubled, "block_size": block_size}
    study = make_study_of("mclwic", 6, **numbers)

    plan = Plan(n_pairs=6, n_contexts=1, seconds_per_item=1, introduction_seconds=0, **numbers)

    sizes = Item.objects.values_list("questionnaire__block").annotate(n=Count("pk"))
    answers = dict(study.blocks.values_list("pk", "n_more"))
    assert (plan.n_blocks, plan.n_assignments) == (len(answers), study.places.count())
    assert plan.n_items == max(n for _, n in sizes)
    assert plan.n_ratings == sum(n * (1 + answers[block]) for block, n in sizes)


@pytest.mark.parametrize(("n_pairs", "n_blocks"), [(1, 1), (20, 1), (21, 2), (340, 17)])
def test_plan_has_as_few_blocks_as_hold_all(n_pairs, n_blocks):
    plan = Plan(
        n_pairs=n_pairs, block_size=20, ratings_per_context=1, seconds_per_item=1,
        introduction_seconds=0,
    )  # fmt: skip

    assert plan.n_blocks == n_blocks
    assert plan.minutes == 1
    assert replace(plan, block_size=None).n_blocks == 1
