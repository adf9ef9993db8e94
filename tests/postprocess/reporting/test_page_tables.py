import re

import html5lib
import pytest
from lxml import html

from postprocess.reporting.page import render_page
from postprocess.statistics.agreement.by_group import FIGURES
from tests.factories.datasets import dataset_of
from tests.factories.ratings import rate, simulate_study
from tests.postprocess.reporting.pages import plain, rows_of, text_of


def test_page_lists_annotators_shifted_or_left_out(dataset, page):
    annotators = dataset.outcome.annotators.set_index("annotator")
    moved = {row[0]: row for row in rows_of(page, "Annotators shifted")}
    out = {row[0]: row for row in rows_of(page, "Annotators left out")}

    assert set(moved) == set(annotators.index[annotators["shift"] != 0]) == {"1A-00", "1A-07"}
    assert set(out) == set(annotators.index[annotators["decision"] == "left out"])
    one = annotators.loc["1A-00"]
    assert moved["1A-00"] == [
        "1A-00", "1A", f"{one['mean']:.2f}", f"{one['group_mean']:.2f}",
        f"+{one['deviation']:.2f}", "−1", str(one["n_clipped"]),
    ]  # fmt: skip
    one = annotators.loc["1A-07"]
    assert out["1A-07"][3:5] == [f"{one['rho']:.3f}", f"{one['bound']:.3f}"]
    assert out["1A-07"][-1] == "below the correlation bound"


def test_page_counts_ratings_by_use(dataset, page):
    rows = rows_of(page, "Ratings by use")
    left_out = dataset.report["counts"]["ratings_left_out"]

    assert {row[0]: int(row[1]) for row in rows[:-1]} == left_out
    assert rows[-1][:2] == ["used in the scores", str(len(dataset.outcome.used))]
    assert sum(int(row[1]) for row in rows) == len(dataset.outcome.ledger)


def test_page_has_table_1_with_the_dataset_last(dataset, page):
    rows = rows_of(page, "Table 1")
    own = dataset.report["table1"]["text"]

    assert [row[0] for row in rows] == [
        "English", "Croatian", "Slovene", "Finnish", "this dataset (sl)"
    ]  # fmt: skip
    shares = [f"{share}\u00a0%" for share in (14, 35, 46, 59)]
    assert rows[2] == ["Slovene", "111", "0.77", "4.90", "2.18", "1.96", *shares]
    assert own["human"] == f"{dataset.report['agreement']['overall']['human']:.2f}"
    assert [cell.replace("\u00a0", " ") for cell in rows[-1][1:]] == list(own.values())


def test_page_names_the_sources_of_table_1(page):
    text = text_of(page)

    assert "Table 1 of the task paper, recomputed from the published files" in text
    assert "human ρ is the figure printed in the task paper; all other figures were" in text


def test_page_has_q_and_the_two_sided_p_before_the_published_p(dataset, page):
    key = html.document_fromstring(page).find_class("key")[0]
    titles = [plain(title.text_content()) for title in key.iter("dt")]
    figures = [figure.text_content() for figure in key.iter("dd")]
    scores = dataset.outcome.scores

    assert titles[-3:] == [
        "pairs with q < 0.05", "pairs with two-sided p < 0.05", "one-sided p < 0.05, as published"
    ]  # fmt: skip
    assert figures[-3:] == [
        f"{100 * (scores[column] < 0.05).mean():.0f} %"
        for column in ("qvalue", "pvalue_two_sided", "pvalue")
    ]
    assert [row[0] for row in rows_of(page, "Pairs that change")] == [
        "q (false discovery rate) of the two-sided p", "two-sided p", "one-sided p, as published"
    ]  # fmt: skip


def test_page_has_the_agreement_of_the_report(dataset, page):
    agreement = dataset.report["agreement"]
    overall, given = agreement["overall"], agreement["as_given"]
    rows = {name: cells for name, *cells in rows_of(page, "Agreement of all groups")}

    assert rows["human"] == [
        f"{overall['human']:.3f}", f"{overall['human_low']:.3f}–{overall['human_high']:.3f}",
        f"{given['human']:.3f}", f"{given['human_low']:.3f}–{given['human_high']:.3f}",
    ]  # fmt: skip
    assert rows["α ordinal"][0] == f"{overall['alpha_ordinal']:.3f}"
    assert len(rows) == len(FIGURES)
    groups = rows_of(page, "Groups of annotators")
    assert [row[0] for row in groups] == ["1A", "1B"]
    assert sum(int(row[4]) for row in groups) == len(dataset.outcome.ledger)


def test_page_has_the_agreement_of_every_group(dataset, page):
    rows = rows_of(page, "Agreement by group")

    one = dataset.report["agreement"]["by"]["group"][0]
    assert [row[0] for row in rows] == ["1A", "1B"]
    assert rows[0][-3:] == ["24", str(one["n_annotators"]), str(one["n_ratings"])]
    assert rows[0][1] == f"{one['human']:.2f}{one['human_low']:.2f}–{one['human_high']:.2f}"
    assert "the ratings have no such column: agreement by block (block) and part" in text_of(page)


