"""Reviewers' verdicts on answers and on whole assignments.

The row of the review is locked while a verdict is given, and the database accepts no more valid
verdicts than opinions are wanted, so that of two simultaneous ones only one counts.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import SettingRefused, VerdictRefused
from surveys.models import (
    Review,
    ReviewClaim,
    ReviewSettings,
    ReviewState,
    Study,
    Verdict,
    VerdictKind,
)
from surveys.models.review import OF_STUDY, THIRD, ReviewQuerySet
from surveys.review.queue import settings_of

CLAIM_PERIOD = timedelta(minutes=15)
LEFT_OPEN = (ReviewState.OPEN, ReviewState.NOT_DRAWN)


@transaction.atomic
def claim_answers(
    study: Study, reviewer: User, n: int, *, exclude: frozenset[int] = frozenset()
) -> list[Review]:
    """Claim the next answers for a reviewer for 15 minutes, riskiest first.

    `exclude` holds the ids of answers that the reviewer has already.
    """
    _lock_queue(study)
    now = timezone.now()
    expired = ReviewClaim.objects.filter(until__lte=now).alias(of_study=OF_STUDY)
    expired.filter(of_study=study.pk).delete()
    waiting = Review.objects.answers(study).waiting_for(reviewer.pk, now).exclude(pk__in=exclude)
    claimed = list(waiting.by_risk().with_answers()[:n])
    ReviewClaim.objects.bulk_create(
        [
            ReviewClaim(review=review, reviewer=reviewer, until=now + CLAIM_PERIOD)
            for review in claimed
        ],
        update_conflicts=True,
        unique_fields=["review", "reviewer"],
        update_fields=["until"],
    )
    return claimed


def list_claimed(study: Study, reviewer: User, n: int) -> list[Review]:
    """Return the first answers that a reviewer has claimed and can still judge, riskiest first."""
    now = timezone.now()
    waiting = Review.objects.answers(study).waiting_for(reviewer.pk, now)
    claims = ReviewClaim.objects.filter(reviewer=reviewer, until__gt=now)
    # In one query PostgreSQL would walk through all answers, by risk, to find these few.
    ids = list(claims.values_list("review", flat=True))
    return list(waiting.filter(pk__in=ids).by_risk().with_answers()[:n])


def has_waiting(study: Study, reviewer: User) -> bool:
    """Return whether there is an answer that a reviewer could claim."""
    return Review.objects.answers(study).waiting_for(reviewer.pk, timezone.now()).exists()


@transaction.atomic
def give_verdict(review: Review, reviewer: User, kind: VerdictKind, reason: str = "") -> Verdict:
    """Store a reviewer's verdict, which replaces their earlier one; idempotent.

    Raises VerdictRefused for a rejection without a reason, and if as many reviewers as wanted
    have judged it already.
    """
    review = _lock(review)
    valid, earlier = _read_valid(review, reviewer)
    if earlier and (earlier.kind, earlier.reason) == (kind, reason):
        return earlier
    _require_reason(kind, reason)
    if earlier:
        _undo(earlier)
        valid.remove(earlier)
    opinion = earlier.opinion if earlier else _free_opinion(review, valid)
    verdict = Verdict(reviewer=reviewer, opinion=opinion, kind=kind, reason=reason)
    return _store(review, verdict, valid)


@transaction.atomic
def settle_dispute(review: Review, reviewer: User, kind: VerdictKind, reason: str = "") -> Verdict:
    """Store the deciding verdict of a third reviewer where two disagree; idempotent.

    Raises VerdictRefused for one of the two reviewers, for a rejection without a reason, and
    if the verdicts do not differ.
    """
    review = _lock(review)
    valid, earlier = _read_valid(review, reviewer)
    if earlier and earlier.opinion == THIRD and (earlier.kind, earlier.reason) == (kind, reason):
        return earlier
    if earlier and earlier.opinion != THIRD:
        raise VerdictRefused(
            "You are one of the two who disagree; another reviewer has to settle it."
        )
    if review.state != ReviewState.DISPUTED:
        raise VerdictRefused("This dispute is settled already.")
    _require_reason(kind, reason)
    verdict = Verdict(reviewer=reviewer, opinion=THIRD, kind=kind, reason=reason)
    return _store(review, verdict, valid)


@transaction.atomic
def undo_verdict(review: Review, reviewer: User) -> Review:
    """Undo a reviewer's verdict if there is one; it stays stored, marked as undone."""
    review = _lock(review)
    valid, earlier = _read_valid(review, reviewer)
    if earlier is None:
        return review
    _undo(earlier)
    valid.remove(earlier)
    _decide(review, valid)
    record("verdict.undone", review.study, name_subject(review), kind=earlier.kind)
    return review


@transaction.atomic
def configure_review(study: Study, *, sample_percent: int, double_percent: int) -> ReviewSettings:
    """Set how much is reviewed, and how much by two reviewers; verdicts given stay as they are.

    Raises SettingRefused for shares that are not from 0 to 100.
    """
    if not (0 <= sample_percent <= 100 and 0 <= double_percent <= 100):
        raise SettingRefused("Shares are from 0 to 100 percent.")
    settings = _lock_queue(study)
    chosen = {"sample_percent": sample_percent, "double_percent": double_percent}
    changed = {
        name: f"{getattr(settings, name)} → {percent}"
        for name, percent in chosen.items()
        if getattr(settings, name) != percent
    }
    if not changed:
        return settings
    settings.sample_percent, settings.double_percent = sample_percent, double_percent
    settings.save(update_fields=list(changed))
    unjudged = _unjudged(Review.objects.filter(study=study))
    is_second_wanted = Q(draw_rest__lt=double_percent)
    twice = unjudged.alias(draw_rest=F("draw") % 100)
    twice.filter(is_second_wanted).update(n_wanted=2)
    twice.exclude(is_second_wanted).update(n_wanted=1)
    _draw_sample(unjudged.filter(response__isnull=False, state__in=LEFT_OPEN), settings)
    record("review.configured", study, "", **changed)
    return settings


