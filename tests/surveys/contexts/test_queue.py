"""The next pair of an expert, and the order of its candidates."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from surveys.contexts.choices import Chosen, configure_selection, record_choice, undo_choice
from surveys.contexts.models import ContextClaim
from surveys.contexts.queue import claim_next, find_latest, order_candidates
from tests.factories.selections import make_draft
from tests.factories.studies import make_study

pytestmark = pytest.mark.every_database


FIRST_TWO = Chosen(1, 2)


def choose(pair, expert, chosen=FIRST_TWO):
    return record_choice(pair, expert, chosen)


def test_pairs_come_in_the_order_of_the_file(draft, ana):
    for number in (1, 2):
        pair = claim_next(draft, ana)
        assert pair.number == number
        choose(pair, ana)

    assert claim_next(draft, ana) is None
    assert not ContextClaim.objects.exists()


def test_a_pair_that_another_expert_has_open_is_left_out(draft, ana, bea):
    assert claim_next(draft, ana).number == 1
    assert claim_next(draft, bea).number == 2
    assert claim_next(draft, ana).number == 1  # their own claim does not keep them off

    ContextClaim.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert claim_next(draft, bea).number == 1


def test_two_experts_are_given_the_same_pair_and_a_third_only_a_dispute(draft, ana, bea):
    cid = User.objects.create_user("cid")
    configure_selection(draft, is_double=True, shows_scores=False)
    pair = claim_next(draft, ana)
    assert claim_next(draft, bea) == pair
    assert claim_next(draft, cid).number == 2
    choose(pair, ana)
    choose(pair, bea, Chosen(1, 3))

    assert claim_next(draft, ana).number == 2
    assert claim_next(draft, cid) == pair


def test_a_draft_without_candidates_has_no_next_pair(ana):
    assert claim_next(make_study(1), ana) is None


def test_the_order_is_stable_for_an_expert_and_differs_between_experts(ana, bea):
    draft = make_draft(ana, 1, 16)
    pair = draft.candidate_pairs.get()

    mine, theirs = order_candidates(pair, ana), order_candidates(pair, bea)

    assert order_candidates(pair, ana) == mine
    assert [one.key for one in mine] == [*"1234567890abcdfg"]
    numbers = [one.candidate.number for one in mine]
    assert sorted(numbers) == list(range(1, 17))
    assert numbers != [one.candidate.number for one in theirs]
    assert numbers != sorted(numbers)


def test_find_latest_returns_the_last_choice_that_stands(draft, ana, bea):
    first, second = draft.candidate_pairs.all()
    assert find_latest(draft, ana) is None
    kept = choose(first, ana)
    choose(second, ana)
    undo_choice(second, ana)
    choose(second, bea)

    assert find_latest(draft, ana) == kept
