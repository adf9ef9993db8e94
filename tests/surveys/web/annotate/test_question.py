"""The words named by the question on page 2, in items, practice and previews."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext, override

from surveys.access.roles import grant_role
from surveys.models import Context, Role, Study, TextKind
from surveys.participation.answers import record_engagement
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_annotators
from surveys.study.stimuli.checkpoints import import_checkpoints
from surveys.study.texts import set_text
from tests.factories.arrivals import page
from tests.factories.checkpoints import file, row
from tests.factories.studies import (
    due_response,
    make_study,
    progress_of,
    start,
    stimuli_file,
    stimuli_row,
)

pytestmark = pytest.mark.django_db

STIMULI = stimuli_file(stimuli_row())  # 1: cats … dog; 2: dogs … cat
PRACTICE = """
text = "A <strong>river</strong> passed two <strong>banks</strong>."
words = ["water", "money"]
explanation = "Both fit."
"""
DICTIONARY_FORMS = 'word1 = "stream"\nword2 = "bank"'


def make(forms: str) -> Study:
    return make_study(stimuli=STIMULI, question_forms=forms)


def named(content: bytes) -> list[str]:
    """Return the words that a question names, in order."""
    return re.findall(r'<b lang="en">(.*?)</b>', content.decode())


@pytest.mark.parametrize(
    ("forms", "questions"),
    [
        ("dictionary", {1: ["cat", "dog"], 2: ["dog", "cat"]}),
        ("text", {1: ["cats", "dog"], 2: ["dogs", "cat"]}),
    ],
)
def test_rate_names_the_words_in_the_order_of_the_text(client, forms, questions):
    study = make(forms)
    asked = {}
    for _ in range(2):  # one for each questionnaire
        assignment = start(study)
        record_engagement(progress_of(assignment), "sea", "salt")
        number = due_response(assignment).context.number
        asked[number] = named(client.get(page("rate", assignment, 1)).content)

    assert asked == questions


def test_rate_names_the_words_again_after_a_refused_answer(client):
    assignment = start(make("dictionary"))
    record_engagement(progress_of(assignment), "sea", "salt")

    answer = client.post(page("rate", assignment, 1), {"rating": "99"})

    assert (answer.status_code, set(named(answer.content))) == (422, {"cat", "dog"})


def test_rate_names_the_dictionary_forms_of_a_checkpoint_item(client):
    study = make("dictionary")
    import_checkpoints(study, file(row()), per_assignment=1)
    assignment = start(study)
    questions = []
    for position in (1, 2):
        record_engagement(progress_of(assignment), "sea", "salt")
        questions.append(named(client.get(page("rate", assignment, position)).content))
        client.post(page("rate", assignment, position), {"rating": "3"})

    assert ["sofa", "couch"] in questions


def test_the_words_of_a_question_are_escaped(client):
    stimuli = stimuli_file(stimuli_row(word1="<cat>", word2="d&g"))
    assignment = start(make_study(stimuli=stimuli))
    record_engagement(progress_of(assignment), "sea", "salt")

    content = client.get(page("rate", assignment, 1)).content

    assert set(named(content)) == {"&lt;cat&gt;", "d&amp;g"}


@pytest.mark.parametrize(
    ("forms", "given", "words"),
    [
        ("dictionary", DICTIONARY_FORMS, ["stream", "bank"]),
        ("dictionary", "", ["river", "banks"]),
        ("text", DICTIONARY_FORMS, ["river", "banks"]),
    ],
)
def test_practice_uses_the_question_forms_of_the_study(client, newcomer, forms, given, words):
    study = newcomer.study
    Study.objects.filter(pk=study.pk).update(question_forms=forms)
    set_text(study, TextKind.PRACTICE, PRACTICE + given)
    client.post(page("instructions", newcomer))

    first = client.get(page("practice", newcomer)).content
    second = client.get(page("practice_rating", newcomer)).content

    assert (named(first), named(second)) == ([], words)
    for form in (b"stream", b'"bank"'):
        assert form not in first


def test_the_default_practice_item_asks_for_dictionary_forms_in_croatian(client):
    newcomer = start_assignment(invite_annotators(make_study(language="hr"), 1)[0])
    client.post(page("instructions", newcomer))

    content = client.get(page("practice_rating", newcomer)).content.decode()

    question = re.sub(r"<[^>]+>", "", content.split("<legend>")[1].split("</legend>")[0])
    assert question == "Koliko su u ovom tekstu po značenju slične riječi stube i melodija?"


PLAIN = {
    "en": ("Not similar at all", "Extremely similar", "within this text", "inspired by the text"),
    "hr": ("Uopće nisu slične", "Iznimno slične", "u ovom tekstu", "nadahnuta tekstom"),
    "sl": ("Sploh si nista podobni", "Izjemno podobni", "v tem besedilu", "navdihne besedilo"),
    "fi": ("Eivät lainkaan samankaltaisia", "Äärimmäisen samankaltaisia", "tässä tekstissä",
           "tekstin innoittama"),
    "ar": ("غير متشابهتين إطلاقًا", "متشابهتان للغاية", "في هذا النص", "يوحي بها النص"),
    "fa": ("اصلاً شبیه نیستند", "فوق‌العاده شبیه‌اند", "در همین متن", "از متن الهام گرفته‌اید"),
}  # fmt: skip
AGAIN = "Please read the text again before you rate."


def show_item(client, study: Study) -> tuple[str, str]:
    """Return both pages of an item."""
    assignment = start(study)
    first = client.get(page("engage", assignment, 1)).content.decode()
    record_engagement(progress_of(assignment), "sea", "salt")
    return first, client.get(page("rate", assignment, 1)).content.decode()


@pytest.mark.parametrize("language", PLAIN)
def test_a_study_asks_as_cosimlex_did(client, language):
    low, high, within, inspired = PLAIN[language]

    first, second = show_item(client, make_study(language=language))

    assert inspired in first.split("<details")[0]
    assert f"{low}</span>" in second
    assert f"{high}</span>" in second
    assert f"<em>{within}</em>" in second
    with override(language):
        assert gettext(AGAIN) in second


def test_a_trained_study_asks_as_before(client):
    study = make_study()
    study.variant = "trained"
    study.save()

    first, second = show_item(client, study)

    assert "One word in each box – the first that comes to mind." in first
    assert "nearly the same</span>" in second
    assert "</b> in this text?" in second
    assert AGAIN not in second


@pytest.mark.parametrize("number", [1, 2])
def test_the_preview_asks_the_same_question_as_the_survey(client, number):
    study = make("dictionary")
    ana = User.objects.create_user("ana")
    grant_role(study, ana, Role.OWNER)
    client.force_login(ana)
    context = Context.objects.get(number=number)

    content = client.get(reverse("console:preview_rating", args=["study", context.pk])).content

    assert named(content) == (["cat", "dog"] if number == 1 else ["dog", "cat"])
