#!/usr/bin/env python3
"""Restore the texts that this release withholds, from the files of the corpus.

    python3 rebuild.py FOLDER

FOLDER has the files of the corpus that sources_<lang>.tsv names (CoNLL-U, also .gz or .xz). Each
text is put together again from its sentences and compared with a digest of the original. Copies of
the tables, with the texts restored, are written to the folder `rebuilt`. Needs Python 3.9 or
later, and nothing else.
"""

import argparse
import gzip
import hashlib
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

MARKED = re.compile(r"<strong>(.*?)</strong>")
TABLES = ("*.csv", "data/*.tsv", "practice_kit/*.csv", "practice_kit/*.tsv")
HERE = Path(__file__).resolve().parent


def main() -> int:
    """Rebuild all texts; return 1 if some could not be rebuilt."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with the files of the corpus")
    parser.add_argument("--release", type=Path, default=HERE, help="(default: where this file is)")
    options = parser.parse_args()
    path = next(options.release.glob("sources_*.tsv"), None)
    if path is None:
        parser.error(f"{options.release} has no file sources_<lang>.tsv; give --release")
    sources = [row for row in read_table(path) if row["sha256"]]
    masked = read_masked(options.release)
    texts: dict[str, str] = {}
    for name in sorted({row["file"] for row in sources}):
        of_file = [row for row in sources if row["file"] == name]
        texts |= rebuild(options.folder / name, of_file, masked)
    for row in sources:
        if masked[row["pair"], row["context"]] not in texts:
            place = f"pair {row['pair']}, context {row['context']}"
            sys.stderr.write(f"not found: {place} ({row['file']}, {row['document']})\n")
    paths = [path for pattern in TABLES for path in sorted(options.release.glob(pattern))]
    for table in paths:
        target = options.release / "rebuilt" / table.relative_to(options.release)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(restore(table.read_text("utf-8"), texts), encoding="utf-8", newline="")
    sys.stdout.write(f"{len(texts)} of {len(sources)} texts restored, in rebuilt/\n")
    return int(len(texts) < len(sources))


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a tab separated file by column."""
    header, *lines = path.read_text("utf-8").split("\n")
    names = header.split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines if line]  # noqa: B905  (3.9)


def read_masked(release: Path) -> dict[tuple[str, str], str]:
    """Return the masked texts by pair and context, in the order of the pairs' numbers."""
    rows = []
    for pattern in ("data/data_*.tsv", "practice_kit/data_*.tsv", "data/unscored_*.tsv"):
        for path in sorted(release.glob(pattern)):
            rows += read_table(path)
    return {
        (str(number), context): row[f"context{context}"]
        for number, row in enumerate(rows, 1)
        for context in "12"
    }


def rebuild(
    path: Path, sources: list[dict[str, str]], masked: dict[tuple[str, str], str]
) -> dict[str, str]:
    """Return the texts of a corpus file that are wanted: masked text → text."""
    if not path.is_file():
        sys.stderr.write(f"missing: {path}\n")
        return {}
    texts = {}
    for document, sentences in read_documents(path):
        for row in sources:
            if row["document"] and row["document"] != document:
                continue
            chosen = sentences[int(row["first_sentence"]) - 1 : int(row["last_sentence"])]
            text = mark(join(chosen), masked[row["pair"], row["context"]])
            if hashlib.sha256(text.encode()).hexdigest() == row["sha256"]:
                texts[masked[row["pair"], row["context"]]] = text
    return texts


def read_documents(path: Path) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Yield the name of each document, and its sentences: text, and whether a space follows."""
    name, block = "", list[str]()
    sentences: list[tuple[str, bool]] = []
    with open_text(path) as lines:
        for line in lines:
            text = line.rstrip("\r\n")
            if text.startswith("# newdoc"):
                if sentences:
                    yield name, sentences
                name, sentences = text.partition("=")[2].strip(), []
            if text:
                block.append(text)
            elif any(not text.startswith("#") for text in block):
                sentences.append(read_sentence(block))
                block = []
    if block:
        sentences.append(read_sentence(block))
    yield name, sentences


def open_text(path: Path) -> TextIO:
    """Open a file, plain, gzip or xz, as UTF-8."""
    with path.open("rb") as file:
        start = file.read(2)
    if start == b"\x1f\x8b":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    if start == b"\xfd7":
        return lzma.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def read_sentence(block: list[str]) -> tuple[str, bool]:
    """Return the text of a sentence, and whether a space separates it from the next one."""
    stated, pieces, covered, space = "", [], 0, True
    for line in block:
        if line.startswith("# text ="):
            stated = line.partition("=")[2].strip()
        fields = line.split("\t")
        number = fields[0].partition("-")
        if line.startswith("#") or "." in fields[0] or int(number[0]) <= covered:
            continue
        covered = int(number[2] or 0)
        space = "SpaceAfter=No" not in fields[9].split("|")
        pieces.append(fields[1] + " " * space)
    return stated or "".join(pieces).rstrip(" "), space


def join(sentences: list[tuple[str, bool]]) -> str:
    """Join sentences to a text."""
    return "".join(text + " " * space for text, space in sentences).rstrip(" ")


def mark(text: str, masked: str) -> str:
    """Mark the words of a text that are marked in its masked copy."""
    marked, end, n_before = "", 0, 0
    for match in MARKED.finditer(masked):
        start = match.start() - n_before
        word = text[start : start + len(match[1])]
        marked += f"{text[end:start]}<strong>{word}</strong>"
        end = start + len(word)
        n_before += len("<strong></strong>")
    return marked + text[end:]


def restore(table: str, texts: dict[str, str]) -> str:
    """Replace masked texts in the fields of a table."""
    lines = (line.split("\t") for line in table.split("\n"))
    return "\n".join("\t".join(texts.get(field, field) for field in line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
