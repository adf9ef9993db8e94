"""Changes to the stimuli of a draft: replace the file, revise or drop a row."""

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.db.models import F

from postprocess.designs.items import ID
from postprocess.formats.kinds import CANONICAL, FileKind
from surveys.access.audit_log import record
from surveys.errors import ImportRefused, StimuliChanged
from surveys.models import Context, Pair, StimuliOrigin, Study
from surveys.study.blocks.allocation import clear_blocks, lay_out_again, make_blocks
from surveys.study.lifecycle import lock_draft
from surveys.study.settings import LAYS_OUT_BLOCKS
from surveys.study.stimuli.load import (
    LARGEST_FILE,
    CheckedFile,
    CheckedStimuli,
    check_row,
    check_stimuli,
    digest_stimuli,
    fingerprint_row,
    read_stimuli,
    store_pairs,
    write_row,
)

POSITION_OFFSET = 1_000_000_000  # beyond every existing position


def read_upload(data: bytes, design: Study, kind: FileKind = CANONICAL) -> CheckedStimuli:
    """Read stimuli as `read_stimuli` does, up to the size that a page or program may send."""
    if len(data) > LARGEST_FILE:
        raise ImportRefused(
            f"The stimuli have {len(data):,} bytes; up to {LARGEST_FILE:,} bytes are taken. Split "
            "the study, or ask an operator to import it."
        )
    return read_stimuli(data, design, kind)


def read_checked(checked: CheckedFile | None, design: Study) -> CheckedStimuli:
    """Return the stimuli of a file that was checked. Raises ImportRefused, also for no file."""
    if checked is None or checked.stimuli is None:
        raise ImportRefused("Choose the file with the stimuli.")
    return check_stimuli(checked.stimuli, design)


@transaction.atomic
def replace_stimuli(study: Study, stimuli: CheckedStimuli) -> Study:
    """Replace all stimuli of a draft; a no-op for the same stimuli. Raises StudyOpen."""
    study = lock_draft(study)
    before, n_before = study.stimuli_sha256, Pair.objects.stimuli(study).count()
    if stimuli.digest == before:
        return study
    _remove(study, Pair.objects.stimuli(study).values_list("pk", flat=True))
    StimuliOrigin.objects.filter(study=study).delete()
    store_pairs(study, stimuli.pairs)
    study.seconds_per_item, study.stimuli_sha256 = stimuli.seconds_per_item, stimuli.digest
    study.save()
    design = stimuli.design
    is_as_planned = all(getattr(study, n) == getattr(design, n) for n in LAYS_OUT_BLOCKS)
    make_blocks(study, stimuli.plan if is_as_planned else None)
    pairs = f"{n_before} → {len(stimuli.pairs)}"
    record("stimuli.replaced", study, pairs=pairs, stimuli=f"{before} → {study.stimuli_sha256}")
    return study


@transaction.atomic
def revise_row(pair: Pair, fields: Mapping[str, str], *, shown: str, reason: str) -> bool:
    """Change a row of a draft's stimuli, given by column; return whether anything changed.

    `shown` is the fingerprint of the row as the researcher saw it. Raises ImportRefused, StudyOpen,
    or StimuliChanged after another user's change.
    """
    study = lock_draft(pair.study)
    _refuse_unreasoned(reason)
    pair, before = _find_row(study, pair, shown)
    if unknown := sorted(fields.keys() - before.keys()):
        raise ImportRefused(f"The stimuli have no column {', '.join(unknown)}.")
    if ID in fields and not fields[ID]:
        fields = {**fields, ID: str(pair.position)}
    checked = check_row(fields, study.item_rules)
    if checked.errors or checked.stimuli is None:
        message = "\n".join(f"{error.column}: {error.reason}" for error in checked.errors)
        problems = [(error.reason, pair.position, error.column) for error in checked.errors]
        raise ImportRefused(message, problems=problems)
    changed = [column for column in before if before[column] != fields[column]]
    if not changed:
        return False
    if ID in changed and Pair.objects.stimuli(study).filter(details__id=fields[ID]).exists():
        raise ImportRefused(f"Another row has the id “{fields[ID]}”: give each row its own.")
    (stimulus,) = checked.stimuli.pairs
    pair.word1, pair.word2 = stimulus.word1, stimulus.word2
    pair.details = study.kind.details(stimulus)
    pair.save(update_fields=["word1", "word2", "details"])
    for context in study.kind.stored(stimulus):
        Context.objects.filter(pair=pair, number=context["number"]).update(**context)
    _update_layout(study)
    row = {"reason": reason.strip()}
    row |= {f"{column} before": before[column] for column in changed}
    row |= {f"{column} after": fields[column] for column in changed}
    record("stimuli.revised", study, f"row {pair.position}", **row)
    return True


@transaction.atomic
def drop_row(pair: Pair, *, shown: str, reason: str) -> None:
    """Remove a row from a draft's stimuli; the rows behind it move up.

    Raises ImportRefused for the last row or without a reason, StudyOpen or StimuliChanged.
    """
    study = lock_draft(pair.study)
    _refuse_unreasoned(reason)
    pair, before = _find_row(study, pair, shown)
    if Pair.objects.stimuli(study).count() == 1:
        raise ImportRefused("This is the last row; a study needs one. Replace the file instead.")
    position = pair.position
    _remove(study, [pair.pk])
    behind = Pair.objects.stimuli(study).filter(position__gt=position)
    behind.update(position=F("position") + POSITION_OFFSET)  # positions stay unique throughout
    moved = Pair.objects.stimuli(study).filter(position__gt=POSITION_OFFSET)
    moved.update(position=F("position") - POSITION_OFFSET - 1)
    _update_layout(study)
    record("stimuli.dropped", study, f"row {position}", reason=reason.strip(), **before)


def _refuse_unreasoned(reason: str) -> None:
    if not reason.strip():
        raise ImportRefused("Give a reason; it is kept in the log.")


def _find_row(study: Study, pair: Pair, shown: str) -> tuple[Pair, dict[str, str]]:
    now = Pair.objects.filter(pk=pair.pk).first()
    row = write_row(study, now) if now else {}
    if now is None or fingerprint_row(row) != shown:
        raise StimuliChanged(
            "This row has been changed since you opened it. Open it again to see the change."
        )
    return now, row


def _remove(study: Study, pairs: Iterable[int]) -> None:
    """Delete pairs with their contexts; `_update_layout` then replaces the blocks."""
    ids = list(pairs)
    clear_blocks(study)
    Context.objects.filter(pair__in=ids).delete()
    Pair.objects.filter(pk__in=ids).delete()


def _update_layout(study: Study) -> None:
    """Update digest and blocks to the rows that are stored now."""
    study.stimuli_sha256 = digest_stimuli(study)
    study.save()
    lay_out_again(study)
