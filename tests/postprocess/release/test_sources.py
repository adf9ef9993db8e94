"""The sources of the texts: their file, ATTRIBUTION.md, and what other files say of them."""

import json

import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from postprocess.formats.tabular import TableError
from postprocess.origin import OriginError, parse_origin
from postprocess.release import ReleaseError
from postprocess.release.assembling import write_release
from postprocess.release.documents.attribution import render_attribution
from postprocess.release.origin import describe_origin
from postprocess.release.sources import (
    COLUMNS,
    ContextSource,
    Publishing,
    judge_licence,
    parse_sources,
    render_sources,
)
from postprocess.release.verification.verifying import verify_release
from preprocess.selection.stimuli import SOURCE_COLUMNS
from tests.postprocess.release.releases import KEY, collect, numbered_row, rate, release

POND = {
    "document": "d1", "title": "The pond", "url": "https://example.org/wiki/The_pond_(deep)",
    "revision": "12", "licence": "CC BY-SA 4.0",
}  # fmt: skip
STORY = {"document": "d2", "title": "A *story*", "licence": "CC BY 4.0"}
NAMELESS = {"document": "d3", "url": "urn:x:3"}
SOURCES = (
    ContextSource(1, 1, **POND),
    ContextSource(1, 2, **STORY),
    ContextSource(2, 1, **POND, edited="yes"),
    ContextSource(2, 2, **NAMELESS),
    ContextSource(3, 1, **POND),
    ContextSource(3, 2, **POND),
)
ATTRIBUTION = """# Sources of the texts

The contexts of this dataset come from the documents below. Each text remains under the licence of \
its document, in every file of this dataset. The words of the pairs were marked in them, and \
these texts were edited lightly: pair 2 (context 1). `sources_sl.tsv` has the place of each \
text in its document.

## CC BY 4.0

- A \\*story\\*: pair 1 (context 2)

## CC BY-SA 4.0

- [The pond](https://example.org/wiki/The_pond_%28deep%29), revision 12: pair 1 (context 1), \
pair 2 (context 1), pair 3 (both contexts)

## Unknown licence

- d3, urn:x:3: pair 2 (context 2)

## No source is recorded

Pair 4 (both contexts).
"""


def test_the_attribution_lists_documents_by_licence():
    assert render_attribution(SOURCES, 4, "sources_sl.tsv") == ATTRIBUTION


def test_the_file_of_the_search_can_be_read():
    assert set(SOURCE_COLUMNS) <= set(COLUMNS)

    assert parse_sources(render_sources(SOURCES).encode(), 4) == SOURCES
    assert parse_sources(b"context\tpair\ttitle\n2\t1\tThe pond\n", 1) == (
        ContextSource(1, 2, title="The pond"),
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("9\t1\n", 'row 1 (line 2), pair: "9" is not the number of a pair; there are 1 to 4'),
        ("2\t3\n", 'row 1 (line 2), context: "3" is not the number of a context; write 1 or 2'),
        ("2\t1\n2\t1\n", "row 2 (line 3): context 1 of pair 2 has a source already; keep one row"),
        ("2\n", "row 1 (line 2): 1 field instead of 2"),
    ],
)
def test_wrong_rows_are_named(rows, message):
    with pytest.raises(TableError) as caught:
        parse_sources(f"pair\tcontext\n{rows}".encode(), 4)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("licence", "publishing"),
    [
        ("CC-BY-SA-3.0", "allowed"),
        ("https://creativecommons.org/licenses/by/4.0/", "allowed"),
        ("Public domain", "allowed"),
        ("© 2020, all rights reserved", "forbidden"),
        ("CC BY 4.0 for the code, texts under copyright", "forbidden"),
        ("Licence of the corpus", "unknown"),
        ("permit", "unknown"),
        ("CC BY-NC-SA 4.0", "allowed"),
        ("CC-BY-ND-3.0", "forbidden"),
        ("submitted", "unknown"),
    ],
)
def test_the_name_of_a_licence_says_whether_texts_may_be_published(licence, publishing):
    assert judge_licence(licence) is Publishing(publishing)


def test_a_release_has_the_sources_of_its_texts(tmp_path):
    made = release(collect(sources=SOURCES))
    write_release(made, tmp_path / "out")

    attribution = (tmp_path / "out/ATTRIBUTION.md").read_text(encoding="utf-8")
    croissant = json.loads(made.files["croissant.json"])
    assert attribution == ATTRIBUTION
    assert parse_sources(made.files["sources_sl.tsv"], 4) == SOURCES
    assert [one["prov:label"] for one in croissant["prov:wasDerivedFrom"][1:]] == [
        "A *story*", "The pond", "d3",
    ]  # fmt: skip
    assert "`ATTRIBUTION.md`" in made.files["README.md"].decode()
    assert verify_release(tmp_path / "out").is_confirmed
    assert "ATTRIBUTION.md" not in release().files


