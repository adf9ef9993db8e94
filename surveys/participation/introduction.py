"""Steps before the first text: instructions, practice, comprehension check."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from surveys.models import Assignment, AssignmentState, Study, StudyText, TextKind
from surveys.models.study import OWN
from surveys.participation.assignments import (
    begin_assignment,
    is_displaced,
    lock_places,
    refuse_displaced,
    resume_assignment,
)
from surveys.participation.withdrawal import return_assignment
from surveys.study.exercises import read_check
from surveys.study.rules import study_rules_of
from surveys.study.texts import current_text, refuse_outdated


class Step(StrEnum):
    """The steps before the first text, in order. The values are the names of the pages."""

    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    CHECK = "check"


NOT_PASSED = "comprehension check not passed"
DONE_AT = {
    Step.INSTRUCTIONS: "instructed_at",
    Step.PRACTICE: "practised_at",
    Step.CHECK: "checked_at",
}


def list_steps(study: Study, texts: Mapping[TextKind, StudyText] | None = None) -> list[Step]:
    """Return the steps that a study asks for, with its texts if they were read already."""
    texts = texts or study_rules_of(study.pk, study.revision).texts
    steps = [Step.INSTRUCTIONS]
    if texts[TextKind.PRACTICE].body:
        steps.append(Step.PRACTICE)
    if study.n_check_tries and texts[TextKind.CHECK].body:
        steps.append(Step.CHECK)
    return steps


def find_due_step(assignment: Assignment) -> Step | None:
    """Return the next step of an assignment; None once it has begun or ended.

    If all steps are done and it has not begun (a step was removed), the instructions are due; so
    they are after the loss of a place before the first answer, since other texts follow. Raises
    NoPlaceLeft if the place is lost and no other is free.
    """
    is_open = assignment.state in {AssignmentState.OFFERED, AssignmentState.EXPIRED}
    if not is_open or (assignment.started_at and not is_displaced(assignment)):
        return None
    refuse_displaced(assignment)
    return next(iter(list_steps_left(assignment)), Step.INSTRUCTIONS)


def list_steps_left(assignment: Assignment) -> list[Step]:
    """Return the steps that the annotator of an assignment has not done."""
    annotator = assignment.annotator
    return [s for s in list_steps(assignment.study) if getattr(annotator, DONE_AT[s]) is None]


@transaction.atomic
def complete_step(assignment: Assignment, step: Step, *, text_id: int | None = None) -> Step | None:
    """Complete the due step, begin after the last one, and return the next step.

    `text_id` is the version of the text that was shown, by default the current one. A step that is
    not due is a no-op.
    """
    assignment = _lock_resumed(assignment)
    if find_due_step(assignment) != step:
        return find_due_step(assignment)
    annotator, field, now = assignment.annotator, DONE_AT[step], timezone.now()
    if getattr(annotator, field) is None:
        setattr(annotator, field, now)
        annotator.variant = _add_variant(assignment, step, text_id)
        annotator.save(update_fields=[field, "variant"])
    if list_steps_left(assignment):
        Assignment.objects.filter(pk=assignment.pk).update(active_at=now)
    else:
        begin_assignment(assignment)
    return find_due_step(assignment)


def _add_variant(assignment: Assignment, step: Step, text_id: int | None) -> str:
    """Return the variant that an annotator has read with the text of a step: OWN if they differ."""
    kind = TextKind(step.value)
    shown = StudyText.objects.filter(study=assignment.study, kind=kind, pk=text_id or 0).first()
    read = (shown or current_text(assignment.study, kind)).variant
    return read if assignment.annotator.variant in {"", read} else OWN


@transaction.atomic
def check_comprehension(
    assignment: Assignment,
    answers: Sequence[int | None],
    *,
    n_tries: int | None = None,
    text_id: int | None = None,
) -> list[int]:
    """Store the answers to the check; return the wrong answers' indices.

    A wrong attempt counts; the last one returns the assignment. `n_tries` is the number of attempts
    when the page was made: a double click has one fewer, gets the same result and counts nothing;
    with still fewer, nothing is disclosed. Raises TextChanged unless `text_id` is the current
    version of the questions.
    """
    assignment = _lock_resumed(assignment)
    if find_due_step(assignment) != Step.CHECK:  # it was passed or failed in another tab
        return []
    annotator, study = assignment.annotator, assignment.study
    text = current_text(study, TextKind.CHECK)
    refuse_outdated(text_id, text.pk)
    questions = read_check(text.body)
    wrong = [n for n, question in enumerate(questions) if answers[n] != question.right]
    n_used = annotator.n_check_tries
    if n_tries is not None and n_tries != n_used:
        return wrong if 0 <= n_tries == n_used - 1 else []
    if not wrong:
        complete_step(assignment, Step.CHECK)
        return []
    annotator.n_check_tries += 1
    annotator.save(update_fields=["n_check_tries"])
    if annotator.n_check_tries >= study.n_check_tries:
        return_assignment(assignment, NOT_PASSED)
    return wrong


def has_failed_check(assignment: Assignment) -> bool:
    """Return whether an assignment ended because the attempts were used up."""
    return assignment.ended_because == NOT_PASSED


def _lock_resumed(assignment: Assignment) -> Assignment:
    """Return the assignment, resumed if it had expired, with its study locked.

    Every other writer of an assignment before its texts locks the study, too.
    """
    lock_places(assignment.study.pk)
    assignment = Assignment.objects.with_study().get(pk=assignment.pk)
    if assignment.state == AssignmentState.EXPIRED and not assignment.has_answers:
        return resume_assignment(assignment)
    return assignment
