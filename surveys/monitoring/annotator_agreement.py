"""Agreement of one annotator with the others who have finished the same questionnaire."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from statistics import median
from typing import Any

from django.db.models import Count, FloatField, Sum
from django.db.models.functions import Cast

from surveys.models import Assignment, Response, Round
from surveys.monitoring.charts import Interval, draw_interval
from surveys.operations.job_process import in_job_process

N_RESAMPLES = 200  # of the items: enough for a page, not for a publication
MIN_COMPARED = 4  # annotators of a round, for a median that each is compared with


@dataclass(frozen=True)
class Agreement:
    """Spearman's rho with the mean of the others, and its 95 % interval; None if undefined."""

    rho: float | None
    low: float | None
    high: float | None

    def is_low(self, typical: float | None) -> bool:
        """Return whether rho is 0 or less, or its whole interval below a known typical rho."""
        if self.rho is None:
            return False
        return self.rho <= 0 or (
            typical is not None and self.high is not None and self.high < typical
        )

    @property
    def picture(self) -> Interval | None:
        """Return the coordinates in the picture, or None if rho is undefined."""
        if self.rho is None or self.low is None or self.high is None:
            return None
        return draw_interval(self.rho, self.low, self.high)


@in_job_process
def agreement_of(assignment: Assignment, ratings: Mapping[int, float]) -> Agreement:
    """Return an annotator's agreement with the mean of the others on the same questionnaire.

    `ratings` holds the annotator's ratings by context id; the mean is over finished assignments.
    """
    from postprocess.statistics.agreement.measures import agreement_with_means

    others = Response.objects.rated().on_stimuli().filter(
        assignment__in=Assignment.objects.submitted()
        .filter(questionnaire=assignment.questionnaire_id, round=assignment.round_id)
        .exclude(pk=assignment.pk)
    )  # fmt: skip
    sums = others.order_by().values_list("context_id")
    totals = sums.annotate(total=Sum(Cast("valid_rating", FloatField())), n=Count("pk"))
    means = {context: total / n for context, total, n in totals}
    common = sorted(ratings.keys() & means.keys())
    given, expected = [ratings[c] for c in common], [means[c] for c in common]
    return Agreement(*map(defined, agreement_with_means(given, expected, n_resamples=N_RESAMPLES)))


def compare_annotators(round_: Round) -> dict[int, Agreement]:
    """Return `agreement_of` for each finished assignment of a round by its id; one query."""
    from postprocess.statistics.agreement.measures import agreement_with_means

    finished = Assignment.objects.submitted().filter(round=round_)
    rated = Response.objects.rated().on_stimuli().filter(assignment__in=finished)
    rows = rated.order_by("assignment_id", "context_id").values_list(
        "assignment_id", "context_id", Cast("valid_rating", FloatField())
    )
    by_assignment: dict[int, dict[int, float]] = defaultdict(dict)
    totals: dict[int, float] = defaultdict(float)  # a context is in one questionnaire
    counts: dict[int, int] = defaultdict(int)
    for assignment, context, rating in rows:
        by_assignment[assignment][context] = rating
        totals[context] += rating
        counts[context] += 1
    agreements = {}
    for assignment, ratings in by_assignment.items():
        common = [context for context in ratings if counts[context] > 1]
        given = [ratings[c] for c in common]
        expected = [(totals[c] - ratings[c]) / (counts[c] - 1) for c in common]
        figures = agreement_with_means(given, expected, n_resamples=N_RESAMPLES)
        agreements[assignment] = Agreement(*map(defined, figures))
    return agreements


def find_typical(agreements: Iterable[Agreement]) -> float | None:
    """Return the median of the annotators of a round, or None if there are too few."""
    values = [agreement.rho for agreement in agreements if agreement.rho is not None]
    return median(values) if len(values) >= MIN_COMPARED else None


def defined(figure: Any) -> float | None:
    """Return a figure, or None for NaN."""
    return None if isnan(figure) else float(figure)
