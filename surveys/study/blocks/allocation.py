"""Allocation of pairs to blocks and questionnaires, and the rounds of their collection."""

import random
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import RepeatRefused
from surveys.models import Block, Context, Item, Pair, Place, Questionnaire, Round, Study
from surveys.models.stimuli import insert_rows
from surveys.study.blocks.quota import resize_places


class PlannedItem(NamedTuple):
    """A pair's position in a block, and the number of its context in questionnaire A.

    `n_more`: answers beyond the study's number, the same in a block.
    """

    pair: int
    context_in_a: int
    n_more: int = 0

    def context_in(self, letter: str) -> int:
        """Return the context number in the questionnaire with this letter."""
        return self.context_in_a if letter == "A" else 3 - self.context_in_a


BlockPlan = Sequence[Sequence[PlannedItem]]


def plan_study(study: Study, words: Sequence[tuple[str, str]]) -> BlockPlan:
    """Deal pairs into blocks by a study's design."""
    return plan_blocks(
        words, block_size=study.block_size, seed=study.seed,
        n_contexts=study.kind.n_contexts, n_doubled=study.n_doubled,
    )  # fmt: skip


def plan_blocks(
    words: Sequence[tuple[str, str]],
    *,
    block_size: int | None,
    seed: int,
    n_contexts: int = 2,
    n_doubled: int = 0,
) -> BlockPlan:
    """Deal pairs (given as their words, named by index) into blocks, reproducibly by seed.

    There are as few blocks as `block_size` allows (None: one block), and their sizes differ by one
    at most. Rows with the same two words go to different blocks if there are enough blocks. In a
    block of odd size, a random questionnaire has one more context 1; with one context a pair, there
    is no other. Doubled pairs are drawn at random, and come last, in blocks of their own.
    """
    rng = random.Random(seed)  # noqa: S311  # nosec B311 # (a design to repeat, not a secret)
    shuffled = rng.sample(range(len(words)), len(words))
    doubled = set(rng.sample(shuffled, min(n_doubled, len(words)))) if n_doubled else set()
    return [
        _plan_block(pairs, rng, n_contexts, n_more)
        for n_more in (0, 1)
        for pairs in _deal([i for i in shuffled if (i in doubled) == n_more], words, block_size)
    ]


