"""Pairs → blocks → questionnaires A and B."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from surveys.models import Block, Context, Item, Pair, Place, Questionnaire, Round, Study
from surveys.study.layout.rounds import open_rounds
from surveys.study.stimuli.inserts import insert_rows


class PlannedItem(NamedTuple):
    """A pair's place in a block, and the context of it that questionnaire A asks for."""

    pair: int
    context_in_a: int

    def context_in(self, letter: str) -> int:
        """The context number that the questionnaire of this letter asks for."""
        return self.context_in_a if letter == "A" else 3 - self.context_in_a


BlockPlan = Sequence[Sequence[PlannedItem]]


def plan_blocks(words: Sequence[tuple[str, str]], *, block_size: int, seed: int) -> BlockPlan:
    """Deal pairs (given as their words, named by index) into blocks, the same for the same seed.

    As few blocks as `block_size` allows, of sizes that differ by one at most. Rows with the same
    two words go to different blocks while there are blocks enough. Of a block of an odd size
    questionnaire A or B, by chance, has one context 1 more.
    """
    rng = random.Random(seed)  # noqa: S311  # nosec B311 # (a design to repeat, not a secret)
    shuffled = rng.sample(range(len(words)), len(words))
    same_words: dict[tuple[str, ...], list[int]] = {}
    for index in shuffled:
        key = tuple(sorted(word.casefold() for word in words[index]))
        same_words.setdefault(key, []).append(index)
    dealt = [index for rows in same_words.values() for index in rows]
    n_blocks = -(-len(words) // block_size)
    return [_plan_block(dealt[k::n_blocks], rng) for k in range(n_blocks)]


def _plan_block(pairs: list[int], rng: random.Random) -> list[PlannedItem]:
    n_context1 = (len(pairs) + rng.randrange(2)) // 2
    contexts = [1] * n_context1 + [2] * (len(pairs) - n_context1)
    items = [PlannedItem(*item) for item in zip(pairs, contexts, strict=True)]
    rng.shuffle(items)
    return items


@transaction.atomic
def make_blocks(study: Study, plan: BlockPlan | None = None) -> list[Block]:
    """Lay out a study's blocks, questionnaires and places, for one without.

    By its design, unless the plan that this makes is given.
    """
    pairs = list(Pair.objects.stimuli(study).values_list("pk", "word1", "word2"))
    found = Context.objects.stimuli(study).order_by()
    contexts = {(pair, n): pk for pk, pair, n in found.values_list("pk", "pair_id", "number")}
    if plan is None:
        words = [(word1, word2) for _, word1, word2 in pairs]
        plan = plan_blocks(words, block_size=study.block_size, seed=study.seed)
    blocks = Block.objects.bulk_create(
        Block(study=study, number=number) for number, _ in enumerate(plan, 1)
    )
    questionnaires = Questionnaire.objects.bulk_create(
        Questionnaire(block=block, letter=letter) for block in blocks for letter in "AB"
    )
    planned = [items for items in plan for _ in "AB"]
    insert_rows(
        Item,
        ("questionnaire", "position", "context"),
        (
            (
                questionnaire.pk,
                position,
                contexts[pairs[item.pair][0], item.context_in(questionnaire.letter)],
            )
            for questionnaire, items in zip(questionnaires, planned, strict=True)
            for position, item in enumerate(items, 1)
        ),
    )
    open_rounds(study, blocks)
    return blocks


@transaction.atomic
def lay_out_again(study: Study) -> list[Block]:
    """Blocks, questionnaires and places anew, for a draft whose pairs or design have changed."""
    clear_blocks(study)
    return make_blocks(study)


@transaction.atomic
def clear_blocks(study: Study) -> None:
    """Take away what `make_blocks` made; the database refuses where somebody has taken part."""
    Item.objects.filter(questionnaire__block__study=study).delete()
    Place.objects.filter(study=study).delete()
    Round.objects.filter(block__study=study).delete()
    Questionnaire.objects.filter(block__study=study).delete()
    Block.objects.filter(study=study).delete()
