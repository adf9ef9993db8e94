from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.answering import record_engagement
from surveys.assigning import begin_assignment
from surveys.configuring import configure_study
from surveys.leaving import return_assignment
from surveys.models import Assignment, Response, Study
from surveys.recruiting import invite_annotators
from tests.annotate.arriving import agree
from tests.factories import due_response, finish, make_study, start, stored, whereabouts

pytestmark = pytest.mark.django_db

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}
ANSWER = ("inspired_word1", "inspired_word2", "rating")


def page(name: str, assignment: Assignment, position: int | None = None) -> str:
    args = [assignment.token] if position is None else [assignment.token, position]
    return reverse(f"annotate:{name}", args=args)


@pytest.mark.parametrize("path", ["/invitation/nobody/", "/survey/nobody/thanks/", "/nowhere/"])
def test_unknown_link_is_not_found_and_says_what_to_do(client, path):
    answer = client.get(path)

    assert answer.status_code == 404
    assert "whole link was copied" in answer.content.decode()


@pytest.mark.parametrize("name", ["engage", "rate"])
def test_unknown_assignment_leads_to_not_found(client, name):
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
        ({"inspired_word1": "sinje morje", "inspired_word2": "sol"}, "without spaces"),
        ({"inspired_word1": "12", "inspired_word2": "sol"}, "with letters"),
        ({"inspired_word1": "Sol", "inspired_word2": "sol"}, "a second, different word"),
        ({"inspired_word1": "s" * 51, "inspired_word2": "sol"}, "too long"),
        ({"inspired_word1": "a\0b", "inspired_word2": "sol"}, "Null characters"),
    ],
    ids=["nothing", "empty", "several words", "digits", "equal", "too long", "null character"],
)
def test_engage_refuses_what_is_not_two_words(client, assignment, response, words, said):
    answer = client.post(page("engage", assignment, 1), words)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert stored(response, *ANSWER) == ("", "", None)


def test_engage_gives_back_what_was_typed(client, assignment):
    answer = client.post(page("engage", assignment, 1), {"inspired_word1": '"<b>x'})

    assert 'value="&quot;&lt;b&gt;x"' in answer.content.decode()


@pytest.mark.parametrize("word", ["čaj", "l'été", "e-pošta", "ведро", "cafe\u0301", "水", "x2"])
def test_engage_takes_words_of_any_script(client, assignment, response, word):
    client.post(page("engage", assignment, 1), {**WORDS, "inspired_word1": f" {word} "})

    assert stored(response, "inspired_word1") == (word,)


def test_rate_before_the_words_leads_back_to_them(client, assignment, response):
    url = page("rate", assignment, 1)

    looked, posted = client.get(url), client.post(url, {"rating": "3"})

    assert looked.url == posted.url == page("engage", assignment, 1)
    assert stored(response, *ANSWER) == ("", "", None)


def test_rate_shows_both_words_in_bold_and_names_them(client, assignment, response):
    record_engagement(whereabouts(assignment), "morje", "sol")

    content = client.get(page("rate", assignment, 1)).content.decode()

    context = response.context
    for form in (context.form1, context.form2):
        assert content.count(f"<strong>{form}</strong>") == 1
        assert content.count(f'<b lang="en">{form}</b>') == 1
    assert content.count('type="radio"') == 7


def test_rate_stores_the_rating_and_goes_on_to_the_next_text(client, assignment, response):
    record_engagement(whereabouts(assignment), "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": "6"})

    assert answer.url == page("engage", assignment, 2)
    assert stored(response, *ANSWER) == ("morje", "sol", 6)


@pytest.mark.parametrize("rating", ["", "7", "-1", "99", "3.5", "three", "3; DROP TABLE"])
def test_rate_refuses_what_is_not_on_the_scale(client, assignment, response, rating):
    record_engagement(whereabouts(assignment), "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": rating})

    assert answer.status_code == 422
    assert "Please choose" in answer.content.decode()
    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_rate_offers_the_scale_of_the_study(client):
    assignment = start(make_study(1, scale_minimum=1, scale_maximum=4))
    record_engagement(whereabouts(assignment), "morje", "sol")

    content = client.get(page("rate", assignment, 1)).content.decode()

    assert [f'value="{point}"' in content for point in range(6)] == [
        False, True, True, True, True, False,
    ]  # fmt: skip


