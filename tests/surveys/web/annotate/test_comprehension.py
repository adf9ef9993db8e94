"""The page of the comprehension check: explanations, tries and passing."""

import pytest

from surveys.models import Assignment, TextKind
from surveys.participation.assignments import start_assignment
from surveys.participation.introduction import check_comprehension
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from surveys.study.exercises import read_check
from surveys.study.texts import current_text, default_body, set_text
from surveys.web.annotate import introduction
from tests.factories.arrivals import RIGHT, WRONG, due, hidden_fields, page, squeeze
from tests.factories.studies import make_study, stored
from tests.surveys.participation.test_introduction import ONE_QUESTION

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_check_tries=2)]


def test_check_shows_its_questions_and_the_number_of_tries(client, at_check):
    content = client.get(page("check", at_check)).content.decode()

    assert "2 tries" in content
    for question in read_check(current_text(at_check.study, TextKind.CHECK).body):
        assert all(answer in content for answer in question.answers)
        assert question.why not in content
    assert content.count('type="radio"') == 9


def test_check_explains_wrong_answers(client, at_check):
    answer = send_check(client, at_check, WRONG)

    content = answer.content.decode()
    questions = read_check(current_text(at_check.study, TextKind.CHECK).body)
    assert answer.status_code == 422
    assert content.count("That is not it.") == 1
    assert [question.why in content for question in questions] == [False, True, False]
    assert "You can try once more." in content
    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (1, None)


@pytest.mark.parametrize(
    ("sent", "marked"),
    [({}, "Please"), (WRONG, 'That is not it.<span lang="tr" dir="auto">')],
    ids=["ours", "the study's"],
)
def test_check_marks_the_language_of_what_it_says(client, sent, marked):
    study = configure_study(make_study(2, language="tr"), n_check_tries=2)
    set_text(study, TextKind.CHECK, default_body("en", TextKind.CHECK))
    assignment = start_assignment(invite_annotators(study, 1)[0])
    client.post(page("instructions", assignment))

    content = squeeze(send_check(client, assignment, sent))

    assert f'_error" role="alert">{marked}' in content


@pytest.mark.parametrize("sent", [{}, {**RIGHT, "question1": ""}, {**RIGHT, "question1": "7"}])
def test_check_without_an_answer_costs_no_try(client, at_check, sent):
    answer = send_check(client, at_check, sent)

    content = answer.content.decode()
    assert answer.status_code == 422
    assert "2 tries" in content
    assert ('role="alert"' in content, "has changed" in content) == (True, False)
    assert stored(at_check.annotator, "n_check_tries") == (0,)


def send_check(client, assignment: Assignment, answers: dict[str, str], *, times: int = 1):
    """Send answers to the check from its page, several times for a double click."""
    seen = hidden_fields(client.get(page("check", assignment)))
    for _ in range(times):
        answer = client.post(page("check", assignment), {**seen, **answers})
    return answer


def test_failing_the_last_try_of_the_check_ends_the_assignment(client, at_check):
    send_check(client, at_check, WRONG)

    answer = send_check(client, at_check, WRONG)

    assert answer.url == page("ended", at_check)
    content = client.get(answer.url).content.decode()
    assert "Some answers did not match the instructions" in content
    assert stored(at_check, "state") == ("returned",)


def test_check_refuses_right_answers_after_the_last_try(client, at_check):
    for _ in range(2):
        send_check(client, at_check, WRONG)

    answer = client.post(page("check", at_check), RIGHT)

    assert answer.url == page("ended", at_check)
    assert stored(at_check, "state", "started_at") == ("returned", None)


def test_check_sent_twice_by_a_double_click_costs_one_try_and_still_says_why(client, at_check):
    answer = send_check(client, at_check, WRONG, times=2)

    content = answer.content.decode()
    questions = read_check(current_text(at_check.study, TextKind.CHECK).body)
    assert [question.why in content for question in questions] == [False, True, False]
    assert content.count("checked") == 3
    assert "You can try once more." in content
    assert stored(at_check.annotator, "n_check_tries") == (1,)
    assert stored(at_check, "state") == ("offered",)


def test_check_is_not_passed_by_right_answers_from_before_the_last_try(client, at_check):
    seen = hidden_fields(client.get(page("check", at_check)))
    send_check(client, at_check, WRONG)

    answer = client.post(page("check", at_check), {**seen, **RIGHT})

    content = answer.content.decode()
    assert answer.status_code == 422
    assert "has changed" in content
    assert content.count("checked") == 3
    assert stored(at_check, "state", "annotator__n_check_tries") == ("offered", 1)
    again = client.post(page("check", at_check), {**hidden_fields(answer), **RIGHT})
    assert again.url == page("engage", at_check, 1)


@pytest.mark.parametrize("n_tries", ["99", "-1"])
def test_check_explains_nothing_for_an_uncounted_try(client, at_check, n_tries):
    answer = send_check(client, at_check, {**WRONG, "n_tries": n_tries})

    questions = read_check(current_text(at_check.study, TextKind.CHECK).body)
    assert answer.status_code == 422
    assert not any(question.why in answer.content.decode() for question in questions)
    assert stored(at_check, "state", "annotator__n_check_tries") == ("offered", 0)


def test_check_passed_twice_by_a_double_click_begins_once(client, at_check):
    answer = send_check(client, at_check, RIGHT, times=2)

    assert answer.url == page("engage", at_check, 1)
    assert stored(at_check, "state", "annotator__n_check_tries") == ("started", 0)


def test_answers_to_a_check_that_has_changed_are_not_counted(client, at_check):
    seen = hidden_fields(client.get(page("check", at_check)))
    set_text(at_check.study, TextKind.CHECK, ONE_QUESTION)

    answer = client.post(page("check", at_check), {**seen, **RIGHT})

    assert answer.status_code == 422
    assert "Is this another check?" in answer.content.decode()
    assert "This page has changed" in answer.content.decode()
    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (0, None)


def test_a_check_changed_during_an_answer_is_shown_again(client, at_check, monkeypatch):
    def check_later(*arguments, **named):
        set_text(at_check.study, TextKind.CHECK, ONE_QUESTION)
        return check_comprehension(*arguments, **named)

    monkeypatch.setattr(introduction, "check_comprehension", check_later)

    answer = send_check(client, at_check, WRONG)

    assert answer.status_code == 422
    assert "Is this another check?" in answer.content.decode()
    assert hidden_fields(answer)["text"] == str(current_text(at_check.study, TextKind.CHECK).pk)
    assert stored(at_check.annotator, "n_check_tries") == (0,)


def test_a_removed_check_redirects_to_the_next_step(client, at_check):
    set_text(at_check.study, TextKind.CHECK, "")

    client.post(page("check", at_check), RIGHT)
    client.post(due(client, at_check))

    assert due(client, at_check) == page("engage", at_check, 1)
