"""What is read is written with the same bytes, and what is written is read as the same items."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.layouts.published import LAYOUTS
from postprocess.layouts.published_set import PublishedSet, load_set, render_set
from postprocess.layouts.reading import load_files, read_set
from postprocess.layouts.writing import write_set
from tests.postprocess.layouts.examples import CASES, EXAMPLES, encode

NAMED = [pytest.param(*case, id=f"{case[0]}-{next(iter(case[1]))}") for case in CASES]


def write_all(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.mark.parametrize(("name", "texts"), NAMED)
def test_a_set_is_written_as_it_was_read(name, texts, tmp_path):
    layout, files = LAYOUTS[name], encode(texts)

    published = read_set(layout, files)
    write_all(tmp_path, render_set(published))
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


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        (b"\n", b"\r\n", "lines end in LF, not CRLF or CR"),
        (b"", b"", ""),
    ],
)
@pytest.mark.parametrize("name", LAYOUTS)
def test_other_line_ends_are_read_and_told(name, before, after, note):
    files = encode(EXAMPLES[name][0])
    changed = {file: content.replace(before, after) for file, content in files.items()}
    if not note:
        changed = {file: b"\xef\xbb\xbf" + content.rstrip(b"\n") for file, content in files.items()}

    published = read_set(LAYOUTS[name], changed)

    told = {finding.what for _, finding in published.warnings}
    assert told == ({note} if note else {"a byte order mark is left out", "the last line is ended"})
    assert write_set(published) == files


def test_oddities_of_json_are_read_and_told():
    (example,) = (files for files in EXAMPLES["mclwic"] if len(files) == 2)
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
    assert write_set(published) == {
        **files, "dev.en-en.data": files["dev.en-en.data"].replace(b"tavo sang", b"tavo sang"),
    }  # fmt: skip


def test_ranges_in_another_order_are_named():
    (example,) = (files for files in EXAMPLES["mclwic"] if "test.en-ar.data" in files)
    text = example["test.en-ar.data"].replace("4-9,14-16", "14-16,4-9")

    published = read_set(LAYOUTS["mclwic"], {"test.en-ar.data": text.encode()})

    assert [str(warning) for warning in published.warnings] == [
        'test.en-ar.data: row 1, ranges1: "4-9,14-16" is written'
    ]


def test_files_are_found_in_folders(tmp_path):
    files = encode(EXAMPLES["dwug"][0])

    published = load_files(LAYOUTS["dwug"], [write_all(tmp_path, {**files, "README": b"x"})])

    assert write_set(published) == files
    assert len(published.uses) == 4
    assert [item["identifier1"] for item in published.items] == ["B-3-1", "corpusA-12-4"]


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
    items = [
        {
            "id": str(row), "word1": word, "word2": word, "pos": "V",
            "text1": f"{before} <strong>{form}</strong>",
            "text2": f"<strong>{form}</strong> {after}",
        }
        for row, (word, before, form, after) in enumerate(rows, 1)
    ]  # fmt: skip
    for record in items:
        form = record["text2"].partition("</strong>")[0].removeprefix("<strong>")
        record.update(form1=form, form2=form, identifier1=f"{record['id']}a")
        record["identifier2"] = f"{record['id']}b"
    for name, words, figure in (
        ("mclwic", {"pos": "VERB"}, {"tag": "T"}),
        ("scws", {"pos1": "v", "pos2": "n"}, {"score": "1.0"}),
    ):
        figures = [{"id": record["id"], **figure} for record in items]
        changed = [{**record, **words} for record in items]
        files = write_set(PublishedSet(LAYOUTS[name], "en", changed, figures))
        again = read_set(LAYOUTS[name], files)
        kept = [{n: text for n, text in r.items() if n in again.items[0]} for r in changed]
        assert again.items == kept
        assert write_set(again) == files
