"""Arrivals of workers who accepted a HIT: find or start their assignment.

The parameters of an arrival are claims. A submission id opens the assignment begun on it; a worker
id opens a free place of the HIT, but no earlier answers. Payment is decided by the provider's
reports, never here.
"""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.crowd.errors import HitRefused
from surveys.crowd.models import Hit, HitState
from surveys.crowd.mturk.qualifications import grant_exclusion
from surveys.crowd.mturk.targets import find_target, is_foreign
from surveys.errors import ArrivalRefused, LinkRevoked, NoPlaceLeft
from surveys.models import Annotator, Assignment, AssignmentState, Invitation, Place, Visit, Worker
from surveys.participation.arrivals import (
    find_annotators,
    find_visits,
    name_submission,
    own_link_needed,
    proves_identity,
)
from surveys.participation.assignments import (
    Consent,
    enrol,
    lock_places,
    refuse_revoked,
    resume_assignment,
    start_in_place,
)
from surveys.participation.introduction import NOT_PASSED
from surveys.participation.withdrawal import return_assignment
from surveys.recruitment.providers import Claims, read_claims
from surveys.study.lifecycle import refuse_draft

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
TAKEN_OVER = "returned at the provider: somebody else has the place"  # stored and compared: fixed


def find_hit(key: UUID) -> Hit:
    """Return the HIT with a key. Raises HitRefused if there is none."""
    hit = Hit.objects.with_batch().filter(reservation__token=key).first()
    if hit is None:
        raise _refusal(_("This address does not belong to a HIT of ours."))
    return hit


def is_preview(parameters: Mapping[str, str]) -> bool:
    """Return whether the HIT is only previewed: it was not accepted yet."""
    return parameters.get("assignmentId", "") in ("", PREVIEW)


def read_arrival(hit: Hit, parameters: Mapping[str, str]) -> Claims:
    """Return the claims of an arrival. Raises HitRefused if invalid or for a different HIT."""
    try:
        claims = read_claims(hit.provider, parameters)
    except ArrivalRefused as error:
        raise _refusal(str(error)) from error
    is_other = hit.hit_id and claims and claims.provider_study != hit.hit_id
    if claims is None or is_other or is_foreign(hit.provider, parameters.get("turkSubmitTo", "")):
        raise _refusal(_("This page was opened from a different site or for a different HIT."))
    return claims


def needs_own_link(hit: Hit, claims: Claims) -> bool:
    """Return whether this worker began the HIT, but the submission does not prove their identity.

    A submission id proves it until another worker arrives with it: MTurk gives the id of a
    returned submission to the next worker.
    """
    if visit := _find_own_visit(hit, claims):
        return visit.returned_at is not None and _is_passed_on(visit)
    annotators = find_annotators(hit.batch.entrance.study, hit.provider, claims.worker_id)
    return hit.reservation.visits.filter(assignment__annotator__in=annotators).exists()


def find_in_hit(hit: Hit, claims: Claims) -> Assignment | None:
    """Return the assignment under way on this submission, or None. Changes nothing."""
    visit = _find_own_visit(hit, claims)
    return visit.assignment if visit and not _is_stale(visit) else None


def has_agreed(hit: Hit, claims: Claims) -> bool:
    """Return whether the worker has agreed to take part in the study already."""
    annotators = find_annotators(hit.batch.entrance.study, hit.provider, claims.worker_id)
    return _find_own_visit(hit, claims) is not None or annotators.exists()


def return_by_own_link(hit: Hit, claims: Claims, link: str) -> Assignment | None:
    """Return the assignment of a worker whose personal link proves their identity, else None.

    Raises HitRefused as `start_in_hit`.
    """
    if not proves_identity(hit.batch.entrance, claims, link):
        return None
    return start_in_hit(hit, claims, own_link=link)


