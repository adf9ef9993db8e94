"""The documents of the repository: what they link to, show, and tell a reader to run."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.machine import ROOT

PARSER = MarkdownIt("commonmark").enable("table")
OF_STUDIES = "surveys/"  # the texts that annotators read are no documents


@dataclass(frozen=True)
class Block:
    """A fenced block: where it begins, what it holds, and in which language."""

    document: str
    line: int
    language: str
    text: str


@cache
def tracked_files() -> frozenset[str]:
    """The files that are committed or are to be, as paths from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return frozenset(name for name in listed.split("\0") if name and (ROOT / name).exists())


@cache
def list_documents() -> tuple[str, ...]:
    """The Markdown files that are written for readers of the repository."""
    return tuple(
        sorted(
            name
            for name in tracked_files()
            if name.endswith(".md") and not name.startswith(OF_STUDIES)
        )
    )


@cache
def parse_document(document: str) -> tuple[Token, ...]:
    """The tokens of a document, given by its path from the root."""
    return tuple(PARSER.parse((ROOT / document).read_text(encoding="utf-8")))


def read_blocks(document: str) -> list[Block]:
    """The fenced blocks of a document, in order."""
    return [
        Block(document, token.map[0] + 2, token.info.strip(), token.content)
        for token in parse_document(document)
        if token.type == "fence" and token.map
    ]


def read_inline(document: str, kind: str) -> Iterator[Token]:
    """The tokens of a kind within the text of a document, such as links and code."""
    for token in parse_document(document):
        yield from (child for child in token.children or () if child.type == kind)


def read_targets(document: str) -> list[str]:
    """Where the links of a document lead, and which pictures it shows."""
    links = (str(token.attrs["href"]) for token in read_inline(document, "link_open"))
    pictures = (str(token.attrs["src"]) for token in read_inline(document, "image"))
    return [*links, *pictures]


def read_anchors(document: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    tokens = parse_document(document)
    headings = (
        tokens[number + 1].content
        for number, token in enumerate(tokens)
        if token.type == "heading_open"
    )
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in headings:
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        anchors.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return anchors
