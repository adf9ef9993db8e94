"""Releases of designs whose pairs have one context."""

import mlcroissant as mlc
import pandas as pd
import pytest

from postprocess.designs.design import parse_design, read_design
from postprocess.layouts.published import find_layout
from postprocess.layouts.reading import load_files
from postprocess.release import ReleaseError
from postprocess.release.assembling import write_release
from postprocess.release.verification.verifying import verify_release
from postprocess.table.ratings import RatingsError
from tests.factories.designed import designed_release

OF_USES = {"identifier1": "{n}a", "identifier2": "{n}b"}
OF_SCWS = {"pos1": "n", "pos2": "v"}
PUBLISHED = {
    "simlex": {"pos": "N"}, "semeval2017": {}, "mclwic": {"pos": "NOUN"}, "wic": {"pos": "N"},
    "scws": OF_SCWS, "usim": OF_USES, "durel": OF_USES,
}  # fmt: skip


def cells(content, *columns):
    header, *rows = (line.split("\t") for line in content.decode().splitlines())
    places = [header.index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in rows]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_release_is_verified_and_its_published_files_are_read_again(name, tmp_path):
    design = read_design(name)
    more = {"n_practice": 2} if name in ("simlex", "scws") else {}
    release = designed_release(name, 12, more=PUBLISHED[name], **more)
    out = tmp_path / "out"
    write_release(release, out)

    result = verify_release(out)
    published = load_files(find_layout(design.files.layout), [out / "published"], "en")

    assert (result.differences, result.reservations, result.unchecked) == ((), (), ())
    assert parse_design(release.files["design.toml"]) == design
    n_test = 12 - more.get("n_practice", 0)
    items = cells(release.files["data/items_en.tsv"], "word1", "word2")
    assert sorted((item["word1"], item["word2"]) for item in published.items) == sorted(items)
    assert len(items) == n_test
    assert f"{n_test} items" in release.files["README.md"].decode()


def test_scores_are_written_by_id():
    files = designed_release("simlex", n_practice=2).files

    gold = cells(files["gold/gold_en.tsv"], "id", "score")
    assert cells(files["simlex_en.csv"], "id", "score") == gold
    assert files["results/results_subtask1_en.tsv"] == b"id\tscore\n"
    practice = cells(files["practice_kit/gold_en.tsv"], "id", "score")
    assert {name for name, _ in gold} & {name for name, _ in practice} == set()
    published = cells(files["published/simlex.txt"], "SimLex999", "SD(SimLex)")
    scores = pd.read_csv(pd.io.common.BytesIO(files["scores.tsv"]), sep="\t")
    assert [float(score) for score, _ in published] == pytest.approx(scores["score"], abs=0.005)
    assert not {"change", "confounds", "intervals"} & set(files)


def test_tags_are_letters_and_items_without_a_majority_are_set_apart():
    ratings = pd.DataFrame({
        "pair": [1, 1, 2, 2, 3, 3], "context": 1, "annotator": list("abababab")[:6],
        "rating": [1, 1, 0, 1, 0, 0], "group": "1A", "mark": "",
    })  # fmt: skip

    with pytest.raises(ReleaseError, match="Items without a majority have no score"):
        designed_release("wic", 3, ratings=ratings)
    files = designed_release("wic", 3, ratings=ratings, accepts_unscored=True).files

    assert files["gold/gold_en.tsv"] == b"id\ttag\np1\tT\np3\tF\n"
    assert cells(files["data/unscored_en.tsv"], "id") == [("p2",)]
    assert files["published/test/test.gold.txt"] == b"T\nF\n"


def decide(*answers):
    """Return decisions: (pair, rating)."""
    table = pd.DataFrame(answers, columns=["pair", "rating"])
    return table.assign(context=1, annotator="adjudicator")


@pytest.fixture(scope="module")
def undecided():
    """Two answers to each of 14 items: ties on all but the first and the last one."""
    answers = [(n, who, int(who == "b" or n == 1)) for n in range(1, 14) for who in "ab"]
    table = pd.DataFrame(answers, columns=["pair", "annotator", "rating"])
    unjudged = {"pair": 14, "annotator": "a", "rating": None, "mark": "cannot judge"}
    table = pd.concat([table.assign(mark=""), pd.DataFrame([unjudged])], ignore_index=True)
    return table.assign(context=1, group="1A")


