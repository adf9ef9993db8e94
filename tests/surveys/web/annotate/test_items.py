"""The two pages of an item: the words of page 1, and rules for both."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import Assignment
from surveys.participation.answers import record_engagement
from surveys.participation.assignments import begin_assignment
from surveys.participation.withdrawal import return_assignment
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from surveys.web.annotate import items
from tests.factories.arrivals import agree, page, squeeze
from tests.factories.studies import finish, make_study, progress_of, start, stored

pytestmark = pytest.mark.django_db

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}
ANSWER = ("written1", "written2", "rating")


@pytest.mark.parametrize("path", ["/invitation/nobody/", "/survey/nobody/thanks/", "/nowhere/"])
def test_an_unknown_link_gets_a_404_with_advice(client, path):
    answer = client.get(path)

    assert answer.status_code == 404
    assert "whole link was copied" in answer.content.decode()


@pytest.mark.parametrize("name", ["engage", "rate"])
def test_an_unknown_assignment_gets_a_404(client, name):
    answer = client.get(reverse(f"annotate:{name}", args=["nobody", 1]), follow=True)

    assert answer.status_code == 404


def test_engage_stores_the_words_and_goes_on_to_the_rating(client, assignment, response):
    answer = client.post(page("engage", assignment, 1), WORDS)

    assert (answer.status_code, answer.url) == (302, page("rate", assignment, 1))
    assert stored(response, *ANSWER) == ("morje", "sol", None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({}, "Please write a word here."),
        ({"inspired_word1": " ", "inspired_word2": "sol"}, "Please write a word here."),
        ({"inspired_word1": "sinje morje", "inspired_word2": "sol"}, "Just one word here"),
        ({"inspired_word1": "12", "inspired_word2": "sol"}, "using letters"),
        ({"inspired_word1": "Sol", "inspired_word2": "sol"}, "a second, different word"),
        ({"inspired_word1": "sa\u200bme", "inspired_word2": "same"}, "a second, different word"),
        ({"inspired_word1": "s" * 51, "inspired_word2": "sol"}, "too long"),
        ({"inspired_word1": "a\0b", "inspired_word2": "sol"}, "Null characters"),
    ],
    ids=[
        "nothing",
        "empty",
        "several words",
        "digits",
        "equal",
        "equal but for an invisible character",
        "too long",
        "null character",
    ],
)
def test_engage_refuses_invalid_words(client, assignment, response, words, said):
    answer = client.post(page("engage", assignment, 1), words)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert stored(response, *ANSWER) == ("", "", None)


def test_engage_shows_refused_words_again(client, assignment):
    answer = client.post(page("engage", assignment, 1), {"inspired_word1": '"<b>x'})

    assert 'value="&quot;&lt;b&gt;x"' in answer.content.decode()


@pytest.mark.parametrize("word", ["čaj", "l'été", "e-pošta", "ведро", "cafe\u0301", "水", "x2"])
def test_engage_accepts_words_in_any_script(client, assignment, response, word):
    client.post(page("engage", assignment, 1), {**WORDS, "inspired_word1": f" {word} "})

    assert stored(response, "written1") == (word,)


@pytest.mark.every_database
def test_repeated_and_late_posts_change_nothing(client, assignment, response):
    client.post(page("engage", assignment, 1), WORDS)
    other = {"inspired_word1": "gora", "inspired_word2": "sneg"}
    again = client.post(page("engage", assignment, 1), other)
    client.post(page("rate", assignment, 1), {"rating": "1"})
    late = client.post(page("rate", assignment, 1), {"rating": "5"})
    too_early = client.post(page("engage", assignment, 3), other)

    assert (again.status_code, late.status_code) == (409, 409)
    assert too_early.url == page("engage", assignment, 2)
    assert stored(response, *ANSWER) == ("morje", "sol", 1)


def test_the_same_answer_again_leads_on_without_a_word(client, assignment):
    pages = page("engage", assignment, 1), page("rate", assignment, 1)
    answers = [(pages[0], WORDS), (pages[0], WORDS), (pages[1], {"rating": "1"})]
    urls = [client.post(*answer).url for answer in [*answers, (pages[1], {"rating": "1"})]]
    client.post(page("change", assignment, 1), {"rating": "4"})

    assert urls == [
        pages[1],
        pages[1],
        page("engage", assignment, 2),
        page("engage", assignment, 2),
    ]
    for rating in ("1", "4"):  # the first one may have been on its way for long
        assert client.post(pages[1], {"rating": rating}).url == page("engage", assignment, 2)


@pytest.mark.parametrize("is_simultaneous", [False, True])
def test_another_answer_from_a_second_tab_is_told_of_the_one_that_counts(
    client, assignment, response, monkeypatch, is_simultaneous
):
    client.post(page("engage", assignment, 1), {"inspired_word1": "a<b", "inspired_word2": "two"})
    if is_simultaneous:  # the page was still due when this request began
        monkeypatch.setattr(items, "find_due", lambda where, *_, **__: where.due)
        monkeypatch.setattr(items, "store_answer", lambda *_: False)

    words = client.post(page("engage", assignment, 1), WORDS)
    client.post(page("rate", assignment, 1), {"rating": "2"})
    monkeypatch.undo()
    client.post(page("rate", assignment, 1), {"rating": "2"})
    rating = client.post(page("rate", assignment, 1), {"rating": "5"})

    for answer, counts in ((words, "a&lt;b, two"), (rating, "2")):
        said = squeeze(answer).replace("\u2068", "").replace("\u2069", "")
        assert answer.status_code == 409
        assert f"This text was answered in another tab already: {counts}. The first" in said
        assert f'href="{page("next", assignment)}"' in said
    assert stored(response, *ANSWER) == ("a<b", "two", 2)


def test_a_rating_beside_cannot_judge_is_told_of_it(client):
    assignment = start(configure_study(make_study(2), allows_unjudgeable=True))
    client.post(page("engage", assignment, 1), WORDS)
    client.post(page("rate", assignment, 1), {"rating": "cannot"})

    answer = client.post(page("rate", assignment, 1), {"rating": "0"})

    assert "\u2068I cannot judge this\u2069" in answer.content.decode()


def test_a_late_answer_to_a_finished_or_withdrawn_assignment(client, assignment):
    finish(assignment, rating=3)
    late = client.post(page("rate", assignment, 2), {"rating": "5"})
    withdraw_annotator(assignment.annotator)
    gone = client.post(page("rate", assignment, 2), {"rating": "5"})

    assert (late.status_code, gone.url) == (409, page("ended", assignment))


def test_an_empty_late_answer_leads_on(client, assignment):
    client.post(page("engage", assignment, 1), WORDS)

    assert client.post(page("engage", assignment, 1), {}).url == page("rate", assignment, 1)


def test_every_page_of_a_finished_assignment_leads_to_thanks(client, assignment):
    finish(assignment)

    for name, *position in (("next",), ("engage", 1), ("rate", 2), ("engage", 9)):
        answer = client.get(page(name, assignment, *position))
        assert answer.url == page("thanks", assignment)
    assert "Thank you" in client.get(page("thanks", assignment)).content.decode()


def test_thanks_redirects_to_the_due_page_before_the_end(client, assignment):
    assert client.get(page("thanks", assignment)).url == page("engage", assignment, 1)


@pytest.mark.parametrize(
    ("language", "interface", "heading"),
    [
        ("sl", "sl", "Preberite besedilo"),
        ("hr-HR", "hr", "Pročitajte tekst"),
        ("fi", "fi", "Lue teksti"),
        ("tr", "en", "Read the text"),
    ],
)
def test_pages_are_in_the_language_of_the_study(client, language, interface, heading):
    assignment = start(make_study(1, language=language))

    content = client.get(page("engage", assignment, 1)).content.decode()

    assert f'<html lang="{interface}"' in content
    assert f"<h1>{heading}</h1>" in content
    assert f'<blockquote lang="{language}"' in content
    assert '<html lang="en"' in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("language", "page_runs", "words_run"),
    [("en", "ltr", "ltr"), ("ar", "rtl", "rtl"), ("ur", "ltr", "rtl")],
)
def test_words_are_typed_in_the_direction_of_the_text(client, language, page_runs, words_run):
    assignment = start(make_study(1, language=language))

    content = client.get(page("engage", assignment, 1)).content.decode()

    assert f'dir="{page_runs}"> <head>' in " ".join(content.split())
    assert content.count(f'class="word" dir="{words_run}"') == 2


def test_texts_are_escaped(client):
    study = make_study(1)
    study.pairs.get().contexts.update(text="<script>alert(1)</script> & more text to be read here")

    content = client.get(page("engage", start(study), 1)).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in content
    assert content.count("<script") == content.count('<script src="/static/') == 2


def test_pages_set_no_cookie_and_are_not_cached(client):
    (invitation,) = invite_annotators(make_study(1), 1)
    welcome = reverse("annotate:welcome", args=[invitation.token])
    answers = [client.get("/"), client.get(welcome), agree(client, welcome)]
    assignment = begin_assignment(Assignment.objects.get())
    answers += [
        client.get(page("engage", assignment, 1)),
        client.post(page("engage", assignment, 1), {}),
        client.post(page("engage", assignment, 1), WORDS),
        client.get(page("rate", assignment, 1)),
        client.post(page("rate", assignment, 1), {"rating": 2}),
        client.get(page("thanks", assignment)),
        client.get(page("withdraw", assignment)),
        client.post(page("withdraw", assignment)),
        client.post(page("withdraw", assignment), {"confirmed": "yes"}),
        client.get(page("ended", assignment)),
    ]

    assert [answer.status_code for answer in answers] == [
        200, 200, 302, 200, 422, 302, 200, 302, 200, 200, 200, 302, 200,
    ]  # fmt: skip
    for answer in answers:
        assert not answer.cookies
        assert "Cookie" not in answer.get("Vary", "")
        kept_out = "no-cache" if answer.status_code == 422 else "no-store"
        assert answer["Cache-Control"] == f"private, {kept_out}"
        assert answer["Referrer-Policy"] == "same-origin"
        assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_posts_need_no_cookie_and_no_referrer():
    from django.test import Client

    assignment = start(make_study(1))
    stranger = Client(enforce_csrf_checks=True, headers={"origin": "null"})

    assert stranger.post(page("engage", assignment, 1), WORDS).status_code == 302


@pytest.mark.parametrize("n_pairs", [2, 3, 20])
def test_pages_make_the_same_few_queries_for_any_number_of_items(
    client, django_assert_num_queries, n_pairs
):
    assignment = start(make_study(n_pairs, block_size=20))
    client.get(page("engage", assignment, 1))  # fills the cache of the study

    with django_assert_num_queries(1):
        client.get(page("engage", assignment, 1))
    with django_assert_num_queries(2):  # due item, answer
        client.post(page("engage", assignment, 1), WORDS)
    with django_assert_num_queries(1):
        client.get(page("rate", assignment, 1))
    with django_assert_num_queries(2):
        client.post(page("rate", assignment, 1), {"rating": 2})


@pytest.mark.parametrize("junk", ["nan", "1e400", "\0", "x" * 5000, "-1", "٣"])
def test_answers_are_stored_whatever_the_visit_fields_hold(client, assignment, response, junk):
    about = {"shown": junk, "visible": junk, "pasted": junk}

    client.post(page("engage", assignment, 1), {**WORDS, **about})
    client.post(page("rate", assignment, 1), {"rating": "3", **about})

    assert stored(response, *ANSWER) == ("morje", "sol", 3)
    assert stored(
        response, "words_shown_at", "words_visible_seconds", "has_pasted_word1",
        "rating_shown_at", "rating_visible_seconds",
    ) == (None, None, False, None, None)  # fmt: skip


# Refusals


@pytest.mark.every_database
def test_an_answer_after_the_lease_is_stored_and_regains_the_place(client, assignment, response):
    Assignment.objects.update(active_at=timezone.now() - timedelta(hours=25))
    start(assignment.study)  # frees the place that has lapsed, and takes it
    assert stored(assignment, "state") == ("expired",)

    answer = client.post(page("engage", assignment, 1), WORDS)

    assert answer.url == page("rate", assignment, 1)
    assert stored(response, *ANSWER) == ("morje", "sol", None)
    assert stored(assignment, "state") == ("started",)


@pytest.mark.parametrize(("name", "sent"), [("engage", WORDS), ("rate", {"rating": "3"})])
def test_an_answer_to_an_ended_assignment_leads_to_its_end(
    client, assignment, response, name, sent
):
    if name == "rate":
        record_engagement(progress_of(assignment), "morje", "sol")
    before = stored(response, *ANSWER)
    return_assignment(assignment, "tried")

    looked, posted = (ask(page(name, assignment, 1), sent) for ask in (client.get, client.post))

    assert looked.url == posted.url == page("ended", assignment)
    assert stored(response, *ANSWER) == before


def test_a_link_cannot_answer_another_assignment(client):
    study = make_study(2)
    mine, theirs = start(study), start(study)
    record_engagement(progress_of(theirs), "morje", "sol")

    client.post(page("rate", mine, 1), {"rating": "3"})
    client.post(page("engage", mine, 1), {**WORDS, "assignment": theirs.token})

    assert list(theirs.responses.values_list("written1", "rating")) == [
        ("morje", None), ("", None),
    ]  # fmt: skip
    assert list(mine.responses.values_list("written1", "rating")) == [
        ("morje", None), ("", None),
    ]  # fmt: skip


@pytest.mark.parametrize("position", [0, 3, 10**30])
def test_an_unknown_position_redirects_to_the_due_item(client, assignment, position):
    for name, sent in (("engage", WORDS), ("rate", {"rating": "3"})):
        assert client.get(page(name, assignment, position)).url == page("engage", assignment, 1)
        assert client.post(page(name, assignment, position), sent).url == (
            page("engage", assignment, 1)
        )

    assert not assignment.responses.exclude(engaged_at=None).exists()


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_methods_are_refused(client, assignment, response, method):
    answer = getattr(client, method)(page("engage", assignment, 1))

    assert answer.status_code == 405
    assert stored(response, *ANSWER) == ("", "", None)


def test_the_script_is_told_the_next_address_and_opens_it_itself(client, assignment, response):
    words = {"inspired_word1": "sea", "inspired_word2": "salt"}
    url = page("engage", assignment, 1)

    refused = client.post(url, {}, headers={"X-Requested-With": "fetch"})
    answer = client.post(url, words, headers={"X-Requested-With": "fetch"})
    late = client.post(url, words, headers={"X-Requested-With": "fetch"})

    assert (refused.status_code, refused["Content-Type"]) == (422, "text/html; charset=utf-8")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain")
    assert answer.content.decode() == late.content.decode() == page("rate", assignment, 1)
    assert answer["Cache-Control"] == "private, no-store"
