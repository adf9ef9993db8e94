"""A worker who has accepted a HIT → the questionnaire they answer.

What an arrival says are claims: the submission opens what was begun on it, a worker's id opens one
of the free places of the HIT, and nothing that was answered before. Who is paid is decided by what
the provider reports, never here.
"""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.crowd.mturk.qualifications import note_block_seen
from surveys.crowd.mturk.targets import find_target, is_foreign
from surveys.errors import ArrivalRefused, HitRefused, LinkRevoked, NoPlaceLeft
from surveys.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Hit,
    HitState,
    Invitation,
    Place,
    Visit,
    Worker,
)
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
TAKEN_OVER = "returned at the provider: somebody else has the place"


def find_hit(key: UUID) -> Hit:
    """The HIT of an address. Raises HitRefused where there is none."""
    hit = Hit.objects.with_batch().filter(key=key).first()
    if hit is None:
        raise _refusal(_("This address leads to no HIT of ours."))
    return hit


def is_preview(parameters: Mapping[str, str]) -> bool:
    """Whether somebody only looks: they have accepted nothing yet."""
    return parameters.get("assignmentId", "") in ("", PREVIEW)


def read_arrival(hit: Hit, parameters: Mapping[str, str]) -> Claims:
    """Who has come to a HIT. Raises HitRefused for what cannot be, or is for another HIT."""
    try:
        claims = read_claims(hit.provider, parameters)
    except ArrivalRefused as error:
        raise _refusal(str(error)) from error
    is_another = hit.hit_id and claims and claims.provider_study != hit.hit_id
    if claims is None or is_another or is_foreign(hit.provider, parameters.get("turkSubmitTo", "")):
        raise _refusal(_("This page was opened from another place than the one it is for."))
    return claims


def needs_own_link(hit: Hit, claims: Claims) -> bool:
    """Whether something was begun on a HIT with this id, and the submission does not prove by whom.

    A submission proves it as long as no other worker has come on it since: MTurk gives the id of
    a submission that was returned to the next worker.
    """
    entrance = hit.batch.entrance
    visits = find_visits(entrance, claims.submission, claims.worker_id).filter(hit=hit)
    if visit := visits.first():
        return visit.returned_at is not None and _is_passed_on(visit)
    known = find_annotators(entrance.study, hit.provider, claims.worker_id)
    return Visit.objects.filter(hit=hit, assignment__annotator__in=known).exists()


def return_to_hit(hit: Hit, claims: Claims) -> Assignment | None:
    """The assignment of who has come on this submission before, or is known and may have it.

    None for who must be asked first whether they take part. Raises HitRefused, and OwnLinkNeeded
    as `start_in_hit`. Reloading changes nothing.
    """
    entrance = hit.batch.entrance
    visit = find_visits(entrance, claims.submission, claims.worker_id).filter(hit=hit).first()
    if visit and not _is_stale(visit):
        return visit.assignment
    is_known = find_annotators(entrance.study, hit.provider, claims.worker_id).exists()
    return start_in_hit(hit, claims) if visit or is_known else None


def return_by_own_link(hit: Hit, claims: Claims, link: str) -> Assignment | None:
    """Return what a known worker had begun on a HIT, whom their own link proves; else None.

    Raises HitRefused as `start_in_hit`.
    """
    if not proves_identity(hit.batch.entrance, claims, link):
        return None
    return start_in_hit(hit, claims, own_link=link)


def refuse_newcomer(hit: Hit, claims: Claims) -> None:
    """Raise HitRefused where somebody new would get no place of a HIT, before they are asked.

    They would get a free one, or that of who had their submission before.
    """
    _refuse_gone(hit)
    held = Assignment.objects.unfinished().filter(place__hit=hit, visits__hit=hit)
    if held.filter(visits__submission=claims.submission).exists():
        return
    _find_place(hit)


@transaction.atomic
def start_in_hit(
    hit: Hit, claims: Claims, agreed: Consent | None = None, *, own_link: str = ""
) -> Assignment:
    """Give a worker one of the places of a HIT; once for a submission, once for a HIT.

    Whoever had the submission before has returned it: their answers stay, their place is free. If
    it was they who return, they go on. Raises HitRefused, and TextChanged as `start_assignment`.
    """
    study = lock_places(hit.batch.entrance.study_id)  # two tabs, two workers, at once
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    entrance = hit.batch.entrance
    if needs_own_link(hit, claims) and not proves_identity(entrance, claims, own_link):
        raise own_link_needed()
    visits = find_visits(entrance, claims.submission, claims.worker_id).filter(hit=hit)
    if visit := visits.select_related("worker", "assignment").first():
        return _revive(hit, visit)
    refuse_draft(study)
    _refuse_gone(hit)
    if hit.compensates:
        return _hand_in_again(hit, hit.compensates, claims)
    _take_over(hit, claims.submission)
    annotator = find_annotators(study, hit.provider, claims.worker_id).first()
    if annotator is None:
        assignment = _start_new(hit, claims, agreed)
    else:
        assignment = _continue_in_hit(hit, annotator) or _start_known(hit, claims, annotator)
    _note_visit(hit, claims, assignment)
    return assignment


def _hand_in_again(hit: Hit, unpaid: Visit, claims: Claims) -> Assignment:
    """The finished work of a worker for whom alone the HIT is: they have only to hand it in."""
    worker = unpaid.worker
    is_theirs = not worker.is_digest and worker.worker_id == claims.worker_id
    if not is_theirs or unpaid.assignment is None:
        raise _refusal(_("This HIT is for another person, whose work could not be paid."))
    Visit.objects.current().filter(assignment=unpaid.assignment).update(returned_at=timezone.now())
    _note_visit(hit, claims, unpaid.assignment)
    return unpaid.assignment


