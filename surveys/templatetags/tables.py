"""Template tag for tables that narrow screens show as lists: each row is an entry.

Style sheets change the display of such a table, and some browsers then take it for plain text: the
roles keep it a table for screen readers. The labels are before the values of a list.
"""

import re

from django import template
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from surveys.study.stimuli.kinds import group_findings

register = template.Library()
register.filter("grouped", group_findings)

ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}
ROLES_OF_HEADINGS = {"col": "columnheader", "row": "rowheader", "rowgroup": "rowheader"}
TAG = re.compile(r"<(?P<end>/?)(?P<name>table|thead|tbody|tr|th|td)(?P<attributes>(?:\s[^>]*)?)>")
EMPTY_CELL = re.compile(r"(<td(?:\s[^>]*)?>)\s+(?=</td>)")


@register.simple_block_tag
def listed(content: str) -> SafeString:
    """Return a table with what it needs to be shown as a list; see `list_rows`."""
    return list_rows(content)


def list_rows(html: str) -> SafeString:
    r"""Return the HTML of a table with the class `listed`, and a role and label for each cell.

    The label is the heading of the column, or its `data-label`, where a shorter one fits better. A
    cell across all columns has none. In HTML made by templates, attributes do not contain ">".

    >>> print(list_rows('<table><thead><tr><th scope="col">Words</th></tr></thead>'
    ...                 '<tbody><tr><td>sun</td></tr></tbody></table>').replace("><", ">\n<"))
    <table class="listed" role="table">
    <thead role="rowgroup">
    <tr role="row">
    <th scope="col" role="columnheader">Words</th>
    </tr>
    </thead>
    <tbody role="rowgroup">
    <tr role="row">
    <td role="cell" data-label="Words">sun</td>
    </tr>
    </tbody>
    </table>
    """
    rewriter = _Rewriter()
    rewritten = TAG.sub(rewriter.rewrite, EMPTY_CELL.sub(r"\1", html))
    return SafeString(rewritten)  # nosec B703 # (the template has escaped it)


class _Rewriter:
    """Rewrites the tags of tables one after the other, and counts columns."""

    def __init__(self) -> None:
        self.is_head = False
        self.labels: list[str] = []
        self.heading_from: int | None = None
        self.column = 0
        self.taken: dict[int, int] = {}  # column → rows below that a cell from above takes

    def rewrite(self, tag: re.Match[str]) -> str:
        """Return a tag with its class, role and label."""
        name, attributes = tag["name"], tag["attributes"]
        if tag["end"]:
            self._end(name, tag)
            return tag[0]
        if name == "table":
            self.labels = []
            attributes = _add_class(attributes, "listed")
        elif name == "thead":
            self.is_head = True
        elif name == "tr":
            self.column = 0
            self.taken = {column: n - 1 for column, n in self.taken.items() if n > 1}
        elif self.is_head and name in ("th", "td"):
            self._start_heading(attributes, tag)
        label = "" if self.is_head or name not in ("th", "td") else self._find_label(attributes)
        role = ROLES_OF_HEADINGS[_read(attributes, "scope")] if name == "th" else ROLES[name]
        return f'<{name}{attributes} role="{role}"{label}>'

    def _start_heading(self, attributes: str, tag: re.Match[str]) -> None:
        self.labels.append(_read(attributes, "data-label"))
        self.heading_from = None if self.labels[-1] else tag.end()

    def _end(self, name: str, tag: re.Match[str]) -> None:
        if name == "thead":
            self.is_head, self.taken = False, {}
        elif self.heading_from is not None and name in ("th", "td"):
            text = strip_tags(tag.string[self.heading_from : tag.start()])
            self.labels[-1] = " ".join(text.split()).replace('"', "&quot;")
            self.heading_from = None

    def _find_label(self, attributes: str) -> str:
        """Return the label of the cell as an attribute, and move to the next column."""
        while self.column in self.taken:
            self.column += 1
        first = self.column
        self.column += int(_read(attributes, "colspan") or 1)
        if n_rows := int(_read(attributes, "rowspan") or 0):
            self.taken |= dict.fromkeys(range(first, self.column), n_rows)
        label = self.labels[first] if self.column == first + 1 <= len(self.labels) else ""
        return f' data-label="{label}"' if label else ""


def _read(attributes: str, name: str) -> str:
    match = re.search(rf'\s{name}="([^"]*)"', attributes)
    return match[1] if match else ""


def _add_class(attributes: str, name: str) -> str:
    if not _read(attributes, "class"):
        return f'{attributes} class="{name}"'
    return attributes.replace('class="', f'class="{name} ', 1)
