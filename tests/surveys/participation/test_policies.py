"""Assignment policies, and the checkpoint items mixed into assignments."""

import random

import pytest
from django.db import connection

from surveys.errors import NoPlaceLeft
from surveys.models import (
    AssigningPolicy,
    Assignment,
    Checkpoint,
    Context,
    Pair,
    Place,
    Study,
)
from surveys.participation.assignments import find_own_place, start_another_assignment
from surveys.participation.policies import choose_place
from surveys.participation.withdrawal import return_assignment
from surveys.results.ratings_table import list_shortfalls
from surveys.study.design import configure_study
from tests.factories.studies import (
    count_places_left,
    counted_ratings,
    due_response,
    finish,
    make_study,
    rate_due,
    start,
)

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="blocks_with_checkpoints")]


def make_policy_study(policy: str) -> Study:
    """Return two blocks, each with a questionnaire A and B of two places."""
    return make_study(4, block_size=2, ratings_per_context=2, assigning_policy=policy)


@pytest.mark.parametrize(
    ("policy", "given"),
    [
        ("balanced", ["1A 1", "1B 1", "2A 1", "2B 1", "1A 2", "1B 2", "2A 2", "2B 2"]),
        ("blockwise", ["1A 1", "1B 1", "1A 2", "1B 2", "2A 1", "2B 1", "2A 2", "2B 2"]),
    ],
)
def test_policy_orders_the_places_and_gives_a_reason(policy, given):
    study = make_policy_study(policy)

    reasons = [start(study).reason for _ in range(8)]

    assert reasons == [
        f"{policy}: place {number} of 2 in study {questionnaire}"
        for questionnaire, number in map(str.split, given)
    ]


@pytest.mark.parametrize("policy", ["balanced", "blockwise"])
def test_a_place_that_is_returned_is_given_before_those_that_come_later(policy):
    study = make_policy_study(policy)
    returned, *_ = [start(study) for _ in range(5)]
    return_assignment(returned, "tried")

    assert start(study).reason == f"{policy}: place 1 of 2 in study 1A"


@pytest.mark.parametrize("policy", AssigningPolicy.values)
def test_every_policy_fills_each_questionnaire_and_then_refuses(policy):
    study = make_policy_study(policy)

    given = [str(start(study).questionnaire) for _ in range(8)]

    assert sorted(given) == [f"study {name}" for name in ("1A", "1B", "2A", "2B") for _ in range(2)]
    with pytest.raises(NoPlaceLeft):
        start(study)
    assert Assignment.objects.count() == 8


@pytest.mark.parametrize("policy", AssigningPolicy.values)
def test_choose_place_of_no_free_place_is_none(policy):
    study = make_policy_study(policy)

    assert choose_place(study, Place.objects.none(), random.Random(0)) is None


@pytest.mark.every_database
def test_a_random_choice_is_repeated_by_its_stored_seed():
    study = make_policy_study("random")
    for _ in range(8):
        free = list(Place.objects.free(study))
        assignment = start(study)

        repeated = free[random.Random(assignment.seed).randrange(len(free))]
        assert assignment.place == repeated
        assert assignment.reason == (
            f"random: place {repeated.number} of 2 in {repeated.questionnaire}"
        )


def test_a_random_choice_may_be_any_free_place():
    study = make_policy_study("random")
    free = Place.objects.free(study)

    chosen = {choose_place(study, free, random.Random(seed)).place for seed in range(100)}

    assert chosen == set(free)


@pytest.mark.parametrize("policy", AssigningPolicy.values)
def test_a_further_block_was_never_seen_before(policy):
    study = configure_study(make_policy_study(policy), allows_more_blocks=True)
    first = start(study)
    finish(first)

    another = start_another_assignment(first)

    assert another.annotator == first.annotator
    assert another.questionnaire.block != first.questionnaire.block


@pytest.mark.every_database
def test_unseen_places_leave_out_both_questionnaires_of_a_block_that_was_given_back():
    study = make_policy_study("balanced")
    assignment = start(study)
    return_assignment(assignment, "tried")

    unseen = Place.objects.free(study).unseen_by(assignment.annotator)

    assert sorted({str(place.questionnaire) for place in unseen}) == ["study 2A", "study 2B"]
    assert count_places_left(study) == 8


# Checkpoint items


def add_checkpoint(study: Study, position: int) -> None:
    """Add a checkpoint item that an attentive annotator rates 5 or 6."""
    text = f"It was near, quite close, at gate {position}."
    pair = Pair.objects.create(
        study=study, is_checkpoint=True, position=position, word1="near", word2="close"
    )
    context = Context.objects.create(
        pair=pair, number=1, text=text, word1_start=7, word1_end=11, word2_start=19, word2_end=24
    )
    Checkpoint.objects.create(context=context, lowest=5, highest=6)