def _start_new(hit: Hit, claims: Claims, agreed: Consent | None) -> Assignment:
    """Somebody of whom the study knows nothing."""
    entrance, place = hit.batch.entrance, _find_place(hit)
    worker, _new = Worker.objects.get_or_create(
        provider=hit.provider, worker_id=claims.worker_id, is_digest=False
    )
    invitation = Invitation.objects.create(study=entrance.study, entrance=entrance)
    annotator = enrol(entrance.study, invitation, agreed)
    annotator.worker = worker
    annotator.save(update_fields=["worker"])
    return start_in_place(place, annotator, str(hit))


def _start_known(hit: Hit, claims: Claims, annotator: Annotator) -> Assignment:
    """Somebody who has come for another HIT before, or by another way."""
    theirs = Assignment.objects.filter(annotator=annotator)
    if annotator.withdrawn_at:
        raise _refusal(_("You have withdrawn from this study."))
    try:
        refuse_revoked(Invitation.objects.get(annotator=annotator))
    except LinkRevoked as error:
        raise _refusal(str(error)) from error
    if theirs.filter(ended_because=NOT_PASSED).exists():
        raise _refusal(_("The questions about the instructions were not answered as they should."))
    if theirs.filter(questionnaire__block=hit.questionnaire.block_id).exists():
        raise _refusal(_("You have had this group of texts before, and nobody is given it twice."))
    return start_in_place(_find_place(hit), annotator, str(hit))


def _continue_in_hit(hit: Hit, annotator: Annotator) -> Assignment | None:
    """What a worker has begun on this HIT who had returned it and accepted it again.

    The provider gives nobody two places of one HIT, so that what came before is no longer theirs.
    """
    theirs = Visit.objects.filter(hit=hit, assignment__annotator=annotator)
    latest = theirs.select_related("assignment").order_by("-pk").first()
    if latest is None or latest.assignment is None:
        return None
    theirs.current().update(returned_at=timezone.now())
    return _take_up_again(latest.assignment)


def _note_visit(hit: Hit, claims: Claims, assignment: Assignment) -> None:
    entrance = hit.batch.entrance
    worker = Worker.objects.get(annotators=assignment.annotator_id)
    if not hit.compensates:
        note_block_seen(hit, worker)
    Visit.objects.create(
        entrance=entrance,
        hit=hit,
        provider_study=claims.provider_study,
        submission=name_submission(entrance, claims.submission, worker),
        worker=worker,
        assignment=assignment,
        completion_code=secrets.token_hex(8),
        deadline_at=timezone.now() + timedelta(seconds=hit.batch.assignment_seconds),
    )


def _is_stale(visit: Visit) -> bool:
    """Whether it must be taken up anew: it was returned, or its time is over."""
    is_late = visit.deadline_at is not None and visit.deadline_at < timezone.now()
    return visit.returned_at is not None or (is_late and not visit.provider_state)


def _is_passed_on(visit: Visit) -> bool:
    """Whether another worker has come on the submission of a visit, too."""
    others = Visit.objects.on_submission(visit.entrance, visit.submission)
    return others.filter(hit=visit.hit).exclude(worker=visit.worker).exists()


def _revive(hit: Hit, visit: Visit) -> Assignment:
    """Somebody on the submission that they had before: they have accepted it once more."""
    if visit.assignment is None:
        raise _refusal(_("This HIT was handed in already."))
    if not _is_stale(visit):
        return visit.assignment
    _take_over(hit, visit.submission, but=visit)
    assignment = _take_up_again(visit.assignment)
    others = visit.assignment.visits.filter(hit=hit).exclude(pk=visit.pk)
    others.filter(returned_at=None).update(returned_at=timezone.now())
    visit.returned_at = None
    visit.deadline_at = timezone.now() + timedelta(seconds=hit.batch.assignment_seconds)
    if not visit.provider_state:  # it was judged by silence alone
        visit.standing = ""
    visit.save(update_fields=["returned_at", "deadline_at", "standing"])
    return assignment


def _take_over(hit: Hit, submission: str, but: Visit | None = None) -> None:
    """Note that who had a submission has returned it; what they had under way gives its place."""
    now = timezone.now()
    earlier = Visit.objects.current().filter(hit=hit, submission=submission)
    if but:
        earlier = earlier.exclude(pk=but.pk)
    for visit in earlier.select_related("assignment__study"):
        visit.returned_at = now
        visit.save(update_fields=["returned_at"])
        if visit.assignment and not visit.assignment.visits.filter(returned_at=None).exists():
            return_assignment(visit.assignment, TAKEN_OVER)


def _take_up_again(assignment: Assignment) -> Assignment:
    """Let somebody go on in what was returned since another had their submission."""
    returned = Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.RETURNED, ended_because=TAKEN_OVER
    )
    returned.update(state=AssignmentState.EXPIRED, ended_because="")
    try:
        return resume_assignment(assignment)
    except NoPlaceLeft as error:
        raise _refusal(_("All places of this HIT are taken.")) from error


def _find_place(hit: Hit) -> Place:
    place = Place.objects.free_in(hit).select_related("study", "questionnaire__block").first()
    if place is None:
        raise _refusal(_("All places of this HIT are taken."))
    return place


def _refuse_gone(hit: Hit) -> None:
    if hit.state not in HitState.reachable() or not find_target(hit.provider).is_enabled:
        raise _refusal(_("This HIT is not open any more."))


def _refusal(why: str) -> HitRefused:
    return HitRefused(f"{why} {_('Please return this HIT. There is nothing to hand in.')}")
