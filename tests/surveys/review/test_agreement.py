import math

import pytest

from surveys.models import VerdictKind
from surveys.review.agreement import list_agreement
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from tests.factories.reviews import answers, reviewed_study, reviewer, submit
from tests.factories.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # aggregated


def test_list_agreement_compares_each_pair_of_reviewers():
    study = make_study(4, language="tlh", ratings_per_context=4)
    for _ in range(2):
        submit(study)
    configure_review(study, sample_percent=100, double_percent=100)
    file_answers(study)
    rea, leo = reviewer(study), reviewer(study, "leo")
    first = [VerdictKind.GOOD, VerdictKind.GOOD, VerdictKind.UNUSED, VerdictKind.UNUSED]
    second = [VerdictKind.GOOD, VerdictKind.GOOD, VerdictKind.UNUSED, VerdictKind.GOOD]
    for review, one, two in zip(answers(study), first, second, strict=False):
        give_verdict(review, rea, one)
        give_verdict(review, leo, two)

    (agreement,) = list_agreement(study)

    assert agreement.reviewers == (rea.pk, leo.pk)
    assert (agreement.n, agreement.n_equal) == (4, 3)
    assert agreement.kappa == pytest.approx(0.5)


def test_list_agreement_is_undefined_for_a_single_kind():
    study = reviewed_study()
    configure_review(study, sample_percent=100, double_percent=100)
    for judge in (reviewer(study), reviewer(study, "leo")):
        give_verdict(answers(study)[0], judge, VerdictKind.GOOD)

    (agreement,) = list_agreement(study)

    assert (agreement.n, agreement.n_equal) == (1, 1)
    assert math.isnan(agreement.kappa)
