"""An annotator with a place → one who knows what to do: instructions, practice, check."""

from collections.abc import Sequence
from enum import StrEnum

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from surveys.assigning import begin_assignment, resume_assignment
from surveys.leaving import return_assignment
from surveys.models import Annotator, Assignment, AssignmentState, Study, TextKind
from surveys.wording import current_text, read_check


class Step(StrEnum):
    """What comes before the first text, in this order. The names are those of the pages."""

    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    CHECK = "check"


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
) -> list[int]:
    """Take the answers to the check. The indices of the wrong ones; none of them: passed.

    A wrong try counts; the last one gives the place back (`return_assignment`). Given how many
    tries were used before this one, the same try sent twice counts once.
    """
    assignment = _resume_if_expired(assignment)
    study = assignment.study
    questions = read_check(current_text(study, TextKind.CHECK).body)
    wrong = [n for n, question in enumerate(questions) if answers[n] != question.right]
    if not wrong:
        complete_step(assignment, Step.CHECK)
        return []
    annotators = Annotator.objects.filter(pk=assignment.annotator_id, checked_at__isnull=True)
    if n_tries is not None:
        annotators = annotators.filter(n_check_tries=n_tries)
    annotators.update(n_check_tries=F("n_check_tries") + 1)
    assignment.annotator.refresh_from_db()
    if assignment.annotator.n_check_tries >= study.n_check_tries:
        return_assignment(assignment, "comprehension check not passed")
    return wrong


def has_failed_check(annotator: Annotator) -> bool:
    """Whether an annotator has used up the tries of the check without passing it."""
    return (
        annotator.checked_at is None
        and 0 < annotator.study.n_check_tries <= annotator.n_check_tries
    )


def _resume_if_expired(assignment: Assignment) -> Assignment:
    if assignment.state == AssignmentState.EXPIRED:
        return resume_assignment(assignment)
    return assignment