@pytest.fixture
def blocks_with_checkpoints() -> Study:
    """Return a study of two blocks of two pairs and three checkpoint items, two per assignment."""
    study = make_study(4, block_size=2, ratings_per_context=12)
    for position in (1, 2, 3):
        add_checkpoint(study, position)
    return configure_study(study, n_checkpoints=2, allows_more_blocks=True)


def order(assignment: Assignment) -> list[tuple[int, bool, int]]:
    """Return position, kind and row of each item."""
    return list(
        assignment.responses.values_list("position", "pair__is_checkpoint", "pair__position")
    )


def test_checkpoint_items_are_mixed_in_but_never_first(study):
    for _ in range(24):
        assignment = start(study)

        assert assignment.n_items == 4
        positions, are_checkpoints, _rows = zip(*order(assignment), strict=True)
        assert positions == (1, 2, 3, 4)
        assert (are_checkpoints[0], sum(are_checkpoints)) == (False, 2)


def test_checkpoint_items_have_different_positions(study):
    places = {tuple(is_checkpoint for _, is_checkpoint, _ in order(start(study)))
              for _ in range(24)}  # fmt: skip

    assert len(places) > 1


def test_the_same_seed_gives_the_same_order_of_all_items(study, monkeypatch):
    monkeypatch.setattr("surveys.participation.assignments.secrets.randbits", lambda n_bits: 7)

    first, *_, fifth = [start(study) for _ in range(5)]

    assert (first.questionnaire, first.seed) == (fifth.questionnaire, fifth.seed)
    assert order(first) == order(fifth)


def test_checkpoint_items_are_found_without_reading_the_other_pairs(study):
    plan = Pair.objects.checkpoints(study).explain()

    assert "(study_id=? AND is_checkpoint=?)" in plan  # SQLite's; on PostgreSQL costs decide


def test_with_fewer_checkpoint_items_than_wanted_each_has_all_of_them(study):
    configure_study(study, n_checkpoints=9)

    assignment = start(study)

    assert (assignment.n_items, len(order(assignment))) == (5, 5)
    assert sum(is_checkpoint for _, is_checkpoint, _ in order(assignment)) == 3


@pytest.mark.every_database
def test_no_annotator_has_a_checkpoint_item_twice(study):
    first = start(study)
    finish(first)

    another = start_another_assignment(first)

    rows = [row for a in (first, another) for _, is_checkpoint, row in order(a) if is_checkpoint]
    assert sorted(rows) == [1, 2, 3]
    assert another.n_items == 3


def test_ratings_of_checkpoint_items_are_not_in_the_ratings_table(study):
    finish(start(study), rating=4)

    assert counted_ratings(study)["rating"].tolist() == [4, 4]


def rate_all(assignment: Assignment, *, checkpoints: list[int]) -> None:
    """Rate 2 everywhere but on checkpoint items."""
    for _ in range(assignment.n_items):
        is_checkpoint = due_response(assignment).pair.is_checkpoint
        rate_due(assignment, checkpoints.pop(0) if is_checkpoint else 2)


def test_list_shortfalls_counts_questionnaires_with_a_failed_checkpoint_item(study):
    for ratings in ([5, 6], [4, 6], [0, 1]):
        rate_all(start(study), checkpoints=ratings)

    assert "questionnaires with a failed checkpoint item, included: 2" in list_shortfalls(study)


def test_list_shortfalls_omits_passed_checkpoint_items(study):
    rate_all(start(study), checkpoints=[5, 6])

    assert not [line for line in list_shortfalls(study) if "checkpoint" in line]


@pytest.mark.every_database
def test_free_places_are_found_by_a_partial_index():
    """With any number of occupied places; see `bench/volume.py`."""
    study = make_study(4, block_size=2)
    annotator = start(study).annotator
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Either would do for so few rows, whatever autovacuum saw of other tests.
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_sort = off")

        free = Place.objects.free(study)

        assert "free_places" in free[:1].explain()
        assert "free_places" in free.unseen_by(annotator)[:1].explain()


@pytest.mark.every_database
def test_reserved_places_are_found_by_a_partial_index(django_assert_num_queries):
    """However many free places there are."""
    study = make_study(4, block_size=2, ratings_per_context=200)
    assignment = start(study)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE surveys_place")

        with django_assert_num_queries(2) as queries:
            place = find_own_place(study, assignment)
        cursor.execute(f"{connection.ops.explain_query_prefix()} {queries[0]['sql']}")
        plan = "\n".join(str(row) for row in cursor.fetchall())

    assert place.number == 2
    assert "reserved_places" in plan
