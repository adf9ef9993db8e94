"""The tables of the report on agreement, reliability, confounds and two camps."""

from typing import Any

from postprocess.reporting.phrases import (
    NONE,
    name_resampled,
    write_count,
    write_figure,
    write_interval,
    write_p,
    write_share,
    write_signed,
)
from postprocess.reporting.report import Report
from postprocess.reporting.tables import Table, cut

FIGURES = {
    "human": "human",
    "pairwise_spearman": "pairwise ρ",
    "pairwise_pearson": "pairwise r",
    "alpha_ordinal": "α ordinal",
    "alpha_interval": "α interval",
    "icc_single": "ICC(2,1)",
    "icc_average": "ICC(2,k)",
    "split_half": "split half",
}
OF_SLICES = [figure for figure in FIGURES if figure != "icc_single"]  # those that fit on A4
SLICES = {"group": "group", "block": "block", "pos": "part of speech"}
CORRELATIONS = {"uncentered": "uncentred (subtask 1)", "pearson": "Pearson", "spearman": "Spearman"}
SIZES = {
    "mean": "mean |change|",
    "mean_by_noise": "by noise alone",
    "root_mean_square": "root mean square",
    "without_noise": "without noise",
}
OF_CONTEXT = {
    "distance": "distance of the two words, in words",
    "n_tokens": "length of the text, in words",
    "position": "position of the two words in the text",
    "sentence": "number of the sentence of the first word",
    "same_sentence": "both in one sentence",
    "word1_first": "word 1 before word 2",
}
OF_RATING = {
    "position": "position in the questionnaire",
    "seconds": "seconds per rating",
    "annotator_seconds": "median seconds of the annotator",
}
STATISTICS = {"rho": "ρ", "difference": "difference"}
INTERVAL = "#95 % interval"


def tabulate_agreement(report: Report) -> Table:
    """Return the overall agreement after and before all steps, a row for each figure."""
    agreement = report["agreement"]
    overall, given = agreement["overall"], agreement["as_given"]
    columns = ["figure", "#in the scores", INTERVAL]
    rows = [[name, *_figure(overall, key, 3)] for key, name in FIGURES.items()]
    if given:
        columns += ["#as given", INTERVAL]
        rows = [[*row, *_figure(given, key, 3)] for row, key in zip(rows, FIGURES, strict=True)]
    caption = "Agreement of all groups together" + _over(agreement, "contexts")
    caption += ": of the ratings in the scores"
    if given:
        caption += ", and before calibration and filtering"
    return Table(caption, tuple(columns), rows, method="agreement")


def tabulate_slices(report: Report, by: str) -> Table:
    """Return agreement by group, block or part of speech; no rows if unknown."""
    agreement = report["agreement"]
    slices = agreement["by"].get(by, [])
    counts = ("n_items", "n_annotators", "n_ratings")
    rows = [
        [
            str(row["name"]),
            *("\n".join(_figure(row, figure, 2)).removesuffix("\n–") for figure in OF_SLICES),
            *(write_count(row[count]) for count in counts),
        ]
        for row in slices
    ]
    columns = (
        SLICES[by], *(f"#{FIGURES[f]}" for f in OF_SLICES), "#contexts", "#annotators", "#ratings"
    )  # fmt: skip
    caption = f"Agreement by {SLICES[by]}, of the ratings in the scores"
    caption += _over(agreement, "contexts")
    return cut(Table(caption, columns, rows, method="agreement"), "report.json")


