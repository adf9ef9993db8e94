"""The survey walked through as an annotator does, of which nothing is stored."""

import re

import pytest
from django.urls import reverse

from surveys.models import Context, Study
from surveys.study.design import configure_study
from surveys.study.exercises import read_check
from surveys.study.texts import default_body
from surveys.web.admin.read_only import list_tables
from tests.factories.pages import page
from tests.factories.studies import start

pytestmark = pytest.mark.django_db
WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}


def everything():
    """All rows of all tables, sessions included."""
    models = list_tables("surveys")
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def walk(client, study):
    """Every page in the order in which the survey leads to it: address and content."""
    right = {f"question{n}": q.right for n, q in enumerate(read_check(default_body("en", "check")))}
    answers = [
        ("preview", {"answer": "agree"}), ("preview_instructions", {}),
        ("preview_practice", WORDS), ("preview_practice_rating", {"rating": 3}),
        ("preview_practice_answer", {}), ("preview_practice", WORDS),
        ("preview_practice_rating", {"rating": 3}), ("preview_practice_answer", {}),
        ("preview_check", right), ("words", WORDS),
        ("rating", {"rating": 3}), ("words", WORDS), ("rating", {"rating": 3}),
    ]  # fmt: skip
    address, seen = page("preview", study), []
    for name, answer in answers:
        shown = client.get(address)
        assert shown.status_code == 200, address
        seen.append((address, shown.content.decode()))
        sent = client.post(address, answer)
        assert sent.status_code == 302, (name, sent.content.decode())
        address = sent.url
    return [*seen, (address, client.get(address).content.decode())]


def test_preview_leads_through_the_whole_survey_and_changes_nothing(reviewer, study):
    configure_study(study, n_check_tries=2)
    before = everything()

    seen = walk(reviewer, study)

    assert everything() == before
    assert seen[-1][0] == page("preview_thanks", study)
    assert len({address for address, _ in seen}) == 14
    for _, text in seen:
        assert "<strong>Preview.</strong> Nothing is stored." in text
        assert not re.search(r'href="/(survey|invitation|join)/', text)


def test_preview_of_a_draft_changes_nothing(reviewer, study):
    configure_study(study, n_check_tries=1)
    Study.objects.update(opened_at=None)
    before = everything()

    walk(reviewer, Study.objects.get())

    assert everything() == before


def test_page_1_of_a_preview_does_not_contain_the_targets(reviewer):
    """Moving the targets within the text changes no byte of it, address included."""
    study = Study.objects.get()
    context = Context.objects.first()
    address = page("preview_words", study, context.pk)
    sent = [reviewer.get(address), reviewer.post(address, {})]

    Context.objects.update(word1_start=0, word1_end=2, word2_start=3, word2_end=5)
    study.pairs.update(word1="quite", word2="other")
    again = [reviewer.get(address), reviewer.post(address, {})]

    assert [a.content for a in sent] == [a.content for a in again]
    assert "<strong>alpha" not in sent[0].content.decode()


def test_pages_of_a_preview_are_those_of_annotators(reviewer, study):
    """But for the bar, what is filled in by the survey alone, and where the links lead."""
    assignment = start(study)
    shown = reviewer.get(reverse("annotate:engage", args=[assignment.token, 1])).content.decode()
    context = assignment.responses.get(position=1).context
    preview = reviewer.get(page("preview_words", study, context.pk)).content.decode()

    def core(text):
        text = re.sub(r'<input type="hidden"[^>]*>', "", " ".join(text.split()))
        return re.search(r"<h1>.*</form>", re.sub(" +", " ", text))[0]

    assert core(preview) == core(shown)


def test_errors_are_shown_as_annotators_see_them(reviewer, study):
    configure_study(study, n_check_tries=2)
    context = Context.objects.first()
    wrong = {f"question{n}": (q.right + 1) % len(q.answers)
             for n, q in enumerate(read_check(default_body("en", "check")))}  # fmt: skip

    for name, more, sent, said in (
        ("preview_words", [context.pk], {}, "Please write a word here."),
        ("preview_rating", [context.pk], {"rating": 99}, "Please choose one of the numbers."),
        ("preview_check", [], wrong, "That is not it."),
        ("preview_check", [], {}, "Please choose an answer."),
        ("preview_practice", [], {}, "Please write a word here."),
    ):
        answer = reviewer.post(page(name, study, *more), sent)
        assert answer.status_code == 422
        assert said in answer.content.decode()


def test_declining_and_one_more_block(reviewer, study):
    declined = reviewer.post(page("preview", study), {"answer": "decline"})
    assert "Nothing was stored" in declined.content.decode()

    again = reviewer.post(page("preview_thanks", study))
    assert "/texts/" in again.url


def test_preview_omits_pages_that_the_study_does_not_have(reviewer):
    study = Study.objects.get()
    study.texts.create(kind="practice", version=1, body="")

    assert "/texts/" in reviewer.post(page("preview_instructions", study)).url
    for name in ("practice", "practice_rating", "practice_answer", "check"):
        assert reviewer.get(page(f"preview_{name}", study)).status_code in (200, 404)
    assert reviewer.get(page("preview_practice", study)).status_code == 404