def _deal(
    pairs: Sequence[int], words: Sequence[tuple[str, str]], block_size: int | None
) -> list[list[int]]:
    same_words: dict[tuple[str, ...], list[int]] = {}
    for index in pairs:
        key = tuple(sorted(word.casefold() for word in words[index]))
        same_words.setdefault(key, []).append(index)
    dealt = [index for rows in same_words.values() for index in rows]
    n_blocks = -(-len(dealt) // (block_size or len(dealt) or 1))
    return [dealt[k::n_blocks] for k in range(n_blocks)]


def _plan_block(
    pairs: list[int], rng: random.Random, n_contexts: int, n_more: int
) -> list[PlannedItem]:
    n_context1 = (len(pairs) + rng.randrange(2)) // 2 if n_contexts == 2 else len(pairs)
    contexts = [1] * n_context1 + [2] * (len(pairs) - n_context1)
    items = [PlannedItem(*item, n_more) for item in zip(pairs, contexts, strict=True)]
    rng.shuffle(items)
    return items


@transaction.atomic
def make_blocks(study: Study, plan: BlockPlan | None = None) -> list[Block]:
    """Create blocks, questionnaires, first rounds and places of a study without any.

    They follow the design, or the plan if one is given.
    """
    pairs = list(Pair.objects.stimuli(study).values_list("pk", "word1", "word2"))
    stored = Context.objects.stimuli(study).order_by()
    contexts = {(pair, n): pk for pk, pair, n in stored.values_list("pk", "pair_id", "number")}
    if plan is None:
        words = [(word1, word2) for _, word1, word2 in pairs]
        plan = plan_study(study, words)
    blocks = Block.objects.bulk_create(
        Block(study=study, number=number, n_more=items[0].n_more)
        for number, items in enumerate(plan, 1)
    )
    letters = "AB"[: study.kind.n_contexts]
    questionnaires = Questionnaire.objects.bulk_create(
        Questionnaire(block=block, letter=letter) for block in blocks for letter in letters
    )
    planned = [items for items in plan for _ in letters]
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
    rounds = Round.objects.bulk_create(Round(block=block, number=1) for block in blocks)
    lay_out_places(study, rounds)
    return blocks


def lay_out_places(study: Study, rounds: Collection[Round]) -> None:
    """Create the places of new rounds.

    Number by number over all questionnaires: the order in which a balanced design fills them.
    """
    by_block = {round_.block_id: round_ for round_ in rounds}
    rows = Questionnaire.objects.filter(block__in=by_block)
    questionnaires = [
        (pk, by_block[block].pk, study.ratings_per_context + n_more)
        for pk, block, n_more in rows.values_list("pk", "block_id", "block__n_more")
    ]
    most = max((n_wanted for *_, n_wanted in questionnaires), default=0)
    insert_rows(
        Place,
        ("study", "questionnaire", "round", "number", "is_open", "is_replaced"),
        (
            (study.pk, questionnaire, round_, number, True, False)
            for number in range(1, most + 1)
            for questionnaire, round_, n_wanted in questionnaires
            if number <= n_wanted
        ),
    )


@transaction.atomic
def lay_out_again(study: Study) -> list[Block]:
    """Replace blocks, questionnaires and places of a draft whose pairs or design have changed."""
    clear_blocks(study)
    return make_blocks(study)


@transaction.atomic
def clear_blocks(study: Study) -> None:
    """Delete the result of `make_blocks`; the database refuses if there are assignments."""
    Item.objects.filter(questionnaire__block__study=study).delete()
    Place.objects.filter(study=study).delete()
    Round.objects.filter(block__study=study).delete()
    Questionnaire.objects.filter(block__study=study).delete()
    Block.objects.filter(study=study).delete()


@transaction.atomic
def repeat_block(
    block: Block, *, reason: str, author: str, round_number: int | None = None
) -> Round:
    """Start another collection of a block, from annotators who have not seen it.

    Answers of the previous round stay stored and leave the dataset; assignments in progress may be
    finished. Raises RepeatRefused without a reason, without a previous assignment, or if
    `round_number` is not the current round.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=block.study_id)
    current = Round.objects.get(block=block, is_current=True)
    if not reason.strip():
        raise RepeatRefused("Give the reason for the repeat; it is kept with the answers.")
    if round_number not in (None, current.number):
        raise RepeatRefused(
            f"Block {block.number} is in round {current.number} by now: it was repeated meanwhile. "
            "Look at the block again."
        )
    if not current.assignments.exists():
        raise RepeatRefused(
            f"There is no assignment in round {current.number} of block {block.number} yet."
        )
    Round.objects.filter(pk=current.pk).update(is_current=False)
    Place.objects.filter(round=current).update(is_open=False)
    repeated = Round.objects.create(
        block=block, number=current.number + 1, reason=reason.strip()[:500], opened_by=author[:150]
    )
    lay_out_places(study, [repeated])
    record(
        "block.repeated", study, f"block {block.number}", round=repeated.number,
        reason=repeated.reason,
    )  # fmt: skip
    return repeated


@transaction.atomic
def undo_repeat(block: Block) -> Round:
    """End the current round of a block, in which nobody has begun, and continue the one before.

    Raises RepeatRefused if an annotator has begun, or if there is no earlier round.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=block.study_id)
    current = Round.objects.get(block=block, is_current=True)
    before = Round.objects.filter(block=block, number=current.number - 1).first()
    if before is None:
        raise RepeatRefused(f"Block {block.number} was not repeated.")
    if current.assignments.exists():
        raise RepeatRefused(
            f"An annotator has begun in round {current.number} of block {block.number}: their "
            "answers would be lost."
        )
    Place.objects.filter(round=current).delete()
    current.delete()
    Round.objects.filter(pk=before.pk).update(is_current=True)
    Place.objects.filter(round=before, assignment__isnull=False).update(is_open=True)
    resize_places(study)
    record("block.repeat_undone", study, f"block {block.number}", round=current.number)
    return before
