"""Access to the data of one person: search, identity, and export as JSON."""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q

from surveys.access.audit_log import record
from surveys.access.redaction import digest_in_study, mask_details
from surveys.features import load_objects
from surveys.models import (
    Adjudication,
    Annotator,
    Assignment,
    AuditEntry,
    Invitation,
    MailDelivery,
    Provider,
    Release,
    Review,
    Run,
    SecondAnswer,
    Study,
    Verdict,
    Visit,
)
from surveys.privacy.erasure import find_holding
from surveys.recruitment.links import NOTE, personal_link
from surveys.results.export import RESPONSE_FIELDS, find_responses

MAX_RESULTS = 50
SHORT_CODE = 4  # a code of at most so many characters is not searched as a prefix


class Found(NamedTuple):
    """Annotators and unused links that a search has found."""

    annotators: list[Annotator]
    invitations: list[Invitation]


class Identity(NamedTuple):
    """The identity of an annotator: provider id and note, which may have been dropped."""

    provider: str
    worker_id: str
    is_id_dropped: bool
    invitation: Invitation | None


def find_people(study: Study, text: str) -> Found:
    """Find annotators and unused links by code, provider id, link, or a part of the note.

    Dropped ids and notes are found if they are given in full.
    """
    text = text.strip()
    if not text:
        return Found([], [])
    annotators = Annotator.objects.filter(study=study).select_related("invitation")
    pks: set[int] = set()
    for condition in _search_filters(study, text):
        pks.update(annotators.filter(condition).values_list("pk", flat=True)[:MAX_RESULTS])
    unused = Invitation.objects.filter(_noted(study, text), study=study, annotator=None)
    return Found(
        list(annotators.filter(pk__in=pks).order_by("pk")[:MAX_RESULTS]),
        list(unused.filter(is_rehearsal=False).order_by("pk")[:MAX_RESULTS]),
    )


def find_identity(annotator: Annotator) -> Identity:
    """Return the identity of an annotator, for a page that only owners see."""
    worker = annotator.worker
    invitation = Invitation.objects.filter(annotator=annotator).first()
    if worker is None:
        return Identity("", "", is_id_dropped=False, invitation=invitation)
    worker_id = "" if worker.is_digest else worker.worker_id
    label = Provider(worker.provider).label
    return Identity(label, worker_id, is_id_dropped=worker.is_digest, invitation=invitation)


def list_holding(annotator: Annotator) -> tuple[list[Release], list[Run]]:
    """Return the releases and the runs of recipes with an annotator's ratings, oldest first."""
    releases = find_holding(annotator, Release.objects.without_report())
    runs = find_holding(annotator, Run.objects.results().done().without_report())
    return list(releases.select_related("run").order_by("pk")), list(runs.order_by("pk"))


@transaction.atomic
def export_annotator_data(annotator: Annotator) -> str:
    """Return everything that is stored about one annotator as JSON, and log the export.

    It names no other person, such as reviewers of their answers.
    """
    record("annotator.exported", annotator.study, f"annotator {annotator.code}")
    return json.dumps(_collect(annotator), default=_serialise, ensure_ascii=False, indent=2) + "\n"


def _collect(annotator: Annotator) -> dict[str, Any]:
    study = annotator.study
    releases, runs = list_holding(annotator)
    return {
        "study": {"title": study.public_title, "contact": study.contact},
        "annotator": _describe_annotator(annotator),
        "known_as": _describe_identity(annotator),
        **_collect_from_apps(annotator),
        "consent": _describe_consent(annotator),
        "assignments": _list_assignments(annotator),
        "second_looks": _list_second_looks(annotator),
        "verdicts": _list_verdicts(annotator),
        "decisions": _list_decisions(annotator),
        "evidence": _list_evidence(annotator),
        "releases_with_their_ratings": [
            {"release": release.number, "made_at": release.created_at} for release in releases
        ],
        "runs_with_their_ratings": [
            {"run": run.number, "finished_at": run.finished_at} for run in runs
        ],
        "log": _list_log_entries(annotator),
    }


def _collect_from_apps(annotator: Annotator) -> dict[str, Any]:
    parts = [export(annotator) for export in load_objects("export_person")]
    return {name: rows for part in parts for name, rows in part.items()}


def _search_filters(study: Study, text: str) -> Iterator[Q]:
    token = urlsplit(text).path.rstrip("/").rpartition("/")[2]
    yield Q(code__startswith=text.lower()) if len(text) > SHORT_CODE else Q(code=text.lower())
    yield Q(worker__worker_id=text, worker__is_digest=False)
    dropped = [digest_in_study(study.pk, provider, text) for provider in Provider.values]
    yield Q(worker__worker_id__in=dropped, worker__is_digest=True)
    yield Q(invitation__token=token) | Q(assignments__token=token)
    yield _noted(study, text, "invitation__")


def _noted(study: Study, text: str, of: str = "") -> Q:
    digest = digest_in_study(study.pk, NOTE, text)
    return Q(**{f"{of}note__icontains": text}) | Q(**{f"{of}note_digest": digest})


