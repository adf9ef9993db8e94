import functools
import json
from pathlib import Path

import pandas as pd
import pytest

from postprocess.formats.reading import read_ratings
from postprocess.formats.stimuli import COLUMNS, StimuliError, parse_stimuli, render_stimuli
from postprocess.pipeline import (
    LanguageError,
    build_dataset,
    check_language,
    digest_code,
)
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from postprocess.table.ratings import RatingsError
from tests.factories.datasets import LITTLE_CHANCE

ROWS = [
    (
        f"bank{i}",
        "river",
        f"The <strong>bank{i}</strong> of a <strong>river</strong>. It was. We sat.",
        f"A <strong>river</strong> by the  <strong>bank{i}</strong>. It was. We sat. ",
        f"bank{i}",
        "river",
        f"bank{i}",
        "river",
    )
    for i in range(1, 5)
]
STIMULI = parse_stimuli(render_stimuli(ROWS).encode())


def ratings_table():
    """Return ratings of two questionnaires by four annotators; E rates high and D disagrees."""
    ratings = {
        1: {"A": [0, 2, 4, 5], "B": [0, 2, 3, 5], "C": [1, 2, 4, 5], "D": [4, 3, 2, 1]},
        2: {"E": [5, 6, 6, 5], "F": [3, 4, 5, 2], "G": [2, 4, 5, 3], "H": [3, 5, 5, 2]},
    }
    rows = [
        (pair, (questionnaire + pair) % 2 + 1, annotator, rating)
        for questionnaire, annotators in ratings.items()
        for annotator, given in annotators.items()
        for pair, rating in enumerate(given, 1)
    ]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])


def build(ratings=None, stimuli=STIMULI, *, recipe="cosimlex", changes=()):
    return build_dataset(
        stimuli,
        ratings_table() if ratings is None else ratings,
        language="xx",
        recipe=read_recipe(recipe, [*LITTLE_CHANCE, *changes]),
        inputs={"stimuli": "s" * 64, "ratings": "r" * 64},
    )


@functools.cache
def build_default():
    """Return the dataset of all the defaults; tests only read it."""
    return build()


# --- the published files --------------------------------------------------------------------

PUBLISHED = [
    ("sl", 1e-7, ["111", "4.90", "2.18", "1.96", "14 %", "35 %", "46 %", "59 %"]),
    ("fi", 1e-4, ["24", "4.08", "2.17", "1.75", "17 %", "29 %", "29 %", "33 %"]),
]


@pytest.mark.parametrize(("language", "below", "table1"), PUBLISHED)
def test_build_dataset_gives_back_the_published_files(published, language, below, table1):
    stimuli = (published / f"data_{language}.tsv").read_bytes()
    ratings = read_ratings((published / f"ratings_{language}.csv").read_bytes(), language)

    dataset = build_dataset(
        parse_stimuli(stimuli),
        ratings,
        language=language,
        recipe=read_recipe("raw", [*LITTLE_CHANCE, f"files.scientific_below={below}"]),
        inputs={},
    )

    dataset_file = (published / f"cosimlex_{language}.csv").read_bytes()
    assert dataset.files[f"cosimlex_{language}.csv"] == dataset_file
    assert dataset.files[f"data/data_{language}.tsv"] == stimuli
    text = dataset.report["table1"]["text"]
    text.pop("human")  # of these ratings nobody knows who gave which
    assert list(text.values()) == table1


@pytest.mark.parametrize("language", ["sl", "fi"])
def test_post_process_keeps_published_ratings_whole(published, language):
    ratings = read_ratings((published / f"ratings_{language}.csv").read_bytes(), language)

    recipe = read_recipe("cosimlex", ["calibration.threshold=0.1"])  # few means lie far apart

    outcome = post_process(ratings, recipe, n_pairs=ratings["pair"].astype(int).max())

    assert (outcome.annotators["shift"] != 0).any()
    assert pd.api.types.is_integer_dtype(outcome.used["rating"])
    assert outcome.used["rating"].between(0, 6).all()


# --- what is built --------------------------------------------------------------------------


def read_cells(dataset, *names):
    header, *rows = dataset.files["cosimlex_xx.csv"].decode().splitlines()
    columns = header.split("\t")
    return [[row.split("\t")[columns.index(name)] for name in names] for row in rows]


