import pytest
from django.contrib.auth.models import User

from surveys.access.roles import grant_role
from surveys.models import AuditEntry, Membership, Role, Study, StudyText
from surveys.recruitment.links import open_entrance
from tests.factories.programs import errors_of
from tests.factories.studies import (
    finish,
    make_study,
    numbered_stimuli,
    start,
    stimuli_file,
    stimuli_row,
)

NEW = {
    "slug": "new",
    "language": "en",
    "ratings_per_context": 2,
    "organisation": "University of Examples",
    "contact": "lab@example.org",
    "consent_reviewed": True,
    "open": True,
    "stimuli": numbered_stimuli(3).decode(),
}


def test_a_study_is_created_and_owned_by_its_creator(study, program):
    answer = program(None).post("studies/", NEW)

    assert answer.status_code == 201
    assert answer.json() == {
        "slug": "new", "is_new": True, "is_stored": True, "n_pairs": 3, "n_blocks": 1,
        "n_assignments": 4, "warnings": [],
    }  # fmt: skip
    assert Membership.objects.get(study__slug="new").user.username == "ana"
    entry = AuditEntry.objects.get(action="study.opened")
    assert (entry.actor, entry.study.slug) == ("ana", "new")
    consent = StudyText.objects.get(study__slug="new", kind="consent")
    assert (consent.version, consent.reviewed_by) == (1, "ana")


@pytest.mark.parametrize(
    ("absent", "said"),
    [
        ("organisation", "Give the organisation"),
        ("contact", "Give a contact"),
        ("consent_reviewed", "has not been reviewed"),
    ],
)
def test_an_incomplete_study_is_neither_opened_nor_stored(study, program, absent, said):
    asked = {name: given for name, given in NEW.items() if name != absent}

    answer = program(None).post("studies/", asked)

    assert answer.status_code == 409
    assert said in answer.json()["errors"][0]["message"]
    assert not Study.objects.filter(slug="new").exists()


def test_the_same_study_again_changes_nothing(study, program):
    asking = program(None)
    asking.post("studies/", NEW)

    answer = asking.post("studies/", NEW)

    assert (answer.status_code, answer.json()["is_new"]) == (200, False)
    assert Study.objects.count() == 2


def test_a_dry_run_stores_nothing(study, program):
    answer = program(None).post("studies/", {**NEW, "dry_run": True})

    assert (answer.status_code, answer.json()["is_stored"]) == (200, False)
    assert not Study.objects.filter(slug="new").exists()


def test_all_errors_of_stimuli_name_row_and_column(study, program):
    rows = stimuli_row(), stimuli_row(word1=""), stimuli_row(context2="No targets. At all.")
    wrong = {**NEW, "stimuli": stimuli_file(*rows).decode(), "language": "xx"}

    answer = program(None).post("studies/", wrong)

    errors = answer.json()["errors"]
    assert answer.status_code == 409
    assert {(error["row"], error["column"]) for error in errors} >= {
        (None, None), (2, "word1"), (3, "context2"),
    }  # fmt: skip
    assert all(error["code"] == "ImportRefused" and error["message"] for error in errors)
    assert Study.objects.count() == 1


def test_a_slug_of_another_study_is_refused_without_details(study, program):
    stimuli = numbered_stimuli(2).decode()

    same = program(None).post("studies/", {**NEW, "slug": "study", "stimuli": stimuli})
    different = program(None).post("studies/", {**NEW, "slug": "study"})

    assert same.status_code == different.status_code == 409
    assert same.json() == different.json()
    assert not Membership.objects.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slug": "a b"}, "slug"), ({"slug": 5}, "slug"), ({"language": None}, "language"),
        ({"ratings_per_context": "2"}, "ratings_per_context"), ({"scale_step": True}, "scale_step"),
        ({"block_size": -1}, "block_size"), ({"dry_run": "yes"}, "dry_run"),
        ({"stimuli": "\0"}, "stimuli"), ({"stimuli": ["x"]}, "stimuli"), ({"more": 1}, "more"),
        ({"scale_maximum": 1e300}, "scale_maximum"), ({"seed": 2**70}, "seed"),
    ],
)  # fmt: skip
def test_invalid_fields_are_named(study, program, change, field):
    answer = program(None).post("studies/", {**NEW, **change})

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Study.objects.count() == 1


def test_stimuli_of_another_kind_are_read_with_a_warning(study, program):
    answer = program(None).post("studies/", {**NEW, "stimuli": NEW["stimuli"].replace("\t", ";")})

    assert answer.status_code == 201
    assert "read as a semicolon-separated file in UTF-8" in str(answer.json())


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"x"', "NaN", '{"slug": NaN}', "\xff"])
def test_invalid_json_is_refused(study, program, body):
    client = program().client

    answer = client.post("/api/v1/studies/", body, content_type="application/json")

    assert answer.status_code in (400, 422)
    assert answer.json()["errors"]


