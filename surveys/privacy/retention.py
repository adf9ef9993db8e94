"""How long it is known who somebody is: paid, dropped after a time, recognised all the same.

Dropped are the ids by which a provider knows people and their submissions, and the notes of
personal links. Keyed digests take their place, of one study, so that nobody takes part twice.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import digest_in_study, mask_text
from surveys.errors import ErasureRefused
from surveys.models import (
    Annotator,
    Assignment,
    Grant,
    Invitation,
    Payment,
    Study,
    Visit,
    Worker,
)
from surveys.participation.arrival_limits import forget_arrivals
from surveys.participation.arrivals import SUBMISSION
from surveys.participation.assignments import lock_places
from surveys.recruitment.links import NOTE
from surveys.study.layout.quota import in_chunks

MOST_DAYS = 3650
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
ROWS_AT_ONCE = 500  # in one statement that changes them
SCRIPTED = Q(Exists(Invitation.objects.filter(annotator=OuterRef("pk"), is_rehearsal=True)))


@dataclass(frozen=True)
class Kept:
    """How much personal data a study holds, and how much of it is due to be dropped.

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
    """Whose personal data is to be dropped: ids of annotators, of unused links, and of strangers.

    Strangers are workers of whom a provider says that they handed in, and who never came.
    """

    people: list[int]
    links: list[int]
    strangers: list[int] = field(default_factory=list)


@transaction.atomic
def set_retention(study: Study, days: int | None) -> Study:
    """Have personal data dropped so many days after payment; never for None.

    More days, or none, hold for those who come from now on: annotators keep what they agreed to.
    Raises ErasureRefused for an impossible number.
    """
    if days is not None and not 0 <= days <= MOST_DAYS:
        raise ErasureRefused(f"Give from 0 to {MOST_DAYS} days, or none at all.")
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.retention_days == days:
        return study
    told = " → ".join("never" if n is None else f"{n} days" for n in (study.retention_days, days))
    study.retention_days = days
    study.save(update_fields=["retention_days"])
    record("retention.set", study, "", dropped=told)
    return study


@transaction.atomic
def settle_study(study: Study, *, is_settled: bool) -> Study:
    """Note that a study is over and everybody paid, or that it is not; twice changes nothing.

    Raises ErasureRefused while an annotator is not marked as paid.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if (study.settled_at is not None) == is_settled:
        return study
    if is_settled and (n_unpaid := find_unpaid(study).count()):
        raise ErasureRefused(
            f"Annotators who have finished and are not marked as paid: {n_unpaid}. Mark them as "
            "paid first, also where nothing is owed to them; then settle the study."
        )
    study.settled_at = timezone.now() if is_settled else None
    study.save(update_fields=["settled_at"])
    record("study.settled" if is_settled else "study.unsettled", study)
    return study


@transaction.atomic
def mark_paid(study: Study, annotator: Annotator | None = None) -> int:
    """Note that an annotator was paid, or all who have finished something since they last were.

    How many that are now.
    """
    unpaid = find_unpaid(study)
    paid = Annotator.objects.filter(pk=annotator.pk) if annotator else unpaid
    n_paid = paid.update(paid_at=timezone.now())
    if n_paid:
        subject = f"annotator {annotator.code}" if annotator else ""
        record("annotators.paid", study, subject, annotators=n_paid)
    return n_paid


@transaction.atomic
def take_back_payment(annotator: Annotator) -> None:
    """Note that an annotator was not paid after all."""
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
    """What a study holds and what is due; a constant number of queries."""
    due = find_due(study)
    return Kept(
        n_people=_find_known(study).count(),
        n_links=_find_noted(study).count(),
        n_people_due=len(due.people),
        n_links_due=len(due.links),
        n_payable=find_payable(study).count(),
        n_unpaid=find_unpaid(study).count(),
        n_scripted=_find_finished(study).filter(SCRIPTED).count(),
    )


def find_due(study: Study) -> Due:
    """Whose personal data the study has kept for as long as it wants to, or as it has promised.

    The days count from when somebody was paid, if they have done nothing since, or from when the
    study was settled, if they came and finished before. They are those of the study, or those
    that an annotator agreed to where these are fewer. Annotators in the middle of an assignment
    are never due, and neither are people who wait for their pay.
    """
    now = timezone.now()
    known = _find_known(study)
    promised = known.order_by().values_list("retention_days", flat=True).distinct()
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
    theirs = Assignment.objects.filter(annotator=OuterRef("pk"))
    lapsed = Assignment.objects.lapsed(study, now)
    under_way = theirs.leased().exclude(pk__in=lapsed.values("pk"))
    people = known.filter(is_due, ~Exists(under_way))
    return Due(
        list(people.order_by("pk").values_list("pk", flat=True)),
        list(links.order_by("pk").values_list("pk", flat=True)),
        list(strangers.order_by("pk").values_list("pk", flat=True)),
    )


def _is_past(study: Study, cutoff: datetime) -> Q:
    """The annotators who were paid, or whose study was settled, at an instant or before it."""
    theirs = Assignment.objects.filter(annotator=OuterRef("pk"))
    after_payment = theirs.filter(submitted_at__gt=OuterRef("paid_at"))
    is_past = Q(~Exists(after_payment), paid_at__lte=cutoff)
    if study.settled_at and study.settled_at <= cutoff:
        later = theirs.filter(submitted_at__gt=study.settled_at)
        is_owed = Exists(_unpaid_work()) & ~SCRIPTED
        is_past |= Q(~Exists(later), ~is_owed, created_at__lte=study.settled_at)
    return is_past


@transaction.atomic
def drop_due(study: Study) -> Due:
    """Drop the personal data that is due; whose it was. Again, there is nothing left to drop."""
    study = lock_places(study.pk)  # nobody comes meanwhile
    forget_arrivals(study)
    due = find_due(study)
    for people in in_chunks(due.people):
        forget_people(study, people)
    for links in in_chunks(due.links):
        forget_invitations(study, links)
    for strangers in in_chunks(due.strangers):
        _forget_workers(study, Worker.objects.in_bulk(strangers))
    if due.people or due.links or due.strangers:
        others = {"strangers": len(due.strangers)} if due.strangers else {}
        record(
            "personal_data.dropped", study, "", annotators=len(due.people), links=len(due.links),
            days=study.retention_days, **others,
        )  # fmt: skip
    return due


def forget_people(study: Study, annotators: Collection[int]) -> None:
    """Put digests in the place of annotators' ids and notes, while the study is locked."""
    forget_invitations(study, _ids(Invitation.objects.filter(annotator__in=annotators)))
    known = list(
        Annotator.objects.filter(pk__in=annotators, worker__is_digest=False).select_related(
            "worker"
        )
    )
    _forget_workers(study, {one.worker.pk: one.worker for one in known if one.worker})