def test_repeated_and_late_posts_change_nothing(client, assignment, response):
    client.post(page("engage", assignment, 1), WORDS)
    other = {"inspired_word1": "gora", "inspired_word2": "sneg"}
    again = client.post(page("engage", assignment, 1), other)
    client.post(page("rate", assignment, 1), {"rating": "1"})
    late = client.post(page("rate", assignment, 1), {"rating": "5"})
    too_early = client.post(page("engage", assignment, 3), other)

    assert again.url == page("rate", assignment, 1)
    assert late.url == too_early.url == page("engage", assignment, 2)
    assert stored(response, *ANSWER) == ("morje", "sol", 1)


def test_every_page_of_a_finished_assignment_leads_to_thanks(client, assignment):
    finish(assignment)

    for name, position in (("next", None), ("engage", 1), ("rate", 2), ("engage", 9)):
        answer = client.get(page(name, assignment, position))
        assert answer.url == page("thanks", assignment)
    assert "Thank you" in client.get(page("thanks", assignment)).content.decode()


def test_thanks_too_early_leads_back(client, assignment):
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
def test_pages_speak_the_language_of_the_study(client, language, interface, heading):
    assignment = start(make_study(1, language=language))

    content = client.get(page("engage", assignment, 1)).content.decode()

    assert f'<html lang="{interface}"' in content
    assert f"<h1>{heading}</h1>" in content
    assert f'<blockquote lang="{language}"' in content
    assert '<html lang="en"' in client.get("/").content.decode()


def test_texts_are_escaped(client):
    study = make_study(1)
    study.pairs.get().contexts.update(text="<script>alert(1)</script> & more text to be read here")

    content = client.get(page("engage", start(study), 1)).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in content
    assert content.count("<script") == content.count('<script src="/static/') == 1


