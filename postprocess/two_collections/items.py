"""Comparison of a published data set with a release of a design whose pairs have one context."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from postprocess.designs.design import Design, parse_design
from postprocess.designs.scored import name_score
from postprocess.formats.marks import plain_text
from postprocess.formats.parsed import ParsedRows
from postprocess.formats.tabular import fold, read_cell
from postprocess.layouts.published import find_layout
from postprocess.layouts.published_set import FIGURES, PublishedSet, list_ratings, load_set
from postprocess.pipeline import RECIPE_FILE, options_of
from postprocess.release.assembling import DESIGN
from postprocess.release.verification.published_data import find_dataset, read_files, read_published
from postprocess.reporting.phrases import write_count, write_figure, write_signed
from postprocess.reporting.report import plain_report, render_report
from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.agreement.kappa import cohen_kappa
from postprocess.statistics.correlations import correlate
from postprocess.steps.post_process import Outcome, post_process
from postprocess.steps.recipe import parse_recipe
from postprocess.table.ratings import RatingsError, name_some
from postprocess.table.rendering import render_table

ItemKey = Literal["id", "words", "texts"]
AGREEMENT = ("human", "pairwise_pearson", "split_half")
FAR = 2  # standard errors
TAGS = {"T": 1.0, "F": 0.0}
STORED = ("id", "word1", "word2", "text1", "text2", "pos")
SHOWN = (
    "id", "word1", "word2", "pos", "score_first", "score_second", "difference", "error", "is_far"
)  # fmt: skip


@dataclass(frozen=True)
class ScoredItems:
    """Items with one score each.

    `items`, a row each: id, word1, word2, perhaps text1, text2 and pos; score (1 and 0 for T and
    F), error (its standard error, NaN if unknown). `ratings`: as `agreement_table` takes them, if
    they are known.
    """

    name: str
    items: pd.DataFrame
    ratings: pd.DataFrame | None = None


@dataclass(frozen=True)
class ItemComparison:
    """What two sets of scores have in common: a report, and a row for each item and each pos."""

    report: dict[str, Any]
    items: pd.DataFrame
    parts_of_speech: pd.DataFrame

    def render(self) -> dict[str, bytes]:
        """Return comparison.json, items.tsv and, if it is known, parts_of_speech.tsv."""
        tables = {"items.tsv": self.items, "parts_of_speech.tsv": self.parts_of_speech}
        files = {name: render_table(table) for name, table in tables.items() if len(table)}
        return {
            "comparison.json": render_report(self.report).encode(),
            **{name: text.encode() for name, text in files.items()},
        }


def is_of_items(folder: Path) -> bool:
    """Return whether a folder is a release of a design whose pairs have one context."""
    return (folder / DESIGN).is_file()


def load_published(folder: Path, design: Design) -> ScoredItems:
    """Return the scores of a data set in the folder that `load` wrote.

    They are the published ones or, where a layout has judgements alone, their centre. Raises
    RatingsError for another folder, LayoutError, TableError or OSError.
    """
    if not (folder / FIGURES).is_file():
        raise RatingsError(
            f"{folder} is not the folder of a published data set; make it with python -m "
            f"postprocess load {design.files.layout}"
        )
    published = load_set(find_layout(design.files.layout), folder)
    return score_set(published, folder.resolve().name, centre=design.scores.centre)


def score_set(published: PublishedSet, name: str, *, centre: str) -> ScoredItems:
    """Return the scores of a data set. Raises RatingsError for a set without any."""
    ratings = _table_ratings(published)
    items = pd.DataFrame(published.items)
    if ratings is not None:
        by_item = ratings.groupby("pair")["rating"]
        n = pd.RangeIndex(1, len(items) + 1)
        centres = by_item.median() if centre == "median" else by_item.mean()
        items["score"] = centres.reindex(n).to_numpy()
        items["error"] = (by_item.std() / np.sqrt(by_item.size())).reindex(n).to_numpy()
    figures = pd.DataFrame(published.figures)
    for column, read in (("score", _read_number), ("tag", TAGS.__getitem__)):
        if column in figures and not published.layout.has_uses:
            items["score"] = figures[column].map(read).to_numpy()
    if "score" not in items:
        raise RatingsError(f"{name} has no scores; load the files of the gold, too")
    return ScoredItems(name, items.assign(error=items.get("error", np.nan)), ratings)


def write_scored(scored: ScoredItems) -> str:
    """Return scored items as a tab-separated table, with a column A01, A02, … an annotator."""
    table = scored.items[[name for name in (*STORED, "score", "error") if name in scored.items]]
    if scored.ratings is not None:
        by_item = scored.ratings.pivot(index="pair", columns="annotator", values="rating")
        by_item.columns = pd.Index([f"A{n:02}" for n in range(1, by_item.shape[1] + 1)])
        table = table.join(by_item.reindex(pd.RangeIndex(1, len(table) + 1)).reset_index(drop=True))
    return render_table(table)


def read_scored(text: str, name: str) -> ScoredItems:
    """Return the items that `write_scored` wrote."""
    header, *lines = (line.split("\t") for line in text.removesuffix("\n").split("\n"))
    table = pd.DataFrame([map(read_cell, line) for line in lines], columns=header)
    items = table[[name for name in (*STORED, "score", "error") if name in table]].copy()
    for column in ("score", "error"):
        items[column] = items[column].map(_read_number)
    given = table.drop(columns=items.columns).rename_axis("pair").reset_index()
    ratings = given.melt("pair", var_name="annotator", value_name="rating")
    ratings = ratings[ratings["rating"] != ""].astype({"rating": float})
    ratings["pair"] += 1
    return ScoredItems(
        name, items, None if ratings.empty else ratings.assign(context=1, group="all")
    )


def load_designed(folder: Path) -> tuple[ScoredItems, Design]:
    """Return the scores of a release by its own recipe, and its design.

    Raises the errors of `read_published` and of `post_process`.
    """
    files = read_files(folder)
    tag, design = find_dataset(files).tag, parse_design(files[DESIGN])
    recipe = parse_recipe(files[RECIPE_FILE])
    published = read_published(folder, files, tag, recipe)
    outcome = post_process(
        published.individual.ratings, recipe, n_pairs=len(published.stimuli.rows),
        checks=published.individual.checks, decisions=published.individual.decisions,
        **options_of(design),
    )  # fmt: skip
    return score_outcome(published.stimuli, outcome, design, folder.resolve().name), design


def score_outcome(
    stimuli: ParsedRows[Any], outcome: Outcome, design: Design, name: str
) -> ScoredItems:
    """Return the scores of post-processed ratings of a design's items."""
    items = pd.DataFrame(stimuli.rows, columns=list(stimuli.columns))
    pairs = outcome.pairs.reset_index(drop=True)
    errors = pairs["stdev1"] / np.sqrt(pairs["n1"]) if "stdev1" in pairs else np.nan
    scored = items.assign(score=pairs["sim1"], error=errors)
    if name_score(design) == "tag":
        is_same = scored["score"] == outcome.recipe.rescaling.maximum
        scored["score"] = is_same.astype(float).where(scored["score"].notna())
    return ScoredItems(name, scored, outcome.used)