def _forget_workers(study: Study, workers: dict[int, Worker]) -> None:
    """Put digests in the place of workers in a study, and of their submissions."""
    digests = {pk: _as_digest(study, worker) for pk, worker in workers.items()}
    Worker.objects.bulk_create(digests.values())
    known = list(Annotator.objects.filter(study=study, worker__in=workers))
    for annotator in known:
        annotator.worker = digests[annotator.worker_id or 0]
    Annotator.objects.bulk_update(known, ["worker"], ROWS_AT_ONCE)
    grants = list(Grant.objects.filter(qualification__study=study, worker__in=workers))
    for grant in grants:
        grant.worker = digests[grant.worker_id]
    Grant.objects.bulk_update(grants, ["worker"], ROWS_AT_ONCE)
    visits = list(Visit.objects.filter(entrance__study=study, worker__in=workers))
    for visit in visits:
        visit.worker = digests[visit.worker_id]
        visit.submission = digest_in_study(study.pk, SUBMISSION, visit.submission)
    Visit.objects.bulk_update(visits, ["worker", "submission"], ROWS_AT_ONCE)
    payments = list(Payment.objects.filter(visit__in=visits))
    for payment in payments:
        payment.submission = digest_in_study(study.pk, SUBMISSION, payment.submission)
    Payment.objects.bulk_update(payments, ["submission"], ROWS_AT_ONCE)
    of_nobody = Worker.objects.filter(pk__in=workers, annotators=None, visits=None, grants=None)
    of_nobody.delete()  # other studies may know them still


def forget_invitations(study: Study, invitations: Iterable[int]) -> int:
    """Put digests in the place of the notes of links; how many had one."""
    noted = list(Invitation.objects.filter(pk__in=invitations).exclude(note=""))
    for invitation in noted:
        invitation.note_digest = digest_in_study(study.pk, NOTE, invitation.note)
        invitation.note = ""
        invitation.revoked_because = mask_text(invitation.revoked_because)
    fields = ["note", "note_digest", "revoked_because"]
    return Invitation.objects.bulk_update(noted, fields, ROWS_AT_ONCE)


def _find_known(study: Study) -> QuerySet[Annotator]:
    """Annotators of whom an id or a note is kept."""
    is_known = Q(worker__is_digest=False) | Q(
        Exists(Invitation.objects.filter(annotator=OuterRef("pk")).exclude(note=""))
    )
    return Annotator.objects.filter(is_known, study=study)


def _find_noted(study: Study) -> QuerySet[Invitation]:
    """Links with a note that nobody has used."""
    return Invitation.objects.filter(study=study, annotator=None).exclude(note="")


def _find_strangers(study: Study) -> QuerySet[Worker]:
    """Workers of whom the study has a visit alone, told by the provider."""
    annotators = Annotator.objects.filter(study=study, worker=OuterRef("pk"))
    theirs = Visit.objects.filter(entrance__study=study, worker=OuterRef("pk"))
    return Worker.objects.filter(Exists(theirs), ~Exists(annotators), is_digest=False)


def _as_digest(study: Study, worker: Worker) -> Worker:
    digest = digest_in_study(study.pk, worker.provider, worker.worker_id)
    return Worker(provider=worker.provider, worker_id=digest, is_digest=True)


def _ids(rows: QuerySet[Any]) -> list[int]:
    return list(rows.values_list("pk", flat=True))
