"""The pages before the first text: in order, none to be skipped, nothing of them stored."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.urls import reverse

from surveys.annotate import introduction
from surveys.assigning import start_assignment
from surveys.configuring import configure_study
from surveys.introducing import check_comprehension
from surveys.leaving import return_assignment
from surveys.models import Assignment, Study, TextKind
from surveys.recruiting import invite_annotators, open_entrance
from surveys.wording import current_text, default_body, read_check, set_text
from tests.annotate.arriving import agree, hidden_fields, page
from tests.factories import make_study, start, stored

pytestmark = pytest.mark.django_db

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}
RIGHT = {"question0": "1", "question1": "2", "question2": "0"}
WRONG = {**RIGHT, "question1": "0"}


@pytest.fixture
def study() -> Study:
    """All three steps, and two tries for the check."""
    return configure_study(make_study(2), n_check_tries=2)


@pytest.fixture
def newcomer(study) -> Assignment:
    """Somebody who has agreed to take part, and nothing more."""
    return start_assignment(invite_annotators(study, 1)[0])


@pytest.fixture
def at_practice(client, newcomer) -> Assignment:
    client.post(page("instructions", newcomer))
    return newcomer


@pytest.fixture
def at_check(client, at_practice) -> Assignment:
    client.post(page("practice_answer", at_practice))
    return at_practice


def due(client, assignment: Assignment) -> str:
    """The page to which the link of an assignment leads."""
    return client.get(page("next", assignment)).url


def test_the_way_to_the_first_text_leads_over_every_page(client, study):
    (invitation,) = invite_annotators(study, 1)
    first = agree(client, reverse("annotate:welcome", args=[invitation.token]))
    assignment = Assignment.objects.get()

    walked = [due(client, assignment)]
    for name, sent in (
        ("instructions", {}),
        ("practice", WORDS),
        ("practice_rating", {"rating": "3"}),
        ("practice_answer", {}),
        ("check", RIGHT),
    ):
        seen = hidden_fields(client.get(page(name, assignment)))
        walked.append(client.post(page(name, assignment), {**seen, **sent}).url)

    assert first.url == page("next", assignment)
    assert walked == [
        page("instructions", assignment), page("practice", assignment),
        page("practice_rating", assignment), page("practice_answer", assignment),
        page("check", assignment), page("engage", assignment, 1),
    ]  # fmt: skip
    assert stored(assignment, "state") == ("started",)


def test_nothing_of_practice_is_stored(client, at_practice):
    before = list(at_practice.responses.values())

    client.post(page("practice", at_practice), WORDS)
    client.post(page("practice_rating", at_practice), {"rating": "3"})
    client.post(page("practice_answer", at_practice))

    assert list(at_practice.responses.values()) == before


LATER = {
    "practice": WORDS,
    "practice_rating": {"rating": "3"},
    "practice_answer": {},
    "check": RIGHT,
}
ITEMS = [("engage", 1), ("rate", 1), ("engage", 2)]
STATE = ("state", "started_at", "annotator__instructed_at", "annotator__practised_at")


@pytest.mark.parametrize("name", LATER)
def test_a_step_before_its_turn_leads_back(client, newcomer, name):
    looked = client.get(page(name, newcomer))
    posted = client.post(page(name, newcomer), LATER[name])

    assert looked.url == posted.url == page("instructions", newcomer)
    assert stored(newcomer, *STATE) == ("offered", None, None, None)


@pytest.mark.parametrize(("name", "position"), ITEMS)
def test_the_texts_are_not_to_be_had_before_the_introduction(client, at_check, name, position):
    sent = WORDS if name == "engage" else {"rating": "3"}

    looked = client.get(page(name, at_check, position))
    posted = client.post(page(name, at_check, position), sent)

    assert looked.url == posted.url == page("check", at_check)
    assert (looked.content, posted.content) == (b"", b"")
    assert not at_check.responses.exclude(engaged_at=None).exists()


@pytest.mark.parametrize("name", ["thanks", "ended"])
def test_the_end_is_not_to_be_had_before_the_introduction(client, newcomer, name):
    assert client.get(page(name, newcomer)).url == page("instructions", newcomer)


@pytest.mark.parametrize("name", ["practice", "practice_rating", "practice_answer"])
def test_practice_is_done_once(client, at_check, name):
    assert client.get(page(name, at_check)).url == page("check", at_check)
    assert client.post(page(name, at_check), LATER[name]).url == page("check", at_check)


def test_instructions_can_be_read_again_later_and_lead_back(client, newcomer):
    assignment = start(newcomer.study)
    before = stored(assignment, *STATE)

    looked, posted = (ask(page("instructions", assignment)) for ask in (client.get, client.post))

    assert looked.status_code == 200
    assert posted.url == page("engage", assignment, 1)
    assert stored(assignment, *STATE) == before


def test_instructions_are_those_of_the_study(client, newcomer):
    set_text(newcomer.study, TextKind.INSTRUCTIONS, "Read *well* <script>.")

    content = client.get(page("instructions", newcomer)).content.decode()

    assert "<p>Read <em>well</em> &lt;script&gt;.</p>" in content


@pytest.mark.parametrize("name", ["instructions", *LATER])
def test_every_page_before_the_texts_leads_to_withdrawing_and_to_the_instructions(
    client, newcomer, name
):
    if name != "instructions":
        client.post(page("instructions", newcomer))
    if name == "check":
        client.post(page("practice_answer", newcomer))

    content = client.get(page(name, newcomer)).content.decode()

    assert f'<a href="{page("withdraw", newcomer)}">Stop taking part</a>' in content
    assert ("<summary>Instructions</summary>" in content) == (name != "instructions")


# Practice


def test_practice_looks_like_an_item_and_says_that_it_is_none(client, at_practice):
    answers = [client.get(page(name, at_practice)) for name in LATER if name != "check"]

    for answer in answers:
        assert answer.status_code == 200
        assert "Practice: nothing of this is stored" in answer.content.decode()
    words, rating, explained = (answer.content.decode() for answer in answers)
    assert "<strong>" not in words.split("<details")[0]
    assert 'name="inspired_word2"' in words
    assert rating.count('type="radio"') == 7
    for content in (rating, explained):
        assert "<strong>piano</strong>" in content
        assert "<strong>tune</strong>" in content
    assert "<li><bdi>music</bdi></li><li><bdi>longing</bdi></li>" in explained


@pytest.mark.parametrize(
    ("name", "sent"),
    [("practice", {**WORDS, "inspired_word1": "two words"}), ("practice_rating", {"rating": "9"})],
)
def test_practice_refuses_what_an_item_would(client, at_practice, name, sent):
    answer = client.post(page(name, at_practice), sent)

    assert answer.status_code == 422
    assert "Please" in answer.content.decode()
    assert due(client, at_practice) == page("practice", at_practice)


def test_practice_taken_away_while_somebody_is_at_it_leads_on(client, at_practice):
    set_text(at_practice.study, TextKind.PRACTICE, "")

    answer = client.post(page("practice", at_practice), WORDS)

    assert answer.url == page("check", at_practice)


# The check


def test_check_asks_and_says_how_many_tries_there_are(client, at_check):
    content = client.get(page("check", at_check)).content.decode()

    assert "2 tries" in content
    for question in read_check(current_text(at_check.study, TextKind.CHECK).body):
        assert all(answer in content for answer in question.answers)
        assert question.why not in content
    assert content.count('type="radio"') == 9


def test_check_says_what_is_wrong_and_why(client, at_check):
    answer = send_check(client, at_check, WRONG)

    content = answer.content.decode()
    questions = read_check(current_text(at_check.study, TextKind.CHECK).body)
    assert answer.status_code == 422
    assert content.count("This is not the right answer.") == 1
    assert [question.why in content for question in questions] == [False, True, False]
    assert "1 try" in content
    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (1, None)


@pytest.mark.parametrize(
    ("sent", "marked"),
    [({}, "Please"), (WRONG, 'This is not the right answer. <span lang="tr" dir="auto">')],
    ids=["ours", "the study's"],
)
def test_check_marks_the_language_of_what_it_says(client, sent, marked):
    study = configure_study(make_study(2, language="tr"), n_check_tries=2)
    set_text(study, TextKind.CHECK, default_body("en", TextKind.CHECK))
    assignment = start_assignment(invite_annotators(study, 1)[0])
    client.post(page("instructions", assignment))

    content = send_check(client, assignment, sent).content.decode()

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
    """Open the page of the check, and send these answers from it, perhaps by a double click."""
    seen = hidden_fields(client.get(page("check", assignment)))
    for _ in range(times):
        answer = client.post(page("check", assignment), {**seen, **answers})
    return answer


def test_check_not_passed_in_the_last_try_ends_and_says_so(client, at_check):
    send_check(client, at_check, WRONG)

    answer = send_check(client, at_check, WRONG)

    assert answer.url == page("ended", at_check)
    content = client.get(answer.url).content.decode()
    assert "not clear enough from our instructions" in content
    assert stored(at_check, "state") == ("returned",)


def test_check_after_the_last_try_takes_no_right_answers(client, at_check):
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
    assert "1 try" in content
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
def test_check_tells_nothing_for_a_try_that_it_cannot_count(client, at_check, n_tries):
    answer = send_check(client, at_check, {**WRONG, "n_tries": n_tries})

    questions = read_check(current_text(at_check.study, TextKind.CHECK).body)
    assert answer.status_code == 422
    assert not any(question.why in answer.content.decode() for question in questions)
    assert stored(at_check, "state", "annotator__n_check_tries") == ("offered", 0)


def test_check_passed_twice_by_a_double_click_begins_once(client, at_check):
    answer = send_check(client, at_check, RIGHT, times=2)

    assert answer.url == page("engage", at_check, 1)
    assert stored(at_check, "state", "annotator__n_check_tries") == ("started", 0)


OTHER_CHECK = """
[[questions]]
question = "Is this another check?"
answers = ["Yes", "No"]
right = 1
why = "It was changed."
"""


def test_answers_to_a_check_that_has_changed_are_not_counted(client, at_check):
    seen = hidden_fields(client.get(page("check", at_check)))
    set_text(at_check.study, TextKind.CHECK, OTHER_CHECK)

    answer = client.post(page("check", at_check), {**seen, **RIGHT})

    assert answer.status_code == 422
    assert "Is this another check?" in answer.content.decode()
    assert "This page has changed" in answer.content.decode()
    assert stored(at_check.annotator, "n_check_tries", "checked_at") == (0, None)


def test_a_check_that_changes_while_it_is_answered_is_asked_anew(client, at_check, monkeypatch):
    def check_later(*arguments, **named):
        set_text(at_check.study, TextKind.CHECK, OTHER_CHECK)
        return check_comprehension(*arguments, **named)

    monkeypatch.setattr(introduction, "check_comprehension", check_later)

    answer = send_check(client, at_check, WRONG)

    assert answer.status_code == 422
    assert "Is this another check?" in answer.content.decode()
    assert hidden_fields(answer)["text"] == str(current_text(at_check.study, TextKind.CHECK).pk)
    assert stored(at_check.annotator, "n_check_tries") == (0,)


def test_a_check_taken_away_is_no_dead_end(client, at_check):
    set_text(at_check.study, TextKind.CHECK, "")

    client.post(page("check", at_check), RIGHT)
    client.post(due(client, at_check))

    assert due(client, at_check) == page("engage", at_check, 1)


# Coming back


@pytest.mark.parametrize("step", ["instructions", "check"])
def test_who_comes_back_after_the_lease_goes_on_where_they_were(client, request, step):
    assignment = request.getfixturevalue("newcomer" if step == "instructions" else "at_check")
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=2))
    start(assignment.study)
    assert stored(assignment, "state") == ("expired",)

    assert due(client, assignment) == page(step, assignment)
    shown = client.get(page(step, assignment))
    assert shown.status_code == 200
    client.post(page(step, assignment), {**hidden_fields(shown), **RIGHT})

    wanted = "offered" if step == "instructions" else "started"
    assert stored(assignment, "state", "is_over_quota") == (wanted, False)


def test_who_comes_back_before_the_texts_when_all_places_are_gone_is_told_so(client):
    study = make_study(2, ratings_per_context=1)
    entrance = open_entrance(study, "link", completion_code="DONE1", no_place_code="FULL1")
    agree(client, client.get(reverse("annotate:arrive", args=[entrance.token])).url)
    assignment = Assignment.objects.get()
    Assignment.objects.update(active_at=F("active_at") - timedelta(days=2))
    start(study), start(study)

    looked = client.get(page("next", assignment))
    posted = client.post(page("instructions", assignment))

    for answer in (looked, posted):
        assert answer.status_code == 409
        assert "as many annotators as it needs" in answer.content.decode()
        assert "FULL1" in answer.content.decode()
    assert stored(assignment, "state", "is_over_quota") == ("expired", False)


@pytest.mark.parametrize("name", ["instructions", *LATER])
def test_no_step_can_be_taken_after_the_end(client, at_check, name):
    return_assignment(at_check, "tried")
    before = stored(at_check, *STATE)

    answer = client.post(page(name, at_check), LATER.get(name, {}))

    assert answer.url == page("ended", at_check)
    assert stored(at_check, *STATE) == before