def compare_items(
    first: ScoredItems,
    second: ScoredItems,
    design: Design,
    *,
    by: ItemKey | None = None,
    only_matched: bool = False,
) -> ItemComparison:
    """Compare the scores of two sets of items.

    Parameters
    ----------
    first, second : ScoredItems
        The published scores, and those that replicate them, on the same scale.
    design : Design
        Of the second: whether scores are tags.
    by : "id", "words" or "texts", optional
        The key: the id; both words, in either order; these and both texts. By default the id if
        each id that both have is of the same words, else the texts or words.
    only_matched : bool
        Whether items that one set lacks are left out, and not refused.

    Returns
    -------
    ItemComparison
        report: n; pearson, spearman and difference (the mean of second less first), or accuracy and
        kappa for tags; n_far: items that differ by more than two standard errors, None for tags;
        errors_of: the sides whose standard errors are known, the other's scores count as exact;
        agreement of each (see `agreement_table`); ceiling: the root of the product of the known
        split-half reliabilities.

    Raises
    ------
    RatingsError
        Items of one set alone; two items with the same key; or fewer than three in common.

    Examples
    --------
    >>> from postprocess.designs.design import read_design
    >>> table = pd.DataFrame({"id": ["1", "2", "3"], "word1": list("abc"), "word2": list("xyz")})
    >>> first, second = (
    ...     ScoredItems(name, table.assign(score=scores, error=0.5))
    ...     for name, scores in (("A", [1.0, 2.0, 3.0]), ("B", [1.5, 2.5, 5.0])))
    >>> report = compare_items(first, second, read_design("simlex")).report
    >>> report["n"], report["spearman"], report["difference"], report["n_far"]
    (3, 1, 1, 1)
    """
    if by is not None and by not in get_args(ItemKey):
        raise RatingsError(f"items are matched by {', '.join(get_args(ItemKey))}, not by {by}")
    by = by or _choose_key(first.items, second.items)
    matched = _match(first, second, by, only_matched=only_matched)
    is_tag = name_score(design) == "tag"
    difference = matched["score_second"] - matched["score_first"]
    errors = matched[["error_first", "error_second"]].set_axis(["first", "second"], axis=1)
    errors_of = [] if is_tag else [side for side in errors if errors[side].notna().any()]
    error = np.sqrt(errors.fillna(0).pow(2).sum(axis=1))
    items = matched.assign(difference=difference)
    if errors_of:
        items["error"] = error.where(error > 0)
        items["is_far"] = (difference.abs() > FAR * items["error"]).map({True: "yes", False: "no"})
    agreement = [None if s.ratings is None else _agree(s.ratings) for s in (first, second)]
    reliabilities = [one["split_half"] for one in agreement if one and one["split_half"] > 0]
    report = {
        "first": {"name": first.name, "n_items": len(first.items), "agreement": agreement[0]},
        "second": {"name": second.name, "n_items": len(second.items), "agreement": agreement[1]},
        "by": by,
        **_measure(items, is_tag=is_tag),
        "n_far": int((items["is_far"] == "yes").sum()) if errors_of else None,
        "errors_of": errors_of,
        "ceiling": float(np.sqrt(np.prod(reliabilities))) if reliabilities else None,
    }
    slices = items.groupby("pos", sort=True) if "pos" in items else ()
    rows = [{"pos": pos, **_measure(part, is_tag=is_tag)} for pos, part in slices]
    shown = [name for name in SHOWN if name in items]
    return ItemComparison(plain_report(report), items[shown], pd.DataFrame(rows))


