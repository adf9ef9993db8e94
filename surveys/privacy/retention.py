"""Retention of personal data: dropped some days after payment.

Provider ids of annotators, ids of their submissions and notes of personal links are replaced by
keyed digests, different in each study, so that an annotator cannot take part twice.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import digest_in_study, mask_text
from surveys.errors import ErasureRefused
from surveys.features import load_objects
from surveys.models import Annotator, Assignment, Invitation, Study, Visit, Worker
from surveys.participation.arrival_limits import forget_arrivals
from surveys.participation.arrivals import SUBMISSION
from surveys.participation.assignments import lock_places
from surveys.privacy.journal import Deed, digest_of, note
from surveys.recruitment.links import NOTE
from surveys.study.blocks.quota import in_chunks

MAX_DAYS = 3650
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
BATCH_SIZE = 500  # rows updated in one statement
SCRIPTED = Q(Exists(Invitation.objects.filter(annotator=OuterRef("pk"), is_rehearsal=True)))


@dataclass(frozen=True)
class Kept:
    """How much personal data a study holds, and how much is due to be dropped.

    People are annotators with an id or a note; links, those with a note that nobody has used.
    `n_payable`, `n_unpaid` and `n_scripted` count annotators who have finished an assignment:
    people, those of them not marked as paid since, and scripted annotators, who are not paid.
    """

    n_people: int
    n_links: int
    n_people_due: int
    n_links_due: int
    n_payable: int
    n_unpaid: int
    n_scripted: int

    @property
    def n_paid(self) -> int:
        """Return the number of payable annotators who are marked as paid."""
        return self.n_payable - self.n_unpaid


@dataclass(frozen=True)
class Due:
    """Ids of the annotators, unused links and strangers whose personal data is due to be dropped.

    Strangers are workers whose submission a provider reported but who never came to the site.
    """

    people: list[int]
    links: list[int]
    strangers: list[int]


@transaction.atomic
def set_retention(study: Study, days: int | None) -> Study:
    """Set the days after payment until personal data is dropped; None means never.

    A higher number applies only to annotators who come later: others keep what they agreed to.
    Raises ErasureRefused for a number out of range.
    """
    if days is not None and not 0 <= days <= MAX_DAYS:
        raise ErasureRefused(f"Give from 0 to {MAX_DAYS} days, or none at all.")
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.retention_days == days:
        return study
    change = " → ".join("never" if n is None else f"{n} days" for n in (study.retention_days, days))
    study.retention_days = days
    study.save(update_fields=["retention_days"])
    record("retention.set", study, "", dropped=change)
    return study


@transaction.atomic
def settle_study(study: Study, *, is_settled: bool) -> Study:
    """Record that a study is over and all annotators are paid, or undo the record; idempotent.

    Raises ErasureRefused while an annotator is not marked as paid.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if (study.settled_at is not None) == is_settled:
        return study
    if is_settled and (n_unpaid := find_unpaid(study).count()):
        raise ErasureRefused(
            f"Finished annotators not marked as paid: {n_unpaid}. Mark them as paid first, even if "
            "nothing is owed to them; then settle the study."
        )
    study.settled_at = timezone.now() if is_settled else None
    study.save(update_fields=["settled_at"])
    record("study.settled" if is_settled else "study.unsettled", study)
    return study


@transaction.atomic
def mark_paid(study: Study, annotator: Annotator | None = None) -> int:
    """Mark an annotator as paid, or all with finished work since their last payment.

    Return the number of annotators marked.
    """
    unpaid = find_unpaid(study)
    paid = Annotator.objects.filter(pk=annotator.pk) if annotator else unpaid
    n_paid = paid.update(paid_at=timezone.now())
    if n_paid:
        subject = f"annotator {annotator.code}" if annotator else ""
        record("annotators.paid", study, subject, annotators=n_paid)
    return n_paid


@transaction.atomic
def undo_payment(annotator: Annotator) -> None:
    """Mark an annotator as not paid."""
    paid = Annotator.objects.filter(pk=annotator.pk, paid_at__isnull=False)
    if paid.update(paid_at=None):
        record("annotators.unpaid", annotator.study, f"annotator {annotator.code}")


