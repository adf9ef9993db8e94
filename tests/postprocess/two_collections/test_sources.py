import pandas as pd
import pytest

from postprocess.formats.reading import load_ratings
from postprocess.table.ratings import RatingsError
from postprocess.two_collections.sources import Source, load_source

ROWS = [("sl", 1, 1, "a", 3), ("sl", 1, 2, "a", 4)]
DIGEST = "0a" * 32
MARKED = {
    "kind": "model",
    "model": "Parrot",
    "model_version": "2",
    "prompt_sha256": DIGEST,
    "rated_on": "2026-05-31",
}


@pytest.fixture
def file(tmp_path):
    """Write a ratings file with further columns; return its path."""

    def write(suffix=".csv", **columns):
        path = tmp_path / f"ratings{suffix}"
        table = pd.DataFrame(ROWS, columns=["language", "pair", "context", "annotator", "rating"])
        table = table.assign(**columns)
        if suffix == ".parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
        return path

    return write


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_load_source_reads_the_marks_of_a_model(file, suffix):
    assert load_source(file(suffix, **MARKED)) == Source(**MARKED)


def test_load_source_without_marks_is_of_people_or_of_the_given_model(file):
    given = Source("model", "Parrot")

    assert load_source(file()) == Source("people")
    assert load_source(file(), given) == given
    assert load_source(file(kinds="noun"), given) == given  # another column
    assert load_source(file(kind="people")) == Source("people")


def test_load_source_refuses_two_sources_in_one_file(file):
    with pytest.raises(RatingsError, match="different sources in one file: row 2 differ"):
        load_source(file(kind=["model", "people"], model=["Parrot", ""]))


def test_load_source_refuses_a_file_that_contradicts_the_options(file):
    with pytest.raises(RatingsError, match=r"the file says: language model Parrot, version 2"):
        load_source(file(**MARKED), Source("model", "Owl"))


@pytest.mark.parametrize(
    ("entries", "advice"),
    [
        ({"kind": "owl"}, "write people, or model"),
        ({"kind": "people", "model": "Parrot"}, "model: given for ratings of people"),
        ({"kind": "model"}, "give its name"),
        ({"kind": "model", "model": "a\nb"}, "model must be one line"),
        ({"kind": "model", "model": "x" * 201}, "model must be one line"),
        ({"kind": "model", "model": "x", "prompt_sha256": "abc"}, "64 digits"),
        ({"kind": "model", "model": "x", "rated_on": "31.5.2026"}, "must be a day"),
        ({"kind": "model", "model": "x", "rated_on": "20260531"}, "must be a day"),
    ],
)
def test_source_refuses_invalid_entries(entries, advice):
    with pytest.raises(RatingsError, match=advice):
        Source(**entries)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_load_ratings_refuses_those_of_a_model_unless_asked(file, suffix):
    path = file(suffix, kind=["people", " Model"])

    with pytest.raises(RatingsError, match=r"a language model gave these ratings.*: row 2;"):
        load_ratings(path, "sl")

    assert len(load_ratings(path, "sl", accept_models=True)) == 2
    assert len(load_ratings(file(suffix, kind="noun"), "sl")) == 2  # another use of the name
