import io
import json
import subprocess
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from postprocess.formats.files import read_dataset, read_gold
from postprocess.formats.reading import read_ratings
from postprocess.formats.stimuli import parse_stimuli
from postprocess.pipeline import build_dataset
from postprocess.release import ReleaseError
from postprocess.release.assembling import Choices, build_release, write_release
from postprocess.release.description.study import Description
from tests.postprocess.release.releases import (
    RECIPE,
    SECRET_WORD,
    collect,
    full_description,
    full_entries,
    rate,
    release,
    release_with_practice,
    words_of,
)

OTHER_KEY = "another key for tests"


def test_a_release_has_all_published_files():
    assert sorted(release().files) == [
        "CHECKLIST.md", "CITATION.cff", "DATA_STATEMENT.md", "README.md", "SHA256SUMS",
        "annotators.tsv", "cosimlex_sl.csv", "cosimlex_sl.parquet", "croissant.json",
        "data/data_sl.tsv", "description.toml", "distributions_sl.json",
        "distributions_sl.parquet", "gold/gold_sl.tsv", "intervals.tsv", "ledger.tsv",
        "ratings_sl.parquet", "ratings_sl.tsv", "recipe.toml", "report.json",
        "results/results_subtask1_sl.tsv", "results/results_subtask2_sl.tsv", "scores.tsv",
        "texts/consent_2.md", "texts/instructions_1.md",
    ]  # fmt: skip


def test_build_release_is_deterministic():
    collected = collect(6)
    shuffled = collect(6, ratings=collected.ratings.sample(frac=1, random_state=3))

    one, again = release_with_practice(), release(shuffled, n_practice=2)

    assert one.files == again.files
    assert one.archive == again.archive


def test_result_files_are_headers_alone():
    files = release().files

    assert files["results/results_subtask1_sl.tsv"] == b"change\n"
    assert files["results/results_subtask2_sl.tsv"] == b"sim_context1\tsim_context2\n"


def test_a_practice_kit_is_in_the_layout_of_the_task():
    files = release_with_practice().files

    names = sorted(name for name in files if name.startswith("practice_kit/"))
    assert names == [
        f"practice_kit/{name}"
        for name in (
            "cosimlex_sl.csv", "cosimlex_sl.parquet", "data_sl.tsv", "gold_sl.tsv",
            "results_subtask1_sl.tsv", "results_subtask2_sl.tsv", "scores.tsv",
        )
    ]  # fmt: skip
    for folder, data, gold, n in (
        ("", "data/", "gold/", 4),
        ("practice_kit/", "practice_kit/", "practice_kit/", 2),
    ):
        dataset = read_dataset(files[f"{folder}cosimlex_sl.csv"])
        read = read_gold(files[f"{gold}gold_sl.tsv"])
        rows = parse_stimuli(files[f"{data}data_sl.tsv"]).rows
        assert len(dataset) == len(read) == len(rows) == n
        assert dataset["sim1"].tolist() == read["sim_context1"].tolist()
        assert [tuple(row) for row in dataset[["word1", "word2"]].to_numpy()] == [
            row[:2] for row in rows
        ]


def test_the_dataset_can_be_rebuilt_from_the_release():
    """The command build makes the same dataset from the files of a release."""
    files = release().files
    built = build_dataset(
        parse_stimuli(files["data/data_sl.tsv"]),
        read_ratings(files["ratings_sl.tsv"], "sl"),
        language="sl",
        recipe=RECIPE,
        inputs=json.loads(files["report.json"])["inputs"],
    )

    for name, content in built.files.items():
        if name != "report.json":
            assert content == files[name], name
    report = json.loads(files["report.json"])
    assert report.pop("to_be_written") == []
    assert report == built.report


def test_checksums_pass_sha256sum(tmp_path):
    write_release(release_with_practice(), tmp_path / "out")

    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=tmp_path / "out", capture_output=True, text=True, check=True,
    )  # fmt: skip

    files = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")}
    assert {line.removesuffix(": OK") for line in checked.stdout.splitlines()} == files


def test_the_archive_has_the_same_files(tmp_path):
    made = release()
    paths = write_release(made, tmp_path / "out")

    assert (tmp_path / "out.zip").read_bytes() == made.archive
    with zipfile.ZipFile(io.BytesIO(made.archive)) as archive:
        assert archive.testzip() is None
        held = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}
    assert held == {f"cosimlex_sl/{name}": content for name, content in made.files.items()}
    assert sorted(map(str, paths)) == sorted(
        [*(str(tmp_path / "out" / name) for name in made.files), str(tmp_path / "out.zip")]
    )


def test_write_release_overwrites_only_its_own_files(tmp_path):
    write_release(release(), tmp_path / "out")
    write_release(release(), tmp_path / "out")
    (tmp_path / "out/.git").mkdir()
    (tmp_path / "out/.git/config").touch()
    write_release(release(), tmp_path / "out")
    (tmp_path / "out/texts/words.tsv").write_text("old")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    with pytest.raises(ReleaseError, match=r"not part of this release, such as texts/words\.tsv"):
        write_release(release(), tmp_path / "out")

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("agreed", [False, True])
def test_words_are_published_only_if_annotators_agreed(agreed):
    ratings = rate(4)
    described = full_description(consent={"obtained": "Yes.", "publishes_words": agreed})

    made = release(collect(words=words_of(ratings)), described)

    holds = {name for name, content in made.files.items() if SECRET_WORD.encode() in content}
    text = {"ratings_sl.tsv"} if agreed else set()
    assert holds - {"ratings_sl.parquet"} == text
    assert agreed or not holds
    assert (SECRET_WORD.encode() in made.archive) == agreed
    for name, content in made.files.items():
        if name.endswith(".parquet"):
            table = pd.read_parquet(io.BytesIO(content))
            has_words = table.isin([SECRET_WORD]).any(axis=None)
            assert has_words == (agreed and name == "ratings_sl.parquet")


