"""Instructions, practice, check: in this order, none skipped, and then the texts."""

from datetime import timedelta

import pytest
from django.db.models import F

from surveys.errors import NoPlaceLeft, TextChanged
from surveys.models import Assignment, Place, Response, Study, TextKind
from surveys.participation import introduction
from surveys.participation.assignments import start_assignment
from surveys.participation.introduction import (
    DONE_AT,
    Step,
    check_comprehension,
    complete_step,
    find_due_step,
    list_steps,
)
from surveys.participation.withdrawal import return_assignment
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from surveys.study.texts import current_text, set_text
from tests.factories.studies import count_places_left, make_study, rate_due, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=1, n_check_tries=2)]

ONE_QUESTION = """
[[questions]]
question = "Is this another check?"
answers = ["Yes", "No"]
right = 1
why = "It was changed."
"""
RIGHT, WRONG = [1, 2, 0], [1, 0, 1]  # the default check; wrong are the second and third


@pytest.fixture
def consented(study) -> Assignment:
    """Return the assignment of an annotator who has agreed and done nothing else."""
    return offer(study)


@pytest.fixture
def before_check(consented) -> Assignment:
    """Return an assignment whose next step is the check."""
    complete_step(consented, Step.INSTRUCTIONS)
    complete_step(consented, Step.PRACTICE)
    return consented


def offer(study: Study) -> Assignment:
    return start_assignment(invite_annotators(study, 1)[0])


def expire_all_but_the_next(study: Study) -> None:
    """Let time pass so that the next annotator gets the first place."""
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=9))
    start(study)


def expire(assignment: Assignment) -> None:
    """Let another annotator take its place."""
    expire_all_but_the_next(assignment.study)
    assignment.refresh_from_db()
    assert assignment.state == "expired"


@pytest.mark.parametrize(
    ("without", "n_check_tries", "steps"),
    [
        ((), 2, ["instructions", "practice", "check"]),
        ((), 0, ["instructions", "practice"]),
        ((TextKind.PRACTICE,), 2, ["instructions", "check"]),
        ((TextKind.CHECK,), 2, ["instructions", "practice"]),
        ((TextKind.PRACTICE, TextKind.CHECK), 2, ["instructions"]),
    ],
)
def test_list_steps_are_those_that_the_study_has(study, without, n_check_tries, steps):
    configure_study(study, n_check_tries=n_check_tries)
    for kind in without:
        set_text(study, kind, "")

    assert list_steps(Study.objects.get()) == steps


def test_steps_are_completed_in_order_and_lead_to_the_texts(consented):
    due = [find_due_step(consented)]
    due.append(complete_step(consented, Step.INSTRUCTIONS))
    due.append(complete_step(consented, Step.PRACTICE))
    assert stored(consented, "state", "started_at") == ("offered", None)
    due.append(complete_step(consented, Step.CHECK))

    assert due == [Step.INSTRUCTIONS, Step.PRACTICE, Step.CHECK, None]
    state, started_at = stored(consented, "state", "started_at")
    assert state == "started"
    assert started_at >= stored(consented.annotator, "checked_at")[0]


@pytest.mark.parametrize("step", [Step.PRACTICE, Step.CHECK])
def test_a_step_before_its_turn_is_not_completed(consented, step):
    assert complete_step(consented, step) == Step.INSTRUCTIONS

    taken = stored(consented.annotator, "instructed_at", "practised_at", "checked_at")
    assert taken == (None, None, None)
    assert stored(consented, "state") == ("offered",)


def test_no_step_is_due_once_the_texts_are_open_or_the_assignment_has_ended(study, consented):
    begun = start(study)
    expired = start(make_study(2, slug="other"))
    rate_due(expired, 4)
    Assignment.objects.filter(pk=expired.pk).update(state="expired")
    expired.refresh_from_db()
    return_assignment(consented, "tried")

    assert [find_due_step(a) for a in (begun, expired, consented)] == [None, None, None]


@pytest.mark.parametrize("step", list(Step))
def test_a_step_after_the_end_is_not_completed(consented, step):
    """The page is older than the end, and this copy of the assignment is outdated."""
    return_assignment(Assignment.objects.get(), "tried")

    assert complete_step(consented, step) is None

    taken = stored(consented.annotator, "instructed_at", "practised_at", "checked_at")
    assert taken == (None, None, None)
    assert stored(consented, "state") == ("returned",)


