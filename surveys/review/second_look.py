"""Opening, following and closing a study's second look at ratings far from the others'."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import isnan
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import SecondLookRefused
from surveys.models import (
    Annotator,
    Place,
    Response,
    SecondAnswer,
    SecondLook,
    Study,
)
from surveys.models.study import write_point
from surveys.operations.job_process import in_job_process
from surveys.participation.assignments import lock_places
from surveys.results.ratings_table import list_rejected
from surveys.study.planning.durations import as_minutes

Compared = tuple[int, int, str, str]  # response, pair, annotator's code, rating


class Looker(NamedTuple):
    """An annotator's part of a second look.

    `agreement` is Spearman's rho with the mean of the others, None if undefined; `n_answered` and
    `n_changed` count the ratings that they have looked at and changed.
    """

    code: str
    n_shown: int
    minutes: int
    agreement: float | None
    n_answered: int = 0
    n_changed: int = 0


class Far(NamedTuple):
    """Ratings far from the others' (response, sum of the others, their number), and agreement."""

    ratings: list[tuple[int, Decimal, int]]
    agreement: dict[str, float | None]


def list_obstacles(study: Study) -> Iterator[str]:
    """Yield why a study's second look cannot be opened now."""
    if study.second_look_above is None:
        yield "The design of this study has no second look."
    elif SecondLook.objects.filter(study=study).exists():
        yield "The second look was opened before; a study has one."
    elif study.is_draft:
        yield "The study is a draft: there is nothing to look at again yet."
    else:
        if n_unfinished := Place.objects.unfinished(study).count():
            yield f"Places that are not finished yet: {n_unfinished:,}. All must be."
        asked = Annotator.objects.filter(study=study, withdrawn_at=None)
        if asked.filter(worker__isnull=False).exists():
            yield (
                "Annotators of this study came from a provider, where their submissions have "
                "ended, so they cannot be asked again."
            )


def preview_second_look(study: Study) -> list[Looker]:
    """Return the annotators who would look at some of their ratings again, most ratings first."""
    compared = _list_compared(study)
    far = find_far(compared, str(study.second_look_above))
    codes = {response: code for response, _, code, _ in compared}
    counts = Counter(codes[response] for response, *_ in far.ratings)
    return [_measure(study, far.agreement, code, n) for code, n in counts.most_common()]


@transaction.atomic
def open_second_look(study: Study, by: User) -> SecondLook:
    """Ask annotators to look again at their ratings far from the mean of the others.

    All ratings that count are compared as they are at this instant. Raises SecondLookRefused.
    """
    study = lock_places(study.pk)  # so that nobody withdraws meanwhile
    if obstacles := list(list_obstacles(study)):
        raise SecondLookRefused("\n".join(obstacles))
    compared, above = _list_compared(study), str(study.second_look_above)
    far = find_far(compared, above)
    if not far.ratings:
        raise SecondLookRefused(
            f"No rating is more than {float(above):g} away from the mean of the others: there is "
            "nothing to look at again."
        )
    digest = hashlib.sha256("".join(f"{p}\t{a}\t{r}\n" for _, p, a, r in compared).encode())
    look = SecondLook.objects.create(
        study=study, above=Decimal(above), ratings_digest=digest.hexdigest(), opened_by=by
    )
    SecondAnswer.objects.bulk_create(
        SecondAnswer(response_id=response, others_sum=total, n_others=n)
        for response, total, n in far.ratings
    )
    study.save(update_fields=["revision"])
    record("second_look.opened", study, n_ratings=len(far.ratings), sha256=look.ratings_digest)
    return look


@transaction.atomic
def close_second_look(study: Study, by: User) -> SecondLook:
    """End a study's second look; idempotent. Ratings that were not looked at again stay.

    Raises SecondLookRefused if it was never opened.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    look = SecondLook.objects.select_for_update(no_key=True).filter(study=study).first()
    if look is None:
        raise SecondLookRefused("This study has no second look that is open.")
    if look.closed_at is None:
        look.closed_at, look.closed_by = timezone.now(), by
        look.save(update_fields=["closed_at", "closed_by"])
        study.save(update_fields=["revision"])  # so that figures are computed again
        n_answered = SecondAnswer.objects.of_study(study).exclude(answered_at=None).count()
        record("second_look.closed", study, n_ratings=n_answered)
    return look


def follow_second_look(study: Study) -> list[Looker]:
    """Return the annotators of a study's second look with what they have answered; two queries."""
    agreement = find_far(_list_compared(study), "1").agreement
    answered = Q(answered_at__isnull=False)
    is_kept = Q(rating=F("response__rating"), rating__isnull=False)
    rows: Any = SecondAnswer.objects.of_study(study).values_list("response__annotator__code")
    counted = rows.annotate(
        n=Count("pk"),
        n_answered=Count("pk", filter=answered),
        n_changed=Count("pk", filter=answered & ~is_kept),
    )
    return [
        _measure(study, agreement, code, n)._replace(n_answered=n_answered, n_changed=n_changed)
        for code, n, n_answered, n_changed in counted.order_by("-n", "response__annotator__code")
    ]


@in_job_process
def find_far(compared: Sequence[Compared], above: str) -> Far:
    """Find the ratings far from the others', and each annotator's agreement with the others."""
    import pandas as pd

    from postprocess.statistics.agreement.measures import leave_one_out_agreement
    from postprocess.statistics.disagreement import find_disagreements

    table = pd.DataFrame(compared, columns=["response", "pair", "annotator", "rating"])
    if table.empty:
        return Far([], {})
    found = find_disagreements(table, above)
    far = [
        (int(table["response"][row]), Decimal(others.numerator) / others.denominator, int(n))
        for row, others, n in zip(found.index, found["others"], found["n_others"], strict=True)
    ]
    by_annotator = table.assign(rating=table["rating"].astype(float)).pivot(
        index="annotator", columns="pair", values="rating"
    )
    (figures,) = leave_one_out_agreement(by_annotator.to_numpy()[None])
    agreement = dict(zip(by_annotator.index, map(float, figures), strict=True))
    return Far(far, {code: None if isnan(rho) else rho for code, rho in agreement.items()})


def _list_compared(study: Study) -> list[Compared]:
    """Return the ratings that count, before a second look: finished, current, not rejected."""
    rated = Response.objects.current(study).on_stimuli().filter(rating__isnull=False)
    rows = rated.exclude(pk__in=list_rejected(study)).order_by("pair__position", "annotator__code")
    names = ("pk", "pair__position", "annotator__code", "rating")
    return [
        (pk, pair, code, write_point(rating)) for pk, pair, code, rating in rows.values_list(*names)
    ]


def _measure(study: Study, agreement: dict[str, float | None], code: str, n: int) -> Looker:
    return Looker(code, n, as_minutes(n * study.seconds_per_item), agreement.get(code))
