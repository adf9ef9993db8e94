"""The consent notice, and its completeness: every stored field has a sentence."""

from dataclasses import replace

import pytest
from django.apps import apps
from django.conf import settings
from django.utils import translation

from surveys.models import Annotator, Arrival, ConsentNotice, Invitation, Study, TextKind, Worker
from surveys.participation.assignments import start_assignment
from surveys.privacy.retention import set_retention
from surveys.recruitment.consent_notice import (
    SECTIONS,
    Facts,
    Said,
    find_disclosure,
    list_changes,
    make_notice,
    write_sentences,
)
from surveys.recruitment.links import invite_annotators, invite_listed, open_entrance
from surveys.recruitment.providers import MAILED_LINK, NOTED_LINK, PLAIN_LINK, Disclosure, rules_of
from surveys.study.design import configure_study
from surveys.study.texts import current_text
from surveys.web.admin.read_only import list_tables
from tests.factories.newcomers import CODES, arrive
from tests.factories.studies import make_study

PROLIFIC = rules_of("prolific").disclosure
CROWD = pytest.mark.needs("crowd")
MTURK = pytest.param("simulator", marks=CROWD)
MOST = replace(PROLIFIC, gets_mail=True)  # no channel needs all sentences
SETTINGS = {
    "organisation": "University of Examples",
    "ethics": "Board of Examples, no. 7",
    "contact": "lab@example.org",
    "legal_basis": "Consent",
    "authority": "Authority of Examples",
    "data_protection_officer": "dpo@example.org",
    "allows_unjudgeable": True,
    "n_check_tries": 2,
    "retention_days": 30,
    "second_look_above": 1,
}
# Of each model that holds something about annotators: the sentence that names a field to them.
# None: of the study or the work of the site, and nothing about a person.
NAMED: dict[str, dict[Said | None, str]] = {
    "surveys.Annotator": {
        Said.IDENTITY: "code worker",
        Said.STEPS: "created_at consent notice erases_withdrawn publishes_words retention_days "
        "instructed_at practised_at variant",
        Said.CHECK: "n_check_tries checked_at",
        Said.JUDGEMENT: "paid_at",
        Said.ERASURE: "withdrawn_at first_rated_at erased_at",
        None: "study",
    },
    "surveys.Assignment": {
        Said.IDENTITY: "annotator token",
        Said.STEPS: "questionnaire state reason seed n_items ended_because offered_at active_at "
        "started_at submitted_at",
        None: "study round is_over_quota filed_at",
    },
    "surveys.Response": {
        Said.IDENTITY: "annotator",
        Said.ANSWERS: "written1 written2 rating is_unjudgeable comment",
        Said.CORRECTIONS: "first_rating changed_at",
        Said.TIMES: "engaged_at rated_at words_shown_at rating_shown_at words_visible_seconds "
        "rating_visible_seconds has_pasted_word1 has_pasted_word2",
        Said.LAYOUT: "scale_layout",
        Said.STEPS: "assignment pair context position",
        Said.ERASURE: "is_erased",
        None: "writes",
    },
    "surveys.Invitation": {
        Said.ARRIVAL: "token annotator entrance note created_at",
        Said.RETENTION: "note_digest",
        Said.JUDGEMENT: "revoked_at revoked_because",
        Said.MAILS: "no_mail_since",
        None: "study is_rehearsal",
    },
    "surveys.MailDelivery": {
        Said.MAILS: "invitation address_digest created_at sent_at",
        None: "study text kind attempts job attempted_at error",
    },
    "surveys.Worker": {Said.ARRIVAL: "provider worker_id", Said.RETENTION: "is_digest"},
    "surveys.Visit": {
        Said.ARRIVAL: "entrance reservation provider_study submission worker assignment "
        "completion_code arrived_at deadline_at returned_at provider_state accepted_at "
        "handed_in_at decided_at",
        Said.JUDGEMENT: "standing has_wrong_code held_because",
    },
    "crowd.Payment": {
        Said.JUDGEMENT: "visit kind amount_cents state reason created_at sent_at settled_at",
        Said.ARRIVAL: "provider submission",
        None: "batch grant_key fee_cents token by error",
    },
    "crowd.Grant": {
        Said.ARRIVAL: "qualification worker amount reason granted_at told_at revoked_at",
        None: "by",
    },
    "surveys.Review": {
        Said.JUDGEMENT: "assignment response evidence risk state outcome filed_at",
        None: "study draw n_wanted",
    },
    "surveys.Verdict": {
        Said.JUDGEMENT: "review opinion kind reason at undone_at",
        None: "reviewer",
    },
    "surveys.SecondAnswer": {
        Said.ANSWERS: "rating is_unjudgeable comment",
        Said.TIMES: "shown_at answered_at",
        None: "response others_sum n_others",
    },
    "surveys.Adjudication": {
        Said.JUDGEMENT: "response rating written1 written2 reason at is_standing",
        None: "context author",
    },
    "surveys.Arrival": {Said.NETWORK: "entrance address_digest arrived_at"},
    "surveys.ReviewClaim": {None: "review reviewer until"},
    "surveys.Place": {
        Said.STEPS: "assignment",
        None: "study questionnaire round number is_open is_replaced reservation",
    },
    "crowd.Hit": {
        Said.JUDGEMENT: "compensates",
        None: "batch reservation provider n_places n_released attempt token "
        "first_attempt_at hit_id hit_type_id state error expires_at created_at",
    },
}