def list_figures(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the known correlations, or accuracy and kappa, and the ceiling, as text by name."""
    return {
        name: write_figure(report[name], 3)
        for name in ("pearson", "spearman", "accuracy", "kappa", "ceiling")
        if report.get(name) is not None
    }


def write_comparison(comparison: ItemComparison) -> str:
    """Return the main figures in a few lines for a terminal."""
    report = comparison.report
    lines = [f"items     {report['n']} in both, matched by {report['by']}"]
    lines += [f"{name:<9} {figure}" for name, figure in list_figures(report).items()]
    if "difference" in report:
        difference = write_signed(write_figure(report["difference"]))
        lines.append(f"mean of the second less that of the first: {difference}")
    if names := [report[side]["name"] for side in report["errors_of"]]:
        alone = "" if len(names) == 2 else f" of {names[0]}, the only ones known"
        n_far = write_count(report["n_far"], "item")
        lines.append(f"{n_far} more than {FAR} standard errors apart{alone}")
    for side in ("first", "second"):
        if agreement := report[side]["agreement"]:
            shown = ", ".join(f"{name} {write_figure(agreement[name])}" for name in AGREEMENT)
            lines.append(f"{report[side]['name']}: {shown}")
    return "".join(f"{line}\n" for line in lines)


def _read_number(text: str) -> float:
    return float("nan") if text in ("", "NA") else float(text)


def _table_ratings(published: PublishedSet) -> pd.DataFrame | None:
    """Return the ratings of a data set, all raters in one group; None if it has none."""
    rows = [(int(pair), 1, who, float(rating), "all") for pair, who, rating, mark
            in list_ratings(published) if not mark]  # fmt: skip
    columns = ["pair", "context", "annotator", "rating", "group"]
    return pd.DataFrame(rows, columns=columns) if rows else None


def _agree(ratings: pd.DataFrame) -> dict[str, float]:
    """Return the overall agreement of ratings."""
    table = agreement_table(ratings, by=(), figures=list(AGREEMENT), n_resamples=0)
    return {name: float(table[name].iloc[0]) for name in AGREEMENT}


def _measure(items: pd.DataFrame, *, is_tag: bool) -> dict[str, Any]:
    """Return how the scores of some items agree."""
    first, second = (items[f"score_{side}"].to_numpy(float) for side in ("first", "second"))
    if is_tag:
        return {
            "n": len(items),
            "accuracy": float((first == second).mean()),
            "kappa": cohen_kappa(first.tolist(), second.tolist()),
        }
    return {
        "n": len(items),
        "pearson": float(correlate(first, second, method="pearson")),
        "spearman": float(correlate(first, second, method="spearman")),
        "difference": float((second - first).mean()),
    }


def _choose_key(first: pd.DataFrame, second: pd.DataFrame) -> ItemKey:
    """Return the id if each common id is of the same words, else what items have."""
    words = [
        dict(zip(side["id"], _list_keys(side, "words"), strict=True)) for side in (first, second)
    ]
    common = words[0].keys() & words[1].keys()
    if common and all(words[0][name] == words[1][name] for name in common):
        return "id"
    return "texts" if "text1" in first and "text1" in second else "words"


def _list_keys(items: pd.DataFrame, by: ItemKey) -> list[Hashable]:
    """Return the key of each item; words and texts in either order, without case and spacing."""
    if by == "id":
        return list(items["id"])
    sides: list[list[tuple[str, ...]]] = []
    for number in (1, 2):
        names = [f"word{number}", *([f"text{number}"] if by == "texts" else [])]
        if missing := [name for name in names if name not in items]:
            raise RatingsError(f"items without {missing[0]} cannot be matched by {by}")
        columns = [items[name].map(lambda text: fold(plain_text(text))) for name in names]
        sides.append(list(zip(*columns, strict=True)))
    return [tuple(sorted(both)) for both in zip(*sides, strict=True)]


def _match(
    first: ScoredItems, second: ScoredItems, by: ItemKey, *, only_matched: bool
) -> pd.DataFrame:
    """Return the items of the first with both scores."""
    tables = []
    for side in (first, second):
        keys = pd.Series(_list_keys(side.items, by), dtype=object)
        keyed = side.items.assign(key=keys)
        if (twice := keyed.duplicated("key")).any():
            rows = name_some([str(row + 1) for row in np.flatnonzero(twice)])
            raise RatingsError(
                f"{side.name} has items with the same {by}: rows {rows}. Match them by id"
            )
        tables.append(keyed)
    _refuse_others(first, second, tables, only_matched=only_matched)
    columns = ["key", "score", "error"]
    matched = tables[0].merge(tables[1][columns], on="key", suffixes=("_first", "_second"))
    if "pos" not in matched and "pos" in tables[1]:
        matched = matched.merge(tables[1][["key", "pos"]], on="key")
    scored = matched[matched[["score_first", "score_second"]].notna().all(axis=1)]
    if len(scored) < 3:
        raise RatingsError(f"{write_count(len(scored), 'item')} in common are too few to compare")
    return scored.reset_index(drop=True)


def _refuse_others(
    first: ScoredItems,
    second: ScoredItems,
    tables: Sequence[pd.DataFrame],
    *,
    only_matched: bool,
) -> None:
    """Raise RatingsError for items that one side lacks, unless they are left out."""
    keys = [set(table["key"]) for table in tables]
    lacking: Mapping[str, set[Hashable]] = {
        second.name: keys[0] - keys[1], first.name: keys[1] - keys[0]
    }  # fmt: skip
    for name, missing in lacking.items():
        if missing and not only_matched:
            raise RatingsError(
                f"{name} lacks {write_count(len(missing), 'item')} of the other; leave out "
                "items that only one has (--only-matched), or match them by another key"
            )
