import io
import json
import socket

import mlcroissant
import pandas as pd
import pytest

from postprocess.formats.files import read_dataset
from postprocess.release.assembling import write_release
from postprocess.release.description.study import Description
from postprocess.version import __version__
from tests.postprocess.release.releases import (
    collect,
    full_description,
    full_entries,
    rate,
    release,
    words_of,
)
from tests.postprocess.release.test_cards import hostile_description

RAI = {  # the names of Croissant RAI 1.0, and one that is newer
    "dataCollection", "dataCollectionType", "dataCollectionMissingData", "dataCollectionRawData",
    "dataCollectionTimeframe", "dataImputationProtocol", "dataManipulationProtocol",
    "dataPreprocessingProtocol", "dataAnnotationProtocol", "dataAnnotationPlatform",
    "dataAnnotationAnalysis", "dataReleaseMaintenancePlan", "personalSensitiveInformation",
    "dataSocialImpact", "dataBiases", "dataLimitations", "dataUseCases", "annotationsPerItem",
    "annotatorDemographics", "machineAnnotationTools", "hasSyntheticData",
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_connections(monkeypatch):
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
def described_folder(tmp_path):
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
    assert metadata.ctx.is_v1_1()
    assert metadata.data_limitations == [described.dataset.limitations]


def test_the_reference_library_loads_the_dataset(described_folder):
    dataset = load(described_folder)

    for name, path, first in (
        ("dataset", "cosimlex_sl.csv", 1), ("practice", "practice_kit/cosimlex_sl.csv", 5)
    ):  # fmt: skip
        ours = read_dataset((described_folder / path).read_bytes())
        ours.insert(0, "pair", range(first, first + len(ours)))
        theirs = records_of(dataset, name)
        pd.testing.assert_frame_equal(theirs, ours.reset_index(drop=True), check_dtype=False)


def test_the_reference_library_loads_the_ratings(described_folder):
    theirs = records_of(load(described_folder), "ratings")

    ours = pd.read_parquet(io.BytesIO((described_folder / "ratings_sl.parquet").read_bytes()))
    assert list(theirs.columns) == list(ours.columns)
    assert len(theirs) == len(ours) > 0
    pd.testing.assert_frame_equal(
        theirs.astype({"rating": float}).astype(object), ours.astype(object), check_dtype=False
    )


def test_the_reference_library_loads_the_distributions(described_folder):
    theirs = records_of(load(described_folder), "distributions")

    ours = pd.read_parquet(described_folder / "distributions_sl.parquet")
    pd.testing.assert_frame_equal(theirs, ours, check_dtype=False)


def test_every_file_is_listed_with_its_digest(described_folder):
    described = json.loads((described_folder / "croissant.json").read_text(encoding="utf-8"))
    sums = dict(
        reversed(line.split("  ", 1))
        for line in (described_folder / "SHA256SUMS").read_text().splitlines()
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


def rai_of(**sections):
    """Return the entries on responsible AI of a release with a changed description."""
    made = release(description=full_description(**sections))
    described = json.loads(made.files["croissant.json"])
    return {name: described[name] for name in described if name.startswith(("rai:", "prov:"))}


def test_the_description_fills_the_entries_on_responsible_ai():
    entries = full_entries()
    described = rai_of(
        dataset=entries["dataset"] | {"biases": "Few texts.", "social_impact": "None known."},
        collection=entries["collection"] | {"platform": "Cosima", "question_forms": "dictionary"},
    )

    prose = entries["dataset"]["uses"]
    assert {name.removeprefix("rai:") for name in described if name.startswith("rai:")} <= RAI
    assert described["rai:dataUseCases"] == described["rai:dataLimitations"] == prose
    assert described["rai:dataBiases"] == "Few texts."
    assert described["rai:dataSocialImpact"] == "None known."
    assert described["rai:dataCollectionTimeframe"] == ["2026-10-01", "2026-10-09"]
    assert described["rai:dataAnnotationPlatform"] == ["Cosima", "Prolific"]
    assert described["rai:annotationsPerItem"] == "5 to 6 ratings of each context"
    assert described["rai:dataAnnotationProtocol"] == (
        "Annotators rated how similar two words of a text are in it. "
        "Rating scale: 0–6 (0 = not similar, 6 = the same). "
        "The question named the two words in their dictionary forms, in the order of the text. "
        "Texts that annotators read: texts/consent_2.md, texts/instructions_1.md."
    )
    assert described["rai:hasSyntheticData"] is False
    collected, processed = described["prov:wasGeneratedBy"]
    assert collected["prov:startedAtTime"] == "2026-10-01"
    assert collected["prov:wasAssociatedWith"] == processed["prov:wasAssociatedWith"]
    assert processed["prov:wasAssociatedWith"]["prov:label"].endswith(f", version {__version__}")


def test_entries_on_responsible_ai_that_nobody_described_are_left_out():
    described = json.loads(release(description=Description()).files["croissant.json"])

    missing = {
        "dataCollection", "dataCollectionRawData", "dataCollectionTimeframe", "dataLimitations",
        "dataAnnotationPlatform", "annotatorDemographics", "dataUseCases", "dataBiases",
        "dataSocialImpact", "dataReleaseMaintenancePlan", "hasSyntheticData",
    }  # fmt: skip
    assert {name for name in missing if f"rai:{name}" in described} == set()
    assert "prov:wasDerivedFrom" not in described
    assert [one["prov:label"] for one in described["prov:wasGeneratedBy"]] == [
        "Collection of ratings", "Post-processing of ratings into scores",
    ]  # fmt: skip


def test_machine_generated_texts_are_synthetic_data():
    stimuli = {**full_entries()["stimuli"], "creators": "machine-generated"}

    assert rai_of(stimuli=stimuli)["rai:hasSyntheticData"] is True
