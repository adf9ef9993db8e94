"""The release explorer: one HTML file in which readers search pairs and see their ratings."""

import base64
import hashlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from postprocess.designs.kinds import TEXTS
from postprocess.formats.marks import OPEN, TAG
from postprocess.naming import STAMP
from postprocess.pipeline import Dataset
from postprocess.reporting.page import TEMPLATES, make_environment
from postprocess.reporting.phrases import (
    write_count,
    write_figure,
    write_interval,
    write_points,
    write_signed,
)
from postprocess.reporting.report import describe_gaps
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.rehearsal import warn_of_scripts

MOST_RATINGS = 200_000  # listed one by one; above, only their distribution is shown
UNKNOWN = 2.0  # sorts undefined q-values after all others
WIDTH, MARGIN = 220.0, 8.0  # of the drawing of both scores, in its own units


class Bar(NamedTuple):
    """A point of the scale, and how many ratings of a context chose it."""

    point: str
    n_used: int
    n_left_out: int


class Side(NamedTuple):
    """One context of a pair; `texts` are cut at their targets, `x`, `low`, `high` drawn."""

    texts: list[list[tuple[str, bool]]]
    score: str
    deviation: str
    n: int
    x: float
    low: float
    high: float
    bars: list[Bar]
    most: int


class Change(NamedTuple):
    """The change of a pair; `interval` is "–" if undefined."""

    change: str
    interval: str
    qvalue: str
    delta: str


class Shown(NamedTuple):
    """A pair as the page shows it; `order` has the numbers that the page sorts by.

    `change` is None if pairs have one context; `note`: see `Outcome.pairs`.
    """

    number: int
    words: tuple[str, str]
    sides: tuple[Side, ...]
    order: dict[str, float]
    note: str
    change: Change | None


