"""An annotator with a place → one who knows what to do: instructions, practice, check."""

from collections.abc import Sequence
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from surveys.models import Assignment, AssignmentState, Study, TextKind
from surveys.participation.assignments import (
    begin_assignment,
    is_displaced,
    lock_places,
    refuse_displaced,
    resume_assignment,
)
from surveys.participation.withdrawal import return_assignment
from surveys.study.protocol import protocol_of
from surveys.study.texts import current_text, read_check, refuse_outdated


class Step(StrEnum):
    """What comes before the first text, in this order. The names are those of the pages."""

    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    CHECK = "check"


NOT_PASSED = "comprehension check not passed"
DONE_AT = {
    Step.INSTRUCTIONS: "instructed_at",
    Step.PRACTICE: "practised_at",
    Step.CHECK: "checked_at",
}


def list_steps(study: Study) -> list[Step]:
    """The steps that a study asks for."""
    texts = protocol_of(study.pk, study.revision).texts
    steps = [Step.INSTRUCTIONS]
    if texts[TextKind.PRACTICE].body:
        steps.append(Step.PRACTICE)
    if study.n_check_tries and texts[TextKind.CHECK].body:
        steps.append(Step.CHECK)
    return steps


def find_due_step(assignment: Assignment) -> Step | None:
    """The step that comes next in an assignment; None once it has begun or ended.

    Who has taken all of them and not begun, since one was taken away, goes by the instructions,
    and so does who has lost their place before the first answer: they are given other texts.
    Raises NoPlaceLeft for who has lost their place meanwhile and would get no other.
    """
    is_open = assignment.state in {AssignmentState.OFFERED, AssignmentState.EXPIRED}
    if not is_open or (assignment.started_at and not is_displaced(assignment)):
        return None
    refuse_displaced(assignment)
    return next(iter(list_steps_left(assignment)), Step.INSTRUCTIONS)


def list_steps_left(assignment: Assignment) -> list[Step]:
    """The steps that the annotator of an assignment has not taken."""
    annotator = assignment.annotator
    return [s for s in list_steps(assignment.study) if getattr(annotator, DONE_AT[s]) is None]


@transaction.atomic
def complete_step(assignment: Assignment, step: Step) -> Step | None:
    """Note that the step which is due was taken; begin after the last one. What is due then.

    A step that is not due, or not any more, changes nothing.
    """
    assignment = _take_up(assignment)
    if find_due_step(assignment) != step:
        return find_due_step(assignment)
    annotator, field, now = assignment.annotator, DONE_AT[step], timezone.now()
    if getattr(annotator, field) is None:
        setattr(annotator, field, now)
        annotator.save(update_fields=[field])
    if list_steps_left(assignment):
        Assignment.objects.filter(pk=assignment.pk).update(active_at=now)
    else:
        begin_assignment(assignment)
    return find_due_step(assignment)


@transaction.atomic
def check_comprehension(
    assignment: Assignment,
    answers: Sequence[int | None],
    *,
    n_tries: int | None = None,
    text_id: int | None = None,
) -> list[int]:
    """Take the answers to the check. The indices of those that are wrong.

    A wrong try counts; the last one gives the place back (`return_assignment`). `n_tries` is how
    many were known of when it was made. The second of a double click lacks one: it is told the
    same as the first, counts nothing and passes nothing. One that lacks more is told nothing.
    Raises TextChanged when `text_id` does not name the version of the questions that is asked now.
    """
    assignment = _take_up(assignment)
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
    """Whether an assignment ended since the tries of the check were used up."""
    return assignment.ended_because == NOT_PASSED


def _take_up(assignment: Assignment) -> Assignment:
    """The assignment as it is now, resumed if it had expired, with its study locked.

    Whoever else changes it or its annotator before the texts locks the study, too.
    """
    lock_places(assignment.study.pk)
    assignment = Assignment.objects.with_study().get(pk=assignment.pk)
    if assignment.state == AssignmentState.EXPIRED and not assignment.has_answers:
        return resume_assignment(assignment)
    return assignment
