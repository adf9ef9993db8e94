"""Broken files are refused with all errors, by file, row and column."""

import pytest

from postprocess.__main__ import main
from postprocess.formats.writing import write_files
from postprocess.layouts import LayoutError
from postprocess.layouts.published import LAYOUTS
from postprocess.layouts.published_set import PublishedSet, load_set
from postprocess.layouts.reading import group_files, load_files, read_set
from postprocess.layouts.writing import write_set
from tests.postprocess.layouts.examples import (
    DWUG_USES,
    EXAMPLES,
    JUDGMENTS,
    SIMLEX_HEADER,
    as_json,
    encode,
    item,
    tag,
)

SCWS_ROW = "1\ttavo\tn\tmiren\tv\tthe <b> tavo </b>\ta <b> miren </b>\t4.5\t5.0\t4.0\n"
DATA, GOLD = "dev.en-en.data", "dev.en-en.gold"
USE = "tavo\tn\t\t\ta\t \tThe tavo sang.\t4:8\t \n"
JUDGED = "a\tb\tA1\t4\t \ttavo\n"


BROKEN = [
    ("simlex", {"a.txt": ""}, ["a.txt: the file is empty; it needs rows"]),
    (
        "simlex", {"a.txt": "word1\tword2\tPOS\nx\ty\tN\n"},
        ["a.txt: missing columns: SimLex999; it has word1, word2, POS"],
    ),
    (
        "simlex", {"a.txt": SIMLEX_HEADER + "tavo\t\tN\tx" + "\tNA" * 6 + "\ntavo\n"},
        [
            "a.txt: row 1 (line 2), word2: the field is empty; fill it in",
            'a.txt: row 1 (line 2), SimLex999: "x" is not a number; write it as 4.17',
            "a.txt: row 2 (line 3): 1 field instead of 10: a line break inside a field?",
        ],
    ),
    ("simlex", {"a.txt": SIMLEX_HEADER.encode() + b"\xff\n"}, ["row 1 (line 2): not UTF-8"]),
    ("simlex", {"a.csv": "word1,word2,1\na,b,x\n"}, ['row 1 (line 2), 1: "x" is not a number']),
    (
        "semeval2017", {"en.test.data.txt": "a\tb\nc\td\n", "en.test.gold.txt": "1.0\n"},
        ["en.test.data.txt: row 2 (line 2): en.test.gold.txt has nothing about this item (2)"],
    ),
    (
        "semeval2017", {"en.test.data.txt": "a\tb\n", "en.test.gold.txt": "1\n2\n"},
        ["en.test.gold.txt: row 2 (line 2): en.test.data.txt lacks this item, or it was named"],
    ),
    (
        "semeval2017", {"en.test.gold.txt": "1\n2\n"},
        ["en.test.gold.txt: the file of the items is missing; give it, too"],
    ),
    (
        "semeval2017", {"en.test.data.txt": "a\nb\tc\n"},
        ["en.test.data.txt: row 1 (line 1): missing columns: word2; it has word1"],
    ),
    ("semeval2017", {"en.test.data.txt": b"a\tb\n\xff\tb\n"}, ["row 2 (line 2): not UTF-8"]),
    (
        "mclwic", {DATA: as_json([item(0, places=(4, 99, 4, 9))])},
        [f"{DATA}: row 1, start1: 4 to 99 is not within the text of 14 characters; count"],
    ),
    (
        "mclwic", {DATA: as_json([item(0, places=(4, 4, 3, 4))])},
        ["row 1, start1: 4 to 4 is not within the", "row 1, start2: 3 to 4 is not within the"],
    ),
    (
        "mclwic", {DATA: as_json([{**item(0), "pos": "X", "start2": "-1"}])},
        ['row 1, pos: "X" is none of NOUN, VERB, ADJ, ADV', '"-1-9" is not a range; write'],
    ),
    (
        "mclwic", {DATA: as_json([item(0), item(0)])},
        [f'{DATA}: row 2, id: the id "dev.en-en.0" is that of an earlier row'],
    ),
    (
        "mclwic", {DATA: as_json([item(0)]), GOLD: as_json([tag(1, "X")])},
        [f'{GOLD}: row 1, tag: "X" is none of T, F; correct it'],
    ),
    (
        "mclwic", {DATA: as_json([item(0)]), GOLD: as_json([tag(1)])},
        [
            f"{DATA}: row 1: {GOLD} has nothing about this item (dev.en-en.0)",
            f"{GOLD}: row 1, id: {DATA} lacks this item, or it was named before",
        ],
    ),
    ("mclwic", {DATA: "{}"}, [f"{DATA}: it should be a list of objects with the same keys"]),
    (
        "mclwic", {DATA: as_json([item(0), {**item(1), "more": None}])},
        [f"{DATA}: row 2: it should be a list of objects with the same keys; give it the keys of"],
    ),
    ("mclwic", {DATA: "[" * 99_999}, [f"{DATA}: the file is not JSON"]),
    (
        "mclwic", {DATA: as_json([{**item(0), "lemma": "\\ud800"}]).replace("\\\\", "\\")},
        ["row 1: it should be a list of objects with the same keys"],
    ),
    (
        "mclwic", {DATA: as_json([item(0, texts=("The tavo <strong>", "Two tavos"))])},
        ["row 1, sentence1: the text has <strong>, which marks targets; remove it"],
    ),
    (
        "wic", {"dev.data.txt": "tavo\tN\t1-9\tA tavo\ttavo\ntavo\tN\t1\tA tavo\ttavo\n"},
        [
            "dev.data.txt: row 1 (line 1), places: text2 has no token 9; count from 0",
            'dev.data.txt: row 2 (line 2), places: "1" is not a pair of places; write it as 1-3',
        ],
    ),
    (
        "scws", {"a.txt": SCWS_ROW.replace(" </b>\t", "</b>\t", 1)},
        ["a.txt: row 1 (line 1), text1: the target is not marked once as <b> … </b>, with spaces"],
    ),
    ("scws", {"a.txt": SCWS_ROW.replace("4.0", "4,0")}, ['(line 1), r2: "4,0" is not a number']),
    (
        "dwug", {"t/uses.csv": DWUG_USES + USE + USE, "t/judgments.csv": JUDGMENTS + JUDGED},
        [
            't/uses.csv: row 2 (line 3), identifier: the identifier "a" is that of an earlier use',
            't/judgments.csv: row 1 (line 2): no use has the identifier "b"',
        ],
    ),
    (
        "usim", {"usim2ratings.csv": 'lexsub_id1,lexsub_id2\nc,d\n"a,b\n'},
        ["usim2ratings.csv: row 2 (line 3): the quotation marks of a field are not closed in line"],
    ),
    ("simlex", {"a.csv": b"word1,word2,mean\na,b,1\na,\xff,1\n"}, ["row 2 (line 3): not UTF-8"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "files", "reasons"), BROKEN)
def test_a_broken_file_is_refused_by_row_and_column(name, files, reasons):
    given = {n: text if isinstance(text, bytes) else text.encode() for n, text in files.items()}

    with pytest.raises(LayoutError) as refused:
        read_set(LAYOUTS[name], given)

    lines = str(refused.value).splitlines()
    assert len(lines) == len(reasons)
    assert [reason for reason, line in zip(reasons, lines, strict=True) if reason not in line] == []


def test_nothing_is_written_for_a_broken_file(tmp_path, capsys):
    (tmp_path / "a.txt").write_text(SIMLEX_HEADER + "a\tb\tN\tx" + "\tNA" * 6 + "\n")

    assert main(["load", "simlex", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err == (
        'error: a.txt: row 1 (line 2), SimLex999: "x" is not a number; write it as 4.17\n'
    )
    assert not (tmp_path / "out").exists()


def test_sets_are_read_one_by_one(tmp_path):
    write_files(dict.fromkeys(("de.test.txt", "en.test.txt"), b"a\tb\n"), tmp_path)

    with pytest.raises(LayoutError, match=r"de.test.txt and en.test.txt: these are files of sev"):
        load_files(LAYOUTS["semeval2017"], [tmp_path])
    write_files({"en/en.test.txt": b"a\tb\n"}, tmp_path)
    with pytest.raises(LayoutError, match=r"en.test.txt: there are two files with this name"):
        group_files(LAYOUTS["semeval2017"], [tmp_path])
    with pytest.raises(LayoutError, match=r"no files of the layout wic; their names are {split}/"):
        group_files(LAYOUTS["wic"], [tmp_path / "en"])


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("wic", {"text1": "an <strong>old tavo</strong>"}, 'the target "old tavo" is not exactly'),
        ("wic", {"text1": "a<strong>tavo</strong>"}, 'the target "tavo" is not exactly one token'),
        ("scws", {"text1": "<strong>a</strong> <strong>b</strong>"}, "the target is in pieces"),
        ("scws", {"text2": "tavo"}, "the target is not marked with <strong>"),
        ("simlex", {}, "there is no score; add the column"),
    ],
)
def test_what_a_layout_cannot_hold_is_refused_by_row(name, fields, reason):
    text = "a <strong>tavo</strong>"
    record = {
        "id": "1", "word1": "tavo", "word2": "tavo", "text1": text, "text2": text, "pos": "N",
        "pos1": "n", "pos2": "n",
    }  # fmt: skip

    with pytest.raises(LayoutError, match=reason) as refused:
        write_set(PublishedSet(LAYOUTS[name], "en", [record | fields]))

    assert refused.value.findings[0].finding.row == 1


@pytest.mark.parametrize("folder", ["../x", "/x", "a/b", ""])
def test_nothing_is_written_outside_of_the_folder_and_its_folders(folder):
    record = {"id": "1", "word1": "a", "word2": "a", "folder": folder}

    with pytest.raises(LayoutError, match="the name is not that of a file in the folder"):
        write_set(PublishedSet(LAYOUTS["dwug"], "en", [record]))


def test_a_folder_of_another_layout_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_bytes(encode(EXAMPLES["simlex"][0])["mine.txt"])
    assert main(["load", "simlex", str(tmp_path / "mine.txt"), "--out", str(tmp_path)]) == 0

    with pytest.raises(LayoutError, match="were not read in the layout wic"):
        load_set(LAYOUTS["wic"], tmp_path)
    with pytest.raises(LayoutError, match=r"0 files items_<language>.tsv instead of one"):
        load_set(LAYOUTS["wic"], tmp_path / "none")
    assert main(["load", "simplex", str(tmp_path), "--out", str(tmp_path)]) == 2
    for name, text in (
        ("files.tsv", "name\tfile\tcolumns\n../a\t{name}.txt\t[]\n"),
        ("files.tsv", "name\tfile\tcolumns\na\t{name}.txt\t1\n"),
        ("published.tsv", "id\tscore\n1\n"),
        ("published.tsv", "score\n1\n"),
        ("items_und.tsv", ""),
    ):
        (tmp_path / name).write_text(text)
        assert main(["write", "simlex", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
        assert not (tmp_path / "out").exists()
