import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.models import Block, Context, Item, Place, Questionnaire
from surveys.study.blocks.allocation import plan_blocks
from surveys.study.blocks.quota import resize_places
from surveys.study.design import configure_study
from tests.factories.studies import make_study, make_study_of

WORDS = [(f"alpha{n}", f"beta{n}") for n in range(100)]


@given(st.integers(1, 100), st.integers(1, 30), st.integers(0, 50))
def test_plan_blocks_deals_every_pair_once_in_even_blocks(n_pairs, block_size, seed):
    plan = plan_blocks(WORDS[:n_pairs], block_size=block_size, seed=seed)

    sizes = [len(block) for block in plan]
    assert sorted(item.pair for block in plan for item in block) == list(range(n_pairs))
    assert max(sizes) <= block_size
    assert max(sizes) - min(sizes) <= 1
    assert len(plan) == -(-n_pairs // block_size)


def test_plan_blocks_without_a_size_makes_one_block():
    (block,) = plan_blocks(WORDS, block_size=None, seed=1)

    assert sorted(item.pair for item in block) == list(range(100))


@given(st.integers(1, 100), st.integers(1, 30), st.integers(0, 50))
def test_plan_blocks_gives_each_questionnaire_half_of_its_items_as_context_1(
    n_pairs, block_size, seed
):
    for block in plan_blocks(WORDS[:n_pairs], block_size=block_size, seed=seed):
        n_context1 = sum(item.context_in("A") == 1 for item in block)
        assert n_context1 in {len(block) // 2, -(-len(block) // 2)}
        assert {item.context_in("A") + item.context_in("B") for item in block} == {3}


def test_plan_blocks_repeats_for_a_seed_and_differs_for_another():
    plans = [plan_blocks(WORDS, block_size=20, seed=seed) for seed in (1, 1, 2)]

    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


@pytest.mark.parametrize("seed", range(20))
def test_plan_blocks_parts_rows_with_the_same_words(seed):
    words = [("bolezen", "okužba"), ("Okužba", "bolezen"), *WORDS[:38]]

    plan = plan_blocks(words, block_size=20, seed=seed)

    blocks_of_twins = [n for n, block in enumerate(plan) for item in block if item.pair < 2]
    assert sorted(blocks_of_twins) == [0, 1]


def test_plan_blocks_of_one_context_deals_the_same_pairs():
    plan, of_two = (
        plan_blocks(WORDS, block_size=30, seed=1, n_contexts=n_contexts) for n_contexts in (1, 2)
    )

    dealt = [{item.pair for item in block} for block in plan]
    assert dealt == [{item.pair for item in block} for block in of_two]
    assert {item.context_in("A") for block in plan for item in block} == {1}


def test_plan_blocks_doubles_pairs_in_blocks_of_their_own():
    plan = plan_blocks(WORDS[:40], block_size=10, seed=1, n_contexts=1, n_doubled=12)

    assert [(len(block), {item.n_more for item in block}) for block in plan] == [
        (10, {0}), (9, {0}), (9, {0}), (6, {1}), (6, {1}),
    ]  # fmt: skip
    assert sorted(item.pair for block in plan for item in block) == list(range(40))


@pytest.mark.django_db
def test_make_blocks_gives_doubled_items_one_place_more():
    study = make_study_of("mclwic", 7, block_size=2, n_doubled=3)

    blocks = [(b.n_more, [q.letter for q in b.questionnaires.all()]) for b in study.blocks.all()]
    assert blocks == [(0, ["A"]), (0, ["A"]), (1, ["A"]), (1, ["A"])]
    places = Place.objects.values_list("questionnaire__block__number", "number")
    assert sorted(places) == [
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3),
    ]  # fmt: skip
    resize_places(study)
    assert Place.objects.count() == 10
    configure_study(study, ratings_per_context=1)
    assert Place.objects.filter(is_open=True).count() == 6


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "forms"),
    [("simlex", []), ("scws", ["alpha2", "beta2"]), ("mclwic", ["alpha2", "alpha2"])],
)
def test_items_of_other_kinds_are_stored_as_their_file_has_them(name, forms):
    study = make_study_of(name, 3)

    pair = study.pairs.get(position=2)
    item = study.kind.restored({**vars(pair), **vars(pair.contexts.get())})
    assert pair.details == {"id": "p2", "pos": "N", "date": "1802"}
    assert [text.form for text in item.texts] == forms


@pytest.mark.django_db
def test_make_blocks_stores_complementary_questionnaires():
    study = make_study(25, block_size=10)

    assert Block.objects.count() == 3
    assert Item.objects.count() == Context.objects.count() == 50
    for block in study.blocks.all():
        a, b = block.questionnaires.all()
        in_a = dict(a.items.values_list("context__pair", "context__number"))
        in_b = dict(b.items.values_list("context__pair", "context__number"))
        assert in_a.keys() == in_b.keys()
        assert all(in_a[pair] + in_b[pair] == 3 for pair in in_a)


@pytest.mark.django_db
def test_make_blocks_puts_a_pair_at_the_same_place_in_both_questionnaires():
    make_study(9)

    a, b = (
        list(q.items.values_list("position", "context__pair")) for q in Questionnaire.objects.all()
    )

    assert a == b