def refuse_arrival(hit: Hit, claims: Claims) -> None:
    """Raise HitRefused if `start_in_hit` would refuse the worker, before they are asked to start.

    They would get a free place, or the place held by the earlier worker of their submission.
    """
    if _find_own_visit(hit, claims):
        return
    _refuse_closed(hit)
    annotator = find_annotators(hit.batch.entrance.study, hit.provider, claims.worker_id).first()
    if annotator and hit.compensates:
        return
    if annotator:
        _refuse_known(hit, annotator)
    held = Assignment.objects.unfinished().filter(
        place__reservation=hit.reservation, visits__reservation=hit.reservation
    )
    if held.filter(visits__submission=claims.submission).exists():
        return
    _find_place(hit)


@transaction.atomic
def start_in_hit(
    hit: Hit, claims: Claims, agreed: Consent | None = None, *, own_link: str = ""
) -> Assignment:
    """Start or resume the assignment of a worker: one per submission, and one per HIT.

    An earlier worker of the same submission has returned it: their answers stay, their place is
    freed. Raises HitRefused, OwnLinkNeeded, and TextChanged as `start_assignment`.
    """
    study = lock_places(hit.batch.entrance.study_id)  # two tabs or two workers may arrive at once
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    entrance = hit.batch.entrance
    if needs_own_link(hit, claims) and not proves_identity(entrance, claims, own_link):
        raise own_link_needed()
    if visit := _find_own_visit(hit, claims):
        return _resume_visit(hit, visit)
    refuse_draft(study)
    _refuse_closed(hit)
    if hit.compensates:
        return _resubmit(hit, hit.compensates, claims)
    _take_over(hit, claims.submission)
    annotator = find_annotators(study, hit.provider, claims.worker_id).first()
    if annotator is None:
        assignment = _start_new(hit, claims, agreed)
    else:
        assignment = _continue_in_hit(hit, annotator) or _start_known(hit, annotator)
    _create_visit(hit, claims, assignment)
    return assignment


def _resubmit(hit: Hit, unpaid: Visit, claims: Claims) -> Assignment:
    """Return the finished assignment that a compensation HIT pays; its worker only submits."""
    worker = unpaid.worker
    is_theirs = not worker.is_digest and worker.worker_id == claims.worker_id
    if not is_theirs or unpaid.assignment is None:
        raise _refusal(_("This HIT is for another person, whose work could not be paid."))
    Visit.objects.current().filter(assignment=unpaid.assignment).update(returned_at=timezone.now())
    _create_visit(hit, claims, unpaid.assignment)
    return unpaid.assignment


def _start_new(hit: Hit, claims: Claims, agreed: Consent | None) -> Assignment:
    """Start the assignment of a worker who is new to the study."""
    entrance, place = hit.batch.entrance, _find_place(hit)
    worker, _new = Worker.objects.get_or_create(
        provider=hit.provider, worker_id=claims.worker_id, is_digest=False
    )
    invitation = Invitation.objects.create(study=entrance.study, entrance=entrance)
    annotator = enrol(entrance.study, invitation, agreed)
    annotator.worker = worker
    annotator.save(update_fields=["worker"])
    return start_in_place(place, annotator, str(hit))


def _start_known(hit: Hit, annotator: Annotator) -> Assignment:
    """Start another assignment of a worker who has taken part in the study before."""
    _refuse_known(hit, annotator)
    return start_in_place(_find_place(hit), annotator, str(hit))


def _refuse_known(hit: Hit, annotator: Annotator) -> None:
    """Raise HitRefused for an annotator of the study who may not do this HIT."""
    assignments = Assignment.objects.filter(annotator=annotator)
    if annotator.withdrawn_at:
        raise _refusal(_("You have withdrawn from this study."))
    try:
        refuse_revoked(Invitation.objects.get(annotator=annotator))
    except LinkRevoked as error:
        raise _refusal(str(error)) from error
    if assignments.filter(ended_because=NOT_PASSED).exists():
        raise _refusal(_("The questions about the instructions were not answered correctly."))
    if assignments.filter(questionnaire__block=hit.reservation.questionnaire.block_id).exists():
        raise _refusal(_("You have already had this group of texts, and each person gets it once."))


def _continue_in_hit(hit: Hit, annotator: Annotator) -> Assignment | None:
    """Resume the assignment of a worker who returned this HIT and accepted it again, or None.

    The provider gives a worker at most one place of a HIT, so the earlier submission was returned.
    """
    visits = hit.reservation.visits.filter(assignment__annotator=annotator)
    latest = visits.select_related("assignment").order_by("-pk").first()
    if latest is None or latest.assignment is None:
        return None
    visits.current().update(returned_at=timezone.now())
    return _resume_returned(latest.assignment)


