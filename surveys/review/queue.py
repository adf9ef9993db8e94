"""Submitted questionnaires → what is there to be judged, with its evidence.

Annotators do not wait for it, and reviewers do not either: their pages have what has come in since
filed in the background, a bounded amount at a time, and `file_answers` the command all of it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from surveys.models import (
    Assignment,
    Response,
    Review,
    ReviewSettings,
    ReviewState,
    Study,
)
from surveys.models.reviewing import DRAWS
from surveys.review.evidence import Answered, Piece, find_evidence, sum_up, weigh
from surveys.review.spelling import find_doubted
from surveys.study.layout.quota import in_chunks

ANSWERS_AT_ONCE = 250  # while a program waits
ANSWERS_MEANWHILE = 1000  # in the background, each time that somebody opens the review
LONGEST = 60  # seconds that this may take before it is begun again
FIELDS = (
    "assignment__questionnaire", "pk", "assignment", "context", "inspired_word1", "inspired_word2",
    "context__text", "context__word1_start", "context__word1_end", "context__word2_start",
    "context__word2_end", "pair__word1", "pair__word2", "rating", "words_visible_seconds",
    "words_shown_at", "engaged_at", "has_pasted_word1", "has_pasted_word2",
)  # fmt: skip


def file_answers(study: Study, *, at_most: int = ANSWERS_AT_ONCE) -> int:
    """Put finished questionnaires into the queue, about as many answers as said at a time.

    How many assignments were put there. Twice does no harm. Answers filed before get the evidence
    that new ones bring, such as the same words by two people.
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


def file_meanwhile(study: Study) -> int:
    """File what has come in, unless somebody is at that already. A failure is known for a time."""
    key = f"filing-{study.pk}"
    if not cache.add(key, "", LONGEST):
        return 0
    try:
        return file_answers(study, at_most=ANSWERS_MEANWHILE)
    except Exception:
        cache.set(f"{key}-failed", "", LONGEST)
        raise
    finally:
        cache.delete(key)


def has_failed(study: Study) -> bool:
    """Whether filing has failed a moment ago; it would again."""
    return f"filing-{study.pk}-failed" in cache


def has_unfiled(study: Study) -> bool:
    """Whether there is something to be looked through."""
    return Assignment.objects.for_study(study).unfiled().exists()


def count_unfiled(study: Study) -> int:
    """How many finished questionnaires nobody has looked through for evidence yet."""
    return Assignment.objects.for_study(study).unfiled().count()


def settings_of(study: Study) -> ReviewSettings:
    """How a study is reviewed; what holds where nobody has chosen is stored first."""
    return ReviewSettings.objects.get_or_create(study=study)[0]


def draw_number(study: Study, key: str) -> int:
    """A number by chance that is the same again for the same study and thing."""
    digest = hashlib.sha256(f"{study.seed} {study.pk} {key}".encode()).digest()
    return int.from_bytes(digest[:8]) % DRAWS


def is_drawn(draw: int, percent: int) -> bool:
    """Whether something is in a sample: by the number's first two digits."""
    return draw // 100 < percent


def n_reviewers(draw: int, double_percent: int) -> int:
    """How many judge something: by the number's last two digits, so whatever the sample is."""
    return 2 if draw % 100 < double_percent else 1


def _take(study: Study, questionnaires: list[int], at_most: int) -> list[int]:
    """The first questionnaires that together have about so many answers; one at least."""
    counts = dict(
        Assignment.objects.for_study(study)
        .submitted()
        .filter(questionnaire__in=questionnaires)
        .order_by()
        .values_list("questionnaire")
        .annotate(n=Sum("n_items"))
    )
    taken: list[int] = []
    n_answers = 0
    for questionnaire in questionnaires:
        n_answers += counts.get(questionnaire, 0)
        if taken and n_answers > at_most:
            break
        taken.append(questionnaire)
    return taken


def _list_answers(study: Study, questionnaires: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    submitted = Assignment.objects.for_study(study).submitted()
    theirs = submitted.filter(questionnaire__in=questionnaires)
    answered = Response.objects.filter(assignment__in=theirs, engaged_at__isnull=False)
    return answered.order_by("assignment__questionnaire", "pk").values_list(*FIELDS)


def _find_evidence(
    study: Study, questionnaires: Sequence[int]
) -> dict[int, dict[int, list[Piece]]]:
    """By assignment and response, of all answers that these questionnaires have by now."""
    rows = list(_list_answers(study, questionnaires))
    doubted = find_doubted({word for row in rows for word in row[4:6]}, study.language)
    found: defaultdict[int, dict[int, list[Piece]]] = defaultdict(dict)
    for _, some in groupby(rows, key=lambda row: row[0]):
        answers = [_as_answered(row) for row in some]
        evidence = find_evidence(answers, doubted)
        for answer in answers:
            found[answer.assignment][answer.response] = evidence[answer.response]
    return found


def _as_answered(row: tuple[Any, ...]) -> Answered:
    _, pk, assignment, context, first, second, text, a, b, c, d, word1, word2, *more = row
    rating, seconds, shown_at, engaged_at, *pasted = more
    if seconds is None and shown_at is not None:
        seconds = (engaged_at - shown_at).total_seconds()
    return Answered(
        response=pk,
        assignment=assignment,
        context=context,
        words=(first, second),
        text=text,
        targets=(text[a:b], word1, text[c:d], word2),
        rating=rating,
        seconds=seconds,
        pasted=(pasted[0], pasted[1]),
    )


def _store(
    new: Sequence[int],
    evidence: Mapping[int, Mapping[int, list[Piece]]],
    settings: ReviewSettings,
) -> None:
    reviews = []
    for assignment in new:
        found = evidence.get(assignment, {})
        reviews.append(_open(settings, assignment, None, *sum_up(found.values())))
        for response, pieces in found.items():
            reviews.append(_open(settings, assignment, response, pieces, weigh(pieces)))
    # two pages may file at once: what the other has stored stays
    Review.objects.bulk_create(reviews, ignore_conflicts=True, batch_size=2000)


def _open(
    settings: ReviewSettings,
    assignment: int,
    response: int | None,
    pieces: list[Piece],
    risk: int,
) -> Review:
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


def _renew(filed: QuerySet[Review], evidence: Mapping[int, Mapping[int, list[Piece]]]) -> None:
    """Give what was filed before the evidence of now; what has some by now is reviewed."""
    changed = []
    standing = filed.exclude(state=ReviewState.WITHDRAWN).order_by("pk")
    for review in standing.select_for_update(no_key=True):
        found = evidence.get(review.assignment_id, {})
        if review.response_id is None:
            pieces, risk = sum_up(found.values())
        else:
            pieces = found.get(review.response_id, [])
            risk = weigh(pieces)
        if review.evidence == [list(piece) for piece in pieces] and review.risk == risk:
            continue
        review.evidence, review.risk = pieces, risk
        if risk and review.state == ReviewState.NOT_DRAWN:
            review.state = ReviewState.OPEN
        changed.append(review)
    Review.objects.bulk_update(changed, ["evidence", "risk", "state"], batch_size=500)
