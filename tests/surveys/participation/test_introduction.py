"""Instructions, practice, check: in this order, none skipped, and then the texts."""

from datetime import timedelta

import pytest
from django.db.models import F

from surveys.errors import NoPlaceLeft, TextChanged
from surveys.models import Assignment, Place, Response, Study, TextKind
from surveys.participation import introduction
from surveys.participation.assignments import count_places_left, start_assignment
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
from tests.factories import make_study, rate_due, start, stored

pytestmark = pytest.mark.django_db

ONE_QUESTION = """
[[questions]]
question = "Is this another check?"
answers = ["Yes", "No"]
right = 1
why = "It was changed."
"""
RIGHT, WRONG = [1, 2, 0], [1, 0, 1]  # the default check; wrong are the second and third


@pytest.fixture
def study() -> Study:
    """A place in A and one in B, all three steps, two tries for the check."""
    return configure_study(make_study(2, ratings_per_context=1), n_check_tries=2)


@pytest.fixture
def newcomer(study) -> Assignment:
    """Somebody who has agreed to take part, and nothing more."""
    return offer(study)


@pytest.fixture
def at_check(newcomer) -> Assignment:
    """Somebody whose next step is the check."""
    complete_step(newcomer, Step.INSTRUCTIONS)
    complete_step(newcomer, Step.PRACTICE)
    return newcomer


def offer(study: Study) -> Assignment:
    return start_assignment(invite_annotators(study, 1)[0])


def expire_all_but_the_next(study: Study) -> None:
    """Let so much time pass that whoever arrives next gets the first place."""
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=9))
    start(study)


def expire(assignment: Assignment) -> None:
    """Let its place, the first, go to somebody else."""
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


def test_steps_are_taken_in_turn_and_lead_to_the_texts(newcomer):
    due = [find_due_step(newcomer)]
    due.append(complete_step(newcomer, Step.INSTRUCTIONS))
    due.append(complete_step(newcomer, Step.PRACTICE))
    assert stored(newcomer, "state", "started_at") == ("offered", None)
    due.append(complete_step(newcomer, Step.CHECK))

    assert due == [Step.INSTRUCTIONS, Step.PRACTICE, Step.CHECK, None]
    state, started_at = stored(newcomer, "state", "started_at")
    assert state == "started"
    assert started_at >= stored(newcomer.annotator, "checked_at")[0]


@pytest.mark.parametrize("step", [Step.PRACTICE, Step.CHECK])
def test_a_step_before_its_turn_is_not_taken(newcomer, step):
    assert complete_step(newcomer, step) == Step.INSTRUCTIONS

    taken = stored(newcomer.annotator, "instructed_at", "practised_at", "checked_at")
    assert taken == (None, None, None)
    assert stored(newcomer, "state") == ("offered",)


def test_no_step_is_due_once_the_texts_are_open_or_the_assignment_has_ended(study, newcomer):
    begun = start(study)
    expired = start(make_study(2, slug="other"))
    rate_due(expired, 4)
    Assignment.objects.filter(pk=expired.pk).update(state="expired")
    expired.refresh_from_db()
    return_assignment(newcomer, "tried")

    assert [find_due_step(a) for a in (begun, expired, newcomer)] == [None, None, None]


@pytest.mark.parametrize("step", list(Step))
def test_a_step_after_the_end_is_not_taken(newcomer, step):
    """The page was asked for before, and this copy of the assignment does not know."""
    return_assignment(Assignment.objects.get(), "tried")

    assert complete_step(newcomer, step) is None

    taken = stored(newcomer.annotator, "instructed_at", "practised_at", "checked_at")
    assert taken == (None, None, None)
    assert stored(newcomer, "state") == ("returned",)


def test_a_step_is_noted_only_if_what_follows_from_it_happens(newcomer, monkeypatch):
    set_text(newcomer.study, TextKind.PRACTICE, "")
    configure_study(newcomer.study, n_check_tries=0)
    monkeypatch.setattr(introduction, "begin_assignment", fail)

    with pytest.raises(OSError, match="power cut"):
        complete_step(newcomer, Step.INSTRUCTIONS)

    assert stored(newcomer.annotator, "instructed_at") == (None,)


def fail(assignment: Assignment) -> None:
    raise OSError("power cut")


