import io
import json
import socket

import mlcroissant
import pandas as pd
import pytest

from postprocess.formats.files import read_dataset
from postprocess.release.assembling import write_release
from postprocess.release.description.study import Description
from tests.postprocess.release.releases import collect, full_description, rate, release, words_of
from tests.postprocess.release.test_cards import hostile_description


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*address, **options):
        raise AssertionError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def load(folder):
    """Return the dataset, read and validated by the reference library."""
    return mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))


def records_of(dataset, name):
    """Return a table as the library loads it, texts decoded."""
    rows = [
        {key.partition("/")[2]: entry.decode() if isinstance(entry, bytes) else entry
         for key, entry in record.items()}
        for record in dataset.records(name)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def folder(tmp_path):
    described = full_description(consent={"obtained": "Yes.", "publishes_words": True})
    collected = collect(6, words=words_of(rate(6)))
    write_release(release(collected, described, n_practice=2), tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("described", [full_description(), hostile_description()])
def test_the_reference_library_finds_no_issues(tmp_path, described):
    write_release(release(description=described), tmp_path / "out")

    metadata = load(tmp_path / "out").metadata

    assert metadata.ctx.issues.errors == set()
    assert metadata.ctx.issues.warnings == set()
    assert metadata.name == described.dataset.title


def test_the_reference_library_loads_the_dataset(folder):
    dataset = load(folder)

    for name, path, first in (
        ("dataset", "cosimlex_sl.csv", 1), ("practice", "practice_kit/cosimlex_sl.csv", 5)
    ):  # fmt: skip
        ours = read_dataset((folder / path).read_bytes())
        ours.insert(0, "pair", range(first, first + len(ours)))
        theirs = records_of(dataset, name)
        pd.testing.assert_frame_equal(theirs, ours.reset_index(drop=True), check_dtype=False)


def test_the_reference_library_loads_the_ratings(folder):
    theirs = records_of(load(folder), "ratings")

    ours = pd.read_parquet(io.BytesIO((folder / "ratings_sl.parquet").read_bytes()))
    assert list(theirs.columns) == list(ours.columns)
    assert len(theirs) == len(ours) > 0
    pd.testing.assert_frame_equal(
        theirs.astype({"rating": float}).astype(object), ours.astype(object), check_dtype=False
    )


def test_every_file_is_listed_with_its_digest(folder):
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    sums = dict(
        reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines()
    )

    listed = {one["contentUrl"]: one["sha256"] for one in described["distribution"]}

    del sums["croissant.json"]
    assert listed == sums


def test_html_in_a_title_cannot_end_a_script():
    text = release(description=hostile_description()).files["croissant.json"].decode()

    assert "<" not in text
    assert "<script>alert(1)</script>" in json.loads(text)["name"]


def test_missing_entries_are_marked_and_the_dataset_can_be_loaded(tmp_path):
    write_release(release(description=Description()), tmp_path / "out")

    described = json.loads((tmp_path / "out/croissant.json").read_text("utf-8"))

    marked = f"{described['name']} {described['description']} {described['creativeWorkStatus']}"
    for entry in ("name", "description", "license", "url", "version", "datePublished"):
        assert f"[TO BE WRITTEN BY A PERSON, {entry}: " in marked
    assert len(records_of(load(tmp_path / "out"), "dataset")) == 4