def test_a_form_encoded_body_is_refused(study, program):
    assert program().client.post("/api/v1/studies/study/runs/", NEW).status_code == 415


def test_a_too_large_request_is_refused(study, program, settings):
    settings.API_LARGEST_REQUEST = 100

    assert program().post("studies/", NEW).status_code == 413


@pytest.mark.parametrize("n", [1, 3])
def test_studies_are_paginated(study, program, n, django_assert_num_queries):
    asking = program()
    for number in range(n):
        other = make_study(1, slug=f"s{number}")
        grant_role(other, User.objects.get(username="ana"), Role.REVIEWER)
    asking.get("studies/")

    with django_assert_num_queries(3):  # token, studies, roles
        first = asking.get("studies/", limit=1).json()

    rest = asking.client.get(first["next"]).json()
    assert [one["slug"] for one in first["results"]] == ["study"]
    assert rest["results"][0]["slug"] == "s0"
    assert rest["results"][0]["role"] == "reviewer"
    assert (rest["next"] is None) is (n == 1)


@pytest.mark.parametrize(
    "wrong",
    [{"limit": "0"}, {"limit": "1001"}, {"limit": "x"}, {"limit": "٣"}],
)  # fmt: skip
def test_an_invalid_page_is_refused(study, program, wrong):
    answer = program().get("studies/", **wrong)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] in wrong


@pytest.mark.parametrize("cursor", ["x", "", "ž", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5"])
def test_an_invalid_cursor_is_not_found(study, program, cursor):
    assert program().get("studies/", cursor=cursor).status_code == 404


def test_stimuli_are_shown_in_the_order_of_the_file(study, program):
    pairs = program().get("studies/study/pairs/").json()["results"]

    assert [pair["position"] for pair in pairs] == [1, 2]
    context = pairs[0]["contexts"][0]
    assert context["text"][context["word1_start"] :].startswith(context["word1"])


def test_the_design_is_shown_and_changed(study, program):
    asking = program()

    answer = asking.send(
        "patch", "studies/study/design/", {"ratings_per_context": 3, "scale_labels": {"0": "no"}}
    )

    assert answer.status_code == 200
    assert asking.get("studies/study/design/").json() == answer.json()
    assert answer.json()["ratings_per_context"] == 3
    assert answer.json()["scale_maximum"] == 6


def test_an_invalid_design_change_is_refused_entirely(study, program):
    change = {"ratings_per_context": 3, "scale_labels": {"99": "no"}}

    answer = program().send("patch", "studies/study/design/", change)

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "SettingRefused")
    study.refresh_from_db()
    assert study.ratings_per_context == 2


def test_pay_is_refused_while_an_open_link_has_no_code(study, program):
    open_entrance(study, "link")

    answer = program().send("patch", "studies/study/design/", {"pay": "2 €"})

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "SettingRefused")
    assert "completion code" in answer.content.decode()
    study.refresh_from_db()
    assert study.pay == ""


def test_progress_counts_wanted_live_and_finished_assignments(study, program):
    finish(start(study))
    start(study)

    progress = program().get("studies/study/progress/").json()

    assert {name: progress[name] for name in ("wanted", "live", "finished")} == {
        "wanted": 4, "live": 1, "finished": 1,
    }  # fmt: skip
    assert [one["letter"] for one in progress["questionnaires"]] == ["A", "B"]
    assert "collection" in [step["name"] for step in progress["steps"]]


@pytest.mark.parametrize("n_pairs", [2, 6])
def test_progress_makes_bounded_queries(program, n_pairs, django_assert_max_num_queries):
    asking, made = program(), make_study(n_pairs, slug="more", block_size=2)
    grant_role(made, User.objects.get(username="ana"), Role.OWNER)
    asking.get("studies/")

    with django_assert_max_num_queries(9):
        asking.get("studies/more/progress/")


@pytest.fixture
def drafting(study, program):
    """The program of the owner of a new draft."""
    asking = program(None)
    assert asking.post("studies/", {**NEW, "open": False}).status_code == 201
    return asking


def test_a_study_is_a_draft_unless_open_is_given(drafting):
    assert Study.objects.get(slug="new").is_draft
    assert drafting.get("studies/new/").json()["opened_at"] is None
    assert AuditEntry.objects.get(study__slug="new", action="study.drafted").actor == "ana"


def test_the_same_draft_again_changes_nothing(drafting):
    answer = drafting.post("studies/", {**NEW, "open": False})

    assert (answer.status_code, answer.json()["is_new"]) == (200, False)


