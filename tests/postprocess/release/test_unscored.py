"""Releases of ratings that leave contexts without a score: constant questionnaires."""

import csv
import io
import json
import re

import pandas as pd
import pytest
from matplotlib.text import Text

from postprocess.__main__ import main as postprocess
from postprocess.release import ReleaseError
from postprocess.release.assembling import Choices, build_release, write_release
from postprocess.release.verification.verifying import verify_release
from postprocess.reporting.explorer import render_explorer
from postprocess.reporting.figures.changes import draw_changes
from postprocess.reporting.plots.plot_files import draw_plots
from postprocess.reporting.report import summarise
from postprocess.reporting.report_files import render_reports
from postprocess.scoring.gold import make_part
from postprocess.steps.recipe import read_recipe
from tests.factories.datasets import LITTLE_CHANCE
from tests.postprocess.release.releases import KEY, collect, full_description, rate

RECIPE = read_recipe("cosimlex", [*LITTLE_CHANCE, "report.pdf=false"])
SENTENCE = "Of 24 contexts, 6 have no score, because their annotators gave all texts one rating."
LOST = [7, 8, 9, 10, 11, 12]  # the pairs of the second block, in the collection


def collected():
    """Return 12 pairs in two blocks; everybody rated all texts of one questionnaire the same."""
    ratings = rate(12)
    block = (ratings["pair"] - 1) // 6
    constant = (block == 1) & (ratings["group"] == "1A")
    ratings["rating"] = ratings["rating"].where(~constant, 3)
    names = {"1A": ["1A", "2A"], "1B": ["1B", "2B"]}
    groups = [names[group][at] for group, at in zip(ratings["group"], block, strict=True)]
    people = ratings["annotator"].str.cat(block.astype(str), sep="-")
    return collect(12, ratings=ratings.assign(group=groups, annotator=people, mark=""))


def release(recipe=RECIPE, **choices):
    return build_release(
        collected(), full_description(), recipe, Choices(key=KEY, **choices), language="sl"
    )


@pytest.fixture(scope="module")
def partial():
    return release(accepts_unscored=True, n_practice=2)


@pytest.fixture(scope="module")
def written(partial, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unscored") / "out"
    write_release(partial, folder)
    return folder


def table(made, name):
    return pd.read_csv(io.BytesIO(made.files[name]), sep="\t", quoting=csv.QUOTE_NONE)


def test_a_release_without_confirmation_is_refused():
    with pytest.raises(ReleaseError, match=re.escape(SENTENCE)) as refusal:
        release()

    assert "6 pairs would be missing" in str(refusal.value)
    assert "--accept-unscored" in str(refusal.value)


def test_pairs_without_a_score_are_in_the_wider_tables_alone(partial):
    assert partial.unscored == tuple(pair - 1 for pair in LOST)
    rows = {
        name: len(table(partial, name)) for name in partial.files if name.endswith((".csv", ".tsv"))
    }
    assert (rows["cosimlex_sl.csv"], rows["gold/gold_sl.tsv"], rows["data/data_sl.tsv"]) == (
        4,
        4,
        4,
    )
    assert rows["data/unscored_sl.tsv"] == 6
    assert (rows["scores.tsv"], rows["practice_kit/scores.tsv"], rows["intervals.tsv"]) == (
        10,
        2,
        12,
    )
    assert len(pd.read_parquet(io.BytesIO(partial.files["cosimlex_sl.parquet"]))) == 4
    scores = table(partial, "scores.tsv").set_index("pair")
    assert scores["note"].dropna().index.tolist() == LOST
    assert all("no score in context" in note for note in scores["note"].dropna())
    assert make_part("sl", partial.files["gold/gold_sl.tsv"], partial.files["data/data_sl.tsv"])


def test_documents_say_it_before_any_figure(partial):
    card = partial.files["README.md"].decode()
    assert card.index(SENTENCE) < card.index("word pairs in")
    assert re.search(r"same rating \(6 annotators\)", card)
    assert "| `data/unscored_sl.tsv` | the pairs without two scores" in card
    assert summarise(partial.dataset.report).startswith(SENTENCE)
    pages = (
        render_explorer(partial.dataset),
        render_reports(partial.dataset)["report.html"].decode(),
    )
    for page in pages:
        assert page.index(SENTENCE) < page.index('class="lead"')
        assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).split()
    assert json.loads(partial.files["report.json"])["counts"]["contexts_without_score"] == 6
    assert "unscored_sl.tsv" in partial.files["croissant.json"].decode()


def test_q_of_uncompared_questionnaires_has_a_mark_wherever_it_is_shown():
    recipe = read_recipe(
        "cosimlex", [*LITTLE_CHANCE, "report.pdf=false", "filtering.constant_from=7"]
    )
    made = release(recipe)
    dataset, sentence = made.dataset, "Of 24 contexts, 6 rest on questionnaires"

    assert dataset.report["table1"]["text"]["share_q"].endswith(" % †")
    card = made.files["README.md"].decode()
    assert " % † with q &lt; 0.05" in card
    files = render_reports(dataset)
    latex = files["table1.tex"].decode()
    assert r"\,\%\,$^\dagger$ &" in latex
    assert f"{sentence} in which nobody could be compared ($^\\dagger$).}}" in latex
    page = files["report.html"].decode()
    assert page.count(sentence) >= 5  # before the figures, two tables, plots
    drawn = draw_changes(dataset.outcome).findobj(Text)
    assert "q < 0.05 †" in [text.get_text() for text in drawn]
    (plot,) = [one for one in draw_plots(dataset) if one.name == "change-against-p"]
    assert (plot.table["note"] != "").sum() == 6
    assert sum(text.get_text() == "†" for text in plot.figure.axes[0].texts) == 6


def test_the_report_counts_the_contexts_that_have_scores(partial):
    page = render_reports(partial.dataset)["report.html"].decode()

    assert "for 18 contexts, by the recipe" in page


def test_the_release_is_confirmed_audited_and_traced(written, capsys):
    assert verify_release(written).is_confirmed
    assert postprocess(["audit", str(written)]) == 0
    assert postprocess(["trace", str(written), "--pair", "12", "--context", "1"]) == 0
    assert "has sim1 –: the same" in capsys.readouterr().out
    assert postprocess(["trace", str(written), "--pair", "1", "--context", "1"]) == 0


def test_a_score_that_was_added_is_found(written, tmp_path, partial):
    changed = tmp_path / "out"
    write_release(partial, changed)
    file = changed / "scores.tsv"
    file.write_text(file.read_text().replace("no score", "some score"))

    assert not verify_release(changed).is_confirmed


def test_collections_are_compared_without_the_pairs(written, capsys):
    both = [
        "compare-collections",
        str(written),
        str(written),
        "--names",
        "one",
        "other",
    ]

    assert postprocess([*both, "--no-report", "--recipe", "cosimlex"]) == 0
    assert "of 12" in capsys.readouterr().out


def test_an_earlier_release_is_still_confirmed(tmp_path):
    earlier = tmp_path / "earlier.toml"
    earlier.write_text(RECIPE.render().replace("constant_from = 5\n", ""))
    made = release(read_recipe(str(earlier)))
    write_release(made, tmp_path / "out")

    assert "constant_from" not in made.files["report.json"].decode()
    assert "Kept although it was not defined: 6 annotators." in made.files["README.md"].decode()
    assert verify_release(tmp_path / "out").is_confirmed
