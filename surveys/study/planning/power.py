"""The smallest change of a pair that a design detects, with its hours and cost.

It rests on published ratings or, once there are enough, on those of the study itself. These take
seconds to simulate, so they are simulated on request and cached.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from math import isnan
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from postprocess.planning.published import SOURCE, change_at, published_curve
from surveys.errors import SettingRefused
from surveys.models import Response, Study
from surveys.operations.job_process import in_job_process
from surveys.study.planning.workload import Plan

LENGTH = 10  # of the published scale, 0 to 10
CACHE_SECONDS = 90 * 24 * 3600
SIZES = (3, 4, 5, 6, 8, 10, 12, 15, 20, 27, 40, 60, 100)  # simulated; others are interpolated
SIMULATIONS = 1000
FEWEST_CONTEXTS, FEWEST_RATINGS = 20, 5  # to estimate from: contexts, and ratings of each
SHARES = (Decimal("0.7"), Decimal(1), Decimal("1.5"), Decimal(2))  # of the ratings chosen
FEWEST, SEED = 3, 1


@dataclass(frozen=True)
class Outlook:
    """What a number of ratings of each context costs, and the smallest change that it detects.

    `change` is on the published scale, `own_change` in points of the study's scale; NaN if even
    the largest possible change would be missed more often.
    """

    plan: Plan
    change: float
    own_change: float
    is_chosen: bool

    @property
    def is_found(self) -> bool:
        """Return whether any change is found often enough."""
        return not isnan(self.change)


@dataclass(frozen=True)
class Own:
    """Ratings of the study itself that the figures rest on."""

    n_ratings: int
    n_contexts: int
    on: date


@dataclass(frozen=True)
class Power:
    """Outlooks for the ratings chosen and for some numbers around them, and their source.

    `own` is None if the figures rest on published ratings, named by `source`.
    """

    outlooks: list[Outlook]
    low: Decimal
    high: Decimal
    own: Own | None
    source: str = SOURCE

    @property
    def chosen(self) -> Outlook:
        """Return the outlook of the design itself."""
        return next(outlook for outlook in self.outlooks if outlook.is_chosen)

    @property
    def is_published_scale(self) -> bool:
        """Return whether the study's scale is the published one."""
        return self.low == 0 and self.high == LENGTH


def weigh_power(study: Study, plan: Plan, scale: tuple[Decimal, Decimal, Decimal]) -> Power:
    """Return the smallest detectable changes of a design with this scale (ends and step)."""
    low, high, step = scale
    n_points = int((high - low) / step) + 1
    stored: dict[str, Any] | None = cache.get(_key(study, scale))
    curve: Mapping[int, float] = stored["curve"] if stored else published_curve(n_points)
    outlooks = []
    for n in _list_sizes(plan.ratings_per_context):
        change = change_at(curve, n)
        outlooks.append(
            Outlook(
                replace(plan, ratings_per_context=n),
                change,
                change * float(high - low) / LENGTH,
                is_chosen=n == plan.ratings_per_context,
            )
        )
    return Power(outlooks, low, high, Own(*stored["own"]) if stored else None)


@in_job_process
def estimate_power(study: Study) -> None:
    """Simulate the detectable changes from the study's own ratings, as given, and cache them.

    Takes some seconds. Raises SettingRefused if there are too few ratings.
    """
    import numpy as np
    import pandas as pd

    from postprocess.planning.detection import detectable_curve
    from postprocess.planning.question import Question
    from postprocess.planning.rating_models import models_of_ratings
    from postprocess.table.scale import Scale

    counted: Any = Response.objects.counted(study).on_stimuli()
    rows = counted.order_by("pk").values_list("pair_id", "context_id", "valid_rating")
    ratings = pd.DataFrame(rows, columns=["pair", "context", "rating"])
    by_context = ratings.groupby("context").size()
    n_ready = int((by_context >= FEWEST_RATINGS).sum())
    if n_ready < FEWEST_CONTEXTS:
        raise SettingRefused(
            f"{FEWEST_CONTEXTS} contexts with {FEWEST_RATINGS} or more finished ratings are needed "
            f"for an estimate; so far there are {n_ready}."
        )
    ratings["rating"] = ratings["rating"].astype(float)
    scale = study.scale_minimum, study.scale_maximum, study.scale_step
    models = models_of_ratings(ratings, Scale(*map(float, scale)), Scale(0, LENGTH))
    question, rng = Question(simulations=SIMULATIONS), np.random.default_rng(SEED)
    source = (len(ratings), len(by_context), timezone.localdate())
    power = {"curve": detectable_curve(models, SIZES, question, rng=rng), "own": source}
    cache.set(_key(study, scale), power, CACHE_SECONDS)


def _list_sizes(chosen: int) -> list[int]:
    """Return the ratings chosen and some numbers around them, ascending.

    >>> _list_sizes(11), _list_sizes(2)
    ([8, 11, 17, 22], [2, 3, 4])
    """
    around = {max(FEWEST, int(chosen * share + Decimal("0.5"))) for share in SHARES}
    return sorted({chosen, *around})


def _key(study: Study, scale: tuple[Decimal, Decimal, Decimal]) -> str:
    return f"power-{study.pk}-{study.revision}-{'-'.join(str(end.normalize()) for end in scale)}"
