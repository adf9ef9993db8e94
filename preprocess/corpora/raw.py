"""Documents of raw text: `.txt`, one document a file, or `.jsonl`, one a line with its source."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus

DESCRIBED = ("title", "url", "revision", "licence")  # keys of a line, and comments of CoNLL-U
OTHER_KEYS = {"license": "licence", "revid": "revision"}
JSON_LINES = (".jsonl", ".ndjson")
PACKED = (".gz", ".xz")


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what is known of its source (`DESCRIBED`)."""

    identifier: str
    text: str
    source: dict[str, str] = field(default_factory=dict)


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a file, which may be compressed. Raises OSError and CorpusError."""
    name = path.with_suffix("") if path.suffix in PACKED else path
    with open_corpus(path) as file:
        if name.suffix in JSON_LINES:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read_line(line, path, number)
        else:
            yield Document(name.stem, _decode(file.read(), path, None))


def _read_line(line: bytes, path: Path, number: int) -> Document:
    try:
        found = json.loads(_decode(line, path, number))
    except json.JSONDecodeError as error:
        raise CorpusError(path, f"this line is not JSON ({error})", line=number) from error
    text = found.get("text") if isinstance(found, dict) else None
    if not isinstance(text, str):
        what = 'this line has no "text"; each line must be an object such as {"text": "…"}'
        raise CorpusError(path, what, line=number)
    source = {OTHER_KEYS.get(key, key): _one_line(value) for key, value in found.items()}
    known = {key: source[key] for key in DESCRIBED if source.get(key)}
    return Document(_one_line(found.get("id", number)), text, known)


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _decode(data: bytes, path: Path, line: int | None) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(path, "the text is not UTF-8; save it as UTF-8", line=line) from error
