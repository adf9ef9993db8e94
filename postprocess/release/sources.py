"""Where the texts of a dataset come from: `sources_<lang>.tsv`, a row for each context."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import Finding, Severity, TableError, render_rows

OPEN_LICENCE = re.compile(
    r"\b(cc0|cc by|creativecommons|creative commons|public domain|publicdomain|pddl|odc by|odbl|"
    r"gfdl|gnu free documentation|mit|apache|bsd|clarin pub)\b"
)
CLOSED_LICENCE = re.compile(  # ND: the words of the pair are marked in the texts
    r"\b(nd|no derivatives|noderivs|noderivatives|all rights reserved|copyright|copyrighted|"
    r"proprietary|confidential|closed|restricted|no redistribution|not redistributable|"
    r"not for publication|research only|clarin (aca|res))\b"
)
MOST_FINDINGS = 100


class Publishing(StrEnum):
    """Whether a text may be published, as far as the name of its licence tells."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    UNKNOWN = "unknown"


class ContextSource(NamedTuple):
    """The place of a context in its corpus.

    `pair` and `context` from 1; `window`: its identifier in `windows.parquet`; `file`: of the
    corpus; `document`, and `first_sentence` and `last_sentence` in it, from 1; `first_id`,
    `last_id`: the identifiers of these sentences in the corpus; title, address, revision and
    licence of the document; `edited`: "yes" if the text differs from that of the corpus;
    `sha256`: the digest of the text with its marks if the release withholds it. Anything but the
    first two may be "".
    """

    pair: int
    context: int
    window: str = ""
    file: str = ""
    document: str = ""
    first_sentence: str = ""
    last_sentence: str = ""
    first_id: str = ""
    last_id: str = ""
    title: str = ""
    url: str = ""
    revision: str = ""
    licence: str = ""
    edited: str = ""
    sha256: str = ""


class Document(NamedTuple):
    """A document of a corpus."""

    licence: str
    title: str
    url: str
    revision: str
    file: str
    document: str

    @property
    def name(self) -> str:
        """The title, or else whatever identifies it."""
        return self.title or self.document or self.url or self.file


COLUMNS = ContextSource._fields
PLACE, DESCRIBED = COLUMNS[:2], COLUMNS[2:]
OF_CORPUS = DESCRIBED[:-2]  # what is known before a text is edited or withheld


def judge_licence(licence: str) -> Publishing:
    """Return whether the licence with this name, identifier or address allows publishing.

    >>> [judge_licence(name).value for name in ("CC BY-SA 4.0", "All rights reserved", "")]
    ['allowed', 'forbidden', 'unknown']
    """
    words = " ".join(re.split(r"[\W_]+", licence.casefold()))
    if CLOSED_LICENCE.search(words):
        return Publishing.FORBIDDEN
    return Publishing.ALLOWED if OPEN_LICENCE.search(words) else Publishing.UNKNOWN


def parse_sources(data: bytes, n_pairs: int) -> tuple[ContextSource, ...]:
    """Read a file of sources, with `pair`, `context` and any of the other columns.

    Returns them by pair and context. Raises TableError with all that is wrong, by row.
    """
    table = read_table(data, PLACE, optional=DESCRIBED, numbers=COLUMNS)
    findings = table.errors
    sources: dict[tuple[int, int], ContextSource] = {}
    for row, (pair, context, *rest) in table.rows.items():
        wrong = list(_check_place(row, pair, context, n_pairs))
        findings += wrong
        if wrong:
            continue
        place = int(pair), int(context)
        if place in sources:
            what = f"context {context} of pair {pair} has a source already"
            findings.append(Finding(Severity.ERROR, what, row, advice="keep one row"))
        of_document = dict(zip(table.columns[2:], rest, strict=True))
        sources[place] = ContextSource(*place, *(of_document.get(name, "") for name in DESCRIBED))
    if findings:
        raise TableError(findings[:MOST_FINDINGS])
    return tuple(source for _, source in sorted(sources.items()))


def list_documents(sources: Iterable[ContextSource]) -> dict[Document, list[ContextSource]]:
    """Return the distinct documents with the contexts from each, by licence and name."""
    of_document: defaultdict[Document, list[ContextSource]] = defaultdict(list)
    for source in sources:
        of_document[Document(*(getattr(source, name) for name in Document._fields))].append(source)
    by_licence = sorted(of_document.items(), key=lambda item: (not item[0].licence, item[0]))
    return dict(by_licence)


def renumber_sources(
    sources: Iterable[ContextSource], order: Sequence[int]
) -> tuple[ContextSource, ...]:
    """Return the sources when the pairs, counted from 0, are put into a new order."""
    number = {pair + 1: place for place, pair in enumerate(order, 1)}
    return tuple(sorted(source._replace(pair=number[source.pair]) for source in sources))


def render_sources(sources: Iterable[ContextSource]) -> str:
    """Return the text of a file of sources."""
    return render_rows(COLUMNS, [[str(field) for field in source] for source in sources])


def _check_place(row: int, pair: str, context: str, n_pairs: int) -> Iterator[Finding]:
    if not (pair.isascii() and pair.isdigit() and 1 <= int(pair) <= n_pairs):
        what = f'"{pair[:20]}" is not the number of a pair'
        yield Finding(Severity.ERROR, what, row, "pair", advice=f"there are 1 to {n_pairs}")
    if context not in ("1", "2"):
        what = f'"{context[:20]}" is not the number of a context'
        yield Finding(Severity.ERROR, what, row, "context", advice="write 1 or 2")
