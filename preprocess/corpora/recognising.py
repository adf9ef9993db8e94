"""Forms in which corpora are handed out that are not read, recognised by the first bytes.

A file in such a form would otherwise be taken for running text, or fail far from the cause.
"""

import csv
import re
from codecs import BOM_UTF8
from pathlib import Path

from postprocess.foreign import NOT_TEXT, UNPACK, ZIP_MARKS, name_foreign
from preprocess.corpora.errors import CorpusError

HEAD = 1 << 16  # bytes that are looked at
TO_TEXT = "extract its text first: .txt, or .jsonl with a document a line"
SIGNATURES = (
    (b"\x04\x22\x4d\x18", "compressed by LZ4", "compress it by gzip, bzip2 or xz"),
    (b"WARC/", "a web archive (WARC)", TO_TEXT),
    (b"\xff\xfe", "in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "in UTF-16", "save it as UTF-8"),
)
XML = re.compile(rb"(?:<\?xml|<!doctype|<!--|<html|<tei|<mediawiki|<tmx)\b", re.IGNORECASE)
ROOT = re.compile(rb"<([a-z_][\w:.-]*)", re.IGNORECASE)
DIALECTS = {
    "html": "an HTML page",
    "mediawiki": "a dump of MediaWiki in XML",
    "tei": "a text in TEI (XML)",
    "teicorpus": "a corpus in TEI (XML)",
    "tmx": "a translation memory (TMX)",
}
EXTRACTORS = {"mediawiki": "extract its text first, for example by WikiExtractor"}
TAG_LINE = re.compile(rb"[ \t]*</?[a-z_][^<>]*>[ \t]*", re.IGNORECASE)
DOCUMENT_LINE = re.compile(rb"[ \t]*<doc\b[^<>]*>[ \t]*")
TIMES = re.compile(rb"[\d:.,]+ +--> +[\d:.,]+")
NUMBERED = re.compile(rb"[0-9]+\t[^\t]*[^\t\d\s][^\t]*")
CONLLU_WORD = re.compile(rb"[0-9]+(?:[-.][0-9]+)?(?:\t[^\t]*){9}")
SEPARATORS = "\t,;|"
COLUMN_NAME = re.compile(r"[^\W\d][\w -]*")


def refuse_other_formats(head: bytes, path: Path) -> None:
    """Raise CorpusError if the first bytes show a format that neither text nor CoNLL-U has."""
    head = head.removeprefix(BOM_UTF8)
    for signature, name, advice in SIGNATURES:
        if head.startswith(signature):
            raise CorpusError(path, f"the file is {name}; {advice}")
    if head.startswith(ZIP_MARKS):  # its list of files is at its end
        raise CorpusError(path, f"the file is a zip archive; {UNPACK}")
    if foreign := name_foreign(head):
        advice = foreign.advice if foreign.advice == UNPACK else TO_TEXT
        raise CorpusError(path, f"the file is {foreign.name}; {advice}")
    if b"\0" in head:
        raise CorpusError(path, f"the file is {NOT_TEXT}; {TO_TEXT}")
    start = head.lstrip()
    if XML.match(start) and not is_extract(head):
        _refuse_xml(start, path)
    if re.match(rb"\[\s*[\[{\"]", start):
        what = "the file is a JSON array; write its documents as .jsonl, an object a line"
        raise CorpusError(path, what)
    lines = _lines(head)
    others = [line for line in lines if not TAG_LINE.fullmatch(line)]
    if len(others) < len(lines) and 2 * sum(b"\t" in line for line in others) > len(others):
        what = "the file is vertical text (tags, and a word a line); convert it to CoNLL-U"
        raise CorpusError(path, what)


def refuse_as_text(head: bytes, path: Path) -> None:
    """Raise CorpusError for lines that are no running text: tables, subtitles, CoNLL-U, tags."""
    lines = _lines(head.removeprefix(BOM_UTF8))
    words = [line for line in lines if not line.startswith(b"#")]
    if not words:
        return
    if all(map(CONLLU_WORD.fullmatch, words)):
        raise CorpusError(path, "the file is CoNLL-U already; give it to `find`")
    if all(map(NUMBERED.fullmatch, words)):
        what = (
            "the file has numbered sentences, as the Leipzig Corpora do; they follow each other by "
            "chance, and windows need texts of several sentences"
        )
        raise CorpusError(path, what)
    if all(b"\t" in line for line in lines) or _is_separated(lines):
        raise CorpusError(path, f"the file is a table; {TO_TEXT}")
    for line in lines:
        if TIMES.match(line):
            raise CorpusError(path, f"the file has subtitles with times; {TO_TEXT}")
        if TAG_LINE.fullmatch(line):
            tag = line.decode("utf-8", "replace").strip()[:60]
            what = f"the file has lines of markup such as {tag}; remove the tags, or {TO_TEXT}"
            raise CorpusError(path, what)


def is_extract(head: bytes) -> bool:
    """Return whether a file begins with a document in <doc …> and </doc>.

    >>> is_extract(b'<corpus id="c">' + bytes([10]) + b'<doc id="1">' + bytes([10]) + b"Text")
    True
    """
    for line in _lines(head.removeprefix(BOM_UTF8)):
        if DOCUMENT_LINE.fullmatch(line):
            return True
        if not TAG_LINE.fullmatch(line) and not line.lstrip().startswith((b"<?xml", b"<!")):
            return False
    return False


def _is_separated(lines: list[bytes]) -> bool:
    """Return whether names of columns come first, with most rows as wide or one called text.

    Running text has a space after a comma, and so no names without one between them.
    """
    text = [line.decode("utf-8", "replace") for line in lines]
    for separator in SEPARATORS:
        names, *rows = csv.reader(text, delimiter=separator)
        if len(names) > 1 and all(map(COLUMN_NAME.fullmatch, names)):
            n_as_wide = sum(len(row) == len(names) for row in rows)
            if 2 * n_as_wide > len(rows) or "text" in map(str.lower, names):
                return True
    return False


def _lines(head: bytes) -> list[bytes]:
    """Return the lines that are not empty, without the last one, which may be cut off."""
    lines = head.splitlines()
    whole = lines[:-1] if len(head) >= HEAD else lines
    return [line for line in whole if line.strip()]


def _refuse_xml(start: bytes, path: Path) -> None:
    match = ROOT.search(start)
    root = match[1].decode("utf-8", "replace") if match else "xml"
    name = DIALECTS.get(root.lower(), f"XML (<{root[:40]}>)")
    raise CorpusError(path, f"the file is {name}; {EXTRACTORS.get(root.lower(), TO_TEXT)}")
