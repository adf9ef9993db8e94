"""The folder `published/` of a release: its test data in the layout of the design."""

import math
from collections import defaultdict
from fractions import Fraction

from postprocess.designs.design import Design
from postprocess.designs.scored import name_score, write_scores
from postprocess.layouts import LayoutError, Record
from postprocess.layouts.columns import round_half_up
from postprocess.layouts.layout import Layout
from postprocess.layouts.published import LAYOUTS
from postprocess.layouts.published_set import UNDECIDED, PublishedSet
from postprocess.layouts.reading import read_set
from postprocess.layouts.writing import write_set
from postprocess.pipeline import Dataset
from postprocess.reporting.phrases import write_points
from postprocess.steps.exclusion import COUNTED

FOLDER = "published"
UNKNOWN = "NA"


def render_published(dataset: Dataset, n_test: int, design: Design) -> dict[str, bytes]:
    """Return the files of the first pairs of a dataset in the layout of its design.

    There are none if the layout cannot hold the items, such as those without a part of speech.
    """
    layout = LAYOUTS.get(design.files.layout)
    if layout is None:
        return {}
    rows = dataset.rows[:n_test]
    items = [dict(zip(dataset.columns, row, strict=True)) for row in rows]
    list_figures = _list_judgements if layout.has_uses else _list_scores
    figures = list_figures(dataset, items, layout, design)
    language = dataset.report["language"]
    try:
        files = write_set(PublishedSet(layout, language, items, figures))
        read_set(layout, files, language)  # others are to read them
    except LayoutError:
        return {}
    return {f"{FOLDER}/{name}": content for name, content in files.items()}


def _list_scores(
    dataset: Dataset, items: list[Record], layout: Layout, design: Design
) -> list[Record]:
    """Return the score of each item, and its ratings where the layout has them."""
    pairs = dataset.outcome.pairs.head(len(items))
    if name_score(design) == "tag":
        tags = write_scores(design, dataset.outcome.recipe, pairs["sim1"])
        return [{"id": item["id"], "tag": tag} for item, tag in zip(items, tags, strict=True)]
    columns = {"score": "sim1", "sd": "stdev1"}
    declared = {column.name for file in layout.files for column in file.columns}
    written = {
        name: [_write(number, layout) for number in pairs[column]]
        for name, column in columns.items()
        if name in declared and column in pairs
    }
    figures = [
        {"id": item["id"], **{name: numbers[row] for name, numbers in written.items()}}
        for row, item in enumerate(items)
    ]
    if any(file.more == "ratings" and file.is_default for file in layout.files):
        ratings = _group_ratings(dataset)
        most = max(map(len, ratings.values()))
        for number, figure in enumerate(figures, 1):
            given = [rating for _, rating in ratings[number] if not math.isnan(rating)]
            cells = [_write(rating, layout) for rating in given] + [""] * (most - len(given))
            figure |= {f"r{place}": cell for place, cell in enumerate(cells, 1)}
    return figures


def _list_judgements(
    dataset: Dataset, items: list[Record], layout: Layout, design: Design
) -> list[Record]:
    """Return the ratings of each item, "cannot judge" included."""
    ratings = _group_ratings(dataset)
    return [
        {
            **{name: text for name, text in item.items() if name.startswith("identifier")},
            "id": item["id"],
            "annotator": annotator,
            "judgment": write_points(UNDECIDED if math.isnan(rating) else rating),
        }
        for number, item in enumerate(items, 1)
        for annotator, rating in ratings[number]
    ]


def _group_ratings(dataset: Dataset) -> dict[int, list[tuple[str, float]]]:
    """Return the annotators and their ratings in the scores, by the number of the item.

    NaN: the annotator could not judge it.
    """
    ledger = dataset.outcome.ledger
    used = ledger[(ledger["reason"] == COUNTED) | ledger["rating"].isna()]
    ratings = defaultdict(list)
    columns = (used["pair"], used["annotator"].astype(str), used["calibrated"])
    for pair, annotator, rating in zip(*columns, strict=True):
        ratings[int(pair)].append((annotator, float(rating)))
    return ratings


def _write(number: float, layout: Layout) -> str:
    """Return a number with the layout's decimals, half up, without further trailing zeros."""
    if math.isnan(number):
        return UNKNOWN
    most, least = layout.decimals
    return round_half_up(Fraction(f"{number:.12g}"), most, least=least)