def test_pages_set_no_cookie_and_are_not_kept(client):
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
        client.get(page("ended", assignment)),
    ]

    assert [answer.status_code for answer in answers] == [
        200, 200, 302, 200, 422, 302, 200, 302, 200, 200, 302, 200,
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
    client.get(page("engage", assignment, 1))  # what is the same for the whole study is kept

    with django_assert_num_queries(1):
        client.get(page("engage", assignment, 1))
    with django_assert_num_queries(2):  # where one is, and the answer
        client.post(page("engage", assignment, 1), WORDS)
    with django_assert_num_queries(1):
        client.get(page("rate", assignment, 1))
    with django_assert_num_queries(2):
        client.post(page("rate", assignment, 1), {"rating": 2})


# The scale


def rating_page(client, study: Study) -> str:
    """Page 2 of the first text of somebody new, as it is sent."""
    assignment = start(study)
    record_engagement(whereabouts(assignment), "morje", "sol")
    return client.get(page("rate", assignment, 1)).content.decode()


def test_rate_names_the_ends_of_the_scale_unless_the_study_does(client):
    study = make_study(1, ratings_per_context=9)
    before = rating_page(client, study)
    configure_study(study, scale_labels={"0": "apart <b>", "3": "half-way"})
    after = rating_page(client, study)

    for label in ("0: not similar at all", "6: nearly the same"):
        assert f'aria-label="{label}"' in before
    assert before.count("aria-label") == 2
    for label in ("0: apart &lt;b&gt;", "3: half-way", "6: nearly the same"):
        assert f'aria-label="{label}"' in after
    assert after.count("aria-label") == 3
    assert "apart <b>" not in after


def test_rate_offers_and_takes_the_steps_of_the_scale_in_a_language_with_commas(client):
    study = make_study(
        1, language="sl", scale_minimum=-1, scale_maximum=1, scale_step=Decimal("0.5")
    )
    assignment = start(study)
    record_engagement(whereabouts(assignment), "morje", "sol")
    url = page("rate", assignment, 1)

    content = client.get(url).content.decode()
    refused = client.post(url, {"rating": "0.25"})
    client.post(url, {"rating": "-0.5"})

    offered = [point for point in ("-1", "-0.5", "0", "0.5", "1") if f'value="{point}"' in content]
    assert (len(offered), content.count('type="radio"')) == (5, 5)
    assert refused.status_code == 422
    assert assignment.responses.get().rating == Decimal("-0.5")


# Who cannot judge


@pytest.fixture
def unsure() -> Response:
    """The first text of a study that lets annotators say they cannot judge, at page 2."""
    study = configure_study(make_study(2), allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(whereabouts(assignment), "morje", "sol")
    return due_response(assignment)


JUDGEMENT = ("rating", "is_unjudgeable", "comment")


def test_rate_takes_that_somebody_cannot_judge_and_why(client, unsure):
    url = page("rate", unsure.assignment, 1)

    answer = client.post(url, {"rating": "cannot", "comment": " A word is <cut> off. "})

    assert answer.url == page("engage", unsure.assignment, 2)
    assert stored(unsure, *JUDGEMENT) == (None, True, "A word is <cut> off.")


def test_rate_asks_for_no_reason(client, unsure):
    client.post(page("rate", unsure.assignment, 1), {"rating": "cannot"})

    assert stored(unsure, *JUDGEMENT) == (None, True, "")


def test_rate_keeps_no_comment_beside_a_rating(client, unsure):
    client.post(page("rate", unsure.assignment, 1), {"rating": "4", "comment": "changed my mind"})

    assert stored(unsure, *JUDGEMENT) == (4, False, "")


@pytest.mark.parametrize(
    ("comment", "said"),
    [("x" * 501, "This is too long. Please shorten it."), ("a\0b", "Null characters")],
)
def test_rate_refuses_a_comment_and_gives_it_back(client, unsure, comment, said):
    answer = client.post(
        page("rate", unsure.assignment, 1), {"rating": "cannot", "comment": comment}
    )

    content = answer.content.decode()
    assert answer.status_code == 422
    assert said in content
    assert 'value="cannot" checked' in content
    assert f'maxlength="500">{comment}</textarea>' in content
    assert stored(unsure, *JUDGEMENT) == (None, False, "")


def test_rate_counts_a_new_line_in_a_comment_as_browsers_do(client, unsure):
    """A browser lets 500 characters be typed, and then sends two for each new line."""
    comment = "x" * 400 + "\r\n" + "y" * 99

    answer = client.post(
        page("rate", unsure.assignment, 1), {"rating": "cannot", "comment": comment}
    )

    assert answer.status_code == 302
    assert stored(unsure, "is_unjudgeable") == (True,)


def test_rate_neither_offers_nor_takes_it_where_the_study_does_not_allow_it(
    client, assignment, response
):
    record_engagement(whereabouts(assignment), "morje", "sol")
    url = page("rate", assignment, 1)

    assert 'value="cannot"' not in client.get(url).content.decode()
    refused = client.post(url, {"rating": "cannot", "comment": "why not"})

    assert refused.status_code == 422
    assert "Please choose one of the numbers." in refused.content.decode()
    assert stored(response, *JUDGEMENT, "rated_at") == (None, False, "", None)


@pytest.mark.parametrize("junk", ["nan", "1e400", "\0", "x" * 5000, "-1", "٣"])
def test_answers_are_stored_whatever_is_said_about_the_visit(client, assignment, response, junk):
    about = {"shown": junk, "visible": junk, "pasted": junk}

    client.post(page("engage", assignment, 1), {**WORDS, **about})
    client.post(page("rate", assignment, 1), {"rating": "3", **about})

    assert stored(response, *ANSWER) == ("morje", "sol", 3)
    assert stored(
        response, "words_shown_at", "words_visible_seconds", "has_pasted_word1",
        "rating_shown_at", "rating_visible_seconds",
    ) == (None, None, False, None, None)  # fmt: skip


# Refusals


def test_an_answer_after_the_lease_ended_is_stored_and_takes_the_place_again(
    client, assignment, response
):
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
        record_engagement(whereabouts(assignment), "morje", "sol")
    before = stored(response, *ANSWER)
    return_assignment(assignment, "tried")

    looked, posted = (ask(page(name, assignment, 1), sent) for ask in (client.get, client.post))

    assert looked.url == posted.url == page("ended", assignment)
    assert stored(response, *ANSWER) == before


def test_a_link_answers_nothing_of_another(client):
    study = make_study(2)
    mine, theirs = start(study), start(study)
    record_engagement(whereabouts(theirs), "morje", "sol")

    client.post(page("rate", mine, 1), {"rating": "3"})
    client.post(page("engage", mine, 1), {**WORDS, "assignment": theirs.token})

    assert list(theirs.responses.values_list("inspired_word1", "rating")) == [
        ("morje", None), ("", None),
    ]  # fmt: skip
    assert list(mine.responses.values_list("inspired_word1", "rating")) == [
        ("morje", None), ("", None),
    ]  # fmt: skip


@pytest.mark.parametrize("position", [0, 3, 10**30])
def test_a_text_that_does_not_exist_leads_to_the_one_that_is_due(client, assignment, position):
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


def test_rate_takes_the_scale_as_it_is_when_the_answer_comes(client):
    study = configure_study(make_study(1), allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(whereabouts(assignment), "morje", "sol")
    url = page("rate", assignment, 1)
    client.get(url)
    configure_study(study, allows_unjudgeable=False)

    assert client.post(url, {"rating": "cannot"}).status_code == 422
    assert assignment.responses.get().rated_at is None
