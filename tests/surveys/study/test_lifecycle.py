"""Drafts, which admit no annotators, and their opening, which fixes stimuli and scale."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.access.audit_log import acting
from surveys.errors import OpeningRefused, SettingRefused, StudyNotOpen, StudyOpen, TextChanged
from surveys.models import (
    Annotator,
    AuditEntry,
    Block,
    Context,
    Item,
    Pair,
    Place,
    Study,
    StudyText,
    TextKind,
)
from surveys.models.participation import make_token
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.design import configure_study
from surveys.study.lifecycle import list_missing, open_study, review_consent
from surveys.study.texts import set_text
from tests.factories.studies import draft_study, make_study, numbered_stimuli, open_draft, stored

pytestmark = pytest.mark.django_db

NOT_OPEN = {
    "en": "This study is not open yet",
    "hr": "Ovo istraživanje još nije otvoreno",
    "fa": "این پژوهش هنوز باز نشده است",
}


def make(owner, n_pairs=2, **design):
    wanted = {"slug": "draft", "language": "en", "ratings_per_context": 2, **design}
    return draft_study(numbered_stimuli(n_pairs), Study(**wanted), owner)


def links(study):
    (invitation,) = invite_annotators(study, 1)
    entrance = open_entrance(study, "link").token
    prolific = open_entrance(study, "prolific", completion_code="DONE").token
    return [
        reverse("annotate:welcome", args=[invitation.token]),
        reverse("annotate:arrive", args=[entrance]),
        reverse("annotate:join", args=[entrance, make_token()]),
        reverse("annotate:arrive", args=[prolific]) + "?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c",
    ]


@pytest.mark.parametrize("language", NOT_OPEN)
def test_a_draft_refuses_annotators_in_its_language(client, ana, language):
    study = make(ana, language=language)

    for link in links(study):
        for answer in (client.get(link, follow=True), client.post(link.split("?")[0], follow=True)):
            assert answer.status_code in (409, 400), link
        assert NOT_OPEN[language] in client.get(link, follow=True).content.decode()
    assert not Annotator.objects.exists()


def test_start_assignment_refuses_a_draft(ana):
    (invitation,) = invite_annotators(make(ana), 1)

    with pytest.raises(StudyNotOpen):
        start_assignment(invitation)


@pytest.mark.every_database
def test_open_study_admits_annotators_and_is_recorded_once(client, ana):
    study = make(ana)
    opened = open_draft(study)

    assert stored(open_study(study), "opened_at") == (opened.opened_at,)
    for link in links(study):
        assert client.get(link, follow=True).status_code == 200
    (entry,) = AuditEntry.objects.filter(action="study.opened")
    assert entry.details["n_pairs"] == 2
    assert entry.details["stimuli"] == study.stimuli_sha256


def test_open_study_refuses_one_without_stimuli(ana):
    study = make(ana, n_pairs=1)
    Item.objects.all().delete()
    Context.objects.all().delete()
    Pair.objects.all().delete()

    with pytest.raises(OpeningRefused, match="no stimuli"):
        open_study(study)
    assert stored(study, "opened_at") == (None,)


MISSING = {
    "organisation": "Give the organisation",
    "contact": "Give a contact",
    "review": "Version 1 of the consent text has not been reviewed",
}


@pytest.mark.parametrize("absent", MISSING)
def test_open_study_refuses_without_organisation_contact_or_review(ana, absent):
    study = make(ana)
    given = {"organisation": "University of Examples", "contact": "lab@example.org"}
    configure_study(study, **{name: text for name, text in given.items() if name != absent})
    if absent != "review":
        review_consent(study, 1)

    with pytest.raises(OpeningRefused, match=MISSING[absent]) as refused:
        open_study(study)

    assert len(str(refused.value).splitlines()) == 1
    assert stored(study, "opened_at") == (None,)


def test_open_study_reports_everything_missing_at_once(ana):
    assert list_missing(make(ana)) == [
        said for said in list_missing(make(ana)) if said.startswith(tuple(MISSING.values()))
    ]
    assert len(list_missing(make(ana))) == len(MISSING)


@pytest.mark.every_database
def test_review_consent_stores_reviewer_and_instant_once(ana):
    study = make(ana)
    with acting(ana):
        first = review_consent(study, 1)
    again = review_consent(study, 1, reviewer="another reviewer")

    assert (first.reviewed_by, first.reviewed_at) == ("ana", again.reviewed_at)
    assert again.reviewed_by == "ana"
    entry = AuditEntry.objects.get(action="consent.reviewed")
    assert (entry.actor, entry.details) == ("ana", {"version": 1, "reviewer": "ana"})


def test_a_changed_consent_text_needs_another_review(ana):
    study = make(ana)
    configure_study(study, organisation="University of Examples", contact="lab@example.org")
    review_consent(study, 1)
    set_text(study, TextKind.CONSENT, "Our own.")

    with pytest.raises(OpeningRefused, match="Version 2 of the consent text"):
        open_study(study)
    with pytest.raises(TextChanged, match="version 2 is current"):
        review_consent(study, 1)
    review_consent(study, 2)

    assert not open_study(study).is_draft


def test_another_language_needs_another_review(ana):
    study = make(ana, language="pt")
    configure_study(study, organisation="University of Examples", contact="lab@example.org")
    review_consent(study, 1)

    study = configure_study(study, language="fa")

    with pytest.raises(OpeningRefused, match="Version 2 of the consent text"):
        open_study(study)


@pytest.mark.parametrize("name", ["organisation", "contact"])
def test_an_open_study_keeps_its_organisation(ana, name):
    study = open_draft(make(ana))

    with pytest.raises(SettingRefused, match=f"its {name} can change, and cannot be taken away"):
        configure_study(study, **{name: " "})
    configure_study(study, **{name: "Another"})

    assert stored(study, name) == ("Another",)


def test_the_open_study_command_requires_a_reviewer(ana):
    study = make(ana)
    given = ["--organisation", "University of Examples", "--contact", "lab@example.org"]

    with pytest.raises(CommandError, match="has not been reviewed"):
        call_command("open_study", "draft", *given)
    assert stored(study, "organisation", "opened_at") == ("", None)
    call_command("open_study", "draft", *given, "--consent-reviewed-by", "Ana Horvat")
    call_command("open_study", "draft")

    assert not Study.objects.get().is_draft
    assert StudyText.objects.get(kind="consent").reviewed_by == "Ana Horvat"


@pytest.mark.every_database
def test_a_drafts_design_may_change(ana):
    study = make(ana, n_pairs=4)

    configure_study(
        study, block_size=2, scale_maximum=4, language="sl", ratings_per_context=3,
        question_forms="text",
    )  # fmt: skip

    assert stored(study, "language", "scale_maximum", "question_forms") == ("sl", 4, "text")
    assert Block.objects.filter(study=study).count() == 2
    assert Place.objects.filter(study=study, is_open=True).count() == 12
    entry = AuditEntry.objects.get(action="study.configured")
    assert entry.details["block_size"] == "20 → 2"


@pytest.mark.parametrize(
    "change",
    [
        {"language": "sl"},
        {"block_size": 1},
        {"seed": 7},
        {"scale_maximum": 4},
        {"question_forms": "text"},
    ],
)
def test_the_design_of_an_open_study_cannot_change(change):
    study = make_study()
    before = Study.objects.values().get()

    with pytest.raises(StudyOpen, match="make a new study"):
        configure_study(study, title="Other", **change)

    assert Study.objects.values().get() == before
    configure_study(study, **{name: getattr(study, name) for name in change})