def test_build_dataset_rounds_ties_to_even_and_formats_small_pvalues():
    rated = {  # sums of 39 and 21 in 8 ratings: exactly 8.125 and 4.375
        (1, 1): [4, 5, 5, 5, 5, 5, 5, 5],
        (1, 2): [1, 2, 2, 3, 3, 3, 3, 4],
    }
    rated |= {(pair, context): [3] * 8 for pair in (2, 3, 4) for context in (1, 2)}
    ratings = pd.DataFrame(
        [
            (pair, context, f"{context}{person}", rating)
            for (pair, context), given in rated.items()
            for person, rating in enumerate(given)
        ],
        columns=["pair", "context", "annotator", "rating"],
    )
    style = ("files.scientific_below=0.01", "files.trailing_zeros=false")

    whole = build(ratings, recipe="raw", changes=style[:1])
    short = build(ratings, recipe="raw", changes=style)

    assert read_cells(whole, "sim1", "sim2", "pvalue")[0] == ["8.12", "4.38", "3.00E-04"]
    assert read_cells(short, "sim1", "sim2", "pvalue")[0] == ["8.12", "4.38", "3E-04"]


def test_build_dataset_runs_and_reports_every_step():
    # group 2: means 5.5, 3.5, 3.5, 3.75, their mean 4.0625: E is moved down by 1
    dataset = build_default()

    report = json.loads(dataset.files["report.json"])
    shifted = report["calibration"]["shifted"]
    assert [(s["group"], s["annotator"], s["shift"], s["n_clipped"]) for s in shifted] == [
        ("2", "E", -1, 0)
    ]
    assert (shifted[0]["mean"], shifted[0]["group_mean"]) == (5.5, 4.0625)
    left_out = report["filtering"]["left_out"]
    assert [(one["group"], one["annotator"], one["explanation"]) for one in left_out] == [
        ("1", "D", "mean rho −1.000 is below the group's bound −0.667"),
        ("2", "G", "mean rho 0.811 is below the group's bound 0.828"),
    ]
    assert report["counts"] == {
        "pairs": 4,
        "contexts": 8,
        "groups": 2,
        "annotators": 8,
        "annotators_used": 6,
        "annotators_left_out": {"below the correlation bound": 2},
        "ratings": 32,
        "ratings_used": 24,
        "ratings_left_out": {"below the correlation bound": 8},
        "annotators_scripted": 0,
        "ratings_scripted": 0,
        "fewest_ratings_of_a_context": 3,
        "most_ratings_of_a_context": 3,
    }
    assert dataset.report == report
    assert report["inputs"] == {"ratings": "r" * 64, "stimuli": "s" * 64}
    assert report["code"] == {"version": "0.1.0", "sha256": digest_code()}
    assert [group["n_items"] for group in report["agreement"]["by"]["group"]] == [4, 4]
    assert 0 < report["agreement"]["overall"]["human"] <= 1
    assert report["notes"] == [
        "The groups were derived from the items that annotators have in common."
    ]
    assert list(dataset.files) == [
        "cosimlex_xx.csv",
        "data/data_xx.tsv",
        "gold/gold_xx.tsv",
        "scores.tsv",
        "intervals.tsv",
        "annotators.tsv",
        "ledger.tsv",
        "distributions_xx.json",
        "recipe.toml",
        "report.json",
        "distributions_xx.parquet",
    ]


def test_build_dataset_by_hand_without_the_first_two_steps():
    ratings = pd.DataFrame(
        {"pair": 1, "context": [1, 1, 2, 2], "annotator": list("ABCD"), "rating": [0, 3, 6, 6]}
    )

    dataset = build(
        ratings,
        parse_stimuli(render_stimuli(ROWS[:1]).encode()),
        recipe="raw",
    )

    row = dict(
        zip(
            *(x.split("\t") for x in dataset.files["cosimlex_xx.csv"].decode().splitlines()),
            strict=True,
        )
    )
    assert [row[c] for c in ("sim1", "sim2", "stdev1", "stdev2")] == ["2.5", "10", "3.54", "0"]
    assert tuple(row[column] for column in COLUMNS) == ROWS[0]
    assert dataset.files["gold/gold_xx.tsv"].decode().splitlines()[1] == "2.5\t10\t7.5"
    assert dataset.files["data/data_xx.tsv"] == render_stimuli(ROWS[:1]).encode()
    assert dataset.report["calibration"] == {"done": False, "shifted": []}
    assert dataset.report["filtering"] == {"done": False, "left_out": [], "undefined": []}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_build_dataset_does_not_depend_on_row_order(seed):
    shuffled = ratings_table().sample(frac=1, random_state=seed)

    assert build(shuffled).files == build_default().files


