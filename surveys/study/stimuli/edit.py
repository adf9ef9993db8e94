"""Stimuli file → a draft, and what changes in the stimuli of one before it is opened."""

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F

from surveys.access.audit_log import record
from surveys.access.roles import grant_role, role_in
from surveys.errors import ImportRefused, StimuliChanged, StudyExists
from surveys.models import Context, Pair, Role, Study
from surveys.study.layout.blocks import clear_blocks, lay_out_again, make_blocks
from surveys.study.lifecycle import lock_draft
from surveys.study.stimuli.check import (
    LARGEST_FILE,
    CheckedFile,
    as_stimulus,
    check_row,
    fingerprint_row,
    read_row,
    write_row,
)
from surveys.study.stimuli.load import (
    SoundStimuli,
    StudyDesign,
    as_context,
    check_stimuli,
    digest_stimuli,
    read_stimuli,
    store_pairs,
    store_study,
)

FAR_AWAY = 1_000_000_000  # behind every position that there is


def read_upload(data: bytes, design: StudyDesign) -> SoundStimuli:
    """As `read_stimuli`, but no more than a page or a program may send."""
    if len(data) > LARGEST_FILE:
        raise ImportRefused(
            f"The stimuli have {len(data):,} bytes; up to {LARGEST_FILE:,} bytes are taken. Split "
            "the study, or ask an operator to import it."
        )
    return read_stimuli(data, design)


def read_checked(checked: CheckedFile | None, design: StudyDesign) -> SoundStimuli:
    """The stimuli of a file that was checked, which is not read again; None for no file.

    Raises ImportRefused as `read_stimuli`.
    """
    if checked is None or checked.stimuli is None:
        raise ImportRefused("Choose the file with the stimuli.")
    return check_stimuli(checked.stimuli, design)


@transaction.atomic
def make_draft(stimuli: SoundStimuli, owner: User) -> Study:
    """Make a study that is not open yet of stimuli, and somebody its owner.

    The same again changes nothing. Raises StudyExists.
    """
    slug = stimuli.design.slug
    if known := Study.objects.filter(slug=slug).first():
        return _find_again(known, stimuli, owner)
    try:
        with transaction.atomic():
            study = store_study(stimuli)
    except IntegrityError as error:  # another study of the same name was faster
        raise _name_taken(slug) from error
    grant_role(study, owner, Role.OWNER)
    record("study.drafted", study, n_pairs=len(stimuli.pairs), stimuli=study.stimuli_sha256)
    return study


@transaction.atomic
def replace_stimuli(study: Study, stimuli: SoundStimuli) -> Study:
    """Put stimuli in place of all those of a draft; the same again does nothing.

    Raises StudyOpen.
    """
    study = lock_draft(study)
    before, n_before = study.stimuli_sha256, Pair.objects.stimuli(study).count()
    if stimuli.digest == before:
        return study
    _remove(study, Pair.objects.stimuli(study).values_list("pk", flat=True))
    store_pairs(study, stimuli.pairs)
    study.seconds_per_item, study.stimuli_sha256 = stimuli.seconds_per_item, stimuli.digest
    study.save()
    is_as_planned = StudyDesign.of(study) == stimuli.design
    make_blocks(study, stimuli.plan if is_as_planned else None)
    pairs = f"{n_before} → {len(stimuli.pairs)}"
    record("stimuli.replaced", study, pairs=pairs, stimuli=f"{before} → {study.stimuli_sha256}")
    return study