def test_a_step_taken_again_keeps_its_first_instant(newcomer):
    complete_step(newcomer, Step.INSTRUCTIONS)
    before = stored(newcomer.annotator, "instructed_at")

    assert complete_step(newcomer, Step.INSTRUCTIONS) == Step.PRACTICE

    assert stored(newcomer.annotator, "instructed_at") == before


def test_instructions_are_enough_where_there_is_no_other_step(study):
    set_text(study, TextKind.PRACTICE, "")
    set_text(study, TextKind.CHECK, "")
    newcomer = offer(study)

    assert complete_step(newcomer, Step.INSTRUCTIONS) is None

    assert stored(newcomer, "state") == ("started",)


def test_right_answers_begin_the_assignment(at_check):
    assert check_comprehension(at_check, RIGHT) == []

    assert stored(at_check, "state") == ("started",)
    assert stored(at_check.annotator, "n_check_tries") == (0,)


def test_a_wrong_try_is_counted_and_names_the_wrong_answers(at_check):
    assert check_comprehension(at_check, WRONG) == [1, 2]

    assert stored(at_check, "state") == ("offered",)
    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (1, None)


def test_the_second_of_a_double_click_is_told_the_same_and_counts_nothing(at_check):
    told = [check_comprehension(at_check, WRONG, n_tries=0) for _ in range(3)]

    assert told == [[1, 2]] * 3
    assert stored(at_check, "state", "annotator__n_check_tries") == ("offered", 1)


@pytest.mark.parametrize(
    ("n_used", "n_known", "answers"),
    [(0, 1, WRONG), (0, -1, WRONG), (0, 9, RIGHT), (1, 0, RIGHT), (2, 0, WRONG)],
)
def test_a_try_that_knows_of_too_many_or_too_few_tells_and_changes_nothing(
    study, at_check, n_used, n_known, answers
):
    configure_study(study, n_check_tries=3)
    for _ in range(n_used):
        check_comprehension(at_check, WRONG)

    assert check_comprehension(at_check, answers, n_tries=n_known) == []

    assert stored(at_check, "state", "annotator__n_check_tries") == ("offered", n_used)


def test_the_last_try_may_be_right(at_check):
    check_comprehension(at_check, WRONG)

    assert check_comprehension(at_check, RIGHT) == []

    assert stored(at_check, "state") == ("started",)


def test_the_last_wrong_try_gives_the_place_back(study, at_check):
    check_comprehension(at_check, WRONG)
    check_comprehension(at_check, WRONG)

    assert stored(at_check, "state", "ended_because") == (
        "returned", "comprehension check not passed",
    )  # fmt: skip
    assert count_places_left(study) == 2
    assert offer(study).questionnaire == at_check.questionnaire


def test_right_answers_after_the_last_wrong_try_change_nothing(at_check):
    check_comprehension(at_check, WRONG)
    check_comprehension(at_check, WRONG)

    check_comprehension(at_check, RIGHT)

    assert stored(at_check, "state", "started_at") == ("returned", None)
    assert not Place.objects.filter(assignment=at_check).exists()


def test_right_answers_before_the_check_is_due_do_not_skip_to_it(newcomer):
    check_comprehension(newcomer, RIGHT)

    assert stored(newcomer, "state") == ("offered",)
    assert find_due_step(Assignment.objects.get()) == Step.INSTRUCTIONS


def test_a_wrong_answer_of_a_second_tab_after_a_right_one_is_not_counted(at_check):
    check_comprehension(at_check, RIGHT)

    check_comprehension(at_check, WRONG)

    assert stored(at_check, "state") == ("started",)
    assert stored(at_check.annotator, "n_check_tries") == (0,)


def test_who_expired_during_the_introduction_goes_on_in_a_free_place(study, newcomer):
    second = offer(study)
    complete_step(second, Step.INSTRUCTIONS)
    expire_all_but_the_next(study)  # who takes the place of the first

    assert complete_step(Assignment.objects.get(pk=second.pk), Step.PRACTICE) == Step.CHECK

    assert stored(second, "state", "is_over_quota", "place__number") == ("offered", False, 1)