def find_models_about_annotators() -> set[type]:
    """Return Annotator, Worker and Arrival, and all models that refer to them, also indirectly."""
    models = set(list_tables("surveys"))
    found = {Annotator, Worker, Arrival}
    while new := {m for m in models - found if any(_refers(m, other) for other in found)}:
        found |= new
    return found


def _refers(model: type, other: type) -> bool:
    return any(
        field.is_relation and field.concrete and field.related_model is other
        for field in model._meta.get_fields()
    )


def facts_of(disclosure: Disclosure | str = MOST, **changed) -> Facts:
    if isinstance(disclosure, str):
        disclosure = rules_of(disclosure).disclosure
    return Facts.of(Study(**{**SETTINGS, **changed}), disclosure)


def said(facts: Facts) -> dict[Said, str]:
    with translation.override("en"):
        return write_sentences(facts)


# Completeness


@CROWD
def test_every_model_about_annotators_is_listed():
    assert set(NAMED) == {model._meta.label for model in find_models_about_annotators()}


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=CROWD if "crowd" in label else ()) for label in NAMED]
)
def test_every_field_about_annotators_has_a_sentence_or_needs_none(label):
    decided = [name for names in NAMED[label].values() for name in names.split()]

    stored = [field.name for field in apps.get_model(label)._meta.get_fields() if field.concrete]
    assert sorted([*decided, "id"]) == sorted(stored)


def test_every_sentence_belongs_to_a_section():
    relied_on = {about for fields in NAMED.values() for about in fields if about}

    assert relied_on <= set(said(facts_of())) == set(Said)
    assert sorted(s.name for topics in SECTIONS.values() for s in topics) == sorted(
        about.name for about in Said
    )


@pytest.mark.parametrize(
    ("disclosure", "known"),
    [
        (PROLIFIC, "Your Prolific ID is kept apart"),
        pytest.param("simulator", "Your worker ID is kept apart", marks=CROWD),
        (NOTED_LINK, "label or address that the researchers noted"),
        (PLAIN_LINK, "No name, address or ID is kept"),
    ],
)
def test_the_identity_sentence_follows_from_the_channel(disclosure, known):
    sentences = said(facts_of(disclosure))

    assert known in sentences[Said.IDENTITY]
    assert (Said.RETENTION in sentences) is (disclosure != PLAIN_LINK)


@pytest.mark.parametrize(
    ("changed", "about", "now"),
    [
        (
            {"allows_unjudgeable": False},
            Said.ANSWERS,
            "The words that you write, and your ratings.",
        ),
        (
            {"erases_withdrawn": False},
            Said.WITHDRAWAL,
            "do not use your answers",
        ),
        ({"publishes_words": True}, Said.PUBLICATION, "published together with your ratings"),
        ({"retention_days": None}, Said.RETENTION, "No date is set"),
        ({"retention_days": 1}, Said.RETENTION, "deleted 1 day after"),
    ],
)
def test_sentences_follow_from_the_settings(changed, about, now):
    assert now not in said(facts_of())[about]
    assert now in said(facts_of(**changed))[about]


