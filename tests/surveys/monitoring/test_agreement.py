import pytest
from django.urls import reverse

from surveys.models import Assignment, Review, VerdictKind
from surveys.monitoring.agreement import (
    compute_agreement,
    list_outdated,
    list_warnings,
    read_stored,
    with_agreement,
)
from surveys.monitoring.annotator_agreement import (
    Agreement,
    agreement_of,
    compare_annotators,
    find_typical,
)
from surveys.monitoring.progress import count_block_progress
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.blocks.allocation import repeat_block
from tests.factories.answers import answer, finished_study
from tests.factories.reviews import reviewer
from tests.factories.studies import make_study, start
from tests.surveys.monitoring.test_progress import current_rounds


def monitored(study, **options):
    return compute_agreement(study, count_block_progress(study, current_rounds(study)), **options)


def kept(study):
    return with_agreement(count_block_progress(study, current_rounds(study)), read_stored(study))


def own_ratings(assignment):
    return {r.context_id: float(r.rating) for r in assignment.responses.rated()}


@pytest.mark.every_database
def test_compute_agreement_returns_that_of_a_block(db):
    (block,) = monitored(finished_study(4))

    assert block.stored.agreement.rho == pytest.approx(1)
    assert block.stored.agreement.high == pytest.approx(1)
    assert (block.is_current, block.verdict, block.n_since) == (True, "fine", 0)


def test_compute_agreement_excludes_assignments_set_aside(db):
    study = finished_study(6)
    odd = answer(start(study), [6, 0, 6, 0, 6, 0])
    (before,) = monitored(study)
    file_answers(study)

    of_odd = Review.objects.assignments(study).get(assignment=odd)
    give_verdict(of_odd, reviewer(study), VerdictKind.REJECTED, "at random")

    (block,) = kept(study)
    assert (block.is_current, block.n_since) == (False, 1)
    (block,) = monitored(study)
    assert before.stored.agreement.rho < block.stored.agreement.rho == pytest.approx(1)


@pytest.mark.every_database
def test_compute_agreement_excludes_single_rejected_answers(db):
    study = finished_study(4)
    monitored(study)
    file_answers(study)

    give_verdict(Review.objects.answers(study).first(), reviewer(study), VerdictKind.UNUSED, "")

    (block,) = kept(study)
    assert (block.is_current, block.n_since) == (False, 0)
    assert monitored(study)[0].is_current


def test_a_block_with_one_annotator_has_warnings_but_no_agreement(db):
    study = make_study(6)
    constant = answer(start(study), [3] * 6)

    (block,) = monitored(study)

    assert (block.stored.agreement, block.verdict) == (Agreement(None, None, None), "early")
    assert block.stored.grave == (constant.pk,)
    assert list_outdated([block]) == []


def test_a_block_without_usable_annotators_is_not_computed(db):
    study = make_study(6)
    answer(start(study), [3, 4])

    assert monitored(study)[0].stored is None


@pytest.mark.parametrize(
    ("figures", "typical", "is_low"),
    [
        ((0.4, -0.2, 0.7), 0.8, True),
        ((0.4, -0.2, 0.9), 0.8, False),  # it may be chance, but also be as good as the others
        ((0.4, -0.2, 0.7), None, False),
        ((0.0, -0.5, 0.9), None, True),
        ((None, None, None), 0.8, False),
    ],
)
def test_agreement_is_low_below_that_of_the_others_or_from_zero_down(figures, typical, is_low):
    assert Agreement(*figures).is_low(typical) is is_low


def test_the_typical_agreement_is_the_median_of_four_or_more():
    known = [Agreement(rho, None, None) for rho in (0.1, 0.9, 0.5, 0.7, None)]

    assert find_typical(known) == pytest.approx(0.6)
    assert find_typical(known[1:]) is None


def test_find_agreement_returns_cached_figures(db):
    study = finished_study(4)
    assert kept(study)[0].stored is None
    (before,) = monitored(study)
    answer(start(study))

    (block,) = kept(study)

    assert block.stored == before.stored
    assert (block.is_current, block.n_since) == (False, 1)
    assert list_outdated([block]) == [block]


@pytest.mark.parametrize(("most_ratings", "n"), [(0, 1), (47, 1), (48, 2)])
def test_compute_agreement_computes_one_block_and_more_within_bounds(db, most_ratings, n):
    study = finished_study(8, 12, block_size=6)

    found = monitored(study, most_ratings=most_ratings)

    assert [block.is_current for block in found] == [True, n == 2]


def test_annotators_with_constant_ratings_are_counted(db, admin_client):
    study = finished_study(4)
    answer(start(study), [3] * study.pairs.count())

    (block,) = monitored(study)

    assert block.stored.n_constant == 1
    page = admin_client.get(reverse("console:block", args=[study.slug, 1])).content.decode()
    assert "not counted: 1 of 5 annotators, who gave the same rating throughout" in " ".join(
        page.split()
    )


def test_compute_agreement_uses_the_cache(db, django_assert_num_queries):
    study = finished_study(4)
    blocks = count_block_progress(study, current_rounds(study))
    compute_agreement(study, blocks)

    with django_assert_num_queries(0):
        assert compute_agreement(study, blocks)[0].is_current
        assert with_agreement(blocks, read_stored(study))[0].is_current


def test_a_repeated_block_has_no_figure_of_the_earlier_round(db):
    study = finished_study(4)
    (before,) = monitored(study)
    repeat_block(before.progress.round.block, reason="careless", author="ana")

    assert monitored(study)[0].stored is None


def test_a_block_below_the_others_is_called_low(db):
    study = make_study(48, block_size=12, ratings_per_context=4)
    chance = [3, 5, 0, 6, 1, 4, 2, 6, 0, 5, 1, 3]
    for n in range(32):
        assignment = start(study)
        bad = assignment.questionnaire.block.number == 2
        answer(assignment, chance[n % 12 :] + chance[: n % 12] if bad else None)

    blocks = monitored(study, most_ratings=10**6)

    assert [block.verdict for block in blocks] == ["fine", "low", "fine", "fine"]
    assert [(w.block_number, w.verdict) for w in list_warnings(read_stored(study))] == [(2, "low")]


@pytest.mark.every_database
def test_agreement_of_compares_with_finished_assignments(db):
    study = finished_study(4)
    one = start(study)
    answer(one, [6, 5, 4])

    found = agreement_of(one, own_ratings(one))

    others = Assignment.objects.submitted().filter(questionnaire=one.questionnaire)
    finished = others.first()
    assert found.rho is not None
    assert agreement_of(finished, own_ratings(finished)).rho == pytest.approx(1)


def test_agreement_of_a_single_annotator_is_undefined(db):
    study = finished_study(1)
    alone = Assignment.objects.get()

    assert agreement_of(alone, own_ratings(alone)) == Agreement(None, None, None)
    assert study.assignments.count() == 1


@pytest.mark.every_database
def test_compare_annotators_returns_the_agreement_of_each(db):
    study = finished_study(5, n_pairs=6)
    answer(start(study), [6, 0, 3, 1, 5, 2])
    answer(start(study), [6, 5, 4])  # has not finished
    (round_,) = current_rounds(study)

    found = compare_annotators(round_)

    finished = Assignment.objects.submitted()
    assert found == {one.pk: agreement_of(one, own_ratings(one)) for one in finished}
    assert len(found) == 6
