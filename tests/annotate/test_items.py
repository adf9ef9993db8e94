import pytest
from django.urls import reverse

from surveys.answering import record_engagement
from surveys.models import Annotator, Assignment, Response
from surveys.recruiting import invite_annotators
from tests.factories import finish, make_study, rate_due, start, stored

pytestmark = pytest.mark.django_db

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}
ANSWER = ("inspired_word1", "inspired_word2", "rating")


def page(name: str, assignment: Assignment, position: int | None = None) -> str:
    args = [assignment.token] if position is None else [assignment.token, position]
    return reverse(f"annotate:{name}", args=args)


def test_welcome_starts_nothing_when_looked_at(client):
    (invitation,) = invite_annotators(make_study(), 1)
    url = reverse("annotate:welcome", args=[invitation.token])

    for answer in (client.get(url), client.head(url)):
        assert answer.status_code == 200

    assert Annotator.objects.count() == 0


def test_welcome_starts_on_a_post_and_resumes_after_it(client):
    (invitation,) = invite_annotators(make_study(), 1)
    url = reverse("annotate:welcome", args=[invitation.token])

    client.post(url), client.post(url)

    assignment = Assignment.objects.get()
    answer = client.get(url, follow=True)
    assert answer.redirect_chain[-1][0] == page("engage", assignment, 1)


def test_welcome_says_when_no_place_is_left(client):
    study = make_study(2, ratings_per_context=1)
    start(study), start(study)
    (invitation,) = invite_annotators(study, 1)
    url = reverse("annotate:welcome", args=[invitation.token])

    looked, posted = client.get(url), client.post(url)

    assert (looked.status_code, posted.status_code) == (200, 409)
    for answer in (looked, posted):
        assert "as many annotators as it needs" in answer.content.decode()
    assert b"<form" not in looked.content
    assert Annotator.objects.count() == 2


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
    record_engagement(response, "morje", "sol")

    content = client.get(page("rate", assignment, 1)).content.decode()

    context = response.context
    for form in (context.form1, context.form2):
        assert content.count(f"<strong>{form}</strong>") == 1
        assert content.count(f"<b>{form}</b>") == 1
    assert content.count('type="radio"') == 7


def test_rate_stores_the_rating_and_goes_on_to_the_next_text(client, assignment, response):
    record_engagement(response, "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": "6"})

    assert answer.url == page("engage", assignment, 2)
    assert stored(response, *ANSWER) == ("morje", "sol", 6)


@pytest.mark.parametrize("rating", ["", "7", "-1", "99", "3.5", "three", "3; DROP TABLE"])
def test_rate_refuses_what_is_not_on_the_scale(client, assignment, response, rating):
    record_engagement(response, "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": rating})

    assert answer.status_code == 422
    assert "Please choose" in answer.content.decode()
    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_rate_offers_the_scale_of_the_study(client):
    assignment = start(make_study(1, scale_minimum=1, scale_maximum=4))
    record_engagement(Response.objects.due(assignment.token), "morje", "sol")

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
        ("fa", "en", "Read the text"),
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
    assert "<script" not in content


def test_pages_set_no_cookie_and_are_not_kept(client):
    (invitation,) = invite_annotators(make_study(1), 1)
    welcome = reverse("annotate:welcome", args=[invitation.token])
    answers = [client.get("/"), client.get(welcome), client.post(welcome)]
    assignment = Assignment.objects.get()
    answers += [
        client.get(page("engage", assignment, 1)),
        client.post(page("engage", assignment, 1), {}),
        client.post(page("engage", assignment, 1), WORDS),
        client.get(page("rate", assignment, 1)),
        client.post(page("rate", assignment, 1), {"rating": 2}),
        client.get(page("thanks", assignment)),
    ]

    assert [answer.status_code for answer in answers] == [
        200, 200, 302, 200, 422, 302, 200, 302, 200,
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


@pytest.mark.parametrize("n_pairs", [1, 3, 20])
def test_pages_make_the_same_few_queries_for_any_number_of_items(
    client, django_assert_num_queries, n_pairs
):
    assignment = start(make_study(n_pairs, block_size=20))

    with django_assert_num_queries(1):
        client.get(page("engage", assignment, 1))
    with django_assert_num_queries(2):
        client.post(page("engage", assignment, 1), WORDS)
    with django_assert_num_queries(1):
        client.get(page("rate", assignment, 1))


def test_rating_makes_the_same_few_queries_for_any_number_of_items(
    client, django_assert_num_queries
):
    for n_pairs in (3, 20):
        assignment = start(make_study(n_pairs, slug=f"study-{n_pairs}", block_size=20))
        rate_due(assignment, 2)
        client.post(page("engage", assignment, 2), WORDS)
        with django_assert_num_queries(6):  # due, savepoint or begin, update, exists, release, due
            client.post(page("rate", assignment, 2), {"rating": 2})