@pytest.mark.parametrize(
    ("absent", "about"),
    [
        ({"organisation": ""}, Said.ORGANISATION),
        ({"ethics": ""}, Said.ETHICS),
        ({"contact": ""}, Said.CONTACT),
        ({"legal_basis": " "}, Said.BASIS),
        ({"authority": ""}, Said.AUTHORITY),
        ({"data_protection_officer": ""}, Said.OFFICER),
        ({"n_check_tries": 0}, Said.CHECK),
        ({"erases_withdrawn": False}, Said.ERASURE),
        ({"second_look_above": None}, Said.SECOND_LOOK),
    ],
)
def test_sentences_that_do_not_apply_are_left_out(absent, about):
    assert set(said(facts_of())) - set(said(facts_of(**absent))) == {about}


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != "en"])
@pytest.mark.parametrize("disclosure", [PLAIN_LINK, MAILED_LINK, PROLIFIC, MTURK])
def test_every_sentence_is_translated(language, disclosure):
    for publishes in (True, False):
        facts = facts_of(disclosure, publishes_words=publishes, erases_withdrawn=publishes)
        with translation.override(language):
            translated = write_sentences(facts)
        english = said(facts)
        assert [about for about in english if english[about] == translated[about]] == []


# Stored notices


@pytest.mark.django_db
def test_find_disclosure_by_invitation():
    study = make_study()
    (plain,) = invite_annotators(study, 1)
    invite_listed(study, ["ana@example.org"])
    noted = Invitation.objects.exclude(note="").get()
    prolific = open_entrance(study, "prolific", **CODES)
    arrived = Invitation.objects.get(annotator=arrive(prolific).annotator)
    (labelled,) = invite_listed(study, ["anna b"]).new
    dropped = Invitation.objects.create(study=study, note_digest="d")

    ways = [find_disclosure(one) for one in (plain, noted, labelled, arrived, dropped)]

    assert ways == [PLAIN_LINK, MAILED_LINK, NOTED_LINK, PROLIFIC, NOTED_LINK]


@pytest.mark.django_db
def test_a_dropped_address_was_written_to():
    study = make_study()
    dropped = Invitation.objects.create(study=study, note_digest="d")
    text = current_text(study, TextKind.INVITATION)
    dropped.mails.create(study=study, text=text, kind=text.kind, address_digest="d")

    assert find_disclosure(dropped) == MAILED_LINK


@CROWD
def test_all_mturk_targets_share_their_disclosure():
    targets = ("simulator", "sandbox", "production")
    assert len({rules_of(provider).disclosure for provider in targets}) == 1


@pytest.mark.django_db
def test_equal_notices_are_stored_once():
    study = configure_study(make_study(), organisation="University of Examples")
    first, second, later = invite_annotators(study, 3)
    notice = start_assignment(first).annotator.notice
    assert start_assignment(second).annotator.notice == notice

    configure_study(study, ethics="Board, no. 7")
    changed = start_assignment(later).annotator.notice

    assert ConsentNotice.objects.count() == 2
    assert list_changes(notice, changed) == ["Ethics approval: \u2068Board, no. 7\u2069"]
    assert notice.sections["who"] == ["This study is run by \u2068University of Examples\u2069."]


@pytest.mark.django_db
def test_an_annotator_keeps_the_agreed_retention():
    study = set_retention(make_study(), 30)
    annotator = arrive(open_entrance(study, "prolific", **CODES)).annotator

    for days, holds in ((None, 30), (90, 30), (7, 7)):
        set_retention(study, days)
        annotator = Annotator.objects.get(pk=annotator.pk)
        assert Facts.for_annotator(annotator).retention_days == holds


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "spoken"), [("ar", "ar"), ("pt-BR", "en")])
def test_a_notice_is_in_the_language_of_the_pages(language, spoken):
    study = make_study(language=language)

    notice = make_notice(Facts.of(study, PLAIN_LINK))

    with translation.override(spoken):
        assert notice.sections["rights"][0] == write_sentences(facts_of())[Said.WITHDRAWAL]
    assert notice.language == spoken


@pytest.mark.django_db
def test_viewing_stores_no_notice(client):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)

    client.get(f"/invitation/{invitation.token}/")

    assert not ConsentNotice.objects.exists()
    assert Study.objects.get() == study
