import base64
import json

from postprocess.release.description.study import Description, read_entries
from postprocess.release.repositories.hub import describe_upload, list_lines
from postprocess.release.repositories.zenodo import describe_record
from tests.postprocess.release.releases import full_description
from tests.postprocess.release.test_cards import hostile_description

FILES = {"README.md": b"# Words", "words_sl.parquet": b"PAR1", "empty.tsv": b""}


def test_an_incomplete_description_leaves_out_what_is_unknown():
    record = describe_record(Description(), version="1.0.0")

    assert record["metadata"].keys() == {"resource_type", "publisher", "references"}
    assert "pids" not in record


def test_texts_are_escaped_paragraphs():
    dataset = {"summary": "a < b\nc\n\n<script>", "uses": "Tests."}

    record = describe_record(read_entries({"dataset": dataset}), version="1.0.0", notes="x & y")

    metadata = record["metadata"]
    assert metadata["description"] == "<p>a &lt; b c</p><p>&lt;script&gt;</p><p>Tests.</p>"
    assert metadata["additional_descriptions"] == [
        {"description": "<p>x &amp; y</p>", "type": {"id": "notes"}}
    ]
    hostile = describe_record(hostile_description(), version="1.0.0")
    assert "<script>" not in hostile["metadata"]["description"]


def test_authors_have_names_orcid_and_affiliation():
    authors = [
        {"family_names": "Novak", "orcid": "0000-0002-1825-0097", "affiliation": "A university"},
        {"name": "The Similarity Group"},
    ]

    record = describe_record(full_description(authors=authors), version="1.0.0")

    orcid = [{"scheme": "orcid", "identifier": "0000-0002-1825-0097"}]
    person = {"type": "personal", "family_name": "Novak", "identifiers": orcid}
    assert record["metadata"]["creators"] == [
        {"person_or_org": person, "affiliations": [{"name": "A university"}]},
        {"person_or_org": {"type": "organizational", "name": "The Similarity Group"}},
    ]


def test_the_hub_is_asked_with_the_size_and_beginning_of_each_file():
    asked = describe_upload({"a": b"x" * 600})["files"]

    assert asked == [{"path": "a", "size": 600, "sample": base64.b64encode(b"x" * 512).decode()}]


def test_a_commit_has_files_objects_and_removals():
    lines = list(list_lines(FILES, "Add them", objects={"words_sl.parquet"}, removed=["old.csv"]))

    assert [line["key"] for line in lines] == ["header", "file", "lfsFile", "file", "deletedFile"]
    assert lines[0]["value"]["summary"] == "Add them"
    assert base64.b64decode(lines[1]["value"]["content"]) == b"# Words"
    assert (lines[2]["value"]["size"], len(lines[2]["value"]["oid"])) == (4, 64)
    assert lines[4]["value"] == {"path": "old.csv"}
    assert json.loads(json.dumps(lines)) == lines
