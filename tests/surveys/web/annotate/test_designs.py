"""The survey of each published design but CoSimLex's, which have one page an item."""

import pytest

from postprocess.designs import list_designs
from postprocess.designs.design import read_design
from surveys.models import Pair, Response, TextKind
from surveys.recruitment.links import invite_annotators
from surveys.study.texts import set_text
from tests.factories.arrivals import agree, page, squeeze, welcome
from tests.factories.studies import make_study_of, start

pytestmark = pytest.mark.django_db

DESIGNS = {name: read_design(name) for name in list_designs()}
ONE_PAGE = [name for name, design in DESIGNS.items() if design.item.kind != "text"]
WRITTEN = {"written1": "sea", "written2": "salt water"}


def answer_for(design, point: float | None = None) -> dict[str, str]:
    """Return what the form of an item sends."""
    written = WRITTEN if design.question.writes != "nothing" else {}
    rating = f"{design.scale.maximum if point is None else point:g}"
    return {**written, **({} if design.question.writes == "translations" else {"rating": rating})}


@pytest.fixture(params=ONE_PAGE)
def name(request):
    return request.param


def test_a_design_is_answered_from_its_link_to_its_end(client, name):
    study, design = make_study_of(name, 2), DESIGNS[name]
    set_text(study, TextKind.PRACTICE, "")
    (invitation,) = invite_annotators(study, 1)
    said = squeeze(client.get(welcome(invitation)))
    url = agree(client, welcome(invitation)).url
    token = url.split("/")[2]

    shown = client.post(f"/survey/{token}/instructions/", follow=True)
    for position in (1, 2):
        assert shown.redirect_chain[-1][0] == f"/survey/{token}/{position}/rating/"
        assert f"Pair {position} of 2" in squeeze(shown)
        shown = client.post(shown.redirect_chain[-1][0], answer_for(design), follow=True)

    assert "2 pairs" in said
    assert ("meet them in a text" in said) == ("Pairs" not in said) == (design.item.kind == "texts")
    assert "All your answers are saved." in squeeze(shown)
    for response in Response.objects.all():
        assert response.engaged_at == response.rated_at is not None
        assert (response.written1 != "") == (design.question.writes != "nothing")


def test_the_words_page_leads_to_the_only_page(client, name):
    assignment = start(make_study_of(name, 2))
    url = page("engage", assignment, 1)
    answer = client.get(url)
    sent = client.post(url, {"inspired_word1": "sea", "inspired_word2": "salt"})
    assert answer.url == sent.url == page("rate", assignment, 1)
    assert not Response.objects.filter(engaged_at__isnull=False).exists()


def test_an_empty_answer_is_refused_and_what_was_written_given_back(client, name):
    assignment, design = start(make_study_of(name, 2)), DESIGNS[name]

    answer = client.post(page("rate", assignment, 1), {"written1": "a &lt; b", "written2": " "})

    assert answer.status_code == 422
    if design.question.writes != "nothing":
        assert "Please write something here." in squeeze(answer)
        assert 'value="a &amp;lt; b"' in answer.content.decode()
    if design.question.writes != "translations":
        assert "Please choose a" in squeeze(answer)


def test_the_last_answer_can_be_changed(client, name):
    assignment, design = start(make_study_of(name, 2)), DESIGNS[name]
    client.post(page("rate", assignment, 1), answer_for(design))
    url = page("change", assignment, 1)

    shown = client.get(url).content.decode()
    words = {key: f"{text} 2" for key, text in WRITTEN.items()}
    changed = answer_for(design, design.scale.minimum) | (
        words if design.question.writes != "nothing" else {}
    )
    assert client.post(url, changed).status_code == 302

    response = Response.objects.get(assignment=assignment, position=1)
    if design.question.writes == "translations":
        assert (response.rating, response.written1) == (None, "sea 2")
    else:
        assert (float(response.first_rating), float(response.rating)) == (
            design.scale.maximum, design.scale.minimum,
        )  # fmt: skip
        assert f'value="{design.scale.maximum:g}"' in shown
    if design.question.writes != "nothing":
        assert 'value="salt water"' in shown