def _describe_annotator(annotator: Annotator) -> dict[str, Any]:
    names = (
        "code", "created_at", "instructed_at", "practised_at", "variant", "n_check_tries",
        "checked_at", "paid_at", "withdrawn_at", "erased_at",
    )  # fmt: skip
    return {name: getattr(annotator, name) for name in names}


def _describe_identity(annotator: Annotator) -> dict[str, Any]:
    identity = find_identity(annotator)
    visits = Visit.objects.filter(assignment__annotator=annotator).order_by("pk")
    fields = (
        "provider_study", "submission", "completion_code", "arrived_at", "deadline_at",
        "returned_at", "provider_state", "accepted_at", "handed_in_at", "decided_at", "standing",
        "has_wrong_code", "held_because",
    )  # fmt: skip
    invitation = identity.invitation
    mails = MailDelivery.objects.filter(invitation__annotator=annotator).order_by("pk")
    return {
        "provider": identity.provider,
        "provider_id": identity.worker_id,
        "is_id_dropped": identity.is_id_dropped,
        "visits": list(visits.values(*fields)),
        "link": personal_link(invitation.token) if invitation else "",
        "note": invitation.note if invitation else "",
        "is_note_dropped": bool(invitation and invitation.note_digest),
        "invited_at": invitation.created_at if invitation else None,
        "mails": list(mails.values("kind", "created_at", "sent_at")),
        "no_mail_since": invitation.no_mail_since if invitation else None,
        "revoked_at": invitation.revoked_at if invitation else None,
        "revoked_because": invitation.revoked_because if invitation else "",
    }


def _describe_consent(annotator: Annotator) -> dict[str, Any]:
    text = annotator.consent
    return {
        "agreed_at": annotator.created_at,
        "version": text.version if text else None,
        "text": text.body if text else "",
        "withdrawing_erases_answers": annotator.erases_withdrawn,
        "words_are_published": annotator.publishes_words,
    }


def _list_assignments(annotator: Annotator) -> list[dict[str, Any]]:
    answers: dict[int, list[dict[str, Any]]] = {}
    responses = find_responses(annotator.study, annotator=annotator.code).order_by("position")
    fields = ("assignment_id", "context__text", *RESPONSE_FIELDS.values())
    for assignment_id, text, *row in responses.values_list(*fields):
        answer = {"text": text, **dict(zip(RESPONSE_FIELDS, row, strict=True))}
        answers.setdefault(assignment_id, []).append(answer)
    assignments = Assignment.objects.filter(annotator=annotator).order_by("pk")
    names = (
        "state", "n_items", "is_over_quota", "ended_because", "offered_at", "started_at",
        "active_at", "submitted_at",
    )  # fmt: skip
    return [
        {
            "questionnaire": str(assignment.questionnaire),
            **{name: getattr(assignment, name) for name in names},
            "answers": answers.get(assignment.pk, []),
        }
        for assignment in assignments.select_related("questionnaire__block__study")
    ]


def _list_second_looks(annotator: Annotator) -> list[dict[str, Any]]:
    names = ("shown_at", "answered_at", "rating", "is_unjudgeable", "comment")
    looks = SecondAnswer.objects.filter(response__annotator=annotator).with_items()
    rows = looks.values("response__position", "response__rating", *names)
    before = {"response__position": "position", "response__rating": "rating_before"}
    return [{before.get(name, name): entry for name, entry in row.items()} for row in rows]


def _list_decisions(annotator: Annotator) -> list[dict[str, Any]]:
    """Return the decisions on items without a majority that took an annotator's answer."""
    taken = Adjudication.objects.filter(response__annotator=annotator)
    rows = taken.values_list("response__position", "reason", "at", "is_standing")
    names = ("position", "reason", "at", "is_standing")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _list_verdicts(annotator: Annotator) -> list[dict[str, Any]]:
    verdicts = Verdict.objects.filter(review__assignment__annotator=annotator).order_by("pk")
    fields = ("kind", "reason", "at", "undone_at")
    return [
        {"position": position, **dict(zip(fields, row, strict=True))}
        for position, *row in verdicts.values_list("review__response__position", *fields)
    ]


def _list_evidence(annotator: Annotator) -> list[dict[str, Any]]:
    reviews = Review.objects.filter(assignment__annotator=annotator).exclude(evidence=[])
    rows = reviews.order_by("pk").values_list("response__position", "evidence")
    return [{"position": position, "noticed": evidence} for position, evidence in rows]


def _list_log_entries(annotator: Annotator) -> list[dict[str, Any]]:
    about = Q(subject__contains=annotator.code)
    if invitation := Invitation.objects.filter(annotator=annotator).first():
        about |= Q(subject=str(invitation))
    return [
        {"at": entry.at, "what": entry.action, "details": mask_details(entry.details)}
        for entry in AuditEntry.objects.filter(about, study=annotator.study_id).order_by("pk")
    ]


def _serialise(value: object) -> object:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    return float(value) if isinstance(value, Decimal) else str(value)
