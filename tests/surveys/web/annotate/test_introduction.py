"""Pages before the first item: in order, none skipped, no practice answer stored."""

import re
from datetime import timedelta

import lxml.html
import pytest
from django.db.models import F
from django.urls import reverse

from surveys.models import Assignment, TextKind
from surveys.participation.assignments import start_assignment
from surveys.participation.withdrawal import return_assignment
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.texts import set_text
from tests.factories.arrivals import RIGHT, agree, due, hidden_fields, page, squeeze
from tests.factories.studies import make_study, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_check_tries=2)]

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}


def test_the_introduction_shows_every_page_in_order(client, study):
    (invitation,) = invite_annotators(study, 1)
    first = agree(client, reverse("annotate:welcome", args=[invitation.token]))
    assignment = Assignment.objects.get()

    walked = [due(client, assignment)]
    for name, sent in (
        ("instructions", {}),
        ("practice", WORDS),
        ("practice_rating", {"rating": "3"}),
        ("practice_answer", {}),
        ("practice_answer?item=2", {}),
        ("check", RIGHT),
    ):
        name, mark, query = name.partition("?")
        url = page(name, assignment) + mark + query
        seen = hidden_fields(client.get(url))
        walked.append(client.post(url, {**seen, **sent}).url)

    assert first.url == page("next", assignment)
    assert walked == [
        page("instructions", assignment), page("practice", assignment),
        page("practice_rating", assignment), page("practice_answer", assignment) + "?chosen=3",
        page("practice", assignment) + "?item=2", page("check", assignment),
        page("engage", assignment, 1),
    ]  # fmt: skip
    assert stored(assignment, "state") == ("started",)


def test_nothing_of_practice_is_stored(client, at_practice):
    before = list(at_practice.responses.values())

    client.post(page("practice", at_practice), WORDS)
    client.post(page("practice_rating", at_practice), {"rating": "3"})
    client.post(page("practice_answer", at_practice) + "?item=2")

    assert list(at_practice.responses.values()) == before


def test_practice_shows_the_rating_beside_ours_and_calls_none_wrong(client, at_practice):
    answer = page("practice_answer", at_practice)

    shown = {
        query: squeeze(client.get(answer + query))
        for query in ("", "?chosen=1", "?chosen=4", "?chosen=9", "?item=2&chosen=4", "?item=x")
    }

    said = {
        query: re.search("<figcaption>(.*?)</figcaption>", content)[1]
        for query, content in shown.items()
    }
    only = "We would choose<bdi>0–1</bdi>."
    assert said == {
        "": only,
        "?chosen=1": f"You chose<bdi>1</bdi>. {only}",
        "?chosen=4": f"You chose<bdi>4</bdi>. {only}",
        "?chosen=9": only,
        "?item=2&chosen=4": "You chose<bdi>4</bdi>. We would choose<bdi>5–6</bdi>.",
        "?item=x": only,
    }


OWN_TEXTS = {
    "instructions": "Our own.",
    "practice": """
text = "A <strong>river</strong> passed a <strong>bank</strong>."
words = ["water", "money"]
explanation = "Both fit."
""",
}
LAST_PAGES = {"instructions": "instructions", "practice": "practice_answer"}
LATER = {
    "practice": WORDS,
    "practice_rating": {"rating": "3"},
    "practice_answer": {},
    "check": RIGHT,
}
ITEMS = [("engage", 1), ("rate", 1), ("engage", 2)]
STATE = ("state", "started_at", "annotator__instructed_at", "annotator__practised_at")


@pytest.mark.parametrize("name", LATER)
def test_a_step_requested_too_early_redirects_to_the_due_one(client, newcomer, name):
    looked = client.get(page(name, newcomer))
    posted = client.post(page(name, newcomer), LATER[name])

    assert looked.url == posted.url == page("instructions", newcomer)
    assert stored(newcomer, *STATE) == ("offered", None, None, None)


@pytest.mark.parametrize(("name", "position"), ITEMS)
def test_items_redirect_to_the_introduction_before_it_is_done(client, at_check, name, position):
    sent = WORDS if name == "engage" else {"rating": "3"}

    looked = client.get(page(name, at_check, position))
    posted = client.post(page(name, at_check, position), sent)

    assert looked.url == posted.url == page("check", at_check)
    assert (looked.content, posted.content) == (b"", b"")
    assert not at_check.responses.exclude(engaged_at=None).exists()


