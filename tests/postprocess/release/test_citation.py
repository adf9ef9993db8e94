import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from postprocess.release.description import Description
from tests.postprocess.release.releases import full_description, release
from tests.postprocess.release.test_cards import hostile_description

SCHEMA = json.loads((Path(__file__).parent / "cff-1.2.0.json").read_text(encoding="utf-8"))


def citation_of(described):
    return yaml.safe_load(release(description=described).files["CITATION.cff"])


@pytest.mark.parametrize("described", [Description(), full_description(), hostile_description()])
def test_the_citation_is_valid(described):
    validator = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())

    assert [error.message for error in validator.iter_errors(citation_of(described))] == []


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


def test_what_the_citation_lacks_is_marked_in_it():
    text = release(description=Description()).files["CITATION.cff"].decode()

    assert "# [TO BE WRITTEN BY A PERSON, license: the licence, one of CC0-1.0" in text
    assert "[TO BE WRITTEN BY A PERSON, authors: who made" in text


def test_the_line_of_the_card_cites_the_same():
    card = release().files["README.md"].decode()

    assert (
        "Ana Novak, The Similarity Group (2026). Similarity of words in context, version 1.2.0. "
        "<https://doi.org/10.5281/zenodo.1234567>"
    ) in card