def find_payable(study: Study) -> QuerySet[Annotator]:
    """Return the people who have finished an assignment, also if they withdrew later."""
    return _find_finished(study).exclude(SCRIPTED)


def find_unpaid(study: Study) -> QuerySet[Annotator]:
    """Return the people who have finished an assignment since they were last marked as paid."""
    return find_payable(study).filter(Exists(_unpaid_work()))


def _find_finished(study: Study) -> QuerySet[Annotator]:
    finished = Assignment.objects.filter(annotator=OuterRef("pk"), submitted_at__isnull=False)
    return Annotator.objects.filter(Exists(finished), study=study)


def _unpaid_work() -> QuerySet[Assignment]:
    """Return a subquery: assignments that an annotator finished since they were last paid."""
    paid = Coalesce(OuterRef("paid_at"), Value(LONG_AGO))
    return Assignment.objects.filter(annotator=OuterRef("pk"), submitted_at__gt=paid)


def count_kept(study: Study) -> Kept:
    """Count the personal data of a study; a constant number of queries."""
    due, finished = find_due(study), _count_finished(study)
    return Kept(
        n_people=_find_known(study).count(),
        n_links=_find_noted(study).count(),
        n_people_due=len(due.people),
        n_links_due=len(due.links),
        n_payable=finished[False, False] + finished[False, True],
        n_unpaid=finished[False, True],
        n_scripted=finished[True, False] + finished[True, True],
    )


def _count_finished(study: Study) -> Counter[tuple[bool, bool]]:
    """Count annotators who finished an assignment by (is scripted, is unpaid), in one query."""
    flags = {"is_scripted": SCRIPTED, "is_unpaid": Exists(_unpaid_work())}
    rows = _find_finished(study).order_by().annotate(**flags).values_list(*flags)
    return Counter({(scripted, unpaid): n for scripted, unpaid, n in rows.annotate(n=Count("pk"))})


def find_due(study: Study) -> Due:
    """Return the annotators, links and strangers whose personal data is due to be dropped.

    The days count from an annotator's payment, if they have finished nothing since, or from the
    day on which the study was settled, if they came and finished before. The number of days is
    that of the study, or that which the annotator agreed to if it is lower. Annotators in the
    middle of an assignment or waiting for pay are never due.
    """
    now = timezone.now()
    annotators = _find_known(study)
    promised = annotators.order_by().values_list("retention_days", flat=True).distinct()
    is_due = Q(pk__in=[])
    for days in promised:
        limits = [n for n in (days, study.retention_days) if n is not None]
        if limits:
            is_due |= Q(_is_past(study, now - timedelta(days=min(limits))), retention_days=days)
    links, strangers = _find_noted(study).none(), _find_strangers(study).none()
    cutoff = None if study.retention_days is None else now - timedelta(days=study.retention_days)
    if cutoff and study.settled_at and study.settled_at <= cutoff:
        links = _find_noted(study).filter(created_at__lte=study.settled_at)
        strangers = _find_strangers(study)
    assignments = Assignment.objects.filter(annotator=OuterRef("pk"))
    lapsed = Assignment.objects.lapsed(study, now)
    under_way = assignments.leased().exclude(pk__in=lapsed.values("pk"))
    people = annotators.filter(is_due, ~Exists(under_way))
    return Due(_ids(people), _ids(links), _ids(strangers))


def _is_past(study: Study, cutoff: datetime) -> Q:
    """Return a filter of annotators paid, or in a study settled, at an instant or before."""
    assignments = Assignment.objects.filter(annotator=OuterRef("pk"))
    after_payment = assignments.filter(submitted_at__gt=OuterRef("paid_at"))
    is_past = Q(~Exists(after_payment), paid_at__lte=cutoff)
    if study.settled_at and study.settled_at <= cutoff:
        later = assignments.filter(submitted_at__gt=study.settled_at)
        is_owed = Exists(_unpaid_work()) & ~SCRIPTED
        is_past |= Q(~Exists(later), ~is_owed, created_at__lte=study.settled_at)
    return is_past


