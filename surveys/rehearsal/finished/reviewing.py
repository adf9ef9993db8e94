"""Review of the finished demo study: three invented reviewers give verdicts on its answers."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TypeVar

from django.contrib.auth.models import User

from surveys.access.audit_log import acting
from surveys.access.roles import grant_role
from surveys.models import (
    Assignment,
    AuditEntry,
    Review,
    ReviewState,
    Role,
    Study,
    Verdict,
    VerdictKind,
)
from surveys.rehearsal.finished.people import Manner, draw_chance
from surveys.review.queue import file_answers
from surveys.review.verdicts import claim_answers, configure_review, give_verdict, settle_dispute

REVIEWERS = ("demo-reviewer-1", "demo-reviewer-2", "demo-reviewer-3")
SAMPLE_PERCENT, DOUBLE_PERCENT = 0, 30
CLAIMED_AT_ONCE = 15
PAUSE = timedelta(seconds=25)  # between verdicts
SEVERITY = 0.4  # share of the answers with a copied word that are not used
DOUBT = 0.2  # share of the answers with evidence about which only the second reviewer is severe
Dated = TypeVar("Dated", AuditEntry, Verdict)
Decision = tuple[VerdictKind, str]
GOOD: Decision = (VerdictKind.GOOD, "")
NOT_USED: Decision = (VerdictKind.UNUSED, "A word is copied from the text.")
DOUBTED: Decision = (VerdictKind.UNUSED, "The words hardly fit the text.")
OF_ALL: Mapping[Manner, Decision] = {
    Manner.CONSTANT: (VerdictKind.UNUSED, "The same rating for every text."),
    Manner.COPYING: (VerdictKind.REJECTED, "The words are copied from the texts."),
}


def review_answers(study: Study, manners: Mapping[str, Manner], begins_at: datetime) -> None:
    """Judge the answers of a study by the manners of its annotators, given by code."""
    reviewers = [_make_reviewer(study, name) for name in REVIEWERS]
    configure_review(study, sample_percent=SAMPLE_PERCENT, double_percent=DOUBLE_PERCENT)
    while file_answers(study):
        pass
    careless = {code: manner for code, manner in manners.items() if manner in OF_ALL}
    _judge_wholes(study, careless, reviewers)
    _judge_answers(study, reviewers)
    _settle(study, reviewers[2])
    _judge_wholes(study, manners, reviewers)
    _date(study, begins_at)


def _make_reviewer(study: Study, name: str) -> User:
    """Return a reviewer of the study, with an account that nobody can sign in to."""
    user, is_new = User.objects.get_or_create(username=name, defaults={"is_active": False})
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    grant_role(study, user, Role.REVIEWER)
    return user


def _judge_wholes(study: Study, manners: Mapping[str, Manner], reviewers: list[User]) -> None:
    """Judge the open questionnaires of these annotators."""
    reviews = Review.objects.assignments(study).filter(
        state=ReviewState.OPEN, assignment__annotator__code__in=manners
    )
    for review in reviews.by_risk().select_related("assignment__annotator"):
        decision = OF_ALL.get(manners[review.assignment.annotator.code], GOOD)
        for reviewer in reviewers[: review.n_wanted]:
            _give(review, reviewer, decision)


def _judge_answers(study: Study, reviewers: list[User]) -> None:
    """Let two reviewers judge the queue in turns until it is empty."""
    first, second, _ = reviewers
    while True:
        claimed = [(who, claim_answers(study, who, CLAIMED_AT_ONCE)) for who in (first, second)]
        for reviewer, reviews in claimed:
            for review in reviews:
                doubts = reviewer == second and review.n_wanted == 2 and _is_doubted(review)
                _give(review, reviewer, DOUBTED if doubts else _decide(review))
        if not any(reviews for _, reviews in claimed):
            return


def _settle(study: Study, third: User) -> None:
    for review in Review.objects.disputed(study).order_by("pk"):
        with acting(third):
            settle_dispute(review, third, *_decide(review))


def _give(review: Review, reviewer: User, decision: Decision) -> None:
    with acting(reviewer):
        give_verdict(review, reviewer, *decision)


def _decide(review: Review) -> Decision:
    """Return the verdict on an answer; it follows from the words alone."""
    is_copied = any(code in {"copied", "target"} for code, *_ in review.evidence)
    return NOT_USED if is_copied and _draw(review) < SEVERITY else GOOD


def _is_doubted(review: Review) -> bool:
    return bool(review.evidence) and _draw(review) > 1 - DOUBT


def _draw(review: Review) -> float:
    """Return a number from 0 to 1 that follows from the words of an answer."""
    answer = review.response
    return draw_chance("words", answer.written1, answer.written2).random() if answer else 1


def _date(study: Study, begins_at: datetime) -> None:
    """Set the times of the review: one verdict after the other."""
    Review.objects.filter(study=study).update(filed_at=begins_at)
    Assignment.objects.filter(study=study).update(filed_at=begins_at)
    entries = AuditEntry.objects.filter(study=study, action="verdict.given").order_by("pk")
    verdicts = Verdict.objects.filter(review__study=study).order_by("pk")
    AuditEntry.objects.bulk_update(_at_intervals(entries, begins_at), ["at"], batch_size=100)
    Verdict.objects.bulk_update(_at_intervals(verdicts, begins_at), ["at"], batch_size=100)


def _at_intervals(rows: Iterable[Dated], begins_at: datetime) -> list[Dated]:
    dated = list(rows)
    for number, row in enumerate(dated, 1):
        row.at = begins_at + number * PAUSE
    return dated
