import re

import pytest
import yaml

from postprocess.references import COSIMLEX
from postprocess.release.description.study import Description
from tests.machine import ROOT
from tests.postprocess.release.releases import full_description, full_entries, release
from tests.postprocess.release.test_cards import hostile_description

pytestmark = pytest.mark.usefixtures("one_dataset")

REQUIRED = {"cff-version", "message", "title", "authors"}
KNOWN = REQUIRED | {
    "abstract", "date-released", "doi", "keywords", "license", "references", "type", "url",
    "version",
}  # fmt: skip
PERSON, ENTITY = {"family-names", "given-names", "orcid", "affiliation"}, {"name"}


def citation_of(described):
    return yaml.safe_load(release(description=described).files["CITATION.cff"])


@pytest.mark.parametrize("described", [Description(), full_description(), hostile_description()])
def test_the_citation_has_the_required_format(described):
    """Check the rules of Citation File Format 1.2.0 for the entries that are used."""
    cited = citation_of(described)

    assert REQUIRED <= set(cited) <= KNOWN
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset")
    texts = ("message", "title", "abstract", "version", "license", "doi", "url")
    assert all(isinstance(cited[name], str) and cited[name] for name in texts if name in cited)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", cited.get("date-released", "2026-01-01"))
    assert re.fullmatch(r"https?://\S+", cited.get("url", "https://example.org"))
    assert re.fullmatch(r"10\.\d{4,9}(\.\d+)*/\S+", cited.get("doi", "10.5281/zenodo.1"))
    assert len(set(cited["keywords"])) == len(cited["keywords"]) > 0
    assert cited["authors"]
    for author in (*cited["authors"], *(a for one in cited["references"] for a in one["authors"])):
        assert set(author) <= PERSON or set(author) <= ENTITY
        assert all(isinstance(part, str) and part for part in author.values())
    for one in cited["references"]:
        assert {"type", "title", "authors"} <= set(one)


def test_the_citation_names_authors_and_dataset():
    cited = citation_of(full_description())

    assert cited["title"] == "Similarity of words in context"
    assert cited["type"] == "dataset"
    assert cited["authors"] == [
        {"family-names": "Novak", "given-names": "Ana",
         "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {"name": "The Similarity Group"},
    ]  # fmt: skip
    assert (cited["version"], cited["date-released"]) == ("1.2.0", "2026-11-30")
    assert (cited["license"], cited["doi"]) == ("CC-BY-4.0", "10.5281/zenodo.1234567")


def test_the_citation_names_all_authors_of_the_protocol():
    (protocol,) = (
        one for one in citation_of(Description())["references"] if one["title"] == COSIMLEX.title
    )

    assert [author["family-names"] for author in protocol["authors"]] == [
        "Armendariz", "Purver", "Ulčar", "Pollak", "Ljubešić", "Granroth-Wilding",
    ]  # fmt: skip
    assert protocol["url"] == "https://aclanthology.org/2020.lrec-1.720/"


def test_missing_entries_are_marked_in_the_citation():
    text = release(description=Description()).files["CITATION.cff"].decode()

    assert "# [TO BE WRITTEN BY A PERSON, license: the licence, one of CC0-1.0" in text
    assert "[TO BE WRITTEN BY A PERSON, authors: the authors" in text


def test_the_card_has_the_citation():
    card = release().files["README.md"].decode()

    assert (
        "Ana Novak, The Similarity Group (2026). Similarity of words in context, version 1.2.0. "
        "<https://doi.org/10.5281/zenodo.1234567>"
    ) in card


@pytest.mark.parametrize(
    ("platform", "sentence"),
    [
        ("Cosima", "Collected and processed with Cosima"),
        ("another program", "Processed with Cosima"),
        (None, "Processed with Cosima"),
    ],
)
def test_the_release_says_what_cosima_did(platform, sentence):
    project = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    collection = {**full_entries()["collection"], "platform": platform}
    files = release(description=full_description(collection=collection)).files

    cited = yaml.safe_load(files["CITATION.cff"])["references"][-1]

    said = f"{sentence} {project['version']}."
    assert cited == {
        "type": "software", "notes": said,
        **{name: project[name] for name in ("title", "authors", "version", "license")},
    }  # fmt: skip
    card = files["README.md"].decode()
    assert f"\n\n{said}\n\n## Maintenance" in card
    assert (f"- **Collected with:** {platform}\n" in card) == (platform is not None)
