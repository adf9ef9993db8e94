"""Stimuli made of the contexts that experts chose, with the source of each."""

from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from postprocess.formats.stimuli import StimulusPair, check_rows
from postprocess.release.sources import OF_CORPUS
from surveys.access.audit_log import record
from surveys.contexts.models import (
    Candidate,
    CandidatePair,
    CandidateSet,
    ContextChoice,
    SelectionState,
)
from surveys.errors import ImportRefused
from surveys.models import Context, Pair, StimuliOrigin, Study
from surveys.study.lifecycle import lock_draft
from surveys.study.stimuli.edit import replace_stimuli
from surveys.study.stimuli.load import CheckedStimuli, check_stimuli

NOTHING_CHOSEN = "No contexts are chosen yet. Choose the contexts of one pair or more first."


class StimuliPreview(NamedTuple):
    """What `use_as_stimuli` would do: rows made, rows replaced, and pairs left out.

    `overlapping` are the pairs whose two contexts have a sentence of their document in common.
    """

    n_pairs: int
    n_replaced: int
    n_undecided: int
    n_skipped: int
    overlapping: tuple[str, ...]


def preview_stimuli(study: Study) -> StimuliPreview:
    """Return what `use_as_stimuli` would do. Raises ImportRefused if no contexts are chosen."""
    pairs = CandidatePair.objects.filter(study=study)
    of_state = (SelectionState.CHOSEN, SelectionState.SKIPPED)
    counted = pairs.aggregate(
        **{state.value: Count("pk", filter=Q(state=state)) for state in of_state}
    )
    n_pairs, n_skipped = (counted[state.value] for state in of_state)
    if not n_pairs:
        raise ImportRefused(NOTHING_CHOSEN)
    return StimuliPreview(
        n_pairs,
        Pair.objects.stimuli(study).count(),
        pairs.undecided().count(),
        n_skipped,
        tuple(str(choice.pair) for choice in _list_overlapping(study)),
    )


@transaction.atomic
def use_as_stimuli(study: Study) -> Study:
    """Make the stimuli of a draft from the contexts chosen, in the order of the candidates.

    A no-op if they are its stimuli already. Raises ImportRefused if no contexts are chosen, and
    StudyOpen.
    """
    study = lock_draft(study)
    choices = _list_chosen(study)
    study = replace_stimuli(study, _check(study, choices))
    contexts = Context.objects.stimuli(study).order_by("pair__position", "number")
    chosen = (
        _describe_source(candidate, choice)
        for choice in choices
        for candidate in (choice.candidate1, choice.candidate2)
        if candidate is not None
    )
    keys = map(str, contexts.values_list("pk", flat=True))
    sources = dict(zip(keys, chosen, strict=True))
    origin = CandidateSet.objects.get(study=study).origin
    stored = StimuliOrigin.objects.filter(study=study).first()
    if stored and (stored.sources, stored.origin) == (sources, origin):
        return study
    StimuliOrigin.objects.update_or_create(
        study=study, defaults={"sources": sources, "origin": origin}
    )
    record("contexts.used", study, n_pairs=len(choices), stimuli=study.stimuli_sha256)
    return study


def _describe_source(candidate: Candidate, choice: ContextChoice) -> dict[str, Any]:
    place = {name: str(getattr(candidate, name)) for name in OF_CORPUS}
    return {**place, "text_sha256": StimuliOrigin.digest_text(candidate.text), "choice": choice.pk}


def _list_chosen(study: Study) -> list[ContextChoice]:
    """Return the choices that decide on contexts, by pair."""
    choices = ContextChoice.objects.filter(pair__study=study, is_decisive=True, reason="")
    with_texts = choices.select_related("pair", "candidate1", "candidate2")
    return list(with_texts.prefetch_related("edits").order_by("pair__number"))


def _list_overlapping(study: Study) -> QuerySet[ContextChoice]:
    """Return the choices of two contexts that share a sentence, by pair."""
    choices = ContextChoice.objects.filter(
        pair__study=study, is_decisive=True, reason="",
        candidate1__file=F("candidate2__file"),
        candidate1__document=F("candidate2__document"),
        candidate1__first_sentence__lte=F("candidate2__last_sentence"),
        candidate1__last_sentence__gte=F("candidate2__first_sentence"),
    )  # fmt: skip
    return choices.select_related("pair").order_by("pair__number")


def _check(study: Study, choices: list[ContextChoice]) -> CheckedStimuli:
    if not choices:
        raise ImportRefused(NOTHING_CHOSEN)
    rows = [_make_pair(choice).fields() for choice in choices]
    return check_stimuli(check_rows(rows), study)


def _make_pair(choice: ContextChoice) -> StimulusPair:
    edits = {edit.number: edit for edit in choice.edits.all()}
    texts = (edits.get(1) or choice.candidate1, edits.get(2) or choice.candidate2)
    context1, context2 = (text.marked for text in texts if text is not None)
    return StimulusPair(choice.pair.word1, choice.pair.word2, context1, context2)
