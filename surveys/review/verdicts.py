"""Reviewers' verdicts on answers and on whole assignments.

Every verdict is of a person, about one thing. The thing's row is locked while one is given, and
the database takes no more standing verdicts than opinions are wanted, so that of two reviewers
who press at once one counts.
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
from surveys.models.reviewing import THIRD, ReviewQuerySet
from surveys.review.queue import settings_of

CLAIM = timedelta(minutes=15)
LEFT_OPEN = (ReviewState.OPEN, ReviewState.NOT_DRAWN)


@transaction.atomic
def claim_answers(
    study: Study, reviewer: User, n: int, *, besides: frozenset[int] = frozenset()
) -> list[Review]:
    """The next answers for a reviewer, riskiest first, kept from others for a while.

    `besides`: ids of those that the reviewer has already.
    """
    _lock_queue(study)
    now = timezone.now()
    ReviewClaim.objects.filter(review__study=study, until__lte=now).delete()
    waiting = Review.objects.answers(study).waiting_for(reviewer.pk, now).exclude(pk__in=besides)
    claimed = list(waiting.by_risk().with_answers()[:n])
    ReviewClaim.objects.bulk_create(
        [ReviewClaim(review=review, reviewer=reviewer, until=now + CLAIM) for review in claimed],
        update_conflicts=True,
        unique_fields=["review", "reviewer"],
        update_fields=["until"],
    )
    return claimed


@transaction.atomic
def give_verdict(review: Review, reviewer: User, kind: VerdictKind, reason: str = "") -> Verdict:
    """Store what a reviewer decides; in place of what they decided before, if they did.

    The same again changes nothing. Raises VerdictRefused for a rejection without a reason, and
    where as many others as wanted have judged it meanwhile.
    """
    review = _lock(review)
    mine = review.verdicts.standing().filter(reviewer=reviewer).first()
    if mine and (mine.kind, mine.reason) == (kind, reason):
        return mine
    _refuse_groundless(kind, reason)
    if mine:
        _take_back(mine)
    opinion = mine.opinion if mine else _free_opinion(review)
    return _store(review, Verdict(reviewer=reviewer, opinion=opinion, kind=kind, reason=reason))


@transaction.atomic
def settle_dispute(review: Review, reviewer: User, kind: VerdictKind, reason: str = "") -> Verdict:
    """Decide, as a third person, what two reviewers judged differently.

    The same again changes nothing. Raises VerdictRefused for one of the two, without a reason to
    reject, and where there is nothing to settle.
    """
    review = _lock(review)
    mine = review.verdicts.standing().filter(reviewer=reviewer).first()
    if mine and mine.opinion == THIRD and (mine.kind, mine.reason) == (kind, reason):
        return mine
    if mine and mine.opinion != THIRD:
        raise VerdictRefused("You are one of the two who disagree; somebody else has to settle it.")
    if review.state != ReviewState.DISPUTED:
        raise VerdictRefused("This is settled; there is nothing left to decide.")
    _refuse_groundless(kind, reason)
    return _store(review, Verdict(reviewer=reviewer, opinion=THIRD, kind=kind, reason=reason))


@transaction.atomic
def undo_verdict(review: Review, reviewer: User) -> Review:
    """Take back what a reviewer decided about something, if they did. The verdict stays, marked."""
    review = _lock(review)
    mine = review.verdicts.standing().filter(reviewer=reviewer).first()
    if mine is None:
        return review
    _take_back(mine)
    _decide(review)
    record("verdict.undone", review.study, name_subject(review), kind=mine.kind)
    return review


@transaction.atomic
def configure_review(study: Study, *, sample_percent: int, double_percent: int) -> ReviewSettings:
    """Choose how much is reviewed, and by how many. What has been judged already stays as it is.

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
    """What a verdict is about, as the log tells it."""
    annotator = review.assignment.annotator.code
    if review.response is None:
        return f"questionnaire of annotator {annotator}"
    return f"answer {review.response.position} of annotator {annotator}"


def _lock_queue(study: Study) -> ReviewSettings:
    settings = settings_of(study)
    return ReviewSettings.objects.select_for_update(no_key=True).get(pk=settings.pk)


