"""Files in forms that are not read are refused by name, before they are taken for running text."""

import bz2
import io
import tarfile
import zipfile

import pytest

from preprocess.__main__ import main
from preprocess.corpora.checking import check_corpus
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.raw import Document, read_documents
from tests.preprocess.corpus import sentence, write

SEA = "The sea was calm.\nA ship came into the harbour.\n"


def pack_tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:bz2") as archive:
        archive.addfile(tarfile.TarInfo("sea.txt"))
    return packed.getvalue()


def pack_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("sea.txt", SEA)
    return packed.getvalue()


FOREIGN = {
    "zip": (pack_zip(), "a zip archive"),
    "tar": (pack_tar(), "a tar archive"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\x00", "a Zstandard archive"),
    "pdf": (b"%PDF-1.7\n", "a PDF document"),
    "rtf": (b"{\\rtf1 Sea}", "an RTF document"),
    "parquet": (b"PAR1\x15\x04", "a Parquet file"),
    "warc": (b"WARC/1.0\r\nWARC-Type: response\r\n", "a web archive"),
    "binary": (b"sea\0ship\n", "not text"),
    "utf-16": ("sea\n".encode("utf-16"), "in UTF-16"),
    "html": (b"<!DOCTYPE html>\n<html><p>Sea</p></html>", "an HTML page"),
    "tei": (b'<?xml version="1.0"?>\n<TEI xmlns="x"><text/></TEI>', "a text in TEI"),
    "dump": (b'<mediawiki version="0.11">\n<page/>', "a dump of MediaWiki"),
    "xml": (b"<?xml version='1.0'?><!-- x --><sea/>", "XML (<sea>)"),
    "array": (b'[\n {"text": "Sea"}\n]', "a JSON array"),
    "vertical": (b"<s>\nThe\tDT\tthe\nsea\tNN\tsea\n</s>\n", "vertical text"),
    "vertical documents": (b'<doc id="1">\nThe\tDT\tthe\nsea\tNN\tsea\n</doc>\n', "vertical text"),
}  # fmt: skip
NO_TEXT = {
    "conllu": (sentence("The sea was calm.").encode(), "CoNLL-U already; give it to `find`"),
    "leipzig": (b"1\tThe sea was calm.\n2\tA ship came.\n", "numbered sentences"),
    "tsv": (b"sea\tship\nice\tsun\n", "a table"),
    "csv": (b'id,text,label\n1,"The sea was calm.",x\n', "a table"),
    "csv without text": (b'id,sentence,label\r\n1,"The sea, they say, was calm.",x\r\n', "a table"),
    "semicolons": ('broj;"rečenica"\n1;"More je mirno.\nBrod."\n2;Mir.\n'.encode(), "a table"),
    "bars": (b"sentence|sent_id\nThe sea was calm.|1\nA ship | came.|2\nIt left.|3\n", "a table"),
    "subtitles": (b"1\n00:00:01,000 --> 00:00:02,000\nThe sea.\n", "subtitles"),
    "europarl": (b"<CHAPTER ID=1>\nResumption\n<P>\nThe sea.\n", "markup such as <CHAPTER ID=1>"),
}


@pytest.mark.parametrize(("content", "name"), [*FOREIGN.values(), *NO_TEXT.values()])
def test_raw_text_in_another_form_is_refused_by_name(tmp_path, content, name):
    (tmp_path / "sea").write_bytes(content)

    with pytest.raises(CorpusError) as raised:
        list(read_documents(tmp_path / "sea"))

    assert name in str(raised.value)


@pytest.mark.parametrize(("content", "name"), FOREIGN.values())
def test_a_corpus_in_another_form_is_refused_by_name(tmp_path, content, name):
    (tmp_path / "sea.conllu").write_bytes(content)

    with pytest.raises(CorpusError) as raised:
        check_corpus(tmp_path / "sea.conllu", "en")

    assert name in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "1 ship\tand 2 boats came.\nThe sea was calm.\n",
        "# The sea\n\n## A ship\n",
        "[1] The sea was calm [2].\n",
        "{The sea} was calm.\n",
        "Sea, text and ship.\nThe sea was <b>calm</b>.\n",
        "Calm, the sea\nFar, the ship\nOld, the harbour\n",
        "Cijena je 3,5 eura\nDruga je 4,5 eura\n",
        "Sea\nA ship came, and left.\n",
    ],
)
def test_running_text_is_not_taken_for_another_form(tmp_path, text):
    (tmp_path / "sea.txt").write_text(text, encoding="utf-8")

    assert list(read_documents(tmp_path / "sea.txt")) == [Document("sea", text)]


