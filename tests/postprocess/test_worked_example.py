"""The tables of docs/statistics.md, on real ratings."""

from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from scipy import stats

from postprocess.statistics.agreement.by_group import FIGURES, agreement_table
from postprocess.statistics.agreement.reliability import (
    change_reliability,
    change_reliability_from_scores,
)
from postprocess.steps.core import LEFT_OUT
from postprocess.steps.single_steps import aggregate_ratings, calibrate_ratings, filter_annotators
from postprocess.table.ratings import Scale, check_ratings
from tests.documents.reading import read_blocks
from tests.postprocess.statistics.agreement.tables import (
    alpha_of,
    icc_of,
    items_table,
    leave_one_out_of,
    pairwise_of,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
SCALE = Scale(0, 10, 0.05)


@pytest.fixture(scope="module")
def answers(wordsim):
    return check_ratings(wordsim, SCALE)


def table_rows(first_heading):
    """Return the body cells of the table on the page whose header starts with this heading."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def shown(row, figure):
    return f"{row[figure]:.3f} ({row[f'{figure}_low']:.3f}–{row[f'{figure}_high']:.3f})"


def test_the_answers_have_the_published_means(answers, wordsim_means):
    means = answers.groupby("pair")["rating"].mean()

    assert (means - wordsim_means).abs().max() < 0.0051


def test_calibration_of_the_answers_matches_the_page(answers):
    annotators = calibrate_ratings(answers, SCALE).annotators
    moved = annotators[annotators["shift"] != 0]

    assert annotators["group_mean"].iloc[0] == pytest.approx(6.08, abs=5e-3)
    assert moved[["annotator", "shift", "n_clipped"]].to_numpy().tolist() == [
        ["A01", -1, 0],
        ["A05", 1, 1],
        ["A12", 1, 7],
    ]
    assert moved["mean"].round(2).tolist() == [7.22, 4.59, 4.93]


def test_filtering_of_the_answers_matches_the_page(answers):
    calibrated = calibrate_ratings(answers, SCALE).ratings
    for ratings in (answers, calibrated):
        annotators = filter_annotators(ratings).annotators
        left_out = annotators[annotators["decision"] == LEFT_OUT]

        assert left_out["annotator"].tolist() == ["A05", "A06", "A11"]
        assert left_out["rho"].round(2).tolist() == [0.62, 0.59, 0.57]
        assert annotators["bound"].iloc[0] == pytest.approx(0.63, abs=5e-3)


def test_agreement_of_the_answers_matches_the_page(answers, wordsim):
    known = {"ratings": wordsim}
    (program,) = (b.text for b in read_blocks("docs/statistics.md") if b.language == "python")
    exec(program, known)  # noqa: S102  (our own page)
    before = [agreement_table(t, by=[]) for t in (answers, known["calibrated"])]
    rows = [table.iloc[0] for table in (*before, known["table"])]

    expected = [[f"`{figure}`", *(shown(row, figure) for row in rows)] for figure in FIGURES]

    assert table_rows("figure | as answered") == expected


def test_agreement_of_the_answers_equals_the_packages(answers):
    table = items_table(answers)
    for level in ("interval", "ordinal"):
        expected = krippendorff.alpha(table.to_numpy().T, level_of_measurement=level)
        assert alpha_of(table, level=level) == pytest.approx(expected, abs=1e-12)
    with pytest.warns(DeprecationWarning, match="inplace"):
        icc = pingouin.intraclass_corr(answers, "pair", "annotator", "rating")["ICC"].to_numpy()
    assert icc_of(table) == pytest.approx((icc[1], icc[4]), abs=1e-12)
    rho = stats.spearmanr(table).statistic[np.triu_indices(13, k=1)]
    mean = np.nanmean(pairwise_of(table).to_numpy())
    assert mean == pytest.approx(rho.mean(), abs=1e-12)
    left_out = [
        stats.spearmanr(table[a], table.drop(columns=a).mean(axis="columns").round(9)).statistic
        for a in table
    ]
    assert leave_one_out_of(table).tolist() == pytest.approx(left_out, abs=1e-12)


def ratings_of_strangers(published, language):
    """Return the reconstructed ratings with separate annotators for each context."""
    ratings = pd.read_csv(published / f"ratings_{language}.csv")
    context = ratings["pair"].astype(str) + "/" + ratings["context"].astype(str)
    return ratings.assign(group=context, annotator=context + ratings["annotator"])


@pytest.mark.parametrize("language", ["sl", "fi"])
def test_ceiling_of_the_published_changes_matches_the_page(published, language):
    ratings = ratings_of_strangers(published, language)
    n_pairs = int(ratings["pair"].max())
    found = change_reliability(ratings, rng=np.random.default_rng(0)).loc["uncentered"]
    scores = change_reliability_from_scores(aggregate_ratings(ratings, n_pairs))

    (row,) = [cells[1:] for cells in table_rows("language | pairs | R by formula")
              if cells[0] == {"sl": "Slovene", "fi": "Finnish"}[language]]  # fmt: skip

    assert row == [
        str(n_pairs),
        f"{scores:.3f}",
        f"{found['reliability']:.3f} ({found['low']:.3f}–{found['high']:.3f})",
        f"{np.sqrt(scores):.3f}",
    ]


@pytest.mark.parametrize(("language", "ceiling"), [("sl", 0.917), ("fi", 0.898)])
def test_ceiling_follows_from_the_published_figures_alone(published, language, ceiling):
    scores = pd.read_csv(published / f"cosimlex_{language}.csv", sep="\t", quoting=3)

    reliability = change_reliability_from_scores(scores.assign(n1=10, n2=10))

    assert np.sqrt(reliability) == pytest.approx(ceiling, abs=1e-3)