@pytest.mark.parametrize("resample", ["items", "items and annotators"])
def test_page_says_what_is_resampled(resample, plates):
    made = dataset_of(simulate_study(), "raw", f'report.resample="{resample}"')
    page = render_page(made, plates)

    tree = html.document_fromstring(page)
    captions = [plain(caption.text_content()) for caption in tree.xpath("//caption")]
    counts = {
        over: sum(f"95 % intervals over {over}" in caption for caption in captions)
        for over in ("contexts", "contexts and annotators", "pairs", "pairs and annotators")
    }
    both = resample != "items"
    assert list(counts.values()) == [2, 2 * both, 2, 1 * both]
    assert ("with these annotators" in text_of(page)) == (resample == "items")
    assert ("also cover other annotators" in text_of(page)) == (resample != "items")


def test_page_has_agreement_by_known_details(plates):
    ratings = simulate_study()
    places = ratings[["pair", "context", "annotator"]]
    known = places.assign(block="1", pos=["noun" if n % 2 else "verb" for n in places["pair"]])

    page = render_page(dataset_of(ratings, details=known), plates)

    assert [row[0] for row in rows_of(page, "Agreement by part of speech")] == ["noun", "verb"]
    assert "Agreement by block" not in page  # which would be the overall one again
    assert "no such column" not in page


def test_page_has_the_ceiling_of_subtask_1(dataset, page):
    used, given = dataset.report["change"]["used"], dataset.report["change"]["as_given"]
    rows = rows_of(page, "Reliability of the changes of 24 pairs")

    assert [row[0] for row in rows[2:4]] == [
        "Spearman, in the scores", "uncentred (subtask 1), as given"
    ]  # fmt: skip
    assert rows[0][1] == f"{used[0]['reliability']:.3f}"
    assert rows[3][3] == f"{given[0]['ceiling']:.3f}"
    text = text_of(page)
    assert f"√R = {used[0]['ceiling']:.3f} is the ceiling" in text
    assert "With 24 pairs the intervals are wide" in text
    assert "R of the ratings as given has no such bias" in text
    size = dataset.report["change"]["size"]
    assert f"alone would give {size['mean_by_noise']:.2f}." in text
    rows = rows_of(page, "Size of the changes")
    assert [row[0] for row in rows] == ["in the scores", "as given"]
    assert rows[0][4] == f"{size['without_noise']:.2f}"


def test_page_lists_unknown_confounds(dataset, page):
    rows = rows_of(page, "Relations of scores, changes and ratings")

    assert len(rows) == len(dataset.report["confounds"]["table"]) + 3
    assert rows[-3][0] == "rating: position in the questionnaire"
    assert rows[-3][-1] == "not known: no column position"
    assert sum("not known: no column seconds" in row for row in rows) == 2


def test_page_lists_the_contexts_with_two_camps(page, plates):
    camps = [(1, 1, f"A{i}", 6 * (i % 2)) for i in range(10)]
    divided = render_page(
        dataset_of(rate(*camps, *[(1, 2, f"B{i}", 3) for i in range(10)])), plates
    )

    (row,) = rows_of(divided, "Contexts with two camps")
    assert row[:2] == ["1", "1"]
    assert row[3:] == ["5 0 0 0 0 0 5", "−1.00", "<\u00a00.001"]
    assert "0 contexts of 48 have ratings so far apart" in text_of(page)


def test_page_has_the_paired_test_for_annotators_of_both_contexts(bare_page):
    tests = rows_of(bare_page, "Pairs that change")

    assert tests[-1][:2] == [
        "paired two-sided p of 2 pairs rated by the same annotators", "0 (0\u00a0%)"
    ]  # fmt: skip
    assert "1 annotator rated both contexts of a pair" in text_of(bare_page)
    assert "The paired test is Wilcoxon’s" in text_of(bare_page)


def test_page_cuts_long_tables_and_names_the_file(plates):
    without_chance = ("report.n_resamples=0", "report.n_splits=1")
    made = dataset_of(simulate_study(240, 6, n_blocks=60), "cosimlex", *without_chance)
    page = render_page(made, plates)
    rows = rows_of(page, "Groups of annotators")

    assert len(rows) == 100
    assert "… and 20 more rows in report.json." in text_of(page)


def test_page_of_one_annotator_has_dashes_for_undefined_figures(plates):
    rows = [(pair, context, "A", pair + context) for pair in (1, 2) for context in (1, 2)]
    page = render_page(dataset_of(rate(*rows, group="1")), plates)

    html5lib.HTMLParser(strict=True).parse(page)
    assert rows_of(page, "Agreement of all groups")[0] == ["human", "–", "–"]
    assert rows_of(page, "Annotators kept with")[0][0] == "A"
    assert not re.search(r"\b(nan|None)\b", text_of(page))


def test_notes_list_annotators_with_equal_ratings(dataset):
    ratings = simulate_study()
    copied = ratings[ratings["annotator"] == "1A-03"]["rating"].to_numpy()
    values = ratings["rating"].to_numpy(copy=True)
    values[(ratings["annotator"] == "1A-02").to_numpy()] = copied
    made = dataset_of(ratings.assign(rating=values))

    (found,) = made.report["copies"]
    assert (found["annotator1"], found["annotator2"]) == ("1A-02", "1A-03")
    assert (found["n_common"], found["n_equal"]) == (24, 24)
    assert "1A-02 and 1A-03 (24 of 24 texts; by chance " in made.report["notes"][-1]
    assert "copies" not in dataset.report