def _create_visit(hit: Hit, claims: Claims, assignment: Assignment) -> None:
    entrance = hit.batch.entrance
    worker = Worker.objects.get(annotators=assignment.annotator_id)
    if not hit.compensates:
        grant_exclusion(hit, worker)
    Visit.objects.create(
        entrance=entrance,
        reservation=hit.reservation,
        provider_study=claims.provider_study,
        submission=name_submission(entrance, claims.submission, worker),
        worker=worker,
        assignment=assignment,
        completion_code=secrets.token_hex(8),
        deadline_at=timezone.now() + timedelta(seconds=hit.batch.assignment_seconds),
    )


def _find_own_visit(hit: Hit, claims: Claims) -> Visit | None:
    visits = find_visits(hit.batch.entrance, claims.submission, claims.worker_id)
    return visits.filter(reservation=hit.reservation).select_related("worker", "assignment").first()


def _is_stale(visit: Visit) -> bool:
    """Return whether a visit must be resumed: it was returned, or its time is over."""
    is_late = visit.deadline_at is not None and visit.deadline_at < timezone.now()
    return visit.returned_at is not None or (is_late and not visit.provider_state)


def _is_passed_on(visit: Visit) -> bool:
    """Return whether another worker has arrived with the submission of a visit, too."""
    others = Visit.objects.on_submission(visit.entrance, visit.submission)
    return others.filter(reservation=visit.reservation_id).exclude(worker=visit.worker).exists()


def _resume_visit(hit: Hit, visit: Visit) -> Assignment:
    """Return the assignment of a visit; if stale, resume it: the worker accepted it once more."""
    if visit.assignment is None:
        raise _refusal(_("This HIT was handed in already."))
    if not _is_stale(visit):
        return visit.assignment
    _take_over(hit, visit.submission, but=visit)
    assignment = _resume_returned(visit.assignment)
    others = visit.assignment.visits.filter(reservation=hit.reservation).exclude(pk=visit.pk)
    others.filter(returned_at=None).update(returned_at=timezone.now())
    visit.returned_at = None
    visit.deadline_at = timezone.now() + timedelta(seconds=hit.batch.assignment_seconds)
    if not visit.provider_state:  # its status came from the missing report alone
        visit.standing = ""
    visit.save(update_fields=["returned_at", "deadline_at", "standing"])
    return assignment


def _take_over(hit: Hit, submission: str, but: Visit | None = None) -> None:
    """Mark earlier visits of a submission as returned and free places of unfinished work."""
    now = timezone.now()
    earlier = hit.reservation.visits.current().filter(submission=submission)
    if but:
        earlier = earlier.exclude(pk=but.pk)
    for visit in earlier.select_related("assignment__study"):
        visit.returned_at = now
        visit.save(update_fields=["returned_at"])
        if visit.assignment and not visit.assignment.visits.filter(returned_at=None).exists():
            return_assignment(visit.assignment, TAKEN_OVER)


def _resume_returned(assignment: Assignment) -> Assignment:
    """Resume an assignment that was returned because another worker had its submission."""
    returned = Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.RETURNED, ended_because=TAKEN_OVER
    )
    returned.update(state=AssignmentState.EXPIRED, ended_because="")
    try:
        return resume_assignment(assignment)
    except NoPlaceLeft as error:
        raise _refusal(_("All places of this HIT are taken.")) from error


def _find_place(hit: Hit) -> Place:
    places = hit.reservation.places.reserved()
    place = places.select_related("study", "questionnaire__block").first()
    if place is None:
        raise _refusal(_("All places of this HIT are taken."))
    return place


def _refuse_closed(hit: Hit) -> None:
    if hit.state not in HitState.reachable() or not find_target(hit.provider).is_enabled:
        raise _refusal(_("This HIT is not open any more."))


def _refusal(reason: str) -> HitRefused:
    return HitRefused(f"{reason} {_('Please return this HIT. There is nothing to hand in.')}")
