"""The step Design: settings, texts, workload and opening."""

import html
import re
from decimal import Decimal

import pytest

from surveys.models import AuditEntry, Entrance, Role, Study, StudyText, TextKind
from surveys.study.design import configure_study, published_designs
from surveys.study.planning.durations import introduction_seconds
from surveys.study.settings import OF_RATINGS
from surveys.study.texts import default_body
from surveys.web.console.study.design_forms import DesignForm
from tests.factories.pages import page, read
from tests.factories.studies import stored

pytestmark = pytest.mark.django_db

CHANGEABLE = {
    "title": "Words", "public_title": "Words and you", "organisation": "University of Examples",
    "ethics": "", "contact": "lab@example.org", "scale_labels": "0 = not at all\n2=same",
    "pay": "£2.50", "pay_for_more": "£1",
    "ratings_per_context": 5, "lease_hours": 3, "assigning_policy": "random",
    "n_check_tries": 2, "n_checkpoints": 0, "seconds_per_item": 30, "allows_unjudgeable": "on",
    "erases_withdrawn": "on", "pay_per_hour": "", "fee_percent": "",
}  # fmt: skip
SHOWN = {"organisation": "University of Examples", "contact": "lab@example.org"}
LOCKED = {"language": "sl", "scale_minimum": 0, "scale_maximum": 2, "scale_step": "0.5",
          "question_forms": "text", "variant": "trained", "block_size": 1, "seed": 5}  # fmt: skip


def test_a_drafts_design_is_stored_and_recorded(unopened, researcher):
    answer = researcher.post(page("design", unopened), {**CHANGEABLE, **LOCKED})

    assert (answer.status_code, answer.url) == (302, page("design", unopened))
    unopened.refresh_from_db()
    assert (unopened.language, unopened.block_size, unopened.seed) == ("sl", 1, 5)
    assert unopened.question_forms == "text"
    assert unopened.scale_labels == {"0": "not at all", "2": "same"}
    assert (unopened.allows_unjudgeable, unopened.allows_more_blocks) == (True, False)
    assert (unopened.pay, unopened.pay_for_more) == ("£2.50", "£1")
    assert unopened.blocks.count() == 2
    details = AuditEntry.objects.get(action="study.configured").details
    assert details["ratings_per_context"] == "2 → 5"
    text = researcher.get(page("design", unopened)).content.decode()
    assert "0 = not at all\n2 = same" in text


@pytest.mark.parametrize(
    ("then", "led_to"),
    [("opening", "opening"), ("preview", "preview"), ("", "design"), ("//evil", "design")],
)
def test_a_design_is_stored_before_its_buttons_lead_on(unopened, sign_in, then, led_to):
    sent = {**CHANGEABLE, **LOCKED, "then": then}

    answer = sign_in(Role.OWNER).post(page("design", unopened), sent)

    assert answer.url == page(led_to, unopened)
    assert stored(unopened, "ratings_per_context", "opened_at") == (5, None)


@pytest.mark.parametrize(
    ("sent", "is_marked"), [({"pay_per_hour": "12"}, False), ({"seed": 6}, True)]
)
def test_a_form_with_unsaved_changes_is_marked(unopened, owner, sent, is_marked):
    same = {**CHANGEABLE, **LOCKED, "scale_labels": "0 = not at all\r\n2 = same"}
    owner.post(page("design", unopened), same)

    answer = owner.post(page("design", unopened), {**same, **sent, "calculate": "yes"})

    assert ("data-unsaved" in answer.content.decode()) is is_marked


def test_a_previewed_text_is_not_marked_as_unsaved(study, owner):
    stored_body = default_body("en", "consent").replace("\n", "\r\n")

    same, other = (
        owner.post(page("text", study, "consent"), {"body": body, "look": "yes"}).content.decode()
        for body in (stored_body, "We ask you.")
    )

    assert "data-unsaved" not in same
    assert "data-unsaved" in other


def test_locked_settings_of_an_open_study_are_shown_and_not_changed(study, owner):
    text = owner.get(page("design", study)).content.decode()
    assert "0 to 6, in steps of 1" in text
    assert "<dt>Words in the question</dt><dd>dictionary forms</dd>" in text
    assert not {"block_size", "question_forms"} & set(re.findall(r'name="(\w+)"', text))

    changed = {**CHANGEABLE, "scale_labels": ""}
    assert owner.post(page("design", study), {**changed, **LOCKED}).status_code == 302

    assert stored(study, "block_size", "language", "lease_hours") == (20, "en", 3)
    assert stored(study, "question_forms") == ("dictionary",)


