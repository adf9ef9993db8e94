"""What is read is written with the same bytes, and what is written is read as the same items."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.formats.writing import write_files
from postprocess.layouts import LAYOUT_NAMES
from postprocess.layouts.published import LAYOUTS
from postprocess.layouts.published_set import PublishedSet, load_set, render_set
from postprocess.layouts.reading import load_files, read_set
from postprocess.layouts.writing import write_set
from tests.postprocess.layouts.examples import CASES, EXAMPLES, JUDGMENTS, encode

NAMED = [pytest.param(*case, id=f"{case[0]}-{next(iter(case[1]))}") for case in CASES]


def test_the_names_of_the_layouts_are_known_without_loading_them():
    assert tuple(LAYOUTS) == LAYOUT_NAMES


@pytest.mark.parametrize(("name", "texts"), NAMED)
def test_a_set_is_written_as_it_was_read(name, texts, tmp_path):
    layout, files = LAYOUTS[name], encode(texts)

    published = read_set(layout, files)
    write_files(render_set(published), tmp_path)
    loaded = load_set(layout, tmp_path)

    assert published.warnings == []
    assert write_set(published) == files
    assert write_set(loaded) == files
    assert render_set(loaded) == render_set(published)


@pytest.mark.parametrize(("name", "texts"), [case for case in NAMED if case.id != "simlex-set.csv"])
def test_items_are_read_as_they_were_written(name, texts):
    layout = LAYOUTS[name]
    read = read_set(layout, encode(texts))
    published = replace(read, forms=[], uses=[])  # as a study's own

    again = read_set(layout, write_set(published), published.language)

    assert without_folders(again.items) == without_folders(published.items)
    assert without_folders(again.figures) == without_folders(published.figures)


def without_folders(records):
    """Return records without what only a folder or an earlier form of a file tells."""
    known = ("folder", "context_pos", "round", "a b")
    return [{n: text for n, text in r.items() if n not in known} for r in records]


@pytest.mark.parametrize("name", LAYOUTS)
def test_other_line_ends_are_read_and_told(name):
    files = encode(EXAMPLES[name][0])
    crlf = {file: content.replace(b"\n", b"\r\n") for file, content in files.items()}
    marked = {file: b"\xef\xbb\xbf" + content.rstrip(b"\n") for file, content in files.items()}

    for changed, notes in (
        (crlf, {"lines end in LF, not CRLF or CR"}),
        (marked, {"a byte order mark is left out", "the last line is ended"}),
    ):
        published = read_set(LAYOUTS[name], changed)
        assert {finding.what for _, finding in published.warnings} == notes
        assert write_set(published) == files


def test_oddities_of_json_are_read_and_told():
    example = EXAMPLES["mclwic"][0]
    files = encode(example)
    odd = {
        "dev.en-en.data": example["dev.en-en.data"]
        .replace("    ", "\t").replace('"4"', "4").replace("dev.en-en.0", "\ufeffdev.en-en.0")
        .replace("The tavo sang", "The\\ttavo\\nsang").encode(),
        "dev.en-en.gold": files["dev.en-en.gold"].replace(b"    ", b""),
    }  # fmt: skip

    published = read_set(LAYOUTS["mclwic"], odd)

    assert [str(warning) for warning in published.warnings] == [
        "dev.en-en.data: numbers are written as text",
        "dev.en-en.data: row 1, id: a byte order mark before it is left out",
        "dev.en-en.data: row 1, sentence1: a tab or line break is written as a space",
        "dev.en-en.gold: the indentation, escapes or quotation marks are written differently",
    ]
    assert write_set(published) == files


def test_ranges_in_another_order_are_named():
    text = EXAMPLES["mclwic"][1]["test.en-ar.data"].replace("4-9,14-16", "14-16,4-9")

    published = read_set(LAYOUTS["mclwic"], {"test.en-ar.data": text.encode()})

    assert [str(warning) for warning in published.warnings] == [
        'test.en-ar.data: row 1, ranges1: "4-9,14-16" is written'
    ]


def test_files_are_found_in_folders(tmp_path, monkeypatch):
    files = encode(EXAMPLES["dwug"][0])

    write_files({**files, "README": b"x"}, tmp_path)
    published = load_files(LAYOUTS["dwug"], [tmp_path])

    assert write_set(published) == files
    assert len(published.uses) == 4
    assert [item["identifier1"] for item in published.items] == ["B-3-1", "corpusA-12-4"]
    monkeypatch.chdir(tmp_path / "病毒")
    first, _ = load_files(LAYOUTS["dwug"], [Path("uses.csv"), Path("judgments.csv")]).forms
    assert first.name == "病毒/uses.csv"


def test_judgements_take_the_uses_of_their_item():
    item = {"id": "x", "word1": "a", "word2": "a", "identifier1": "u1", "identifier2": "u2"}
    figure = {"id": "x", "annotator": "A1", "judgment": "4"}

    files = write_set(PublishedSet(LAYOUTS["dwug"], "en", [item], [figure]))

    assert files["a/judgments.csv"].decode() == f"{JUDGMENTS}u1\tu2\tA1\t4\t \ta\n"


def test_a_target_in_pieces_is_written_with_ranges():
    text1, text2 = "She <strong>rang</strong> him <strong>up</strong>.", "A <strong>ring</strong>"
    record = {"id": "a", "word1": "ring", "word2": "ring", "pos": "VERB"}
    whole = {**record, "id": "b", "text1": text2, "text2": text2}
    pieces = {**record, "text1": text1, "text2": text2}

    def write(*items):
        return write_set(PublishedSet(LAYOUTS["mclwic"], "en", list(items)))["test.en-en.data"]

    assert b'"start1": "2",\n        "end1": "6"' in write(whole)
    assert b'"ranges1": "4-8,13-15"' in write(whole, pieces)
    assert b'"ranges1": "2-6"' in write(whole, pieces)


LETTERS = st.text("ač'\"<&\\ ش\u0301😀𝔴字", min_size=1, max_size=8).filter(str.strip)


@settings(max_examples=20)
@given(st.lists(st.tuples(LETTERS, LETTERS, LETTERS, LETTERS), min_size=1, max_size=4))
def test_any_letters_come_back_in_any_layout_of_texts(rows):
    for name, speech, figure in (
        ("mclwic", {"pos": "VERB"}, {"tag": "T"}),
        ("scws", {"pos1": "v", "pos2": "n"}, {"score": "1.0"}),
    ):
        items = [
            {
                "id": str(row), "word1": word, "word2": word, **speech,
                "text1": f"{before} <strong>{form}</strong>", "form1": form,
                "text2": f"<strong>{form}</strong> {after}", "form2": form,
            }
            for row, (word, before, form, after) in enumerate(rows, 1)
        ]  # fmt: skip
        figures = [{"id": item["id"], **figure} for item in items]
        files = write_set(PublishedSet(LAYOUTS[name], "en", items, figures))
        again = read_set(LAYOUTS[name], files)
        assert (again.items, write_set(again)) == (items, files)