def test_who_expired_during_the_introduction_is_given_other_texts_when_the_place_is_gone(at_check):
    before = stored(at_check, "questionnaire", "seed")
    expire(at_check)

    check_comprehension(at_check, RIGHT)

    assignment = Assignment.objects.get(pk=at_check.pk)
    assert (assignment.state, assignment.is_over_quota) == ("started", False)
    place = Place.objects.get(assignment=assignment)
    assert (place.questionnaire, place.round) == (assignment.questionnaire, assignment.round)
    assert stored(assignment, "questionnaire", "seed") != before
    laid_out = assignment.responses.values_list("position", "context__item__questionnaire")
    assert list(laid_out) == [(n, assignment.questionnaire_id) for n in (1, 2)]
    assert str(assignment.questionnaire) in assignment.reason


@pytest.mark.parametrize("step", list(Step))
def test_who_expired_before_the_texts_is_refused_when_all_places_are_gone(study, newcomer, step):
    for taken in list(Step)[: list(Step).index(step)]:
        complete_step(newcomer, taken)
    expire(newcomer)
    start(study)
    before = list(Assignment.objects.values()), list(Response.objects.values())
    done = stored(newcomer.annotator, *DONE_AT.values())

    with pytest.raises(NoPlaceLeft, match="as many annotators as it needs"):
        find_due_step(newcomer)
    with pytest.raises(NoPlaceLeft):
        complete_step(newcomer, step)

    assert (list(Assignment.objects.values()), list(Response.objects.values())) == before
    assert stored(newcomer.annotator, *DONE_AT.values()) == done
    return_assignment(Assignment.objects.latest("pk"), "tried")
    assert complete_step(newcomer, step) == find_due_step(Assignment.objects.get(pk=newcomer.pk))
    assert stored(newcomer, "is_over_quota", "place__number") == (False, 1)


def test_a_wrong_try_of_who_expired_is_counted(at_check):
    expire(at_check)

    check_comprehension(at_check, WRONG)

    assert stored(at_check, "state") == ("offered",)
    assert stored(at_check.annotator, "n_check_tries") == (1,)


@pytest.mark.parametrize("answers", [RIGHT, WRONG])
def test_answers_to_questions_that_have_changed_are_not_judged(study, at_check, answers):
    """They came between reading the page's questions and locking the study."""
    read = current_text(study, TextKind.CHECK)
    set_text(study, TextKind.CHECK, ONE_QUESTION * 4)

    with pytest.raises(TextChanged, match="has changed"):
        check_comprehension(at_check, answers, n_tries=0, text_id=read.pk)

    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (0, None)
    assert stored(at_check, "state") == ("offered",)


@pytest.mark.parametrize("answers", [RIGHT, WRONG])
def test_answers_of_who_lapsed_and_nobody_came_meanwhile_are_judged(study, at_check, answers):
    """Their place is free until the answer itself lets them take it up again."""
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=9))
    (place,) = stored(at_check, "place")

    check_comprehension(Assignment.objects.get(), answers)

    wanted = ("started", 0) if answers == RIGHT else ("offered", 1)
    assert stored(at_check, "state", "annotator__n_check_tries") == wanted
    assert stored(at_check, "place", "is_over_quota") == (place, False)


def test_a_practice_item_taken_away_is_not_waited_for(study, newcomer):
    complete_step(newcomer, Step.INSTRUCTIONS)
    set_text(study, TextKind.PRACTICE, "")

    assert find_due_step(Assignment.objects.get()) == Step.CHECK


def test_a_check_taken_away_leaves_nothing_in_the_way(study, at_check):
    configure_study(study, n_check_tries=0)
    assignment = Assignment.objects.get()
    assert find_due_step(assignment) == Step.INSTRUCTIONS
    before = stored(assignment.annotator, "instructed_at")

    complete_step(assignment, Step.INSTRUCTIONS)

    assert stored(assignment.annotator, "instructed_at") == before

    assert stored(at_check, "state") == ("started",)


def test_a_check_that_was_added_is_due_before_the_first_text(study):
    configure_study(study, n_check_tries=0)
    newcomer = offer(Study.objects.get())
    complete_step(newcomer, Step.INSTRUCTIONS)
    configure_study(study, n_check_tries=1)

    assert complete_step(Assignment.objects.get(), Step.PRACTICE) == Step.CHECK

    assert stored(newcomer, "state") == ("offered",)


def test_a_check_that_was_added_does_not_stop_who_has_begun(study):
    configure_study(study, n_check_tries=0)
    begun = start(Study.objects.get())
    configure_study(study, n_check_tries=1)

    assert stored(begun, "state") == ("started",)