def test_another_answer_in_a_second_tab_is_named(client, name):
    assignment, design = start(make_study_of(name, 2)), DESIGNS[name]
    url = page("rate", assignment, 1)
    first = answer_for(design)
    client.post(url, first)

    assert client.post(url, first).status_code == 302
    other = answer_for(design, design.scale.minimum) | (
        {"written1": "pond"} if WRITTEN.items() <= first.items() else {}
    )
    refused = client.post(url, other)

    assert refused.status_code == 409
    text = squeeze(refused)
    assert "This pair was answered in another tab already" in text
    named = {"same_meaning": "The same meaning", "translation": "sea, salt water"}
    assert named.get(design.question.question, first.get("rating", "")) in text


@pytest.mark.parametrize("name", ["usim", "durel"], indirect=True)
def test_cannot_judge_needs_no_rating(client, name):
    assignment = start(make_study_of(name, 2))
    client.post(page("rate", assignment, 1), {"rating": "cannot", "comment": "dialect"})
    response = Response.objects.get(assignment=assignment, position=1)
    assert (response.is_unjudgeable, response.rating, response.comment) == (True, None, "dialect")


@pytest.mark.parametrize("name", ["mclwic", "semeval2017-translation"], indirect=True)
def test_cannot_judge_drops_what_was_written(client, name):
    assignment = start(make_study_of(name, 2, allows_unjudgeable=True))
    shown = client.get(page("rate", assignment, 1)).content.decode()
    client.post(page("rate", assignment, 1), {"rating": "cannot", **WRITTEN})
    response = Response.objects.get(assignment=assignment, position=1)
    assert (response.is_unjudgeable, response.written1, response.written2) == (True, "", "")
    assert ("I cannot translate this" in shown) == (name != "mclwic")


def test_translators_see_the_score_if_the_file_has_one(client):
    study = make_study_of("semeval2017-translation", 2, language="en", language2="fa")
    pairs = Pair.objects.stimuli(study)
    pairs.filter(position=1).update(details={"id": "1", "score": "3.25"})
    assignment = start(study)
    first = Response.objects.get(assignment=assignment, pair__position=1).position

    shown = {}
    for position in (1, 2):
        shown[position] = squeeze(client.get(page("rate", assignment, position)))
        client.post(page("rate", assignment, position), WRITTEN)

    assert "Score: 3.25" in shown[first]
    assert "Score" not in shown[3 - first]
    assert 'lang="fa" dir="rtl">' not in shown[first]  # both words shown are English


def test_a_translation_equal_to_its_word_is_confirmed(client):
    assignment = start(make_study_of("semeval2017-translation", 2))
    response = Response.objects.select_related("pair").get(assignment=assignment, position=1)
    same = {**WRITTEN, "written1": response.pair.word1.upper()}

    asked = client.post(page("rate", assignment, 1), same)
    assert asked.status_code == 422
    assert 'name="same"' in asked.content.decode()
    response.refresh_from_db()
    assert response.engaged_at is None
    assert client.post(page("rate", assignment, 1), {**same, "same": "yes"}).status_code == 302

    response.refresh_from_db()
    assert response.written1 == same["written1"]
    changed = {**WRITTEN, "written2": response.pair.word2}
    assert client.post(page("change", assignment, 1), changed).status_code == 422
    assert client.post(page("change", assignment, 1), {**changed, "same": "yes"}).status_code == 302


def test_two_equal_translations_are_refused(client):
    assignment = start(make_study_of("semeval2017-translation", 2))
    answer = client.post(page("rate", assignment, 1), {"written1": "sea", "written2": "Sea"})
    assert "Please write a second, different word." in squeeze(answer)


def test_a_translation_is_one_that_the_next_study_can_have(client):
    assignment = start(make_study_of("semeval2017-translation", 2))
    sent = {"written1": "long " * 20 + "word", "written2": "salt"}
    assert "This is too long" in squeeze(client.post(page("rate", assignment, 1), sent))
    client.post(page("rate", assignment, 1), {**sent, "written1": " sea\t salt "})
    assert assignment.responses.get(position=1).written1 == "sea salt"


def test_each_text_and_word_has_its_language(client):
    study = make_study_of("mclwic", 2, language="ar", language2="en")
    shown = squeeze(client.get(page("rate", start(study), 1)))
    assert '<blockquote lang="ar" dir="rtl"><span id="marked">Text 1' in shown
    assert '<blockquote lang="en" dir="ltr"><span id="marked2">' in shown
    assert shown.count('lang="en" dir="ltr" ') == 1  # the second field
    assert "<strong>alpha" in shown
    assert 'class="figure"' not in shown