def test_build_dataset_scores_do_not_depend_on_the_names_of_annotators():
    ratings = ratings_table()
    names = dict(zip("ABCDEFGH", "GAHFBECD", strict=True))
    renamed = ratings.assign(annotator=ratings["annotator"].map(names))

    assert build(renamed).files["cosimlex_xx.csv"] == build_default().files["cosimlex_xx.csv"]


def test_build_dataset_swaps_scores_with_the_contexts():
    ratings = ratings_table()
    swapped = ratings.assign(context=3 - ratings["context"])

    there, back = build_default().outcome.scores, build(swapped).outcome.scores

    assert back["change"].tolist() == (-there["change"]).tolist()
    assert back["stdev1"].tolist() == there["stdev2"].tolist()
    assert back["pvalue"].tolist() == pytest.approx(there["pvalue"].tolist())


def test_build_dataset_writes_the_same_recipe_the_same():
    floats = build(changes=["scale.maximum=6.0", "filtering.k=1"])

    assert floats.files == build(changes=["scale.maximum=6", "filtering.k=1.0"]).files


def test_build_dataset_publishes_stimuli_with_errors_and_reports_them():
    row = (*ROWS[0][:4], "Bank1", *ROWS[0][5:])
    stimuli = parse_stimuli(render_stimuli([row, *ROWS[1:]]).encode())

    dataset = build(stimuli=stimuli)

    finding = dataset.report["stimuli_findings"][0]
    assert (finding["severity"], finding["row"], finding["column"]) == ("error", 1, "context1")
    assert dataset.files["data/data_xx.tsv"] == render_stimuli([row, *ROWS[1:]]).encode()


def test_build_dataset_adds_notes_for_readers():
    ratings = pd.DataFrame(
        {
            "pair": 1,
            "context": [1, 2, 2],
            "annotator": ["A", "A", "B"],
            "rating": [1, 2, 3],
            "group": "x",
        }
    )

    dataset = build(ratings, parse_stimuli(render_stimuli(ROWS[:1]).encode()))

    both, single = dataset.report["notes"]
    assert both.startswith("Annotators who rated both contexts of a pair: 1. The test ")
    assert single == "Contexts with one rating, hence without a deviation: 1."
    undefined = dataset.report["filtering"]["undefined"]
    reasons = {one["annotator"]: one["reason"] for one in undefined}
    assert reasons == dict.fromkeys("AB", "agreement undefined: too few common contexts")
    assert json.loads(dataset.files["report.json"])["agreement"]["overall"]["human"] is None


def test_build_dataset_notes_groups_too_small_to_calibrate():
    ratings = ratings_table().assign(annotator=[f"W{i}" for i in range(32)])

    notes = build(ratings).report["notes"]

    assert any(note.startswith("Groups of a single context: 8. In these") for note in notes)


# --- what is refused ------------------------------------------------------------------------


def test_build_dataset_refuses_unreadable_stimuli():
    stimuli = parse_stimuli(render_stimuli(ROWS).encode() + b"one\nmore")

    with pytest.raises(StimuliError) as caught:
        build(stimuli=stimuli)

    assert str(caught.value).startswith("rows 5 and 6: 1 field instead of 8")
    assert len(caught.value.findings) == 2


def test_build_dataset_refuses_ratings_of_unknown_pairs_and_contexts_without():
    extra = pd.DataFrame([(5, 1, "A", 3)], columns=["pair", "context", "annotator", "rating"])
    ratings = ratings_table()

    with pytest.raises(RatingsError, match="from 1 to 4: row 33"):
        build(pd.concat([ratings, extra], ignore_index=True))
    with pytest.raises(
        RatingsError, match=r"^contexts without ratings: pair 4 context 1, pair 4 c"
    ):
        build(ratings[ratings["pair"] < 4])


def test_build_dataset_refuses_a_context_that_filtering_empties():
    with pytest.raises(RatingsError, match=r"after filtering, contexts without ratings.*collect"):
        build(changes=["filtering.minimum_rho=1"])


@pytest.mark.parametrize(
    "language", ["", "SL", "s", "../sl", "sl_SI", "slov", "sl-", "sl\n", "sl-a/b"]
)
def test_check_language_refuses_invalid_codes(language):
    with pytest.raises(LanguageError, match="is not a language code; give one such as"):
        check_language(language)


def test_check_language_accepts_codes_with_script_and_region():
    for language in ("sl", "hsb", "sr-Latn", "pt-BR", "sr-Latn-RS"):
        check_language(language)


def test_digest_code_covers_every_module():
    folder = Path(build_dataset.__code__.co_filename).parent

    assert {"stimuli.py", "pipeline.py", "__main__.py"} <= {p.name for p in folder.rglob("*.py")}
    assert len(digest_code()) == 64