ORIGIN = {
    "windows": {
        "version": "1.0", "corpus": [["wiki_*.conllu", 900]], "sentences": 3, "per_pair": 50,
        "filters": [["digits", None, 0.1, "reject"]], "seed": 1,
    },
    "scores": {"e5.parquet": {"models": {"e5": ["2f9c", "fp32"]}}},
    "candidates": {"number": 8, "seed": 1, "distance_within": None, "models": ["e5@7", "elmo"]},
}  # fmt: skip
SEARCH = (
    "Cosima 1.0 searched the file wiki_*.conllu for texts of 3 sentences with both words of a "
    "pair, and kept up to 50 of each pair by chance. Up to 8 candidates of each pair were drawn "
    "from them, by the scores of the models e5@7 and elmo and by chance."
)


def test_a_release_says_how_its_texts_were_found(tmp_path):
    made = release(collect(sources=SOURCES, origin=ORIGIN))
    write_release(made, tmp_path / "out")

    assert json.loads(made.files["origin_sl.json"]) == ORIGIN
    escaped = SEARCH.replace("*", "\\*").replace("_", "\\_")
    for name in ("README.md", "DATA_STATEMENT.md"):
        assert f"{escaped} `origin_sl.json` has all settings." in made.files[name].decode(), name
    croissant = json.loads(made.files["croissant.json"])
    assert croissant["rai:dataCollectionRawData"].endswith(SEARCH)
    assert verify_release(tmp_path / "out").is_confirmed
    (tmp_path / "out/origin_sl.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ReleaseError, match="origin cannot be read: it is not a JSON object"):
        verify_release(tmp_path / "out")


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"\xff", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\u0000"}', b'{"a": "\\ud800"}',
     b'{"a":' * 100_000],
)  # fmt: skip
def test_an_origin_that_nothing_can_store_is_refused(data):
    with pytest.raises(OriginError):
        parse_origin(data)


@pytest.mark.parametrize(
    "origin",
    [{}, {"corpus": "x"}, {"windows": []}, {**ORIGIN["windows"], "corpus": []},
     {**ORIGIN, "candidates": {"number": "many"}}],
)  # fmt: skip
def test_an_origin_of_other_programs_is_not_described(origin):
    assert describe_origin(origin) == ""


def test_sources_follow_their_pairs_into_the_practice_kit(tmp_path):
    sources = tuple(
        ContextSource(pair, context, title=f"alpha{pair} in {context}")
        for pair in range(1, 7)
        for context in (1, 2)
    )
    made = release(collect(6, sources=sources), n_practice=2)
    write_release(made, tmp_path / "out")

    data = (
        made.files["data/data_sl.tsv"].decode()
        + made.files["practice_kit/data_sl.tsv"].decode().partition("\n")[2]
    )
    words = [line.split("\t")[0] for line in data.splitlines()[1:]]
    found = parse_sources(made.files["sources_sl.tsv"], 6)
    assert words != [f"alpha{n}" for n in range(1, 7)]
    assert [one.title for one in found] == [f"{word} in {n}" for word in words for n in (1, 2)]
    assert verify_release(tmp_path / "out").is_confirmed


def test_the_command_takes_the_sources(tmp_path, capsys):
    rows = [numbered_row(number) for number in range(1, 5)]
    (tmp_path / "data_sl.tsv").write_text(render_stimuli(rows), encoding="utf-8")
    rate(4).assign(language="sl").to_csv(tmp_path / "ratings_sl.csv", index=False)
    (tmp_path / "sources_sl.tsv").write_text(render_sources(SOURCES), encoding="utf-8")
    (tmp_path / "origin_sl.json").write_text(json.dumps(ORIGIN), encoding="utf-8")
    files = {
        "stimuli": "data_sl.tsv", "ratings": "ratings_sl.csv", "sources": "sources_sl.tsv",
        "origin": "origin_sl.json",
    }  # fmt: skip
    named = [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]
    out = ["--out", str(tmp_path / "out"), "--language", "sl", "--recipe", "raw", "--no-report"]

    assert main(["release", *named, *out, "--key", KEY]) == 0
    assert (tmp_path / "out/ATTRIBUTION.md").read_text(encoding="utf-8") == ATTRIBUTION
    assert json.loads((tmp_path / "out/origin_sl.json").read_text(encoding="utf-8")) == ORIGIN

    (tmp_path / "origin_sl.json").write_text("{", encoding="utf-8")
    assert main(["release", *named, *out, "--key", KEY]) == 2
    assert "origin_sl.json: it is not valid JSON" in capsys.readouterr().err
    (tmp_path / "origin_sl.json").write_text("{}", encoding="utf-8")
    (tmp_path / "sources_sl.tsv").write_text("pair\tcontext\n5\t1\n", encoding="utf-8")
    assert main(["release", *named, *out, "--key", KEY]) == 2
    assert 'pair: "5" is not the number of a pair' in capsys.readouterr().err