def test_the_summary_of_errors_leads_to_their_fields(unopened, sign_in):
    changed = {**CHANGEABLE, **LOCKED, "block_size": "-1"}

    text = sign_in(Role.OWNER).post(page("design", unopened), changed).content.decode()

    (field,) = re.findall(r'<a href="#([^"]*)">Pairs in a block', text)
    assert f'id="{field}"' in text


def test_calculating_stores_nothing(unopened, owner):
    before = Study.objects.values().get()
    sent = {**CHANGEABLE, **LOCKED, "ratings_per_context": 10, "pay_per_hour": "12"}

    pressed = owner.post(page("design", unopened), {**sent, "calculate": "yes"}).content.decode()
    typed = owner.get(page("workload", unopened), {**sent, "fee_percent": "50"}).content.decode()

    assert "<dd>40 <span>each of 1 item at most, in 2 blocks" in " ".join(pressed.split())
    assert "Nothing has been saved yet" in pressed
    seconds = 40 * (introduction_seconds(unopened) + 30)  # introduction and one text each
    wages = round(12 * Decimal(seconds) / 3600, 2)
    fee = round(wages / 2, 2)
    assert f"<dd>{wages + fee} <span>pay {wages}, fee {fee}" in " ".join(typed.split())
    assert Study.objects.values().get() == before


@pytest.mark.parametrize("sent", [{}, {"block_size": "x"}, {"ratings_per_context": "-1"}])
def test_calculating_with_invalid_numbers_reports_them(unopened, sign_in, sent):
    answer = sign_in(Role.OWNER).get(page("workload", unopened), sent)

    assert answer.status_code == 200
    assert "Correct the numbers" in answer.content.decode()


def test_previewing_a_text_stores_nothing_and_saving_creates_a_version(study, sign_in):
    client, address = sign_in(Role.OWNER), page("text", study, "consent")
    sent = {"body": "We **ask** you.\r\n\r\n<script>alert(1)</script>"}

    looked = client.post(address, {**sent, "look": "yes"}).content.decode()
    assert "<strong>ask</strong>" in looked
    assert "<script>alert" not in looked
    assert not StudyText.objects.exists()

    for _ in range(2):
        assert client.post(address, sent).url == address
    assert list(StudyText.objects.values_list("version", flat=True)) == [2, 1]
    assert AuditEntry.objects.filter(action="text.set").count() == 1
    earlier = client.get(address, {"version": 1}).content.decode()
    assert html.escape(default_body("en", "consent").splitlines()[0]) in earlier


@pytest.mark.parametrize("kind", TextKind.values)
def test_texts_are_previewed_without_being_stored(study, owner, kind):
    assert owner.get(page("text", study, kind), {"version": "9" * 40}).status_code == 200
    assert owner.get(page("design", study)).status_code == 200
    assert not StudyText.objects.exists()


@pytest.mark.parametrize(
    ("forms", "given", "named", "is_odd"),
    [
        ("dictionary", 'word1 = "stream"\nword2 = "bank"', ["stream", "bank"], False),
        ("dictionary", "", ["river", "banks"], True),
        ("text", "", ["river", "banks"], False),
    ],
)
def test_the_practice_text_shows_the_words_of_the_question(
    study, sign_in, forms, given, named, is_odd
):
    Study.objects.update(question_forms=forms)
    body = (
        'text = "A <strong>river</strong> and <strong>banks</strong>."\n'
        f'words = ["a", "b"]\nexplanation = "Why."\n{given}'
    )

    sent = {"body": body, "look": "yes"}
    text = sign_in(Role.OWNER).post(page("text", study, "practice"), sent).content.decode()

    shown = text.split("The question asks about:")[1].split("</p>")[0]
    assert re.findall(r'<bdi lang="en">(\w+)</bdi>', shown) == named
    assert ("asks for dictionary forms" in text) == is_odd


def test_a_default_text_that_annotators_read_is_listed_as_default(study, sign_in):
    StudyText.objects.create(study=study, kind="practice", version=1, body="as it was then")

    text = sign_in(Role.OWNER).get(page("design", study)).content.decode()

    assert "yours, version" not in text


