"""What is decided about a study: settings, texts, what they ask for, and opening."""

import html

import pytest
from django.urls import reverse

from surveys.models import AuditEntry, Role, Study, StudyText
from surveys.wording import default_body
from tests.factories import stored

pytestmark = pytest.mark.django_db

CHANGEABLE = {
    "title": "Words", "contact": "lab@example.org", "scale_labels": "0 = not at all\n2=same",
    "ratings_per_context": 5, "lease_hours": 3, "assigning_policy": "random",
    "n_check_tries": 2, "n_checkpoints": 0, "seconds_per_item": 30, "allows_unjudgeable": "on",
    "erases_withdrawn": "on", "pay_per_hour": "", "fee_percent": "",
}  # fmt: skip
LOCKED = {"language": "sl", "scale_minimum": 0, "scale_maximum": 2, "scale_step": "0.5",
          "block_size": 1, "seed": 5}  # fmt: skip


@pytest.fixture
def draft(study):
    Study.objects.update(opened_at=None)
    study.refresh_from_db()
    return study


def page(name, study, *more):
    return reverse(f"console:{name}", args=[study.slug, *more])


def test_a_drafts_design_is_stored_and_recorded(draft, sign_in):
    client = sign_in(Role.RESEARCHER)

    answer = client.post(page("design", draft), {**CHANGEABLE, **LOCKED})

    assert (answer.status_code, answer.url) == (302, page("design", draft))
    draft.refresh_from_db()
    assert (draft.language, draft.block_size, draft.seed) == ("sl", 1, 5)
    assert draft.scale_labels == {"0": "not at all", "2": "same"}
    assert (draft.allows_unjudgeable, draft.allows_more_blocks) == (True, False)
    assert draft.blocks.count() == 2
    details = AuditEntry.objects.get(action="study.configured").details
    assert details["ratings_per_context"] == "2 → 5"
    text = client.get(page("design", draft)).content.decode()
    assert "0 = not at all\n2 = same" in text


def test_an_open_studys_locked_settings_are_shown_and_not_taken(study, sign_in):
    client = sign_in(Role.OWNER)
    text = client.get(page("design", study)).content.decode()
    assert "0 to 6, in steps of 1" in text
    assert 'name="block_size"' not in text

    changed = {**CHANGEABLE, "scale_labels": ""}
    assert client.post(page("design", study), {**changed, **LOCKED}).status_code == 302

    assert stored(study, "block_size", "language", "lease_hours") == (20, "en", 3)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scale_maximum": "-3"}, "The scale must rise"),
        ({"scale_step": "0"}, "The step of the scale must divide it"),
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
        ({"assigning_policy": "taste"}, "taste is not one of the available choices"),
        ({"title": "x" * 201}, "at most 200 characters"),
        ({"contact": "a\0b"}, "Null characters"),
        ({"lease_hours": "1.5"}, "Enter a whole number"),
        ({"pay_per_hour": "-1"}, "greater than or equal to 0"),
    ],
)
def test_what_is_impossible_is_told_and_not_stored(draft, sign_in, changed, said):
    before = Study.objects.values().get()

    answer = sign_in(Role.OWNER).post(page("design", draft), {**CHANGEABLE, **LOCKED, **changed})

    assert answer.status_code == 422
    assert said in html.unescape(answer.content.decode())
    assert Study.objects.values().get() == before


def test_a_design_without_any_field_is_given_back(draft, sign_in):
    assert sign_in(Role.OWNER).post(page("design", draft), {}).status_code == 422


def test_reckoning_stores_nothing(draft, sign_in):
    client = sign_in(Role.OWNER)
    before = Study.objects.values().get()
    sent = {**CHANGEABLE, **LOCKED, "ratings_per_context": 10, "pay_per_hour": "12"}

    pressed = client.post(page("design", draft), {**sent, "reckon": "yes"}).content.decode()
    typed = client.get(page("reckoning", draft), {**sent, "fee_percent": "50"}).content.decode()

    assert "<dd>40 <span>each of 1 text at most, in 2 blocks" in pressed
    assert "Nothing of this is stored yet" in pressed
    assert "<dd>6.00 <span>pay 4.00, fee 2.00" in typed
    assert Study.objects.values().get() == before


@pytest.mark.parametrize("sent", [{}, {"block_size": "x"}, {"ratings_per_context": "-1"}])
def test_reckoning_with_wrong_numbers_says_so(draft, sign_in, sent):
    answer = sign_in(Role.OWNER).get(page("reckoning", draft), sent)

    assert answer.status_code == 200
    assert "Correct the numbers" in answer.content.decode()


def test_looking_at_a_text_stores_nothing_and_storing_makes_a_version(study, sign_in):
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


@pytest.mark.parametrize("kind", ["consent", "instructions", "practice", "check"])
def test_texts_are_shown_without_being_stored(study, sign_in, kind):
    client = sign_in(Role.OWNER)

    assert client.get(page("text", study, kind), {"version": "9" * 40}).status_code == 200
    assert client.get(page("design", study)).status_code == 200
    assert not StudyText.objects.exists()


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("consent", "", "Annotators must be told something"),
        ("instructions", "x" * 20_001, "at most 20000 characters"),
        ("practice", "text = 1", "text is missing"),
        ("check", "x =", "this is not TOML"),
        ("consent", "a\0", "Null characters"),
    ],
)
def test_texts_that_cannot_be_shown_are_refused(study, sign_in, kind, body, said):
    client = sign_in(Role.OWNER)
    for more in ({}, {"look": "yes"}):
        answer = client.post(page("text", study, kind), {"body": body, **more})

        assert answer.status_code == 422
        assert said in html.unescape(answer.content.decode())
    assert not StudyText.objects.exists()


def test_a_text_of_no_kind_is_not_found(study, sign_in):
    assert sign_in(Role.OWNER).get(page("text", study, "poem")).status_code == 404


def test_opening_says_what_is_locked_and_opens_once(draft, sign_in):
    client = sign_in(Role.RESEARCHER)
    text = client.get(page("opening", draft)).content.decode()
    assert "2 pairs" in text
    assert "0 to 6, in steps of 1" in text
    assert stored(draft, "opened_at") == (None,)

    for _ in range(2):
        assert client.post(page("opening", draft)).url == page("design", draft)

    assert AuditEntry.objects.filter(action="study.opened", actor="ana").count() == 1
    assert "is open since" in client.get(page("opening", draft)).content.decode()


def test_overview_says_that_a_draft_is_to_be_opened(draft, sign_in):
    text = sign_in(Role.OWNER).get(page("overview", draft)).content.decode()

    assert "then open the study" in text
    assert "Nobody can take part yet" in text