def name_subject(review: Review) -> str:
    """Return the subject of a verdict as the log names it."""
    annotator = review.assignment.annotator.code
    if review.response is None:
        return f"questionnaire of annotator {annotator}"
    return f"answer {review.response.position} of annotator {annotator}"


def _lock_queue(study: Study) -> ReviewSettings:
    settings, _ = ReviewSettings.objects.get_or_create(study=study)
    return ReviewSettings.objects.select_for_update(no_key=True).get(pk=settings.pk)


def _lock(review: Review) -> Review:
    """Lock a review and return it as stored; its whole assignment's review is locked first."""
    locked = Review.objects.select_for_update(no_key=True, of=("self",))
    locked.get(assignment=review.assignment_id, response__isnull=True)
    review = locked.select_related("study", "response", "assignment__annotator").get(pk=review.pk)
    if review.state == ReviewState.WITHDRAWN:
        raise VerdictRefused("The annotator has withdrawn, so there is nothing to judge.")
    return review


def _require_reason(kind: VerdictKind, reason: str) -> None:
    if kind == VerdictKind.REJECTED and not reason.strip():
        raise VerdictRefused("Give a reason for the rejection; the annotator may ask for it.")


def _read_valid(review: Review, reviewer: User) -> tuple[list[Verdict], Verdict | None]:
    """Return the valid verdicts on a locked review, and the reviewer's own among them."""
    valid = list(review.verdicts.standing().order_by("opinion"))
    return valid, next((verdict for verdict in valid if verdict.reviewer_id == reviewer.pk), None)


def _free_opinion(review: Review, valid: list[Verdict]) -> int:
    taken = {verdict.opinion for verdict in valid}
    for opinion in range(1, review.n_wanted + 1):
        if opinion not in taken:
            return opinion
    raise VerdictRefused("Another reviewer has judged this meanwhile; your verdict was not needed.")


def _undo(verdict: Verdict) -> None:
    verdict.undone_at = timezone.now()
    verdict.save(update_fields=["undone_at"])


def _store(review: Review, verdict: Verdict, others: list[Verdict]) -> Verdict:
    """Store a verdict and the review's state after it."""
    verdict.review = review
    verdict.save()
    ReviewClaim.objects.filter(review=review, reviewer=verdict.reviewer_id).delete()
    _decide(review, [*others, verdict])
    reason = {"reason": verdict.reason} if verdict.reason else {}
    record("verdict.given", review.study, name_subject(review), kind=verdict.kind, **reason)
    return verdict


def _decide(review: Review, valid: list[Verdict]) -> None:
    """Update state and outcome of a review to its valid verdicts."""
    kinds = {verdict.opinion: verdict.kind for verdict in valid}
    review.outcome = ""
    if THIRD in kinds:
        review.state, review.outcome = ReviewState.DECIDED, kinds[THIRD]
    elif len(kinds) < review.n_wanted:
        review.state = _undecided_state(review, is_begun=bool(kinds))
    elif len(set(kinds.values())) == 1:
        review.state, review.outcome = ReviewState.DECIDED, kinds[1]
    else:
        review.state = ReviewState.DISPUTED
    review.save(update_fields=["state", "outcome"])
    if review.is_whole:
        _cover_answers(review)


def _undecided_state(review: Review, *, is_begun: bool) -> ReviewState:
    """Return the state of a review that too few reviewers have judged."""
    if review.is_whole:
        return ReviewState.OPEN
    whole = Review.objects.filter(assignment=review.assignment, response__isnull=True)
    if whole.filter(state=ReviewState.DECIDED).exists():
        return ReviewState.COVERED
    percent = settings_of(review.study).sample_percent
    is_wanted = is_begun or review.risk > 0 or review.draw < percent * 100
    return ReviewState.OPEN if is_wanted else ReviewState.NOT_DRAWN


def _cover_answers(whole: Review) -> None:
    """Remove the answers of a judged assignment from the queue, or add them again."""
    answers = Review.objects.filter(assignment=whole.assignment, response__isnull=False)
    if whole.state == ReviewState.DECIDED:
        answers.filter(state__in=LEFT_OPEN).update(state=ReviewState.COVERED)
        return
    covered = answers.filter(state=ReviewState.COVERED)
    begun = covered.exclude(pk__in=_unjudged(covered).values("pk"))
    begun.update(state=ReviewState.OPEN)
    _draw_sample(covered, settings_of(whole.study))


def _unjudged(reviews: ReviewQuerySet) -> ReviewQuerySet:
    valid = Verdict.objects.standing().filter(review=OuterRef("pk"))
    return reviews.filter(~Exists(valid))


def _draw_sample(unjudged: ReviewQuerySet, settings: ReviewSettings) -> None:
    is_wanted = Q(risk__gt=0) | Q(draw__lt=settings.sample_percent * 100)
    unjudged.exclude(is_wanted).update(state=ReviewState.NOT_DRAWN)
    unjudged.filter(is_wanted).update(state=ReviewState.OPEN)