def test_the_whole_design_of_a_draft_can_be_changed(drafting):
    change = {
        "language": "sl", "scale_maximum": 4, "scale_step": 0.5, "question_forms": "text",
        "variant": "trained", "block_size": 2, "seed": 7,
    }  # fmt: skip

    answer = drafting.send("patch", "studies/new/design/", change)

    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in change} == change
    assert Study.objects.get(slug="new").blocks.count() == 2
    refused = drafting.send("patch", "studies/new/design/", {"question": "same_meaning"})
    assert refused.status_code == 409
    assert "the question and what is written do not fit the kind of item" in str(errors_of(refused))


def test_the_stimuli_of_a_draft_are_replaced(drafting):
    path, more = "studies/new/stimuli/", {"stimuli": numbered_stimuli(5).decode()}

    wrong = drafting.send("put", path, {"stimuli": stimuli_file(stimuli_row(word1="")).decode()})
    answers = [drafting.send("put", path, more) for _ in range(2)]

    assert wrong.status_code == 409
    assert (wrong.json()["errors"][0]["row"], wrong.json()["errors"][0]["column"]) == (1, "word1")
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(drafting.get("studies/new/pairs/").json()["results"]) == 5
    assert AuditEntry.objects.filter(action="stimuli.replaced").count() == 1


def test_the_consent_text_is_reviewed_in_the_version_that_was_read(drafting):
    drafting.send("patch", "studies/new/texts/", {"consent": "Our own."})
    path = "studies/new/consent-review/"

    outdated = drafting.post(path, {"version": 1})
    answers = [drafting.post(path, {"version": 2}) for _ in range(2)]

    assert (outdated.status_code, errors_of(outdated)[0][0]) == (409, "TextChanged")
    assert [(a.status_code, a.json()["reviewed_by"]) for a in answers] == [(200, "ana")] * 2
    assert drafting.get("studies/new/texts/").json()["consent"]["reviewed_by"] == "ana"
    reviews = AuditEntry.objects.filter(action="consent.reviewed", details__version=2)
    assert reviews.count() == 1


def test_an_open_study_refuses_new_stimuli_and_scale(drafting):
    opened = drafting.post("studies/new/opening/")
    again = drafting.post("studies/new/opening/")
    refused = [
        drafting.send("put", "studies/new/stimuli/", {"stimuli": numbered_stimuli(5).decode()}),
        drafting.send("patch", "studies/new/design/", {"seed": 7}),
        drafting.send("patch", "studies/new/design/", {"question_forms": "text"}),
        drafting.send("patch", "studies/new/design/", {"variant": "trained"}),
    ]

    assert opened.json()["opened_at"] == again.json()["opened_at"] is not None
    assert [(answer.status_code, errors_of(answer)[0][0]) for answer in refused] == [
        (409, "StudyOpen"), (409, "StudyOpen"), (409, "StudyOpen"), (409, "StudyOpen"),
    ]  # fmt: skip


def test_texts_are_read_and_changed(program, study):
    asking, path = program(), "studies/study/texts/"
    before = asking.get(path).json()

    answer = asking.send("patch", path, {"consent": "Please take part.", "check": ""})

    assert list(before) == [
        "consent", "instructions", "practice", "check", "invitation", "reminder",
    ]  # fmt: skip
    assert answer.json()["consent"] == {
        "version": 2, "body": "Please take part.", "reviewed_by": "", "reviewed_at": None,
    }  # fmt: skip
    assert answer.json()["instructions"] == before["instructions"]
    again = asking.send("patch", path, {"consent": "Please take part."}).json()
    assert again["consent"]["version"] == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [({"consent": "Take part.", "check": "x = ["}, 409), ({"consent": 1}, 422),
     ({"consent": "Take part.", "thanks": "x"}, 422)],
)  # fmt: skip
def test_texts_change_all_or_none(program, study, body, status):
    answer = program().send("patch", "studies/study/texts/", body)

    assert (answer.status_code, bool(errors_of(answer))) == (status, True)
    assert not StudyText.objects.filter(body="Take part.").exists()


@pytest.mark.study(design="wic")
def test_the_design_tells_the_kind_of_item_which_stays(study, program):
    asking = program()

    shown = asking.get("studies/study/design/").json()
    refused = asking.send("patch", "studies/study/design/", {"item_kind": "words"})

    assert {name: shown[name] for name in ("design", "item_kind", "question", "centre")} == {
        "design": "wic", "item_kind": "texts", "question": "same_meaning", "centre": "majority",
    }  # fmt: skip
    assert (refused.status_code, study.kind.name) == (422, "texts")
