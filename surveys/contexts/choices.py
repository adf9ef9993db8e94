"""The choices of experts: two candidates of a pair become its contexts, or the pair is skipped."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from postprocess.formats.marks import TAG, MarkedContext
from surveys.access.audit_log import record
from surveys.contexts.models import (
    Candidate,
    CandidatePair,
    CandidateSet,
    ContextChoice,
    ContextClaim,
    ContextEdit,
    SelectionState,
    SkipReason,
)
from surveys.errors import SurveyError
from surveys.models import Study
from surveys.study.stimuli.load import check_row

FIRST, SECOND, THIRD = 1, 2, 3
NUMBERS = {"1": "Context 1", "2": "Context 2"}


class ChoiceRefused(SurveyError):
    """A choice of contexts that cannot be made as requested, or is no longer open."""


class Chosen(NamedTuple):
    """What an expert sends: the numbers of two candidates in order, or a reason to skip the pair.

    `texts` has texts by the number of a candidate, with the target words between marks; one that
    differs from the candidate's is an edit.
    """

    first: int | None = None
    second: int | None = None
    reason: str = ""
    texts: Mapping[int, str] = {}


@transaction.atomic
def record_choice(pair: CandidatePair, expert: User, chosen: Chosen) -> ContextChoice:
    """Store an expert's choice for a pair of a draft; idempotent.

    Raises ChoiceRefused if something is missing, if an edited text cannot be a context, and if the
    expert or as many others as wanted have chosen already: nothing is replaced.
    """
    pair = CandidatePair.objects.select_for_update(no_key=True).get(pk=pair.pk)
    _refuse_open(pair.study)
    contexts = () if chosen.reason else _find_contexts(pair, chosen)
    edited = {
        n: text for n, (candidate, text) in enumerate(contexts, 1) if text != candidate.marked
    }
    standing = list(pair.choices.standing().select_related("expert").order_by("opinion"))
    choice = ContextChoice(pair=pair, expert=expert, reason=chosen.reason)
    if contexts:
        choice.candidate1, choice.candidate2 = (candidate for candidate, _ in contexts)
    if earlier := next((own for own in standing if own.expert_id == expert.pk), None):
        return _keep(earlier, choice, edited)
    choice.opinion = _find_opinion(pair, standing)
    choice.save()
    ContextEdit.objects.bulk_create(_make_edit(choice, n, text) for n, text in edited.items())
    ContextClaim.objects.filter(pair=pair, expert=expert).delete()
    _decide(pair, [*standing, choice])
    _record(choice, contexts, edited)
    return choice


@transaction.atomic
def undo_choice(pair: CandidatePair, expert: User) -> None:
    """Undo an expert's choice if there is one; it stays stored, marked as undone.

    Raises ChoiceRefused in a study that is open.
    """
    pair = CandidatePair.objects.select_for_update(no_key=True).get(pk=pair.pk)
    _refuse_open(pair.study)
    choice = pair.choices.standing().filter(expert=expert).first()
    if choice is None:
        return
    choice.undone_at, choice.is_decisive = timezone.now(), False
    choice.save(update_fields=["undone_at", "is_decisive"])
    _decide(pair, list(pair.choices.standing().order_by("opinion")))
    record("contexts.undone", pair.study, str(pair))


@transaction.atomic
def configure_selection(study: Study, *, is_double: bool, shows_scores: bool) -> CandidateSet:
    """Set how experts choose, for the pairs that are not decided yet."""
    stored = CandidateSet.objects.select_for_update(no_key=True).get(study=study)
    if (stored.is_double, stored.shows_scores) != (is_double, shows_scores):
        stored.is_double, stored.shows_scores = is_double, shows_scores
        stored.save(update_fields=["is_double", "shows_scores"])
        record("contexts.configured", study, is_double=is_double, shows_scores=shows_scores)
    return stored


def are_alike(first: ContextChoice, second: ContextChoice) -> bool:
    """Return whether two experts chose the same two candidates, in any order, or both skipped."""
    return _candidates_of(first) == _candidates_of(second)


def _candidates_of(choice: ContextChoice) -> frozenset[int | None]:
    return frozenset((choice.candidate1_id, choice.candidate2_id))


def _refuse_open(study: Study) -> None:
    if not study.is_draft:
        raise ChoiceRefused("The study is open, so its contexts stay as they are.")


def _find_contexts(
    pair: CandidatePair, chosen: Chosen
) -> tuple[tuple[Candidate, MarkedContext], ...]:
    """Return the candidates chosen, with their texts as edited."""
    if chosen.first is None or chosen.second is None:
        raise ChoiceRefused("Choose two texts: one for context 1 and one for context 2.")
    if chosen.first == chosen.second:
        raise ChoiceRefused("Choose two different texts.")
    by_number = {candidate.number: candidate for candidate in pair.candidates.all()}
    if not {chosen.first, chosen.second} <= by_number.keys():
        raise ChoiceRefused("The candidates have changed since you opened the pair. Open it again.")
    candidates = (by_number[chosen.first], by_number[chosen.second])
    marked = [_clean(chosen.texts.get(c.number, ""), c) for c in candidates]
    forms = [_name_forms(text, c) for text, c in zip(marked, candidates, strict=True)]
    names = ("word1_context1", "word2_context1", "word1_context2", "word2_context2")
    row = {
        "word1": pair.word1, "word2": pair.word2, "context1": marked[0], "context2": marked[1],
        **dict(zip(names, (*forms[0], *forms[1]), strict=True)),
    }  # fmt: skip
    checked = check_row(row, pair.study.item_rules)
    if checked.errors or checked.stimuli is None:
        lines = (f"{_name(error.column)}: {error.reason}." for error in checked.errors)
        raise ChoiceRefused("\n".join(dict.fromkeys(lines)))
    (stimulus,) = checked.stimuli.pairs
    return tuple(zip(candidates, (stimulus.context1, stimulus.context2), strict=True))


def _clean(text: str, candidate: Candidate) -> str:
    """Return an edited text in one line, or the candidate's text if its words are the same."""
    original = candidate.marked.marked()
    cleaned = text.split()
    return " ".join(cleaned) if cleaned and cleaned != original.split() else original