@transaction.atomic
def drop_due(study: Study) -> Due:
    """Drop the personal data that is due and return the people concerned; idempotent."""
    study = lock_places(study.pk)  # so that no annotator comes meanwhile
    forget_arrivals(study)
    due = find_due(study)
    for people in in_chunks(due.people):
        forget_people(study, people)
    for links in in_chunks(due.links):
        forget_invitations(study, links)
    for strangers in in_chunks(due.strangers):
        _forget_workers(study, Worker.objects.in_bulk(strangers))
    if due.people or due.links or due.strangers:
        others: dict[str, Any] = {"strangers": len(due.strangers)} if due.strangers else {}
        record(
            "personal_data.dropped", study, "", annotators=len(due.people), links=len(due.links),
            days=study.retention_days, **others,
        )  # fmt: skip
    return due


def forget_people(study: Study, annotators: Collection[int]) -> None:
    """Replace ids and notes of annotators by digests, in a locked study."""
    codes = Annotator.objects.filter(pk__in=annotators).values_list("code", flat=True)
    note(Deed.FORGOTTEN, list(codes))
    forget_invitations(study, _ids(Invitation.objects.filter(annotator__in=annotators)))
    workers = Worker.objects.filter(annotators__in=annotators, is_digest=False).distinct()
    _forget_workers(study, {worker.pk: worker for worker in workers})


def _forget_workers(study: Study, workers: dict[int, Worker]) -> None:
    """Replace the ids of workers in a study, and of their submissions, by digests."""
    digests = {pk: _as_digest(study, worker) for pk, worker in workers.items()}
    Worker.objects.bulk_create(digests.values())
    annotators = list(Annotator.objects.filter(study=study, worker__in=workers))
    for annotator in annotators:
        annotator.worker = digests[annotator.worker_id or 0]
    Annotator.objects.bulk_update(annotators, ["worker"], BATCH_SIZE)
    for forget in load_objects("forget_workers"):
        forget(study, digests)
    visits = list(Visit.objects.filter(entrance__study=study, worker__in=workers))
    for visit in visits:
        visit.worker = digests[visit.worker_id]
        visit.submission = digest_in_study(study.pk, SUBMISSION, visit.submission)
    Visit.objects.bulk_update(visits, ["worker", "submission"], BATCH_SIZE)
    unnamed: dict[str, Any] = {relation.name: None for relation in Worker._meta.related_objects}
    unused = Worker.objects.filter(pk__in=workers, **unnamed)
    unused.delete()  # other studies may still have the others


def forget_invitations(study: Study, invitations: Iterable[int]) -> int:
    """Replace the notes of links by digests and return the number of notes."""
    noted = list(Invitation.objects.filter(pk__in=invitations).exclude(note=""))
    for invitation in noted:
        invitation.note_digest = digest_in_study(study.pk, NOTE, invitation.note)
        invitation.note = ""
        invitation.revoked_because = mask_text(invitation.revoked_because)
    unused = [digest_of(link.token) for link in noted if link.annotator_id is None]
    note(Deed.LINK, unused)
    fields = ["note", "note_digest", "revoked_because"]
    return Invitation.objects.bulk_update(noted, fields, BATCH_SIZE)


def _find_known(study: Study) -> QuerySet[Annotator]:
    """Return the annotators with an id or a note."""
    is_known = Q(worker__is_digest=False) | Q(
        Exists(Invitation.objects.filter(annotator=OuterRef("pk")).exclude(note=""))
    )
    return Annotator.objects.filter(is_known, study=study)


def _find_noted(study: Study) -> QuerySet[Invitation]:
    """Return the unused links with a note."""
    return Invitation.objects.filter(study=study, annotator=None).exclude(note="")


def _find_strangers(study: Study) -> QuerySet[Worker]:
    """Return the workers known to the study only by a visit that the provider reported."""
    annotators = Annotator.objects.filter(study=study, worker=OuterRef("pk"))
    visits = Visit.objects.filter(entrance__study=study, worker=OuterRef("pk"))
    return Worker.objects.filter(Exists(visits), ~Exists(annotators), is_digest=False)


def _as_digest(study: Study, worker: Worker) -> Worker:
    digest = digest_in_study(study.pk, worker.provider, worker.worker_id)
    return Worker(provider=worker.provider, worker_id=digest, is_digest=True)


def _ids(rows: QuerySet[Any]) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True))
