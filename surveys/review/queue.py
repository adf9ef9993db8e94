"""Filing: from submitted questionnaires to a review queue ordered by evidence.

Answers are filed by background jobs that reviewers start, or by the command `file_answers`, so
that neither annotators nor reviewers wait for it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from surveys.jobs.perform import Progress
from surveys.jobs.queue import enqueue
from surveys.models import (
    Assignment,
    Job,
    JobState,
    Response,
    Review,
    ReviewSettings,
    ReviewState,
    Study,
)
from surveys.models.review import DRAWS
from surveys.models.study import Writes
from surveys.review.evidence import Answered, Piece, count_seconds, find_evidence, sum_up, weigh
from surveys.review.spelling import find_doubted
from surveys.study.blocks.quota import in_chunks

ANSWERS_AT_ONCE = 250  # while an API client waits
ANSWERS_PER_STEP = 1000  # of a background job
FILING = "review.file"  # the kind of job
AFTER_FAILURE = timedelta(minutes=1)  # in which a job is not requested again
FIELDS = (
    "assignment__questionnaire", "pk", "assignment", "context", "written1", "written2",
    "context__text", "context__word1_start", "context__word1_end", "context__word2_start",
    "context__word2_end", "context__text2", "writes", "pair__word1", "pair__word2", "rating",
    "words_visible_seconds",
    "words_shown_at", "engaged_at", "has_pasted_word1", "has_pasted_word2", "position",
    "pair__is_checkpoint", "rating_visible_seconds", "rating_shown_at", "rated_at",
)  # fmt: skip


class ReviewProgress(NamedTuple):
    """Numbers of answers by state, disputes, and questionnaires not yet filed."""

    n_open: int
    n_judged: int
    n_disputed: int
    n_not_drawn: int
    n_unfiled: int


def count_review_progress(study: Study) -> ReviewProgress:
    """Return how far the review of a study has come."""
    counts = Review.objects.count_states(study)
    return ReviewProgress(
        n_open=counts[ReviewState.OPEN],
        n_judged=counts[ReviewState.DECIDED] + counts[ReviewState.COVERED],
        n_disputed=Review.objects.disputed(study).count(),
        n_not_drawn=counts[ReviewState.NOT_DRAWN],
        n_unfiled=count_unfiled(study),
    )


def file_answers(study: Study, *, at_most: int = ANSWERS_AT_ONCE) -> int:
    """Add submitted questionnaires to the review queue, with about `at_most` answers; idempotent.

    Return the number of assignments added. New answers can be evidence against answers filed
    before, such as the same words by two annotators, so the evidence of those is renewed.
    """
    unfiled = Assignment.objects.for_study(study).unfiled()
    waiting = unfiled.order_by("questionnaire").values_list("questionnaire", flat=True).distinct()
    questionnaires = _take(study, list(waiting[:at_most]), at_most)
    if not questionnaires:
        return 0
    new = list(unfiled.filter(questionnaire__in=questionnaires).values_list("pk", flat=True))
    evidence = _find_evidence(study, questionnaires)
    earlier = Review.objects.filter(study=study, assignment__questionnaire__in=questionnaires)
    with transaction.atomic():
        _renew(earlier, evidence)
        _store(new, evidence, settings_of(study))
        for some in in_chunks(new):
            Assignment.objects.filter(pk__in=some).update(filed_at=timezone.now())
    return len(new)


def perform_filing(job: Job, progress: Progress) -> None:
    """File everything new in a job's study, step by step; each step is stored at once."""
    study = Study.objects.get(jobs=job)
    while file_answers(study, at_most=ANSWERS_PER_STEP):
        progress("adding answers", 0, 1)


def request_filing(study: Study) -> None:
    """Queue the filing of new answers, unless there are none or it has just failed."""
    if has_unfiled(study) and not has_failed(study):
        enqueue(FILING, scope=_scope(study), key=_scope(study), study=study)


def is_filing(study: Study) -> bool:
    """Return whether new answers are being filed, or wait for it."""
    return Job.objects.under_way().filter(key=_scope(study)).exists()


def has_failed(study: Study) -> bool:
    """Return whether filing failed within the last minute, so that it would again."""
    failed = Job.objects.filter(scope=_scope(study), state=JobState.FAILED)
    return failed.filter(finished_at__gt=timezone.now() - AFTER_FAILURE).exists()


def has_unfiled(study: Study) -> bool:
    """Return whether submitted questionnaires are not filed yet."""
    return Assignment.objects.for_study(study).unfiled().exists()


def count_unfiled(study: Study) -> int:
    """Return the number of submitted questionnaires that are not filed yet."""
    return Assignment.objects.for_study(study).unfiled().count()


def settings_of(study: Study) -> ReviewSettings:
    """Return the review settings of a study, the defaults (not stored) if there are none."""
    return ReviewSettings.objects.filter(study=study).first() or ReviewSettings(study=study)


def draw_number(study: Study, key: str) -> int:
    """Return a pseudo-random number that is always the same for a study and a key."""
    digest = hashlib.sha256(f"{study.seed} {study.pk} {key}".encode()).digest()
    return int.from_bytes(digest[:8]) % DRAWS


def is_drawn(draw: int, percent: int) -> bool:
    """Return whether a drawn number falls into a sample, by its first two digits."""
    return draw // 100 < percent