@transaction.atomic
def revise_row(pair: Pair, fields: Mapping[str, str], *, shown: str, reason: str) -> bool:
    """Change a row of a draft's stimuli, given as its columns. Whether anything has changed.

    `shown` is the fingerprint of the row that somebody had before them. Raises ImportRefused,
    StudyOpen or StimuliChanged, where somebody else was faster.
    """
    study = lock_draft(pair.study)
    _refuse_unreasoned(reason)
    if errors := check_row(fields).errors:
        told = "\n".join(f"{p.column}: {p.what}; {p.advice}" for p in errors)
        found = [(f"{p.what}; {p.advice}", pair.position, p.column) for p in errors]
        raise ImportRefused(told, found=found)
    pair, contexts, before = _find_row(pair, shown)
    changed = [column for column in before if before[column] != fields[column]]
    if not changed:
        return False
    stimulus = read_row(fields)
    pair.word1, pair.word2 = stimulus.word1, stimulus.word2
    pair.save(update_fields=["word1", "word2"])
    for context, marked in zip(contexts, (stimulus.context1, stimulus.context2), strict=True):
        revised = as_context(pair, context.number, marked)
        revised.pk = context.pk
        revised.save(force_update=True)
    _settle(study)
    row = {"reason": reason.strip()}
    row |= {f"{column} before": before[column] for column in changed}
    row |= {f"{column} after": fields[column] for column in changed}
    record("stimuli.revised", study, f"row {pair.position}", **row)
    return True


@transaction.atomic
def drop_row(pair: Pair, *, shown: str, reason: str) -> None:
    """Take a row out of a draft's stimuli; the rows behind it move up.

    Raises ImportRefused for the last one or without a reason, StudyOpen or StimuliChanged.
    """
    study = lock_draft(pair.study)
    _refuse_unreasoned(reason)
    pair, _, before = _find_row(pair, shown)
    if Pair.objects.stimuli(study).count() == 1:
        raise ImportRefused("This is the last row; a study needs one. Replace the file instead.")
    position = pair.position
    _remove(study, [pair.pk])
    behind = Pair.objects.stimuli(study).filter(position__gt=position)
    behind.update(position=F("position") + FAR_AWAY)  # no two rows at a place, not for a moment
    moved = Pair.objects.stimuli(study).filter(position__gt=FAR_AWAY)
    moved.update(position=F("position") - FAR_AWAY - 1)
    _settle(study)
    record("stimuli.dropped", study, f"row {position}", reason=reason.strip(), **before)


def _refuse_unreasoned(reason: str) -> None:
    if not reason.strip():
        raise ImportRefused("Say why: the reason is kept in the log.")


def _find_again(known: Study, stimuli: SoundStimuli, owner: User) -> Study:
    """The draft that the same person has made of the same stimuli. Raises StudyExists."""
    is_same = known.stimuli_sha256 == stimuli.digest
    if known.is_draft and is_same and role_in(known, owner) is Role.OWNER:
        return known
    raise _name_taken(known.slug)


def _name_taken(slug: str) -> StudyExists:
    return StudyExists(f"There is a study {slug} already. Give this one another short name.")


def _find_row(pair: Pair, shown: str) -> tuple[Pair, list[Context], dict[str, str]]:
    now = Pair.objects.filter(pk=pair.pk).first()
    contexts = list(Context.objects.filter(pair=pair).order_by("number"))
    row = write_row(now, contexts) if now else {}
    if now is None or fingerprint_row(row) != shown:
        raise StimuliChanged(
            "This row has been changed since you opened it. Open it again to see how it is now."
        )
    return now, contexts, row


def _remove(study: Study, pairs: Iterable[int]) -> None:
    """Delete pairs with their contexts; `_settle` makes the blocks anew."""
    ids = list(pairs)
    clear_blocks(study)
    Context.objects.filter(pair__in=ids).delete()
    Pair.objects.filter(pk__in=ids).delete()


def _settle(study: Study) -> None:
    """Make digest and blocks those of the rows that are stored now."""
    contexts: dict[int, list[Context]] = {}
    for context in Context.objects.stimuli(study).order_by("number"):
        contexts.setdefault(context.pair_id, []).append(context)
    pairs = Pair.objects.stimuli(study)
    study.stimuli_sha256 = digest_stimuli(as_stimulus(p, contexts[p.pk]) for p in pairs)
    study.save()
    lay_out_again(study)
