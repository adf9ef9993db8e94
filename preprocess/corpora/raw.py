"""Documents of raw text: a file each, an object a line (JSON), or between <doc …> and </doc>."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus, unpacked_name
from preprocess.corpora.recognising import (
    HEAD,
    TAG_LINE,
    is_extract,
    refuse_as_text,
    refuse_other_formats,
)

DESCRIBED = ("title", "url", "revision", "licence")  # keys of a line, and comments of CoNLL-U
OTHER_KEYS = {"license": "licence", "revid": "revision"}
JSON_LINES = (".jsonl", ".ndjson")
JSON_OBJECT = re.compile(rb'\{\s*(?:"|\}|$)')
BEGIN, END = re.compile(r"\s*<doc\b([^<>]*)>\s*"), "</doc>"
ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
PARAGRAPH = re.compile(r"</?(?:p|head|s)\b[^<>]*>")  # within a document


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what is known of its source (`DESCRIBED`)."""

    identifier: str
    text: str
    source: dict[str, str] = field(default_factory=dict)


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a file, which may be compressed. Raises OSError and CorpusError.

    JSON lines and the documents of an extract (<doc id="…" title="…">, as WikiExtractor writes
    them) are recognised by the content, since their files often have no extension.
    """
    name = unpacked_name(path)
    with open_corpus(path) as file:
        head = file.read(HEAD)
        file.seek(0)
        refuse_other_formats(head, path)
        if name.suffix in JSON_LINES or _is_json(head):
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read_line(line, path, number)
        elif is_extract(head):
            yield from _read_extract(file, path)
        else:
            refuse_as_text(head, path)
            yield Document(name.stem, _decode(file.read(), path, None))


def _is_json(head: bytes) -> bool:
    return bool(JSON_OBJECT.match(head.removeprefix(BOM_UTF8).lstrip().partition(b"\n")[0]))


def _read_line(line: bytes, path: Path, number: int) -> Document:
    try:
        document = json.loads(_decode(line, path, number))
    except json.JSONDecodeError as error:
        what = f"this line is not JSON ({error}); write each document as an object on one line"
        raise CorpusError(path, what, line=number) from error
    text = document.get("text") if isinstance(document, dict) else None
    if not isinstance(text, str):
        what = 'this line has no "text"; each line must be an object such as {"text": "…"}'
        raise CorpusError(path, what, line=number)
    return Document(_one_line(document.get("id", number)), text, _describe(document))


def _read_extract(file: Iterable[bytes], path: Path) -> Iterator[Document]:
    """Yield the documents of an extract, without its tags and the title above each text."""
    attributes: dict[str, str] | None = None
    lines: list[str] = []
    n_documents = number = 0
    for number, line in enumerate(file, 1):
        text = _decode(line, path, number).strip()
        if match := BEGIN.fullmatch(text):
            if attributes is not None:
                raise CorpusError(path, f"<doc …> before {END}; add {END}", line=number)
            attributes = {
                key: unescape(one or other) for key, one, other in ATTRIBUTE.findall(match[1])
            }
            lines = []
        elif text == END and attributes is not None:
            n_documents += 1
            identifier = attributes.get("id") or str(n_documents)
            yield Document(_one_line(identifier), "\n".join(lines), _describe(attributes))
            attributes = None
        elif attributes is not None:
            bare = unescape(PARAGRAPH.sub("", text)).strip()
            is_title = not any(lines) and bare == attributes.get("title", "").strip()
            lines.append("" if is_title or TAG_LINE.fullmatch(text.encode()) else bare)
        elif text and not TAG_LINE.fullmatch(text.encode()) and not text.startswith(("<?", "<!")):
            raise CorpusError(path, f"this line is outside <doc …> and {END}", line=number)
    if attributes is not None:
        what = f"{END} is missing at the end of the file; is it cut off?"
        raise CorpusError(path, what, line=number)


def _describe(attributes: Mapping[str, object]) -> dict[str, str]:
    """Return what an object or a tag says of the source of its document."""
    source = {OTHER_KEYS.get(key, key): _one_line(value) for key, value in attributes.items()}
    return {key: source[key] for key in DESCRIBED if source.get(key)}


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _decode(data: bytes, path: Path, line: int | None) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(path, "the text is not UTF-8; save it as UTF-8", line=line) from error
