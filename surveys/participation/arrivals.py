"""Arrivals through an entrance: recognition of known annotators, and new assignments."""

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from surveys.access.redaction import digest_in_study
from surveys.errors import ArrivalRefused, LinkRevoked, OwnLinkNeeded
from surveys.models import Annotator, Assignment, Entrance, Invitation, Study, Visit, Worker
from surveys.models.recruitment import VisitQuerySet
from surveys.participation.arrival_limits import enforce_arrival_limits, note_arrival
from surveys.participation.assignments import Consent, lock_places, no_place_left, start_assignment
from surveys.participation.own_links import find_owner
from surveys.recruitment.completion_codes import earned_before, no_place_completion
from surveys.recruitment.providers import Claims
from surveys.study.lifecycle import refuse_draft

SUBMISSION = "submission"


def refuse_closed(entrance: Entrance) -> None:
    """Raise LinkRevoked for an entrance that is closed."""
    if entrance.closed_at:
        raise LinkRevoked(
            _("It takes no more people. Thank you for your interest!"),
            heading=_("This study is closed"),
            completion=no_place_completion(entrance),
        )


def is_full(entrance: Entrance) -> bool:
    """Return whether an entrance has reached its cap."""
    return Entrance.objects.filter(pk=entrance.pk, n_arrived__gte=F("cap")).exists()


def find_by_ticket(entrance: Entrance, ticket: str) -> Invitation | None:
    """Return the personal link of a ticket. Raises ArrivalRefused for another entrance's link."""
    invitation = Invitation.objects.filter(token=ticket).first()
    if invitation and invitation.entrance_id != entrance.pk:
        raise ArrivalRefused(_("This link is another person's. Please open your own."))
    return invitation


def return_visitor(entrance: Entrance, claims: Claims) -> Assignment | None:
    """Return the latest assignment of the annotator with this very submission, or None.

    The annotator's id alone is not enough, since other requesters know it. No transaction is
    opened: looking at an entrance must not wait for writers.
    """
    visits = find_visits(entrance, claims.submission, claims.worker_id)
    annotators = Annotator.objects.filter(
        assignments__visits__in=visits.filter(provider_study=claims.provider_study)
    )
    return _find_latest(annotators)


def return_by_own_link(entrance: Entrance, claims: Claims, link: str) -> Assignment | None:
    """Return the latest assignment of a known annotator on another submission, or None.

    Their own link proves their identity; the submission is stored, and proves it from then on.
    """
    if not proves_identity(entrance, claims, link):
        return None
    annotators = find_annotators(entrance.study, entrance.provider, claims.worker_id)
    assignment = _find_latest(annotators)
    if assignment and (worker := assignment.annotator.worker):
        _note_visit(entrance, claims, assignment, worker)
    return assignment


def is_known(entrance: Entrance, claims: Claims) -> bool:
    """Return whether the study has an annotator with the id of an arrival."""
    return find_annotators(entrance.study, entrance.provider, claims.worker_id).exists()


def proves_identity(entrance: Entrance, claims: Claims, link: str) -> bool:
    """Return whether a link belongs to the annotator whose id an arrival claims."""
    owner = find_owner(entrance.study_id, link)
    annotators = find_annotators(entrance.study, entrance.provider, claims.worker_id)
    return owner is not None and annotators.filter(pk=owner.pk).exists()


def own_link_needed() -> OwnLinkNeeded:
    """Return the refusal of a known id without proof of identity."""
    return OwnLinkNeeded(
        _(
            "This study was already started with your ID. Please continue with your own link, or "
            "open the study again from the same submission as the first time."
        )
    )


def find_annotators(study: Study, provider: str, worker_id: str) -> QuerySet[Annotator]:
    """Return the annotator with a provider's id, or its digest, in a study; at most one."""
    dropped = digest_in_study(study.pk, provider, worker_id)
    is_known = Q(worker__worker_id=worker_id, worker__is_digest=False)
    is_known |= Q(worker__worker_id=dropped, worker__is_digest=True)
    return Annotator.objects.filter(
        is_known,  # and, for the index, one of the two:
        worker__worker_id__in=(worker_id, dropped),
        worker__provider=provider,
        study=study,
    )


def find_visits(entrance: Entrance, submission: str, worker_id: str) -> VisitQuerySet:
    """Return the visits of a worker on one submission, by id or digest."""
    dropped = digest_in_study(entrance.study_id, entrance.provider, worker_id)
    digest = digest_in_study(entrance.study_id, SUBMISSION, submission)
    is_theirs = Q(worker__worker_id=worker_id, worker__is_digest=False, submission=submission)
    is_theirs |= Q(worker__worker_id=dropped, worker__is_digest=True, submission=digest)
    visits: VisitQuerySet = Visit.objects.filter(is_theirs, entrance=entrance)
    return visits


def find_assignment_to_show(latest: Assignment) -> Assignment:
    """Return the assignment to show to a returning annotator: the current one.

    If they have earned a code before it, it is the previous one: its page has the code, and leads
    on.
    """
    if earned_before(latest) is None:
        return latest
    assignments = Assignment.objects.filter(annotator=latest.annotator_id)
    return assignments.filter(submitted_at__isnull=False).latest("pk")


@transaction.atomic
def start_through(
    entrance: Entrance,
    ticket: str,
    claims: Claims | None = None,
    *,
    agreed: Consent | None = None,
    address: str | None = None,
) -> Assignment:
    """Create an annotator for an arrival that agreed; idempotent by ticket and by worker.

    The ticket becomes the token of their personal link. Raises what `start_assignment` raises,
    OwnLinkNeeded for a known id on another submission, and TooManyArrivals by network address;
    no limit applies without an address.
    """
    refuse_draft(lock_places(entrance.study_id))
    entrance.refresh_from_db()
    if claims:
        if assignment := return_visitor(entrance, claims):
            return assignment
        if is_known(entrance, claims):
            raise own_link_needed()
    if begun := find_by_ticket(entrance, ticket):
        return start_assignment(begun)
    refuse_closed(entrance)
    if is_full(entrance):
        raise no_place_left(entrance.study, no_place_completion(entrance))
    if address is not None:
        enforce_arrival_limits(entrance, address)
        note_arrival(entrance, address)
    invitation = Invitation.objects.create(
        study_id=entrance.study_id, entrance=entrance, token=ticket
    )
    assignment = start_assignment(invitation, agreed)
    Entrance.objects.filter(pk=entrance.pk).update(n_arrived=F("n_arrived") + 1)
    if claims:
        worker, _new = Worker.objects.get_or_create(
            provider=entrance.provider, worker_id=claims.worker_id
        )
        Annotator.objects.filter(pk=assignment.annotator_id).update(worker=worker)
        _note_visit(entrance, claims, assignment, worker)
    return assignment


def _find_latest(annotators: QuerySet[Annotator]) -> Assignment | None:
    assignments = Assignment.objects.with_study().filter(annotator__in=annotators)
    return assignments.select_related("annotator__worker").order_by("-pk").first()


def name_submission(entrance: Entrance, submission: str, worker: Worker) -> str:
    """Return a submission as it is stored: as a digest if the worker's id was dropped."""
    if not worker.is_digest:
        return submission
    return digest_in_study(entrance.study_id, SUBMISSION, submission)


def _note_visit(entrance: Entrance, claims: Claims, assignment: Assignment, worker: Worker) -> None:
    submission = name_submission(entrance, claims.submission, worker)
    Visit.objects.get_or_create(
        entrance=entrance,
        provider_study=claims.provider_study,
        submission=submission,
        worker=worker,
        defaults={"assignment": assignment, "completion_code": entrance.completion_code},
    )
