"""A block → its rounds: the first collection, and repeats of one whose answers were bad."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from surveys.auditing import record
from surveys.errors import RepeatRefused
from surveys.models import Block, Place, Round, Study
from surveys.places import lay_out_places
from surveys.timing import introduction_seconds
from surveys.watching import watch_blocks


@dataclass(frozen=True)
class RepeatCost:
    """What collecting a block again would take, and what becomes of what is there.

    Minutes are the median of those who finished the round, else what the study allows for, both
    with the introduction, which new annotators read. Those that are set aside, a reviewer has
    judged not to be used.
    """

    n_new: int
    minutes_each: float
    is_measured: bool
    n_leaving: int
    n_set_aside: int
    n_under_way: int

    @property
    def hours(self) -> float:
        """Of all new annotators together."""
        return self.n_new * self.minutes_each / 60


@transaction.atomic
def open_rounds(study: Study, blocks: Iterable[Block]) -> None:
    """Begin the first round of new blocks."""
    rounds = Round.objects.bulk_create(Round(block=block, number=1) for block in blocks)
    lay_out_places(study, rounds)


def preview_repeat(study: Study, current: Round) -> RepeatCost:
    """What it would mean to collect the block of a current round again; nothing is changed."""
    (block,) = watch_blocks(study, [current])
    n_new = len(block.questionnaires) * study.ratings_per_context
    introduction = introduction_seconds(study) / 60
    allowed = study.block_size * study.seconds_per_item / 60
    return RepeatCost(
        n_new=n_new,
        minutes_each=introduction + (allowed if block.minutes is None else block.minutes),
        is_measured=block.minutes is not None,
        n_leaving=block.tally.usable,
        n_set_aside=block.tally.set_aside,
        n_under_way=block.tally.live,
    )


@transaction.atomic
def repeat_block(
    block: Block, *, reason: str, author: str, round_number: int | None = None
) -> Round:
    """Collect a block again from people who have not seen it.

    Answers of the round before stay stored and leave the dataset; who is in the middle of it may
    finish. Raises RepeatRefused without a reason, when nobody has taken part yet, or when the
    current round is not the one that is to be repeated (`round_number`).
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=block.study_id)
    current = Round.objects.get(block=block, is_current=True)
    if not reason.strip():
        raise RepeatRefused("Say why the block is repeated: the reason is kept with its answers.")
    if round_number not in (None, current.number):
        raise RepeatRefused(
            f"Block {block.number} is in round {current.number} by now: it was repeated meanwhile. "
            "Look at the block again."
        )
    if not current.assignments.exists():
        raise RepeatRefused(
            f"Nobody has taken part in round {current.number} of block {block.number} yet."
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