def test_a_mail_is_previewed_and_stored_in_versions(study, sign_in):
    client, address = sign_in(Role.OWNER), page("text", study, "reminder")
    sent = {"body": "Come back\r\n\r\nTitle: {title}\r\n\r\n{link}"}
    configure_study(study, public_title="", contact="lab@example.org")

    looked = client.post(address, {**sent, "look": "yes"}).content.decode()
    stored_at = client.post(address, sent).url

    assert "<strong>Come back</strong>" in looked
    assert "/invitation/EXAMPLE/" in looked
    assert "<p>Title:" not in looked
    assert "<code>{minutes}</code>" in looked
    assert stored_at == address
    assert list(StudyText.objects.values_list("kind", "version")) == [
        ("reminder", 2), ("reminder", 1),
    ]  # fmt: skip


def test_a_text_of_an_unknown_kind_is_not_found(study, sign_in):
    assert sign_in(Role.OWNER).get(page("text", study, "poem")).status_code == 404


def test_opening_shows_locked_settings_and_is_idempotent(unopened, researcher):
    text = researcher.get(page("opening", unopened)).content.decode()
    assert "2 pairs" in text
    assert "0 to 6, in steps of 1" in text
    assert stored(unopened, "opened_at") == (None,)

    configure_study(unopened, organisation="University of Examples", contact="lab@example.org")

    for _ in range(2):
        sent = {"version": 1, "has_reviewed": "on"}
        assert researcher.post(page("opening", unopened), sent).url == page("design", unopened)

    assert AuditEntry.objects.filter(action="study.opened", actor="ana").count() == 1
    consent = StudyText.objects.get(kind="consent")
    assert (consent.reviewed_by, consent.reviewed_at is not None) == ("ana", True)
    assert "has been open since" in researcher.get(page("opening", unopened)).content.decode()


def test_a_study_is_opened_with_an_open_link_if_that_is_wanted(researcher, unopened):
    configure_study(unopened, organisation="University of Examples", contact="lab@example.org")
    sent = {"version": 1, "has_reviewed": "on", "opens_link": "yes"}

    answer = researcher.post(page("opening", unopened), sent)

    assert answer.url == page("open_link", unopened)
    entrance = Entrance.objects.get(study=unopened)
    assert (entrance.provider, entrance.closed_at, entrance.cap) == ("link", None, None)
    assert entrance.token in researcher.get(answer.url).content.decode()


def test_a_paid_study_is_not_opened_with_an_open_link_without_a_code(sign_in, unopened):
    configure_study(unopened, **SHOWN, pay="2 €")
    sent = {"version": 1, "has_reviewed": "on", "opens_link": "yes"}

    answer = sign_in(Role.RESEARCHER).post(page("opening", unopened), sent)

    assert answer.status_code in (409, 422)
    assert "the open link a completion code" in html.unescape(answer.content.decode())
    assert stored(unopened, "opened_at") == (None,)
    assert not Entrance.objects.exists()


@pytest.mark.parametrize(
    ("chosen", "sent", "said"),
    [
        ({}, {"version": 1, "has_reviewed": "on"}, "Give the organisation"),
        (SHOWN, {"version": 1}, "Read the consent text, and confirm it here"),
        (SHOWN, {"version": 7, "has_reviewed": "on"}, "version 1 is current"),
        (SHOWN, {"has_reviewed": "on"}, "This field is required"),
    ],
)
def test_an_incomplete_study_does_not_open(unopened, sign_in, chosen, sent, said):
    configure_study(unopened, **chosen)

    answer = sign_in(Role.RESEARCHER).post(page("opening", unopened), sent)

    assert answer.status_code in (409, 422)
    assert said in html.unescape(answer.content.decode())
    assert stored(unopened, "opened_at") == (None,)
    assert not StudyText.objects.exclude(reviewed_at=None).exists()


def test_the_opening_page_shows_the_consent_and_what_is_missing(unopened, researcher):
    lacking = researcher.get(page("opening", unopened)).content.decode()
    configure_study(unopened, **SHOWN)
    complete = researcher.get(page("opening", unopened)).content.decode()

    assert "Taking part is voluntary" in lacking
    assert "Give a contact" in lacking
    assert "has_reviewed" not in lacking
    assert "Give a contact" not in complete
    assert "has_reviewed" in complete