def n_reviewers(draw: int, double_percent: int) -> int:
    """Return how many reviewers judge an answer, by the digits that `is_drawn` does not use."""
    return 2 if draw % 100 < double_percent else 1


def _scope(study: Study) -> str:
    return f"review:{study.pk}"


def _take(study: Study, questionnaires: list[int], at_most: int) -> list[int]:
    """Return the first questionnaires with about `at_most` answers together, at least one."""
    submitted = Assignment.objects.for_study(study).submitted().order_by()
    sizes = submitted.filter(questionnaire__in=questionnaires).values_list("questionnaire")
    counts = dict(sizes.annotate(n=Sum("n_items")))
    taken: list[int] = []
    n_answers = 0
    for questionnaire in questionnaires:
        n_answers += counts.get(questionnaire, 0)
        if taken and n_answers > at_most:
            break
        taken.append(questionnaire)
    return taken


def _find_evidence(
    study: Study, questionnaires: Sequence[int]
) -> dict[int, dict[int, list[Piece]]]:
    """Return the evidence about all answers to these questionnaires, by assignment and response."""
    submitted = Assignment.objects.for_study(study).submitted()
    assignments = submitted.filter(questionnaire__in=questionnaires)
    answered = Response.objects.filter(assignment__in=assignments, engaged_at__isnull=False)
    rows = list(answered.order_by("assignment__questionnaire", "pk").values_list(*FIELDS))
    every = [(row[0], _as_answered(row)) for row in rows]
    words = {word for _, answer in every for word in answer.words if word}
    doubted = find_doubted(words, study.language)
    by_assignment: defaultdict[int, dict[int, list[Piece]]] = defaultdict(dict)
    for _, some in groupby(every, key=itemgetter(0)):
        answers = [answer for _, answer in some]
        evidence = find_evidence(answers, doubted, study.language)
        for answer in answers:
            by_assignment[answer.assignment][answer.response] = evidence[answer.response]
    return by_assignment


def _as_answered(row: tuple[Any, ...]) -> Answered:
    _, pk, assignment, context, first, second, text, a, b, c, d, text2, writes, *rest = row
    word1, word2, rating, on_words, words_at, engaged_at, pasted1, pasted2, *more = rest
    position, is_checkpoint, on_rating, rating_at, rated_at = more
    is_inspired = writes == Writes.ASSOCIATIONS
    rating_seconds = count_seconds(on_rating, rating_at, rated_at)
    return Answered(
        response=pk,
        assignment=assignment,
        context=context,
        words=(first, second) if is_inspired else ("", ""),
        text=f"{text} {text2}" if text2 else text,
        targets=(text[a:b], word1, text[c:d], word2),
        rating=rating,
        seconds=count_seconds(on_words, words_at, engaged_at) if is_inspired else rating_seconds,
        pasted=(pasted1, pasted2),
        position=position,
        is_checkpoint=is_checkpoint,
        rating_seconds=rating_seconds,
    )


def _store(
    new: Sequence[int], evidence: Mapping[int, Mapping[int, list[Piece]]], settings: ReviewSettings
) -> None:
    reviews = []
    for assignment in new:
        answers = evidence.get(assignment, {})
        reviews += [_open(settings, assignment, answer, answers) for answer in (None, *answers)]
    # two processes may file at once; rows that the other has stored stay
    Review.objects.bulk_create(reviews, ignore_conflicts=True, batch_size=2000)


def _open(
    settings: ReviewSettings,
    assignment: int,
    response: int | None,
    evidence: Mapping[int, list[Piece]],
) -> Review:
    pieces, risk = _assess(response, evidence)
    draw = draw_number(settings.study, f"{assignment} {response}")
    is_wanted = response is None or risk > 0 or is_drawn(draw, settings.sample_percent)
    return Review(
        study=settings.study,
        assignment_id=assignment,
        response_id=response,
        evidence=pieces,
        risk=risk,
        draw=draw,
        n_wanted=n_reviewers(draw, settings.double_percent),
        state=ReviewState.OPEN if is_wanted else ReviewState.NOT_DRAWN,
    )


def _assess(response: int | None, evidence: Mapping[int, list[Piece]]) -> tuple[list[Piece], int]:
    """Return the evidence about a response, or about its whole assignment, and its weight."""
    if response is None:
        return sum_up(evidence.values())
    pieces = evidence.get(response, [])
    return pieces, weigh(pieces)


def _renew(filed: QuerySet[Review], evidence: Mapping[int, Mapping[int, list[Piece]]]) -> None:
    """Store the present evidence about answers filed before; open those that now have some."""
    changed = []
    judgeable = filed.exclude(state=ReviewState.WITHDRAWN).order_by("pk")
    for review in judgeable.select_for_update(no_key=True):
        pieces, risk = _assess(review.response_id, evidence.get(review.assignment_id, {}))
        if review.evidence == [list(piece) for piece in pieces] and review.risk == risk:
            continue
        review.evidence, review.risk = pieces, risk
        if risk and review.state == ReviewState.NOT_DRAWN:
            review.state = ReviewState.OPEN
        changed.append(review)
    Review.objects.bulk_update(changed, ["evidence", "risk", "state"], batch_size=500)
