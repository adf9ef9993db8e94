"""Comparing two dataset files row by row: stimuli, gold scores, numbers of ratings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from postprocess.auditing.reconstruction.printed import agree, exact, printed_bounds
from postprocess.auditing.reconstruction.sample_sizes import name_sizes
from postprocess.formats.files import GOLD_COLUMNS, format_number
from postprocess.formats.stimuli import COLUMNS
from postprocess.formats.tabular import Finding, Severity
from postprocess.reporting.report import describe_copy
from postprocess.statistics.agreement.copies import find_copies

Row = Sequence[str]  # in the order of `stimuli.COLUMNS`
RATING_KEYS = ["pair", "context", "annotator"]  # of one rating
SWAPPED = (0, 1, 3, 2, 6, 7, 4, 5)  # the columns of a row whose contexts are exchanged


def compare_stimuli(
    dataset: Mapping[int, Row], data: Mapping[int, Row], dataset_name: str
) -> Iterator[Finding]:
    """Find the rows of a stimuli file that differ from the dataset.

    Fields are compared exactly. `dataset` and `data` are rows by number.
    """
    yield from _compare_lengths(len(dataset), len(data), dataset_name)
    places = {tuple(row): number for number, row in dataset.items()}
    for number in dataset.keys() & data.keys():
        here, there = tuple(data[number]), tuple(dataset[number])
        if here == there:
            continue
        columns = [c for c, one, other in zip(COLUMNS, here, there, strict=True) if one != other]
        if tuple(here[i] for i in SWAPPED) == there:
            reason = f"the two contexts are exchanged in {dataset_name}; use the same order"
            yield Finding(Severity.ERROR, reason, number, "context1, context2")
        elif here in places:
            reason = f"this is row {places[here]} of {dataset_name}; use the same order of rows"
            yield Finding(Severity.ERROR, reason, number)
        else:
            reason = f"differs from row {number} of {dataset_name}; make them equal"
            yield Finding(Severity.ERROR, reason, number, ", ".join(columns))


def compare_gold(scores: pd.DataFrame, gold: pd.DataFrame, dataset_name: str) -> Iterator[Finding]:
    """Find the rows of a gold file, from `read_gold`, that differ from the dataset.

    `scores` has sim1 and sim2 of the dataset, index pair. Figures agree if they may be one number,
    printed with different precision.
    """
    yield from _compare_lengths(len(scores), len(gold), dataset_name)
    of_dataset = _figures(scores, ("sim1", "sim2"))
    for number, (*sims, _) in _figures(gold, GOLD_COLUMNS).items():
        printed = of_dataset.get(number)
        if printed is None or agree(sims, printed):
            continue
        if agree(sims[::-1], printed):
            reason = f"the two scores are exchanged in {dataset_name}; use the same order"
            yield Finding(Severity.ERROR, reason, number, ", ".join(GOLD_COLUMNS[:2]))
            continue
        for column, sim, other, name in zip(
            GOLD_COLUMNS[:2], sims, printed, ("sim1", "sim2"), strict=True
        ):
            if not agree([sim], [other]):
                reason = (
                    f"{sim:.12g}, but {name} is {other:.12g} in row {number} of {dataset_name}; "
                    "correct the one that is wrong"
                )
                yield Finding(Severity.ERROR, reason, number, column)


def check_gold_changes(gold: pd.DataFrame) -> Iterator[Finding]:
    """Find rows of a gold file whose change is not the difference of the two scores.

    Published changes are differences of the printed scores. Differences of the unrounded scores
    are accepted, but reported as warnings if most rows have differences of the printed ones.
    """
    rows = _figures(gold.dropna(), GOLD_COLUMNS)
    of_printed = {
        number
        for number, (first, second, change) in rows.items()
        if exact(second) - exact(first) in printed_bounds(change)
    }
    for number, (first, second, change) in rows.items():
        if number in of_printed:
            continue
        printed = format_number(float(exact(second) - exact(first)))
        reason = (
            f"{change:.12g}, but sim_context2 - sim_context1 is {printed}; correct the one that is "
            "wrong"
        )
        if not _may_be_difference(first, second, change):
            yield Finding(Severity.ERROR, reason, number, "change")
        elif len(of_printed) > len(rows) / 2:
            yield Finding(Severity.WARNING, reason, number, "change")


def empty_scores(gold: pd.DataFrame) -> Iterator[Finding]:
    """Find the empty fields of a gold file."""
    for column in GOLD_COLUMNS:
        for row in gold.index[gold[column].isna()]:
            reason = "the number is missing; fill it in"
            yield Finding(Severity.ERROR, reason, int(row), column)


def compare_counts(ratings: pd.DataFrame, contexts: pd.DataFrame) -> Iterator[Finding]:
    """Find contexts of a dataset whose figures need more ratings than there are.

    `ratings` are those of `load_ratings`, whose pairs are the rows of the dataset; `contexts` has
    row, context and fitting (the numbers of ratings that fit). More ratings than needed are
    accepted, since some may have been left out.
    """
    if "annotator" in ratings:
        ratings = ratings.drop_duplicates(RATING_KEYS)
    ratings = _drop_marked(ratings)
    numbers = ratings[["pair", "context"]].apply(pd.to_numeric, errors="coerce")
    counted = Counter(zip(numbers["pair"].tolist(), numbers["context"].tolist(), strict=True))
    for row, context, fitting in zip(
        contexts["row"], contexts["context"], contexts["fitting"], strict=True
    ):
        n_ratings = counted[row, context]
        if fitting and n_ratings < fitting[0]:
            reason = (
                f"the mean and the deviation need {name_sizes(fitting)} ratings, but there are "
                f"{n_ratings}; correct the figures or add the missing ratings"
            )
            yield Finding(Severity.ERROR, reason, row, f"sim{context}, stdev{context}")


def find_repeated_ratings(ratings: pd.DataFrame) -> Iterator[Finding]:
    """Find ratings, from `load_ratings`, of a context that the annotator rated in an earlier row.

    Rows are those of the file, by an index named "line"; without it, row 1 is line 2.
    """
    keys = ratings[RATING_KEYS]
    rows = ratings.index - 1 if ratings.index.name == "line" else range(1, len(ratings) + 1)
    numbers = pd.Series(rows, index=ratings.index, name="row")
    repeated = keys.duplicated().to_numpy()
    concerned = keys.duplicated(keep=False).to_numpy()
    first: dict[tuple[str, ...], int] = {}
    for is_repeated, row, key in zip(
        repeated[concerned],
        numbers[concerned].tolist(),
        keys[concerned].astype(str).itertuples(index=False, name=None),
        strict=True,
    ):
        earlier = first.setdefault(key, row)
        if is_repeated:
            pair, context, annotator = key
            reason = (
                f"annotator {annotator} already rates context {context} of pair {pair} in row "
                f"{earlier}; remove one of the two rows"
            )
            yield Finding(Severity.ERROR, reason, row, "annotator")


def find_copied_ratings(ratings: pd.DataFrame) -> Iterator[Finding]:
    """Find pairs of annotators with more equal ratings than chance allows; see `find_copies`."""
    counted = _drop_marked(ratings).drop_duplicates(RATING_KEYS)
    numbers = counted[["pair", "context", "rating"]].apply(pd.to_numeric, errors="coerce")
    is_known = np.isfinite(numbers).all(axis="columns") & counted["annotator"].notna()
    for row in find_copies(counted.assign(**numbers)[is_known]).to_dict("records"):
        reason = f"more equal ratings than chance allows: {describe_copy(row)}; look at the answers"
        yield Finding(Severity.WARNING, reason, column="annotator")


def _drop_marked(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings without a mark, which says why a rating does not count."""
    if "mark" not in ratings:
        return ratings
    return ratings[ratings["mark"].isna() | (ratings["mark"].astype(str) == "")]


def _compare_lengths(n_dataset: int, n_other: int, dataset_name: str) -> Iterator[Finding]:
    if n_dataset != n_other:
        reason = f"{n_other} rows, but {dataset_name} has {n_dataset}; every pair needs a row"
        yield Finding(Severity.ERROR, reason)


def _figures(table: pd.DataFrame, columns: Sequence[str]) -> dict[int, list[float]]:
    return dict(zip(table.index.tolist(), table[list(columns)].to_numpy().tolist(), strict=True))


def _may_be_difference(first: float, second: float, change: float) -> bool:
    """Return whether the difference of two unrounded scores may be the printed change."""
    a, b, difference = (printed_bounds(figure) for figure in (first, second, change))
    return b.high - a.low >= difference.low and b.low - a.high <= difference.high