def _name_forms(text: str, candidate: Candidate) -> tuple[str, str]:
    """Return the marked words, word 1 first; the two stay in their order."""
    marks = TAG.split(text)[1::2]
    if len(marks) != 2:
        return candidate.form1, candidate.form2
    is_straight = candidate.word1_start < candidate.word2_start
    return (marks[0], marks[1]) if is_straight else (marks[1], marks[0])


def _name(column: str | None) -> str:
    return NUMBERS.get((column or "")[-1:], "The pair")


def _make_edit(choice: ContextChoice, number: int, text: MarkedContext) -> ContextEdit:
    (start1, end1), (start2, end2) = text.word1, text.word2
    return ContextEdit(
        choice=choice, number=number, text=text.text,
        word1_start=start1, word1_end=end1, word2_start=start2, word2_end=end2,
    )  # fmt: skip


def _keep(
    earlier: ContextChoice, choice: ContextChoice, edited: Mapping[int, MarkedContext]
) -> ContextChoice:
    """Return the earlier choice if it is the same; else refuse to replace it."""
    before = {edit.number: edit.marked for edit in earlier.edits.all()}
    if (earlier.verdict, before) == (choice.verdict, edited):
        return earlier
    raise ChoiceRefused(
        "You have chosen for this pair already, perhaps in another tab. Undo that choice to choose "
        "again."
    )


def _find_opinion(pair: CandidatePair, standing: Sequence[ContextChoice]) -> int:
    """Return the number of a new opinion. Raises ChoiceRefused if none is wanted."""
    taken = {choice.opinion for choice in standing}
    if pair.state == SelectionState.DISPUTED:
        return THIRD
    is_double = CandidateSet.objects.get(study=pair.study_id).is_double
    free = {FIRST, SECOND} - taken if is_double else {FIRST} - taken
    if pair.is_decided or not free:
        others = " and ".join(choice.expert.get_username() for choice in standing)
        raise ChoiceRefused(f"{others} chose for this pair in the meantime. Go on to the next one.")
    return min(free)


def _decide(pair: CandidatePair, standing: Sequence[ContextChoice]) -> None:
    """Set the state of a pair, and the choice that decides it, from those not undone."""
    decisive = _find_decisive(pair, standing)
    pair.state = SelectionState.OPEN
    if decisive is not None:
        pair.state = SelectionState.SKIPPED if decisive.reason else SelectionState.CHOSEN
    elif len(standing) > 1:
        pair.state = SelectionState.DISPUTED
    pair.save(update_fields=["state"])
    pair.choices.filter(is_decisive=True).update(is_decisive=False)
    if decisive is not None:
        decisive.is_decisive = True
        decisive.save(update_fields=["is_decisive"])


def _find_decisive(pair: CandidatePair, standing: Sequence[ContextChoice]) -> ContextChoice | None:
    by_opinion = {choice.opinion: choice for choice in standing}
    if third := by_opinion.get(THIRD):
        return third
    first, second = by_opinion.get(FIRST), by_opinion.get(SECOND)
    if first and second:
        return first if are_alike(first, second) else None
    is_double = CandidateSet.objects.get(study=pair.study_id).is_double
    return None if is_double else first or second


def _record(
    choice: ContextChoice,
    contexts: Sequence[tuple[Candidate, MarkedContext]],
    edited: Mapping[int, MarkedContext],
) -> None:
    pair = choice.pair
    if choice.reason:
        reason = SkipReason(choice.reason).label
        record("contexts.skipped", pair.study, str(pair), reason=reason, opinion=choice.opinion)
        return
    windows = {f"window {n}": candidate.window for n, (candidate, _) in enumerate(contexts, 1)}
    changes: dict[str, str] = {}
    for n, text in edited.items():
        changes |= {f"text {n} before": contexts[n - 1][0].marked.marked()}
        changes |= {f"text {n} after": text.marked()}
    record("contexts.chosen", pair.study, str(pair), opinion=choice.opinion, **windows, **changes)