def test_withdrawn_answers_are_not_released():
    ratings = rate(4)
    ratings = ratings.assign(rating=ratings["rating"].where(ratings["mark"] == "", 6))
    without = ratings[ratings["mark"] == ""]
    described = full_description(consent={"obtained": "Yes.", "publishes_words": True})

    made, expected = (
        release(collect(ratings=each, words=words_of(ratings)), described)
        for each in (ratings, without.assign(mark=""))
    )

    assert made.files == expected.files


def test_ids_depend_on_the_key_in_all_files():
    one, other = release().files, release(key=OTHER_KEY).files

    for name in ("cosimlex_sl.csv", "scores.tsv", "gold/gold_sl.tsv"):
        assert one[name] == other[name]
    for name in ("ratings_sl.tsv", "ledger.tsv", "annotators.tsv"):
        assert one[name] != other[name]
    assert not any(b"worker-" in content for content in one.values())


def test_missing_texts_are_listed_and_can_be_refused():
    made = release(description=Description())

    listed = json.loads(made.files["report.json"])["to_be_written"]
    assert [one._asdict() for one in made.unwritten] == listed
    assert {one.file for one in made.unwritten} == {
        "CHECKLIST.md", "CITATION.cff", "DATA_STATEMENT.md", "README.md", "croissant.json",
    }  # fmt: skip
    with pytest.raises(ReleaseError, match=r"README\.md, Licence: the licence, one of"):
        release(description=Description(), complete=True)


def test_a_fully_described_release_has_no_missing_texts():
    made = release(complete=True)

    assert made.unwritten == ()
    assert not any(b"TO BE WRITTEN" in content for content in made.files.values())


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        (section, entry)
        for section, entries in full_entries().items()
        if isinstance(entries, dict) and section not in ("scale", "collection")
        for entry in entries
        if entry not in ("doi", "keywords")
    ]
    + [("collection", "procedure"), ("collection", "began_on"), ("collection", "ended_on")],
)
def test_each_missing_entry_is_marked(one_dataset, section, entry):
    entries = full_entries()
    del entries[section][entry]

    assert release(description=full_description(**entries)).unwritten


@pytest.mark.parametrize("section", ["authors", "texts"])
def test_each_missing_list_is_marked(one_dataset, section):
    assert release(description=full_description(**{section: []})).unwritten


def test_build_release_refuses_a_description_with_another_scale():
    described = full_description(scale={"minimum": 1})

    with pytest.raises(
        ReleaseError, match="the minimum of the scale is 1 in the description, but 0 in"
    ):
        release(description=described)


def test_added_files_are_in_checksums_and_card():
    made = build_release(
        collect(), full_description(), RECIPE, Choices("a key for tests alone"),
        language="sl", add_files=lambda dataset: {"report.html": b"<p>4</p>"},
    )  # fmt: skip

    assert made.files["report.html"] == b"<p>4</p>"
    assert b"  report.html\n" in made.files["SHA256SUMS"]
    assert "`report.html`" in made.files["README.md"].decode()


def test_write_release_resolves_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "v1.0").mkdir()
    monkeypatch.chdir(tmp_path / "v1.0")

    paths = write_release(release(), Path())

    assert paths[-1] == tmp_path / "v1.0.zip"
    assert (tmp_path / "v1.0.zip").exists()
    assert Path("README.md").exists()


def test_documents_say_that_words_are_not_published():
    described = full_description(consent={"obtained": "Yes.", "publishes_words": True})

    files = release(description=described).files

    for name in ("README.md", "CHECKLIST.md"):
        assert "wrote before rating are not published" in files[name].decode()


def test_repr_hides_the_key():
    assert "secret" not in repr(Choices("a secret key for tests"))


def test_blocks_are_published_and_times_and_positions_are_not_used():
    places = collect(6).ratings[["pair", "context", "annotator"]]
    details = places.assign(
        block="7", pos="noun\tor = verb", position=3.0,
        seconds=[31.25 + n for n in range(len(places))],
    )  # fmt: skip

    made = release(collect(6, details=details), n_practice=2)

    report = made.dataset.report
    for trait, name in (("block", "7"), ("pos", "noun or = verb")):
        assert [one["name"] for one in report["agreement"]["by"][trait]] == [name]
    assert {one["outcome"] for one in report["confounds"]["table"]} == {"score", "change"}
    assert set(report["inputs"]) == {"ratings", "stimuli"}
    assert not [name for name, content in made.files.items() if b"31.25" in content]
    header, row, *_ = made.files["ratings_sl.tsv"].decode().split("\n")
    assert header.endswith("\tmark\tblock\tpos")
    assert row.endswith("\t7\tnoun or = verb")
    for name in ("README.md", "croissant.json"):
        assert "part of speech of the pair" in made.files[name].decode()
    assert made.files["scores.tsv"] == release_with_practice().files["scores.tsv"]


def test_the_card_has_agreement_and_ceiling_with_intervals():
    made = release(collect(8))
    card, report = made.files["README.md"].decode(), made.dataset.report
    overall, change = report["agreement"]["overall"], report["change"]["used"][0]

    assert (f"mean of the others: {overall['human']:.3f} (95 % interval over contexts: ").replace(
        "-", "−"
    ) in card
    icc = f"ICC(2,k), reliability of the scores: {overall['icc_average']:.3f} ("
    assert icc.replace("-", "−") in card.replace("\\", "")
    assert f"Ceiling of subtask 1: {change['ceiling']:.3f} (95 % interval over pairs: " in card
