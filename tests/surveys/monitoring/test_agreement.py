import pytest

from surveys.models import Assignment, Review, VerdictKind
from surveys.monitoring.agreement import (
    Agreement,
    agreement_of,
    find_gauges,
    gauge_blocks,
    list_changed,
    list_worries,
)
from surveys.monitoring.progress import watch_blocks
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.layout.rounds import repeat_block
from tests.factories import make_study, start
from tests.surveys.answered import answer, finished_study
from tests.surveys.monitoring.test_progress import current_rounds
from tests.surveys.reviewed import reviewer


def gauged(study, **options):
    return gauge_blocks(study, watch_blocks(study, current_rounds(study)), **options)


def kept(study):
    return find_gauges(study, watch_blocks(study, current_rounds(study)))


def own_ratings(assignment):
    return {r.context_id: float(r.rating) for r in assignment.responses.rated()}


def test_gauge_blocks_finds_the_agreement_of_a_block(db):
    (block,) = gauged(finished_study(4))

    assert block.gauge.agreement.rho == pytest.approx(1)
    assert block.gauge.agreement.high == pytest.approx(1)
    assert (block.is_current, block.verdict, block.n_since) == (True, "fine", 0)


def test_gauge_blocks_leaves_out_what_a_reviewer_sets_aside(db):
    study = finished_study(6)
    odd = answer(start(study), [6, 0, 6, 0, 6, 0])
    (before,) = gauged(study)
    file_answers(study)

    of_the_odd = Review.objects.assignments(study).get(assignment=odd)
    give_verdict(of_the_odd, reviewer(study), VerdictKind.REJECTED, "at random")

    (block,) = kept(study)
    assert (block.is_current, block.n_since) == (False, 1)
    (block,) = gauged(study)
    assert before.gauge.agreement.rho < block.gauge.agreement.rho == pytest.approx(1)


def test_gauge_blocks_leaves_out_single_answers_too(db):
    study = finished_study(4)
    gauged(study)
    file_answers(study)

    give_verdict(Review.objects.answers(study).first(), reviewer(study), VerdictKind.UNUSED, "")

    (block,) = kept(study)
    assert (block.is_current, block.n_since) == (False, 0)
    assert gauged(study)[0].is_current


def test_gauge_blocks_waits_for_two_annotators(db):
    (block,) = gauged(finished_study(1))

    assert (block.gauge, block.verdict) == (None, "early")
    assert list_changed([block]) == []


def test_find_gauges_leaves_figures_as_they_were(db):
    study = finished_study(4)
    assert kept(study)[0].gauge is None
    (before,) = gauged(study)
    answer(start(study))

    (block,) = kept(study)

    assert block.gauge == before.gauge
    assert (block.is_current, block.n_since) == (False, 1)
    assert list_changed([block]) == [block]


@pytest.mark.parametrize(("most_ratings", "n"), [(0, 1), (47, 1), (48, 2)])
def test_gauge_blocks_works_out_one_at_least_and_more_within_bounds(db, most_ratings, n):
    study = finished_study(8, 12, block_size=6)

    found = gauged(study, most_ratings=most_ratings)

    assert [block.is_current for block in found] == [True, n == 2]


def test_figures_are_computed_once(db, django_assert_num_queries):
    study = finished_study(4)
    blocks = watch_blocks(study, current_rounds(study))
    gauge_blocks(study, blocks)

    with django_assert_num_queries(0):
        assert gauge_blocks(study, blocks)[0].is_current
        assert find_gauges(study, blocks)[0].is_current


def test_a_repeated_block_has_no_figure_of_the_round_before(db):
    study = finished_study(4)
    (before,) = gauged(study)
    repeat_block(before.progress.round.block, reason="careless", author="ana")

    assert gauged(study)[0].gauge is None


def test_a_block_below_the_others_is_called_low(db):
    study = make_study(48, block_size=12, ratings_per_context=4)
    chance = [3, 5, 0, 6, 1, 4, 2, 6, 0, 5, 1, 3]
    for n in range(32):
        assignment = start(study)
        bad = assignment.questionnaire.block.number == 2
        answer(assignment, chance[n % 12 :] + chance[: n % 12] if bad else None)

    blocks = gauged(study, most_ratings=10**6)

    assert [block.verdict for block in blocks] == ["fine", "low", "fine", "fine"]
    assert [(w.block_number, w.verdict) for w in list_worries(study)] == [(2, "low")]


def test_agreement_of_an_annotator_is_with_those_who_finished_the_same(db):
    study = finished_study(4)
    one = start(study)
    answer(one, [6, 5, 4])

    found = agreement_of(one, own_ratings(one))

    others = Assignment.objects.submitted().filter(questionnaire=one.questionnaire)
    finished = others.first()
    assert found.rho is not None
    assert agreement_of(finished, own_ratings(finished)).rho == pytest.approx(1)


def test_agreement_of_one_alone_is_undefined(db):
    study = finished_study(1)
    alone = Assignment.objects.get()

    assert agreement_of(alone, own_ratings(alone)) == Agreement(None, None, None)
    assert study.assignments.count() == 1
