"""An annotator with a place → one who knows what to do: instructions, practice, check."""

from collections.abc import Sequence
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from surveys.assigning import begin_assignment, lock_places, resume_assignment
from surveys.leaving import return_assignment
from surveys.models import Annotator, Assignment, AssignmentState, Study, TextKind
from surveys.wording import current_text, read_check


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
    steps = [Step.INSTRUCTIONS]
    if current_text(study, TextKind.PRACTICE).body:
        steps.append(Step.PRACTICE)
    if study.n_check_tries and current_text(study, TextKind.CHECK).body:
        steps.append(Step.CHECK)
    return steps


def find_due_step(annotator: Annotator) -> Step | None:
    """The first step that an annotator has still to take; None when they may begin."""
    for step in list_steps(annotator.study):
        if getattr(annotator, DONE_AT[step]) is None:
            return step
    return None


def complete_step(assignment: Assignment, step: Step) -> Step | None:
    """Note that a step was taken, once; begin after the last one. The step that is due now."""
    assignment = _resume_if_expired(assignment)
    now, field = timezone.now(), DONE_AT[step]
    steps_before = list_steps(assignment.study)[: list_steps(assignment.study).index(step)]
    undone = {f"{DONE_AT[before]}__isnull": False for before in steps_before}
    annotators = Annotator.objects.filter(pk=assignment.annotator_id, **undone)
    annotators.filter(**{f"{field}__isnull": True}).update(**{field: now})
    Assignment.objects.leased().filter(pk=assignment.pk).update(active_at=now)
    assignment.annotator.refresh_from_db()
    due = find_due_step(assignment.annotator)
    if due is None:
        begin_assignment(assignment)
    return due


@transaction.atomic
def check_comprehension(
    assignment: Assignment, answers: Sequence[int | None], *, n_tries: int | None = None
) -> list[int] | None:
    """Take the answers to the check. The indices of the wrong ones; none of them: passed.

    A wrong try counts; the last one gives the place back (`return_assignment`). A try that does
    not know how many there were before it, such as the second of a double click, is not judged:
    None.
    """
    study = lock_places(assignment.study.pk)  # before the annotator, as whoever withdraws does
    assignment = _resume_if_expired(assignment)
    annotator = Annotator.objects.select_for_update().get(pk=assignment.annotator_id)
    if annotator.checked_at:  # in another tab
        return []
    if n_tries is not None and n_tries != annotator.n_check_tries:
        return None
    questions = read_check(current_text(study, TextKind.CHECK).body)
    wrong = [n for n, question in enumerate(questions) if answers[n] != question.right]
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


def _resume_if_expired(assignment: Assignment) -> Assignment:
    if assignment.state == AssignmentState.EXPIRED:
        return resume_assignment(assignment)
    return assignment
