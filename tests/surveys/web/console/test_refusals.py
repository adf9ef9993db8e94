"""What is wrong with a form or a filter is said on its page, and nothing is stored.

`test_hostile.py` sends what no form is meant to get; here are the messages.
"""

import html
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.models import Role, Study
from surveys.study.stimuli.load import LARGEST_FILE
from tests.factories.answers import answer
from tests.factories.studies import make_study, start
from tests.hostile import Attacker
from tests.surveys.web.console.valid_forms import FORMS

pytestmark = [pytest.mark.django_db, pytest.mark.needs("contexts")]


def upload(data):
    return SimpleUploadedFile("list.txt", data)


REFUSED = {
    "design": [
        ({"scale_maximum": "-3"}, "The scale must rise"),
        ({"scale_step": "0"}, "The step must divide the scale"),
        ({"scale_step": "NaN"}, "Enter a number"),
        ({"scale_labels": "9 = much"}, "which the scale does not have"),
        ({"scale_labels": "0 much"}, "Write “0 much” as"),
        ({"scale_labels": "0 = a\n0 = b"}, "two labels"),
        ({"scale_labels": "x = a"}, "which the scale does not have"),
        ({"ratings_per_context": "0"}, "greater than or equal to 1"),
        ({"ratings_per_context": "9" * 5000}, "Enter a whole number"),
        ({"block_size": "-1"}, "greater than or equal to 1"),
        ({"seed": "9" * 30}, "less than or equal to"),
        ({"language": "xx-yy"}, "is unknown"),
        ({"question_forms": "plural"}, "plural is not one of the available choices"),
        ({"assigning_policy": "taste"}, "taste is not one of the available choices"),
        ({"title": "x" * 201}, "at most 200 characters"),
        ({"contact": "a\0b"}, "Null characters"),
        ({"lease_hours": "1.5"}, "Enter a whole number"),
        ({"pay_per_hour": "-1"}, "greater than or equal to 0"),
        (None, "This field is required"),
    ],
    "text consent": [
        ({"body": ""}, "Only practice and check may be empty"),
        ({"body": "", "look": "yes"}, "Only practice and check may be empty"),
        ({"body": "a\0"}, "Null characters"),
    ],
    "text instructions": [({"body": "x" * 20_001}, "at most 20000 characters")],
    "text practice": [
        ({"body": "text = 1"}, "text is missing"),
        ({"body": "text = 1", "look": "yes"}, "text is missing"),
    ],
    "text check": [({"body": "x ="}, "this is not TOML")],
    "text invitation": [({"body": "Come\n{name} {link}"}, "unknown placeholder {name}")],
    "text reminder": [
        ({"body": "Come"}, "the personal link is missing"),
        ({"body": "Come", "look": "yes"}, "the personal link is missing"),
    ],
    "row": [
        ({"word1": ""}, "The field is empty; fill it in."),
        ({"context1": "two\nlines"}, "A tab or line break inside the field"),
        ({"context1": "<script>x</script>"}, "are not marked with"),
        ({"word2": "other"}, "a pair needs two words"),
        ({"context2": "x" * 20_001}, "at most 20000 characters"),
        ({"word1": "a\0"}, "Null characters are not allowed"),
        ({"reason": " "}, "This field is required"),
        ({"shown": "0" * 16}, "has been changed since you opened it"),
        (None, "This field is required"),
    ],
    "remove_row": [(None, "This field is required")],
    "new_study": [
        ({"file": ""}, "Choose the file"),
        ({"file": upload(b"")}, "the file is empty"),
        ({"file": upload(b"PK\x03\x04rest")}, "a spreadsheet or an archive that is damaged"),
        ({"file": upload("word1".encode("utf-16"))}, "missing columns"),
        ({"file": upload(b"word1\tword2\xe8\n")}, "not UTF-8"),
        ({"file": upload(b"x" * (LARGEST_FILE + 1))}, "The file has 4.0 MB; the limit is 4 MB"),
        ({"file": upload(b"<script>alert(1)</script>\n")}, "missing columns"),
        *(({"file": "", "kept": kept}, "Choose the file") for kept in ("x", "AAAA", "é" * 100)),
        *(({"slug": slug}, "") for slug in ("a b", "x" * 51, "č/../..", "<b>")),
    ],
    "invite": [
        ({"count": ""}, "Give either a number or a list"),
        ({"listed": "ana"}, "Give either a number or a list"),
        ({"count": "0"}, "greater than or equal to 1"),
        ({"count": "-1"}, "greater than or equal to 1"),
        ({"count": "9" * 30}, "less than or equal to 10000"),
        ({"count": "many"}, "Enter a whole number"),
        ({"n_before": "x"}, "Links were made since"),
        ({"count": "", "listed": "ana\nana"}, "line 2 says the same as line 1"),
        ({"count": "", "listed": "x" * 201}, "longer than 200"),
        ({"count": "", "listed": "a\0"}, "Null characters are not allowed"),
        ({"count": "", "listed": "\n".join(map(str, range(10_001)))}, "may have 10,000"),
        ({"count": "", "file": upload(b"\xff\xfe\x00")}, "not UTF-16 text"),
        ({"count": "", "file": upload(b"a" * 3_000_001)}, "larger than 3 MB"),
        ({"count": "", "file": upload(b"")}, "empty"),
    ],
    "prolific": [
        ({"completion_code": ""}, "This field is required"),
        ({"completion_code": "C 1"}, "letters, digits, hyphens"),
        ({"completion_code": "x" * 41}, "at most 40"),
        ({"no_place_code": "<b>"}, "letters, digits, hyphens"),
        ({"cap": "0"}, "greater than or equal to 1"),
        ({"cap": "-5"}, "greater than or equal to 1"),
        ({"cap": "9" * 20}, "less than or equal to"),
        ({"cap": "all"}, "Enter a whole number"),
    ],
    "rehearsal": [({"count": "50"}, "places are free")],
    "repeat": [
        (None, "This field is required"),
        ({"reason": " "}, "This field is required"),
        ({"reason": "x" * 501}, "at most 500 characters"),
        ({"reason": "x\0"}, "Null characters"),
        ({"round_number": "9" * 40}, ""),
        ({"round_number": "-1"}, "greater than or equal to"),
        ({"round_number": "one"}, "Enter a whole number"),
    ],
    "recipe_text": [
        ({"recipe": ""}, "This field is required"),
        ({"recipe": "format = "}, "the recipe is not valid TOML"),
        ({"recipe": "[calibration]\nthreshhold = 1"}, "calibration.threshhold: unknown setting"),
        ({"recipe": "[filtering]\nk = -1"}, "filtering.k"),
        ({"recipe": "x" * 20_001}, "at most 20000 characters"),
    ],
    "release": [
        ({"n_practice": -1, "seed": "x", "ids_of": 9}, "equal to 0", "a whole number", "available"),
    ],
    "description_text": [
        ({"body": "a = "}, "not valid TOML"),
        ({"body": "[dataset]\nsize = 1"}, "unknown entry"),
    ],
    "jobs": [({"form": "x"}, "x is not one of the available choices")],
    "webhooks": [
        ({"url": "http://lab.example.org/"}, "https"),
        ({"url": "https://127.0.0.1/"}, "sends nothing"),
        ({"events": []}, "required"),
    ],
    "people": [
        ({"username": "nobody", "role": "x"}, "No account with this name", "x is not one of the"),
    ],
    "invite_person": [({"username": name}, "") for name in ("ana", "with space", "")],
    "privacy": [({"days": days}, "") for days in ("-1", "3651", "x", "9" * 30)],
    "tokens": [
        ({"name": ""}, "This field is required"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"scopes": []}, "This field is required"),
        ({"scopes": ["everything"]}, "not one of the available choices"),
        ({"last_day": "2001-01-01"}, ""),
        ({"last_day": "soon"}, "Enter a valid date"),
        ({"last_day": "9999-12-32"}, "Enter a valid date"),
    ],
}
FILTERS = {
    "recruitment": [{"state": "asleep"}, {"note": "\0"}, {"through": "x"}],
    "annotators": [
        {"state": "asleep"}, {"code": "x" * 17}, {"code": "\0"}, {"look": "x"}, {"order": "-x"},
    ],
    "collection": [{"order": "x"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def small_world(django_db_setup, django_db_blocker):
    """An open study with one finished questionnaire and a draft, made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        study, draft = make_study(2), make_study(2, slug="draft")
        Study.objects.filter(pk=draft.pk).update(opened_at=None)
        answer(start(study))
        ana = User.objects.create_user("ana")
        for each in (study, draft):
            grant_role(each, ana, Role.OWNER)
        client = Client()
        client.force_login(ana, "django.contrib.auth.backends.ModelBackend")
        yield SimpleNamespace(
            study=study, draft=draft, pair=draft.pairs.get(position=1), n_links=1,
            session=client.session.session_key,
        )  # fmt: skip
        transaction.set_rollback(True)


def address_of(page, world):
    name, *kind = page.split()
    more = {"row": [world.pair.pk], "remove_row": [world.pair.pk], "repeat": [1]}.get(name, kind)
    if name in {"new_study", "tokens"}:
        return reverse(f"console:{name}")
    slug = "draft" if name in {"design", "row", "remove_row"} else "study"
    return reverse(f"console:{name}", args=[slug, *more])


@pytest.mark.parametrize(
    ("page", "changed", "said"),
    [(page, sent, said) for page, cases in REFUSED.items() for sent, *said in cases],
)
def test_a_form_that_is_wrong_says_why_and_stores_nothing(page, changed, said, small_world):
    """None sends no field at all."""
    sent = {} if changed is None else {**FORMS[page.split()[0]](small_world), **changed}

    answer = Attacker(sessionid=small_world.session).post(address_of(page, small_world), sent)

    text = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert [words for words in said if words not in text] == []
    assert "<script>alert" not in answer.content.decode()
    assert ">None<" not in text
    assert answer.written == []


@pytest.mark.parametrize(
    ("page", "asked"), [(page, asked) for page, filters in FILTERS.items() for asked in filters]
)
def test_filters_that_do_not_exist_are_refused(page, asked, small_world):
    answer = Attacker(sessionid=small_world.session).get(address_of(page, small_world), asked)

    assert answer.status_code == 422
