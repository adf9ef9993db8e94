"""The documentation of the repository as pages of the site."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from surveys.templatetags.tables import list_rows

START = "docs/index.html"
PICTURES = {".png": "image/png", ".webp": "image/webp"}
DIRECTIVE = "{"  # how the language of a block begins that only Sphinx understands
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


class Section(NamedTuple):
    """A heading of the second level, with the anchor of its link."""

    title: str
    anchor: str


class Document(NamedTuple):
    """A document as HTML, with its title and sections."""

    title: str
    html: SafeString
    sections: list[Section]


def list_documents() -> Mapping[str, Path]:
    """Return the Markdown files for readers by the address of their page, such as docs/api.html."""
    root = settings.BASE_DIR
    paths = [*root.glob("*.md"), *root.glob("docs/*.md")]
    paths += [
        root / name for name in ("bench/README.md", "demo/README.md", "mturk_simulator/README.md")
    ]
    return {
        str(path.relative_to(root).with_suffix(".html")): path for path in paths if path.is_file()
    }


def list_pictures() -> Mapping[str, Path]:
    """Return the pictures of the documents by their address."""
    root = settings.BASE_DIR
    paths = root.glob("docs/images/*")
    return {str(path.relative_to(root)): path for path in paths if path.suffix in PICTURES}


@cache
def read_document(path: Path) -> Document:
    """Return a document of the repository, whose files do not change while the site runs."""
    tokens = _MARKDOWN.parse(path.read_text(encoding="utf-8"))
    sections = _name_headings(tokens)
    _name_rows(tokens)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _point_to_page(str(child.attrGet("href"))))
    shown = [token for token in tokens if not token.info.startswith(DIRECTIVE)]
    html = _MARKDOWN.renderer.render(shown, _MARKDOWN.options, {})
    html = html.replace("<table>", '<div class="scroll"><table>')
    html = html.replace("</table>", "</table></div>")
    html = html.replace("<pre>", '<pre tabindex="0">')  # a long line is scrolled to
    title = next((text for level, text in sections if level == "h1"), Section(path.stem, ""))
    return Document(
        title.title,
        list_rows(html),  # HTML in it is escaped
        [section for level, section in sections if level == "h2"],
    )


def _name_headings(tokens: list[Token]) -> list[tuple[str, Section]]:
    """Give each heading the anchor that GitHub gives it; return the headings with their levels."""
    seen: Counter[str] = Counter()
    headings = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            content = tokens[number + 1].content
            name = re.sub(r"[^\w\- ]", "", content.lower()).replace(" ", "-")
            anchor = f"{name}-{seen[name]}" if seen[name] else name
            seen[name] += 1
            token.attrSet("id", anchor)
            headings.append((token.tag, Section(content.replace("`", ""), anchor)))
    return headings


def _name_rows(tokens: list[Token]) -> None:
    """Make each table row's first cell the row's heading."""
    for number, (before, token) in enumerate(pairwise(tokens)):
        if token.type == "th_open":
            token.attrs = {"scope": "col"}
            if not tokens[number + 2].content:
                token.tag, token.attrs = "td", {}  # no heading
                tokens[number + 3].tag = "td"
        elif token.type == "td_open" and before.type == "tr_open":
            token.tag, token.attrs = "th", {"scope": "row"}
            closing = next(later for later in tokens[number:] if later.type == "td_close")
            closing.tag = "th"


def _point_to_page(target: str) -> str:
    """Return a link to a Markdown file as one to its page; others stay as they are."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc or not parts.path.endswith(".md"):
        return target
    return parts._replace(path=f"{parts.path.removesuffix('.md')}.html").geturl()
