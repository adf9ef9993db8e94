"""A block → its rounds: the first collection, and repeats of one whose answers were bad."""

from collections.abc import Iterable

from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import RepeatRefused
from surveys.models import Block, Place, Round, Study
from surveys.study.layout.quota import lay_out_places


@transaction.atomic
def open_rounds(study: Study, blocks: Iterable[Block]) -> None:
    """Begin the first round of new blocks."""
    rounds = Round.objects.bulk_create(Round(block=block, number=1) for block in blocks)
    lay_out_places(study, rounds)


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