def test_a_step_is_stored_only_with_its_consequence(consented, monkeypatch):
    set_text(consented.study, TextKind.PRACTICE, "")
    configure_study(consented.study, n_check_tries=0)
    monkeypatch.setattr(introduction, "begin_assignment", fail)

    with pytest.raises(OSError, match="power cut"):
        complete_step(consented, Step.INSTRUCTIONS)

    assert stored(consented.annotator, "instructed_at") == (None,)


def fail(assignment: Assignment) -> None:
    raise OSError("power cut")


def test_a_repeated_step_keeps_its_first_instant(consented):
    complete_step(consented, Step.INSTRUCTIONS)
    before = stored(consented.annotator, "instructed_at")

    assert complete_step(consented, Step.INSTRUCTIONS) == Step.PRACTICE

    assert stored(consented.annotator, "instructed_at") == before


def test_instructions_are_enough_where_there_is_no_other_step(study):
    set_text(study, TextKind.PRACTICE, "")
    set_text(study, TextKind.CHECK, "")
    newcomer = offer(study)

    assert complete_step(newcomer, Step.INSTRUCTIONS) is None

    assert stored(newcomer, "state") == ("started",)


def test_right_answers_begin_the_assignment(before_check):
    assert check_comprehension(before_check, RIGHT) == []

    assert stored(before_check, "state") == ("started",)
    assert stored(before_check.annotator, "n_check_tries") == (0,)


@pytest.mark.every_database
def test_a_wrong_try_is_counted_and_names_the_wrong_answers(before_check):
    assert check_comprehension(before_check, WRONG) == [1, 2]

    assert stored(before_check, "state") == ("offered",)
    assert stored(before_check.annotator, "n_check_tries", "checked_at") == (1, None)


def test_a_double_click_counts_one_attempt(before_check):
    wrong = [check_comprehension(before_check, WRONG, n_tries=0) for _ in range(3)]

    assert wrong == [[1, 2]] * 3
    assert stored(before_check, "state", "annotator__n_check_tries") == ("offered", 1)


@pytest.mark.parametrize(
    ("n_used", "n_known", "answers"),
    [(0, 1, WRONG), (0, -1, WRONG), (0, 9, RIGHT), (1, 0, RIGHT), (2, 0, WRONG)],
)
def test_an_attempt_with_a_wrong_number_discloses_and_changes_nothing(
    study, before_check, n_used, n_known, answers
):
    configure_study(study, n_check_tries=3)
    for _ in range(n_used):
        check_comprehension(before_check, WRONG)

    assert check_comprehension(before_check, answers, n_tries=n_known) == []

    assert stored(before_check, "state", "annotator__n_check_tries") == ("offered", n_used)


def test_the_last_try_may_be_right(before_check):
    check_comprehension(before_check, WRONG)

    assert check_comprehension(before_check, RIGHT) == []

    assert stored(before_check, "state") == ("started",)


def test_the_last_wrong_try_returns_the_place(study, before_check):
    check_comprehension(before_check, WRONG)
    check_comprehension(before_check, WRONG)

    assert stored(before_check, "state", "ended_because") == (
        "returned", "comprehension check not passed",
    )  # fmt: skip
    assert count_places_left(study) == 2
    assert offer(study).questionnaire == before_check.questionnaire


def test_right_answers_after_the_last_wrong_try_change_nothing(before_check):
    check_comprehension(before_check, WRONG)
    check_comprehension(before_check, WRONG)

    check_comprehension(before_check, RIGHT)

    assert stored(before_check, "state", "started_at") == ("returned", None)
    assert not Place.objects.filter(assignment=before_check).exists()


def test_right_answers_before_the_check_is_due_do_not_skip_to_it(consented):
    check_comprehension(consented, RIGHT)

    assert stored(consented, "state") == ("offered",)
    assert find_due_step(Assignment.objects.get()) == Step.INSTRUCTIONS


def test_a_wrong_answer_of_a_second_tab_after_a_right_one_is_not_counted(before_check):
    check_comprehension(before_check, RIGHT)

    check_comprehension(before_check, WRONG)

    assert stored(before_check, "state") == ("started",)
    assert stored(before_check.annotator, "n_check_tries") == (0,)


def test_an_assignment_expired_during_the_introduction_resumes_in_a_free_place(study, consented):
    second = offer(study)
    complete_step(second, Step.INSTRUCTIONS)
    expire_all_but_the_next(study)  # who takes the place of the first

    assert complete_step(Assignment.objects.get(pk=second.pk), Step.PRACTICE) == Step.CHECK

    assert stored(second, "state", "is_over_quota", "place__number") == ("offered", False, 1)


