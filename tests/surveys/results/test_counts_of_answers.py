"""Given, current and usable answers agree between Collection and what a run reads."""

import pytest
from django.core.cache import cache
from django.utils import timezone

from surveys.models import Block, Review, VerdictKind
from surveys.monitoring.collected import count_answers, count_collected
from surveys.monitoring.progress import count_round_progress, count_study_progress
from surveys.privacy.erasure import withdraw_annotator
from surveys.results.ratings_table import table_answers
from surveys.review.verdicts import give_verdict
from surveys.study.blocks.allocation import repeat_block
from tests.factories.reviews import reviewed_study, reviewer, whole
from tests.factories.studies import finish, rate_due, start

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
NOT_CURRENT = {"unfinished", "replaced", "withdrawn"}


def count(study):
    cache.clear()  # as a minute later
    collected = count_collected(study, count_round_progress(study), timezone.now())
    ratings = table_answers(study).ratings  # what a run reads
    current = ratings[~ratings["mark"].isin(NOT_CURRENT)]
    counts = len(ratings), len(current), int((ratings["mark"] == "").sum())
    assert counts == count_answers(study, collected)
    return counts


def test_counts_agree_in_all_states():
    study = reviewed_study(2, 3)
    assert count(study) == (6, 6, 6)

    rate_due(start(study), 2)
    assert count(study) == (7, 6, 6)

    rea = reviewer(study)
    give_verdict(Review.objects.answers(study).first(), rea, VerdictKind.UNUSED)
    assert count(study) == (7, 6, 5)

    give_verdict(whole(study), rea, VerdictKind.UNUSED)
    assert count(study)[:2] == (7, 6)
    set_aside = count_study_progress(study)
    assert set_aside.short == set_aside.wanted - set_aside.usable

    withdraw_annotator(study.annotators.order_by("pk").first())
    assert count(study)[:2] == (5, 4)

    repeat_block(Block.objects.get(), reason="again", author="ana")
    assert count(study)[1:] == (0, 0)
    finish(start(study))
    assert count(study)[1:] == (2, 2)