def test_overview_shows_that_a_draft_is_not_open(unopened, sign_in):
    text = sign_in(Role.OWNER).get(page("overview", unopened)).content.decode()

    assert "then open the study" in text
    assert "Nobody can take part yet" in text


@pytest.mark.study(design="usim")
def test_the_page_shows_what_a_study_has_from_its_design(study, owner):
    shown = read(owner, "design", study)
    Study.objects.update(opened_at=None)
    draft = read(owner, "design", study)

    for name, value in (
        ("Design", "usim"), ("Kind of item", "two words, each in its own text"),
        ("Question", "how related they are"), ("One lemma twice", "yes"),
    ):  # fmt: skip
        assert f"<dt>{name}</dt><dd>{value}</dd>" in shown
        assert (f"<dt>{name}</dt><dd>{value}</dd>" in draft) == (name != "Question")
    assert "Second look above" not in shown
    assert "Forms of the two words" not in draft  # one lemma, in one language


@pytest.mark.study(design="usim")
def test_the_question_of_a_draft_is_changed_within_the_rules_of_designs(unopened, owner):
    form = DesignForm(study=unopened)
    sent = {**list_sent(form), "block_size": 2, "n_doubled": 1, "layout": "dwug"}
    assert dict(form.fields["question"].choices).keys() == {
        "similarity", "relatedness", "same_meaning",
    }  # fmt: skip

    refused = owner.post(page("design", unopened), {**sent, "question": "same_meaning"})
    unknown = owner.post(page("design", unopened), {**sent, "layout": "codalab"})
    saved = owner.post(page("design", unopened), {**sent, "question": "similarity"})

    assert "the question for the same meaning needs one lemma twice" in refused.content.decode()
    assert "the layout is none of the library" in unknown.content.decode()
    assert saved.status_code == 302
    unopened.refresh_from_db()
    assert (unopened.question, unopened.layout, unopened.n_doubled) == ("similarity", "dwug", 1)
    assert sorted(unopened.blocks.values_list("n_more", flat=True)) == [0, 1]


def list_sent(form):
    """The fields of a form as a browser sends them."""
    sent = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    return {**sent, "scale_labels": "", "block_size": ""}


@pytest.mark.study(design="semeval2017-translation")
def test_a_study_of_translations_shows_no_scale(unopened, owner):
    draft, opening = read(owner, "design", unopened), read(owner, "opening", unopened)
    proposed = owner.get(page("design", unopened) + "?design=semeval2017").content.decode()

    for name in OF_RATINGS:
        assert (f'name="{name}"' in draft, f'name="{name}"' in proposed) == (False, True)
    assert "in steps of" not in opening
    assert ("the scale" in draft.lower(), "the scale" in proposed.lower()) == (False, True)
    assert 'name="allows_unjudgeable"' in draft
    assert "Layout of published files" not in draft + opening

    by_hand = list_sent(DesignForm(study=unopened))
    similar = {"question": "similarity", "writes": "nothing"}
    owner.post(page("design", unopened), by_hand)
    unopened.refresh_from_db()
    assert unopened.question == "translation"
    owner.post(page("design", unopened), {**by_hand, **similar})
    unopened.refresh_from_db()
    assert (unopened.question, str(unopened.scale_maximum)) == ("similarity", "6.00")
    assert 'name="scale_maximum"' in read(owner, "design", unopened)


@pytest.mark.study(design="semeval2017-translation")
def test_a_published_design_gives_a_study_of_translations_a_scale(unopened, owner):
    form = DesignForm(study=unopened, published=published_designs()["semeval2017"])

    owner.post(page("design", unopened), list_sent(form))

    stored = Study.objects.get()
    assert (stored.question, str(stored.scale_step)) == ("similarity", "0.25")
    assert (str(stored.second_look_above), stored.layout) == ("1.00", "semeval2017")


@pytest.mark.study(design="semeval2017-translation")
@pytest.mark.parametrize(
    "name", ["description", "description_text", "comparisons", "new_collection"]
)
def test_a_study_of_translations_has_nothing_to_describe_or_compare(study, owner, name):
    answer = owner.get(page(name, study))

    assert answer.status_code == 409
    assert "A study of translations has no scores, runs or releases" in answer.content.decode()
    assert page(name, study) not in read(owner, "results", study) + read(owner, "release", study)