def _lock(review: Review) -> Review:
    """The review as it is now, held until the transaction ends, behind that of its assignment."""
    locked = Review.objects.select_for_update(no_key=True, of=("self",))
    locked.get(assignment=review.assignment_id, response__isnull=True)
    found = locked.select_related("study", "response", "assignment__annotator").get(pk=review.pk)
    if found.state == ReviewState.WITHDRAWN:
        raise VerdictRefused("The annotator has withdrawn; there is nothing left to judge.")
    return found


def _refuse_groundless(kind: VerdictKind, reason: str) -> None:
    if kind == VerdictKind.REJECTED and not reason.strip():
        raise VerdictRefused("Give a reason for the rejection; the annotator may ask for it.")


def _free_opinion(review: Review) -> int:
    taken = set(review.verdicts.standing().values_list("opinion", flat=True))
    for opinion in range(1, review.n_wanted + 1):
        if opinion not in taken:
            return opinion
    raise VerdictRefused("This has been judged meanwhile; yours was not needed.")


def _take_back(verdict: Verdict) -> None:
    verdict.undone_at = timezone.now()
    verdict.save(update_fields=["undone_at"])


def _store(review: Review, verdict: Verdict) -> Verdict:
    verdict.review = review
    verdict.save()
    ReviewClaim.objects.filter(review=review, reviewer=verdict.reviewer_id).delete()
    _decide(review)
    told = {"reason": verdict.reason} if verdict.reason else {}
    record("verdict.given", review.study, name_subject(review), kind=verdict.kind, **told)
    return verdict


def _decide(review: Review) -> None:
    """Bring state and outcome to what the standing verdicts say."""
    standing = review.verdicts.standing().order_by("opinion")
    kinds = dict(standing.values_list("opinion", "kind"))
    review.outcome = ""
    if THIRD in kinds:
        review.state, review.outcome = ReviewState.DECIDED, kinds[THIRD]
    elif len(kinds) < review.n_wanted:
        review.state = _resting_state(review, is_begun=bool(kinds))
    elif len(set(kinds.values())) == 1:
        review.state, review.outcome = ReviewState.DECIDED, kinds[1]
    else:
        review.state = ReviewState.DISPUTED
    review.save(update_fields=["state", "outcome"])
    if review.is_whole:
        _cover_answers(review)


def _resting_state(review: Review, *, is_begun: bool) -> ReviewState:
    """Where something stands that too few have judged."""
    if review.is_whole:
        return ReviewState.OPEN
    whole = Review.objects.filter(assignment=review.assignment, response__isnull=True)
    if whole.filter(state=ReviewState.DECIDED).exists():
        return ReviewState.COVERED
    percent = settings_of(review.study).sample_percent
    is_wanted = is_begun or review.risk > 0 or review.draw < percent * 100
    return ReviewState.OPEN if is_wanted else ReviewState.NOT_DRAWN


def _cover_answers(whole: Review) -> None:
    """Take the answers of an assignment out of the queue when it is judged, or put them back."""
    answers = Review.objects.filter(assignment=whole.assignment, response__isnull=False)
    if whole.state == ReviewState.DECIDED:
        answers.filter(state__in=LEFT_OPEN).update(state=ReviewState.COVERED)
        return
    covered = answers.filter(state=ReviewState.COVERED)
    begun = covered.exclude(pk__in=_unjudged(covered).values("pk"))
    begun.update(state=ReviewState.OPEN)
    _draw_sample(covered, settings_of(whole.study))


def _unjudged(reviews: ReviewQuerySet) -> ReviewQuerySet:
    standing = Verdict.objects.standing().filter(review=OuterRef("pk"))
    return reviews.filter(~Exists(standing))


def _draw_sample(unjudged: ReviewQuerySet, settings: ReviewSettings) -> None:
    is_wanted = Q(risk__gt=0) | Q(draw__lt=settings.sample_percent * 100)
    unjudged.exclude(is_wanted).update(state=ReviewState.NOT_DRAWN)
    unjudged.filter(is_wanted).update(state=ReviewState.OPEN)