def render_explorer(dataset: Dataset) -> str:
    """Return the explorer of a dataset as HTML that loads nothing; without scripts it lists all."""
    report = dataset.report
    script = (TEMPLATES / "explorer.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    warning = warn_of_scripts(report["counts"])
    template = make_environment().get_template("explorer.html.jinja")
    return template.render(
        name=dataset.name,
        language=report["language"],
        version=report["code"]["version"],
        pairs=list(_show_pairs(dataset)),
        n_contexts=dataset.outcome.n_contexts,
        design=dataset.design,
        has_deviations="stdev1" in dataset.outcome.pairs,
        has_intervals=not dataset.intervals.empty,
        languages=_name_languages(dataset),
        ratings=_list_ratings(dataset.outcome.ledger),
        counts=[
            write_count(len(dataset.rows), "pair"),
            write_count(report["counts"]["ratings"], "rating"),
            write_count(report["counts"]["annotators"], "annotator"),
        ],
        scale=dataset.outcome.recipe.rescaling,
        width=WIDTH,
        margin=MARGIN,
        script=script,
        script_digest=digest,
        warning=warning,
        gaps=describe_gaps(report["counts"]),
        stamp=f"{STAMP}: " if warning else "",
    )


def _name_languages(dataset: Dataset) -> tuple[str, str]:
    """Return the languages of the first and the second word."""
    language, design = dataset.report["language"], dataset.design
    if design is None or design.item.languages == 1:
        return language, language
    first, _, second = language.partition("-")
    return first, second


def _show_pairs(dataset: Dataset) -> Iterator[Shown]:
    pairs, below = dataset.outcome.pairs, dataset.outcome.recipe.rescaling.minimum - 1
    numbers = range(1, dataset.outcome.n_contexts + 1)
    sims = pairs[[f"sim{number}" for number in numbers]].fillna(below).to_numpy()
    sides = [_show_sides(dataset, number) for number in numbers]
    changes = _show_changes(dataset) if "change" in pairs else None
    notes = pairs["note"] if "note" in pairs else [""] * len(pairs)
    for at, (words, note) in enumerate(zip(dataset.words, notes, strict=True)):
        change, order = changes[at] if changes else (None, {})
        scores = {f"score{n}": round(float(sims[at, n - 1]), 4) for n in numbers}
        yield Shown(
            at + 1, words, tuple(side[at] for side in sides),
            {"number": at + 1, **scores, **order}, str(note), change,
        )  # fmt: skip


def _show_changes(dataset: Dataset) -> list[tuple[Change, dict[str, float]]]:
    """Return the change of each pair, and the numbers that the page sorts by."""
    columns = dataset.outcome.pairs[["change", "qvalue", "delta"]].to_numpy(dtype=float)
    ends = dataset.intervals[["change_low", "change_high"]].to_numpy(dtype=float)
    return [
        (
            Change(
                write_signed(write_figure(change)), write_interval(*interval),
                write_figure(qvalue, 3), write_signed(write_figure(delta)),
            ),
            {
                "change": 0.0 if math.isnan(change) else round(change, 4),
                "size": -1.0 if math.isnan(change) else round(abs(change), 4),
                "q": UNKNOWN if math.isnan(qvalue) else round(qvalue, 6),
            },
        )
        for (change, qvalue, delta), interval in zip(columns.tolist(), ends, strict=True)
    ]  # fmt: skip


def _show_sides(dataset: Dataset, context: int) -> list[Side]:
    """Return one of the contexts of each pair; without intervals only the score is drawn."""
    scores, target = dataset.outcome.pairs, dataset.outcome.recipe.rescaling
    mean = scores[f"sim{context}"].to_numpy(dtype=float)
    columns_of_ends = [f"sim{context}_{end}" for end in ("low", "high")]
    ends = dataset.intervals.reindex(columns=columns_of_ends).to_numpy(dtype=float)
    ends = np.where(np.isnan(ends), mean[:, None], ends)
    per_unit = (WIDTH - 2 * MARGIN) / (target.maximum - target.minimum)
    drawn = MARGIN + per_unit * (np.column_stack([mean, ends]) - target.minimum)
    unknown = pd.Series(math.nan, scores.index)
    texts = TEXTS if dataset.design else (f"context{context}",)
    places = [dataset.columns.index(name) for name in texts if name in dataset.columns]
    columns = (
        dataset.rows, mean, scores.get(f"stdev{context}", unknown), scores[f"n{context}"],
        drawn.round(2).tolist(), _count_bars(dataset, context),
    )  # fmt: skip
    return [
        Side(
            [list(_cut(row[place])) for place in places],
            write_figure(score),
            write_figure(deviation),
            int(n),
            x,
            low,
            high,
            bars,
            max(bar.n_used + bar.n_left_out for bar in bars),
        )
        for row, score, deviation, n, (x, low, high), bars in zip(*columns, strict=True)
    ]


def _cut(marked: str) -> Iterator[tuple[str, bool]]:
    """Cut a text at its marks: (piece, whether it is marked); also texts with faulty marks.

    >>> list(_cut("<strong>Ice</strong> is water."))
    [('Ice', True), (' is water.', False)]
    """
    is_marked, start = False, 0
    for tag in TAG.finditer(marked):
        if tag.start() > start:
            yield marked[start : tag.start()], is_marked
        is_marked, start = tag[0] == OPEN, tag.end()
    if start < len(marked):
        yield marked[start:], is_marked


def _count_bars(dataset: Dataset, context: int) -> list[list[Bar]]:
    """Return the bars of one context of each pair: the ratings as given, used and left out."""
    scale, ledger = dataset.outcome.recipe.scale.as_scale(), dataset.outcome.ledger
    given = ledger[(ledger["context"] == context) & ledger["rating"].notna()]
    point = ((given["rating"] - scale.minimum) / scale.step).round().to_numpy(dtype=int)
    is_left_out = (given["reason"] != COUNTED).to_numpy(dtype=int)
    place = ((given["pair"].to_numpy(dtype=int) - 1) * scale.n_points + point) * 2 + is_left_out
    shape = (len(dataset.rows), scale.n_points, 2)
    counts = np.bincount(place, minlength=math.prod(shape)).reshape(shape).tolist()
    names = [write_points(scale.minimum + i * scale.step) for i in range(scale.n_points)]
    return [[Bar(name, *n) for name, n in zip(names, of_pair, strict=True)] for of_pair in counts]


def _list_ratings(ledger: pd.DataFrame) -> dict[str, Any]:
    """Return the ratings one by one for the page's script; no `pairs` if they are too many.

    `annotators` and `reasons` are names; `pairs` has, for each pair and context, lists of
    annotator, rating, calibrated rating (null if left out) and reason, by position in the names.
    """
    if len(ledger) > MOST_RATINGS:
        return {"annotators": [], "reasons": [], "pairs": []}
    annotator, names = pd.factorize(ledger["annotator"].astype(str), sort=True)
    reason, reasons = pd.factorize(ledger["reason"].astype(str), sort=True)
    most = int(ledger["context"].max())
    listed: list[list[list[list[float | None]]]] = [
        [[] for _ in range(most)] for _ in range(int(ledger["pair"].max()))
    ]
    columns = (
        ledger["pair"], ledger["context"], annotator, ledger["rating"], ledger["calibrated"], reason
    )  # fmt: skip
    for pair, context, who, rating, calibrated, why in zip(*columns, strict=True):
        points = [None if pd.isna(x) else round(float(x), 4) for x in (rating, calibrated)]
        listed[int(pair) - 1][int(context) - 1].append([int(who), *points, int(why)])
    return {"annotators": list(names), "reasons": list(reasons), "pairs": listed}