@pytest.mark.parametrize("name", ["thanks", "ended"])
def test_the_end_redirects_to_the_introduction_before_it_is_done(client, newcomer, name):
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
        client.post(page("practice_answer", newcomer) + "?item=2")

    content = squeeze(client.get(page(name, newcomer)))

    assert f'<a href="{page("withdraw", newcomer)}">Pause or stop</a>' in content
    assert ("<summary>Instructions</summary>" in content) == (name != "instructions")


# Practice


def test_practice_looks_like_an_item_and_is_marked_as_practice(client, at_practice):
    answers = [client.get(page(name, at_practice)) for name in LATER if name != "check"]

    for answer in answers:
        assert answer.status_code == 200
        assert "Practice: this does not count and is not stored" in answer.content.decode()
    words, rating, explained = (answer.content.decode() for answer in answers)
    assert "<strong>" not in words.split("<details")[0]
    assert 'name="inspired_word2"' in words
    assert rating.count('type="radio"') == 7
    for content in (rating, explained):
        assert "<strong>stairs</strong>" in content
        assert "<strong>tune</strong>" in content
    assert "<li><bdi>music</bdi></li><li><bdi>longing</bdi></li>" in explained


@pytest.mark.parametrize(
    ("name", "sent"),
    [("practice", {**WORDS, "inspired_word1": "two words"}), ("practice_rating", {"rating": "9"})],
)
def test_practice_refuses_the_same_answers_as_an_item(client, at_practice, name, sent):
    answer = client.post(page(name, at_practice), sent)

    assert answer.status_code == 422
    assert "Please" in answer.content.decode()
    assert due(client, at_practice) == page("practice", at_practice)


def test_practice_removed_meanwhile_redirects_to_the_next_step(client, at_practice):
    set_text(at_practice.study, TextKind.PRACTICE, "")

    answer = client.post(page("practice", at_practice), WORDS)

    assert answer.url == page("check", at_practice)


# The variant that annotators read


@pytest.mark.parametrize(
    ("before_instructions", "before_practice", "read"),
    [("", "", "plain"), ("instructions", "", "own"), ("", "practice", "own")],
)
def test_the_variant_that_was_read_is_stored(
    client, newcomer, before_instructions, before_practice, read
):
    for name, changed in (("instructions", before_instructions), ("practice", before_practice)):
        if changed:
            set_text(newcomer.study, TextKind(changed), OWN_TEXTS[changed])
        client.get(page(name, newcomer))
        client.post(page(LAST_PAGES[name], newcomer) + "?item=2")

    assert stored(newcomer, "annotator__variant") == (read,)


def test_the_variant_is_that_of_the_version_that_was_shown(client, newcomer):
    shown = hidden_fields(client.get(page("instructions", newcomer)))
    set_text(newcomer.study, TextKind.INSTRUCTIONS, "Our own.")
    client.post(page("instructions", newcomer), shown)
    assert stored(newcomer, "annotator__variant") == ("plain",)

    shown = hidden_fields(client.get(page("practice_answer", newcomer)))
    set_text(newcomer.study, TextKind.PRACTICE, OWN_TEXTS["practice"])
    client.post(page("practice_answer", newcomer) + "?item=2", shown)

    assert stored(newcomer, "annotator__variant") == ("plain",)


def test_a_version_of_another_study_is_not_taken_for_the_one_shown(client, newcomer):
    foreign = set_text(make_study(1, slug="other"), TextKind.INSTRUCTIONS, "Our own.")

    client.post(page("instructions", newcomer), {"text": str(foreign.pk)})

    assert stored(newcomer, "annotator__variant") == ("plain",)


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
def test_at_most_120_words_stand_before_practice(client, language):
    link = invite_annotators(make_study(language=language), 1)[0]
    newcomer = start_assignment(link)

    answer = client.get(page("instructions", newcomer))

    main = lxml.html.fromstring(answer.content.decode()).find(".//main")
    assert len(main.text_content().split()) <= 120


# Coming back


@pytest.mark.parametrize("step", ["instructions", "check"])
def test_returning_after_the_lease_resumes_at_the_same_step(client, request, step):
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


def test_returning_without_a_free_place_says_so(client):
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
        assert "We have enough people for this study now" in answer.content.decode()
        assert "FULL1" in answer.content.decode()
    assert stored(assignment, "state", "is_over_quota") == ("expired", False)


@pytest.mark.parametrize("name", ["instructions", *LATER])
def test_no_step_is_accepted_after_the_end(client, at_check, name):
    return_assignment(at_check, "tried")
    before = stored(at_check, *STATE)

    answer = client.post(page(name, at_check), LATER.get(name, {}))

    assert answer.url == page("ended", at_check)
    assert stored(at_check, *STATE) == before
