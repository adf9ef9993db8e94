"""One pair of a run: its two texts, how they were rated, and what happened to each rating."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from surveys.models import Context, Response, Run, Study
from surveys.operations.job_process import in_job_process
from surveys.results.run_inspection import read_stored_recipe

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.table.scale import Scale

MOST_BARS = 25  # of a histogram; finer scales are binned


class Bar(NamedTuple):
    """A bar of a histogram, in per cent of its size; `left_out` is drawn above `used`."""

    label: str
    n_used: int
    n_left_out: int
    x: float
    width: float
    used: float
    left_out: float

    @property
    def top(self) -> float:
        """The distance of the upper end of `used` from the top."""
        return round(100 - self.used, 1)

    @property
    def top_left_out(self) -> float:
        """The distance of the upper end of `left_out` from the top."""
        return round(100 - self.used - self.left_out, 1)


class Histogram(NamedTuple):
    """Bars from the lowest point of the scale to the highest."""

    bars: list[Bar]
    n_left_out: int


class Rated(NamedTuple):
    """A rating; `response` is None if it is no longer stored, or the run is old."""

    annotator: str
    response: Response | None
    group: str
    mark: str
    rating: float
    used_as: float
    is_used: bool
    reason: str


class ShownContext(NamedTuple):
    """A context with its histograms, of the ratings as given and as used, and its ratings."""

    context: Context
    given: Histogram
    used: Histogram
    ratings: list[Rated]


@in_job_process
def describe_pair(run: Run, number: int, position: int) -> list[ShownContext]:
    """Return both contexts of a pair of a finished run; three queries, whatever its size.

    `number` is that of the pair in the run, `position` that in the study.
    """
    from postprocess.steps.stored_runs import read_pair

    with run.ledger.open("rb") as file:
        ledger = read_pair(cast("BinaryIO", file), number)
    contexts = Context.objects.stimuli(run.study).filter(pair__position=position)
    in_order = contexts.select_related("pair", "item__questionnaire__block").order_by("number")
    stored = _find_responses(run.study, position, ledger["annotator"])
    scale = read_stored_recipe(run).scale.as_scale()
    return [
        _show(context, ledger[ledger["context"] == context.number], stored, scale)
        for context in in_order
    ]


def _find_responses(study: Study, number: int, names: Iterable[str]) -> dict[str, Response]:
    """Return the responses to a pair, by the code of the annotator.

    Codes are unique: naming the study of the annotators as well made SQLite read all of them.
    """
    given = Response.objects.filter(
        annotator__code__in=[str(name) for name in names],
        pair__study=study,
        pair__position=number,
        pair__is_checkpoint=False,
    )
    responses = given.select_related("annotator", "assignment__questionnaire__block").order_by()
    return {response.annotator.code: response for response in responses}


def _show(
    context: Context, ledger: "pd.DataFrame", stored: dict[str, Response], scale: "Scale"
) -> ShownContext:
    from postprocess.reporting.phrases import write_points
    from postprocess.statistics.histograms import count_points

    is_used = (ledger["reason"] == "").to_numpy()
    given, calibrated = (ledger[name].to_numpy(dtype=float) for name in ("rating", "calibrated"))
    points = [count_points(given[chosen], scale).tolist() for chosen in (is_used, ~is_used)]
    after = count_points(calibrated[is_used], scale).tolist()
    most = max(*map(sum, zip(*map(_bin, points), strict=True)), *_bin(after), 1)
    places = range(scale.n_points)
    labels = [write_points(scale.minimum + place * scale.step) for place in places]
    return ShownContext(
        context,
        _draw(labels, points[0], points[1], most),
        _draw(labels, after, [0] * len(after), most),
        [_rate(row, stored) for row in ledger.to_dict("records")],
    )


def _rate(row: dict[Any, Any], stored: dict[str, Response]) -> Rated:
    name, reason = str(row["annotator"]), str(row["reason"])
    return Rated(
        name, stored.get(name), str(row["group"]), str(row.get("mark") or ""),
        row["rating"], math.nan if reason else row["calibrated"], not reason, reason,
    )  # fmt: skip


def _draw(labels: list[str], used: list[int], left_out: list[int], most: int) -> Histogram:
    """Return a histogram; `most` is the count that has the full height."""
    binned = list(zip(_bin(used), _bin(left_out), strict=True))
    step, each = 100 / len(binned), _points_a_bar(len(labels))
    bars = [
        Bar(
            _name(labels[place * each : (place + 1) * each]), n_used, n_left_out,
            round((place + 0.1) * step, 2), round(0.8 * step, 2),
            round(100 * n_used / most, 1), round(100 * n_left_out / most, 1),
        )
        for place, (n_used, n_left_out) in enumerate(binned)
    ]  # fmt: skip
    return Histogram(bars, sum(left_out))


def _bin(counts: list[int]) -> list[int]:
    """Add up the counts of neighbouring points of a fine scale."""
    each = _points_a_bar(len(counts))
    return [sum(counts[start : start + each]) for start in range(0, len(counts), each)]


def _points_a_bar(n_points: int) -> int:
    return -(-n_points // MOST_BARS)


def _name(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]}–{labels[-1]}"