def tabulate_change(report: Report) -> Table:
    """Return the reliability of the changes and the ceiling."""
    change = report["change"]
    rows = [
        [
            f"{CORRELATIONS[row['method']]}, {which}",
            *_figure(row, "reliability", 3, "low", "high"),
            *_figure(row, "ceiling", 3),
            write_interval(row["splits_low"], row["splits_high"], 3),
        ]
        for which, kind in (("in the scores", "used"), ("as given", "as_given"))
        for row in change[kind] or []
    ]
    columns = (
        "correlation, ratings", "#reliability R", INTERVAL, "#ceiling √R", INTERVAL,
        "#R in 95 % of the splits",
    )  # fmt: skip
    n_pairs = write_count(change["used"][0]["n_pairs"], "pair")
    caption = f"Reliability of the changes of {n_pairs}, and the ceiling"
    caption += _over(change, "pairs")
    return Table(caption, columns, rows, method="reliability")


def tabulate_size(report: Report) -> Table:
    """Return the size of the changes, with and without noise."""
    kinds = {"in the scores": "size", "as given": "size_as_given"}
    sizes = {which: report["change"][kind] for which, kind in kinds.items()}
    rows = [
        [which, *(write_figure(size[figure]) for figure in SIZES), _share(size["unchanged"])]
        for which, size in sizes.items()
        if size
    ]
    columns = ("ratings", *(f"#{heading}" for heading in SIZES.values()), "#unchanged, at most")
    return Table("Size of the changes, in points of the scores", columns, rows, method="size")


def tabulate_confounds(report: Report) -> Table:
    """Return the relations to confounds, and the confounds that are not known."""
    confounds = report["confounds"]
    rows = [
        [
            f"{row['outcome']}: {name_confound(row)}",
            write_signed(write_figure(row["estimate"])),
            write_interval(row["low"], row["high"]),
            write_p(row["pvalue"]),
            write_count(row["n"]),
            STATISTICS[row["statistic"]],
        ]
        for outcome in ("score", "change", "rating")
        for row in confounds["table"]
        if row["outcome"] == outcome
    ]
    rows += [
        [f"rating: {OF_RATING[row['confound']]}", *4 * "–", f"not known: no column {row['column']}"]
        for row in confounds["not_known"]
    ]
    columns = ("relation", "#estimate", INTERVAL, "#p", "#n", "statistic")
    caption = "Relations of scores, changes and ratings to variables that should not matter"
    caption += _over(confounds, "pairs")
    return Table(caption, columns, rows, method="confounds")


def count_apart(report: Report) -> tuple[int, int]:
    """Return how many intervals of the confounds exclude 0, and how many there are."""
    ends = [(row["low"], row["high"]) for row in report["confounds"]["table"]]
    intervals = [(low, high) for low, high in ends if low is not None and high is not None]
    return sum(low > 0 or high < 0 for low, high in intervals), len(intervals)


def name_confound(row: Report) -> str:
    """Return a confound in words."""
    names = OF_RATING if row["outcome"] == "rating" else OF_CONTEXT
    return names[row["confound"]]


def tabulate_divided(report: Report) -> Table:
    """Return the contexts with two camps."""
    rows = [
        [
            write_count(row["pair"]),
            write_count(row["context"]),
            row["words"],
            row["ratings"],
            write_figure(row["agreement"]),
            write_p(row["pvalue"]),
        ]
        for row in report["divided"]["contexts"]
    ]
    columns = ("#pair", "#context", "words", "ratings of each point", "#A", "#p")
    caption = "Contexts with two camps, the clearest first"
    return cut(Table(caption, columns, rows, method="divided"), "report.json")


def _over(chance: Report, items: str) -> str:
    """Return what was resampled for a table's intervals, for its caption; "" without intervals."""
    if not chance["n_resamples"]:
        return ""
    return f", with 95 % intervals over {name_resampled(items, chance.get('resample', 'items'))}"


def _share(share: float | None) -> str:
    return NONE if share is None else write_share(round(1000 * share), 1000)


def _figure(
    row: dict[str, Any], key: str, decimals: int, low: str = "", high: str = ""
) -> tuple[str, str]:
    ends = row.get(low or f"{key}_low"), row.get(high or f"{key}_high")
    return write_figure(row[key], decimals), write_interval(*ends, decimals)