@pytest.mark.parametrize("name", ["wiki_00", "wiki_00.bz2", "wiki.txt"])
def test_json_lines_are_recognised_whatever_the_file_is_called(tmp_path, name):
    lines = (
        b'{"id": "7", "revid": "3", "title": "Sea", "text": "The sea."}\n\n{"text": "A ship."}\n'
    )
    (tmp_path / name).write_bytes(bz2.compress(lines) if name.endswith(".bz2") else lines)

    assert list(read_documents(tmp_path / name)) == [
        Document("7", "The sea.", {"title": "Sea", "revision": "3"}),
        Document("3", "A ship."),
    ]


def test_documents_of_an_extract_have_neither_tags_nor_title(tmp_path):
    path = tmp_path / "wiki_00"
    path.write_text(
        '<corpus id="c">\n'
        '<doc id="1" url="https://en.example.org/?curid=1" title="Sea &amp; ship">\n'
        "Sea & ship\n\nThe sea is calm &lt;today&gt;.\n<br>\n\n</doc>\n"
        "<doc title='Farm' licence='CC0-1.0'>\n<p>A farmer sold the house.</p>\n</doc>\n"
        "</corpus>\n",
        encoding="utf-8",
    )

    first, second = read_documents(path)

    assert first.identifier == "1"
    assert first.source == {"title": "Sea & ship", "url": "https://en.example.org/?curid=1"}
    assert first.text.split("\n") == ["", "", "The sea is calm <today>.", "", ""]
    assert second == Document(
        "2", "A farmer sold the house.", {"title": "Farm", "licence": "CC0-1.0"}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<doc id="1">\nSea.\n', "line 2: </doc> is missing at the end of the file"),
        ('<doc id="1">\nSea.\n<doc id="2">\n', "line 3: <doc …> before </doc>"),
        ('<doc id="1">\nSea.\n</doc>\nShip.\n', "line 4: this line is outside <doc …> and </doc>"),
    ],
)
def test_a_damaged_extract_is_refused(tmp_path, text, message):
    (tmp_path / "wiki_00").write_text(text, encoding="utf-8")

    with pytest.raises(CorpusError) as raised:
        list(read_documents(tmp_path / "wiki_00"))

    assert message in str(raised.value)


def test_files_of_an_extract_keep_the_names_of_their_folders(tmp_path):
    for folder in ("AA", "AB"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "wiki_00").write_text("The sea was calm.", encoding="utf-8")
    files = [str(tmp_path / folder / "wiki_00") for folder in ("AA", "AB")]

    status = main(["corpus", "lemmatise", *files, "--language", "en", "--out", str(tmp_path / "c")])

    assert status == 0
    assert {path.name for path in (tmp_path / "c").iterdir()} == {
        "AA-wiki_00.conllu", "AB-wiki_00.conllu",
    }  # fmt: skip


def test_damaged_bzip2_is_named(tmp_path):
    packed = bz2.compress(sentence("The sea was calm.").encode() * 200)
    (tmp_path / "cut.conllu.bz2").write_bytes(packed[:-20])
    (tmp_path / "odd.conllu.bz2").write_bytes(packed[:20] + b"xxxx" + packed[24:])

    for name in ("cut.conllu.bz2", "odd.conllu.bz2"):
        with pytest.raises(CorpusError, match="cut off or damaged"):
            check_corpus(tmp_path / name, "en")


def test_a_corpus_without_borders_counts_as_one_document(tmp_path):
    def look(*comments: str):
        sentences = [
            sentence(f"The old sea was calm on day {n}.", None, c) for n, c in enumerate(comments)
        ]
        return check_corpus(write(tmp_path / "c.conllu", sentences), "en")

    by_id = look("# sent_id = b1.1", "# sent_id = b1.2", "# sent_id = b2.1")
    alike = look("# sent_id = s1", "# sent_id = s2")
    marked = look("# newdoc id = a", "# sent_id = s2")

    assert not marked.describe_documents(by_sent_id=False)
    assert not by_id.describe_documents(by_sent_id=True)
    told = by_id.describe_documents(by_sent_id=False)
    assert "first 3 sentences" in told
    assert "its sent_id give 2 documents" in told
    assert "its sent_id do not show them" in alike.describe_documents(by_sent_id=True)
