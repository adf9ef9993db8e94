"""The comparison of two collections of the same items: all tables and the report."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from postprocess.pipeline import digest_code
from postprocess.reporting.assessment import Chance, allot_chance
from postprocess.reporting.report import plain_report, render_report
from postprocess.statistics.histograms import count_points
from postprocess.steps.recipe import ReportSection
from postprocess.table.ratings import RatingsError
from postprocess.table.rendering import render_table
from postprocess.two_collections import By
from postprocess.two_collections.association import correlate_collections
from postprocess.two_collections.collection import Collection
from postprocess.two_collections.crossing import SIDES, compare_agreement
from postprocess.two_collections.curve import calibration_curve, expect_second
from postprocess.two_collections.differences import (
    compare_changes,
    compare_contexts,
    measure_differences,
)
from postprocess.two_collections.kinds import compare_kinds, relate_differences
from postprocess.two_collections.matching import WORDS, Aligned, Matching, align, match_pairs
from postprocess.two_collections.stamps import list_stamps, list_warnings, stamp_name
from postprocess.version import __version__

FEWEST_PAIRS = 3  # for a correlation of changes
SIGNIFICANT = 0.05
MOST_LISTED = 20  # contexts and pairs that differ most, in the report
LEVELS = ("pvalue", "qvalue")
IN_REPORT = ("correlations", "differences", "agreement", "kinds", "relations", "curve")


@dataclass(frozen=True)
class CollectionComparison:
    """The comparison of two collections.

    `report`: JSON types only: both sides, the matching, the rows of the tables `IN_REPORT`, and the
    contexts and pairs that differ most; `tables`: these, contexts, pairs, line and distribution,
    by name; `sides`: the two collections.
    """

    report: dict[str, Any]
    tables: Mapping[str, pd.DataFrame]
    sides: tuple[Collection, Collection]


def compare_collections(
    first: Collection,
    second: Collection,
    *,
    by: By | None = None,
    only_matched: bool = False,
    wanted: ReportSection | None = None,
) -> CollectionComparison:
    """Compare two collections on the same items, such as two crowds or a crowd and a model.

    Parameters
    ----------
    first, second : Collection
        The second is described by the first: differences are second less first, and scores of the
        second are brought to the published scale of the first.
    by, only_matched
        As `match_pairs` takes them.
    wanted : ReportSection, optional
        Resamples, splits and seed; by default those of the recipes.

    Returns
    -------
    CollectionComparison
        The same for the same input. `tables` has the results of `correlate_collections`,
        `measure_differences`, `compare_agreement`, `compare_kinds`, `relate_differences`,
        `compare_contexts` (with expected, the fitted score of the calibration curve, and residual),
        `compare_changes` (pairs), `calibration_curve` (curve: its bins; line) and
        `count_distributions`.

    Raises
    ------
    RatingsError
        As `match_pairs`; or fewer than three matched pairs.

    Examples
    --------
    >>> from postprocess.table.ratings import Scale
    >>> rows = tuple(("ice", w, f"{w} one", f"{w} two", "", "", "", "") for w in "abc")
    >>> scores = pd.DataFrame({"n1": 1, "n2": 1, "sim1": [1, 4, 9], "sim2": [2, 2, 3], "stdev1": 1,
    ...                        "stdev2": 1}, index=pd.RangeIndex(1, 4, name="pair"))
    >>> first, second = (
    ...     Collection(name, "en", rows, scores + more, Scale(0, 10))
    ...     for name, more in (("A", 0), ("B", 2)))
    >>> compare_collections(first, second).report["differences"][0]["difference"]
    2
    """
    matching = match_pairs(first, second, by=by, only_matched=only_matched)
    if len(matching.first) < FEWEST_PAIRS:
        raise RatingsError(
            f"{len(matching.first)} pairs are in both collections; a comparison needs "
            f"{FEWEST_PAIRS} or more"
        )
    aligned = align(first, second, matching)
    chance = allot_chance(wanted or ReportSection(), max(map(_count_ratings, (first, second))))
    tables = _tabulate(first, second, aligned, chance)
    report = plain_report(
        {
            "code": {"version": __version__, "sha256": digest_code()},
            "first": _describe(first),
            "second": _describe(second),
            "stamps": list_stamps((first, second)),
            "warnings": list_warnings((first, second)),
            "matching": _describe_matching(matching),
            "published": {"minimum": first.published.minimum, "maximum": first.published.maximum},
            "chance": chance._asdict(),
            **{name: tables[name].to_dict("records") for name in IN_REPORT},
            **{
                f"different_{name}": _list_different(tables[name]) for name in ("contexts", "pairs")
            },
        }
    )
    return CollectionComparison(report, tables, (first, second))


def sort_by_difference(table: pd.DataFrame) -> pd.DataFrame:
    """Sort contexts or pairs: by p, if they were tested, then by the size of the difference.

    >>> table = pd.DataFrame({"difference": [1.0, -3.0, 2.0], "pvalue": [0.1, float("nan"), 0.1]})
    >>> sort_by_difference(table)["difference"].tolist()
    [2.0, 1.0, -3.0]
    """
    keys = table.assign(size=-table["difference"].abs())
    names = [name for name in ("pvalue", "size") if name in keys]
    return table.loc[keys.sort_values(names, kind="stable").index]


def count_distributions(first: Collection, second: Collection) -> pd.DataFrame:
    """Count the ratings of two collections at the points of their scales.

    Returns
    -------
    DataFrame, shape (n_points of both scales, 5)
        side ("first" or "second"), point (of its scale), share_of_scale (from 0, the lowest, to 1),
        n (ratings) and share. A side without ratings has no rows.

    Examples
    --------
    >>> from postprocess.table.ratings import Scale
    >>> side = Collection("A", "en", (), pd.DataFrame(), Scale(0, 10),
    ...                   pd.DataFrame({"rating": [0, 0, 1, 2]}), Scale(0, 2))
    >>> count_distributions(side, side)["share"].tolist()
    [0.5, 0.25, 0.25, 0.5, 0.25, 0.25]
    """
    parts = []
    for side, collection in zip(SIDES, (first, second), strict=True):
        if collection.ratings is None or collection.scale is None:
            continue
        counts = count_points(collection.ratings["rating"].to_numpy(dtype=float), collection.scale)
        steps = np.arange(collection.scale.n_points)
        points = collection.scale.minimum + steps * collection.scale.step
        parts.append(
            pd.DataFrame(
                {
                    "side": side,
                    "point": points,
                    "share_of_scale": steps / (collection.scale.n_points - 1),
                    "n": counts,
                    "share": counts / counts.sum(),
                }
            )
        )
    columns = ["side", "point", "share_of_scale", "n", "share"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _tabulate(
    first: Collection, second: Collection, aligned: Aligned, chance: Chance
) -> dict[str, pd.DataFrame]:
    curve = calibration_curve(aligned, chance)
    contexts = compare_contexts(aligned)
    expected = expect_second(curve.line, contexts["score_first"].to_numpy())
    contexts.insert(9, "expected", expected)
    contexts.insert(10, "residual", contexts["score_second"] - expected)
    return {
        "correlations": correlate_collections(aligned, chance),
        "differences": measure_differences(aligned, chance),
        "agreement": compare_agreement(aligned, chance),
        "kinds": compare_kinds(aligned, chance),
        "relations": relate_differences(aligned, chance),
        "contexts": contexts,
        "pairs": compare_changes(aligned),
        "curve": curve.bins,
        "line": curve.line,
        "distribution": count_distributions(first, second),
    }


def _count_ratings(collection: Collection) -> int:
    """Return the number of ratings, or of scores if those are not known."""
    return 2 * len(collection.rows) if collection.ratings is None else len(collection.ratings)


def _describe(collection: Collection) -> dict[str, Any]:
    ratings, scale = collection.ratings, collection.scale
    return {
        "name": collection.name,
        "language": collection.language,
        "source": asdict(collection.source),
        "recipe": collection.recipe,
        "n_pairs": len(collection.rows),
        "n_ratings": None if ratings is None else len(ratings),
        "n_annotators": None if ratings is None else ratings["annotator"].nunique(),
        "n_scripted": collection.n_scripted,
        "scale": None if scale is None else asdict(scale),
    }


def _describe_matching(matching: Matching) -> dict[str, Any]:
    return {
        "by": matching.by,
        "key": WORDS[matching.by],
        "n_pairs": len(matching.first),
        "n_swapped": int(matching.is_swapped.sum()),
        "only_first": matching.only_first,
        "only_second": matching.only_second,
    }


def _list_different(table: pd.DataFrame) -> dict[str, Any]:
    """Return how many rows are below the level of each test, and the rows that differ most."""
    counts = {name: int((table[name] < SIGNIFICANT).sum()) for name in LEVELS if name in table}
    largest = sort_by_difference(table).head(MOST_LISTED)
    noted = {"n_noted": int((table["note"] != "").sum())} if "note" in table else {}
    return {"n": len(table), "n_below": counts, **noted, "largest": largest.to_dict("records")}


def render_tables(comparison: CollectionComparison) -> dict[str, bytes]:
    """Return the report and all tables: comparison.json and <table>.tsv, with stamped names."""
    sides = comparison.sides
    files = {f"{stamp_name('comparison', sides)}.json": render_report(comparison.report).encode()}
    for name, table in comparison.tables.items():
        files[f"{stamp_name(name, sides)}.tsv"] = render_table(table).encode()
    return files