@pytest.mark.every_database
def test_an_assignment_expired_during_the_introduction_gets_other_texts(before_check):
    before = stored(before_check, "questionnaire", "seed")
    expire(before_check)

    check_comprehension(before_check, RIGHT)

    assignment = Assignment.objects.get(pk=before_check.pk)
    assert (assignment.state, assignment.is_over_quota) == ("started", False)
    place = Place.objects.get(assignment=assignment)
    assert (place.questionnaire, place.round) == (assignment.questionnaire, assignment.round)
    assert stored(assignment, "questionnaire", "seed") != before
    laid_out = assignment.responses.values_list("position", "context__item__questionnaire")
    assert list(laid_out) == [(n, assignment.questionnaire_id) for n in (1, 2)]
    assert str(assignment.questionnaire) in assignment.reason


@pytest.mark.parametrize("step", list(Step))
def test_an_assignment_expired_before_the_texts_is_refused_without_places(study, consented, step):
    for taken in list(Step)[: list(Step).index(step)]:
        complete_step(consented, taken)
    expire(consented)
    start(study)
    before = list(Assignment.objects.values()), list(Response.objects.values())
    done = stored(consented.annotator, *DONE_AT.values())

    with pytest.raises(NoPlaceLeft, match="We have enough people for this study now"):
        find_due_step(consented)
    with pytest.raises(NoPlaceLeft):
        complete_step(consented, step)

    assert (list(Assignment.objects.values()), list(Response.objects.values())) == before
    assert stored(consented.annotator, *DONE_AT.values()) == done
    return_assignment(Assignment.objects.latest("pk"), "tried")
    assert complete_step(consented, step) == find_due_step(Assignment.objects.get(pk=consented.pk))
    assert stored(consented, "is_over_quota", "place__number") == (False, 1)


def test_a_wrong_try_of_an_expired_assignment_is_counted(before_check):
    expire(before_check)

    check_comprehension(before_check, WRONG)

    assert stored(before_check, "state") == ("offered",)
    assert stored(before_check.annotator, "n_check_tries") == (1,)


@pytest.mark.parametrize("answers", [RIGHT, WRONG])
def test_answers_to_changed_questions_are_not_judged(study, before_check, answers):
    """The questions change between the page and the lock."""
    read = current_text(study, TextKind.CHECK)
    set_text(study, TextKind.CHECK, ONE_QUESTION * 4)

    with pytest.raises(TextChanged, match="has changed"):
        check_comprehension(before_check, answers, n_tries=0, text_id=read.pk)

    assert stored(before_check.annotator, "n_check_tries", "checked_at") == (0, None)
    assert stored(before_check, "state") == ("offered",)


@pytest.mark.parametrize("answers", [RIGHT, WRONG])
def test_answers_of_a_lapsed_assignment_with_a_free_place_are_judged(study, before_check, answers):
    """The answer itself resumes the assignment in its place."""
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=9))
    (place,) = stored(before_check, "place")

    check_comprehension(Assignment.objects.get(), answers)

    wanted = ("started", 0) if answers == RIGHT else ("offered", 1)
    assert stored(before_check, "state", "annotator__n_check_tries") == wanted
    assert stored(before_check, "place", "is_over_quota") == (place, False)


def test_a_removed_practice_item_is_skipped(study, consented):
    complete_step(consented, Step.INSTRUCTIONS)
    set_text(study, TextKind.PRACTICE, "")

    assert find_due_step(Assignment.objects.get()) == Step.CHECK


def test_a_removed_check_is_skipped(study, before_check):
    configure_study(study, n_check_tries=0)
    assignment = Assignment.objects.get()
    assert find_due_step(assignment) == Step.INSTRUCTIONS
    before = stored(assignment.annotator, "instructed_at")

    complete_step(assignment, Step.INSTRUCTIONS)

    assert stored(assignment.annotator, "instructed_at") == before

    assert stored(before_check, "state") == ("started",)


def test_an_added_check_is_due_before_the_first_text(study):
    configure_study(study, n_check_tries=0)
    newcomer = offer(Study.objects.get())
    complete_step(newcomer, Step.INSTRUCTIONS)
    configure_study(study, n_check_tries=1)

    assert complete_step(Assignment.objects.get(), Step.PRACTICE) == Step.CHECK

    assert stored(newcomer, "state") == ("offered",)


def test_an_added_check_does_not_stop_a_begun_assignment(study):
    configure_study(study, n_check_tries=0)
    begun = start(Study.objects.get())
    configure_study(study, n_check_tries=1)

    assert stored(begun, "state") == ("started",)