def test_items_that_nobody_decided_refuse_a_release_and_are_named(undecided):
    decisions = decide((14, 0), (2, 1))

    with pytest.raises(ReleaseError, match=r"them: p3, p4, .*, p12, … \(11 in all\)") as refused:
        designed_release(
            "mclwic", 14, ratings=undecided, decisions=decisions, accepts_unscored=True
        )
    assert "p13" not in str(refused.value)


def test_a_decision_is_the_tag_of_an_item_without_a_majority(undecided, tmp_path):
    decisions = decide((14, 0), (1, 0), *((n, n % 2) for n in range(2, 14)))
    release = designed_release("mclwic", 14, ratings=undecided, decisions=decisions, n_practice=2)
    out = tmp_path / "out"
    write_release(release, out)

    result = verify_release(out)

    assert (result.differences, result.reservations, result.unchecked) == ((), (), ())
    tags = dict(
        row for folder in ("gold", "practice_kit")
        for row in cells(release.files[f"{folder}/gold_en.tsv"], "id", "tag")
    )  # fmt: skip
    decided = {f"p{n}": "FT"[n % 2] for n in range(2, 14)}
    assert tags == {"p1": "T", **decided, "p14": "F"}  # a majority is not decided
    assert release.dataset.report["counts"]["pairs_decided"] == 13
    card = " ".join(release.files["README.md"].decode().split())
    assert "another person decides items without a majority: 13 in all." in card
    assert "`adjudicated_en.tsv`" in card
    ratings = cells(release.files["ratings_en.tsv"], "annotator")
    assert len(ratings) == len(undecided)
    table = out / "adjudicated_en.tsv"
    table.write_text(table.read_text().replace("adjudicator\t0\n", "adjudicator\t1\n"))
    assert {difference.file for difference in verify_release(out).differences} >= {
        "scores.tsv", "mclwic_en.csv",
    }  # fmt: skip


def test_decisions_are_ratings_on_the_scale(undecided):
    for wrong in (decide((2, 3)), decide((15, 1)), decide((2, 1), (2, 0))):
        with pytest.raises(RatingsError):
            designed_release("mclwic", 14, ratings=undecided, decisions=wrong)


def test_the_documents_describe_the_design():
    files = designed_release("mclwic").files

    card = " ".join(files["README.md"].decode().split())
    assert (
        "Annotators saw two texts, each with its target in bold, and said whether the word has the "
        "same meaning in both texts."
    ) in card
    assert "500 items have one answer more than the others, to measure agreement." in card
    assert "By the design, another person decides items without a majority." in card
    assert "The other words that annotators wrote for each target are not published." in card
    assert "Mann-Whitney" not in card
    assert "Martelli et al. (2021)" in files["CITATION.cff"].decode()
    assert "CoSimLex" not in files["CITATION.cff"].decode()


def test_words_alone_have_no_entries_about_texts():
    files = designed_release("simlex").files
    card, statement = (files[name].decode() for name in ("README.md", "DATA_STATEMENT.md"))

    assert "Source of the contexts" not in card + statement
    assert "Licence of the words:" in card
    assert "under which terms the words may be redistributed" in card
    for heading in ("C. Speaker Demographic", "F. Text Characteristics", "G. Recording Quality"):
        section = statement.partition(heading)[2].partition("##")[0].strip()
        assert section == "Not applicable: the items are words without texts."
    assert "Source of the contexts" in designed_release("scws").files["README.md"].decode()


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("usim", "rated how related in meaning the two uses of the word are"),
        ("scws", "rated how similar in meaning the two words are"),
    ],
)
def test_a_question_about_one_word_names_its_uses(name, task):
    assert f", and {task}." in " ".join(designed_release(name).files["README.md"].decode().split())


def test_a_layout_that_cannot_hold_the_items_is_left_out():
    files = designed_release("simlex", more={}).files

    assert not [path for path in files if path.startswith("published/")]
    assert "the layout simlex cannot hold the items." in files["README.md"].decode()


def test_two_languages_are_in_the_names_of_files():
    files = designed_release("semeval2017", more={}, language="en-fi").files

    assert {"data/items_en-fi.tsv", "gold/gold_en-fi.tsv", "ratings_en-fi.tsv"} <= files.keys()


def test_the_reference_library_loads_the_tables(tmp_path):
    out = tmp_path / "out"
    write_release(designed_release("scws", more=OF_SCWS), out)

    dataset = mlc.Dataset(str(out / "croissant.json"))

    assert not dataset.metadata.ctx.issues.errors
    for record_set in ("dataset", "distributions", "ratings"):
        record = next(iter(dataset.records(record_set)))
        assert record[f"{record_set}/pair"] == 1
