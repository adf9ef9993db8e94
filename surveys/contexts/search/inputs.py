"""What researchers enter for a search: pairs of words, from a file or as typed, and filters."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from surveys.contexts.search.requests import MOST_PAIRS

if TYPE_CHECKING:
    from postprocess.formats.tabular import Finding

MOST_LISTED = 20  # problems
ALWAYS_REJECTED = {
    "place": "texts that differ from their words",
    "mark": "texts that contain the marks of target words",
    "duplicate": "nearly the same text as another one of the pair",
}


class Rejection(NamedTuple):
    """A reason why texts were rejected: its code, what is measured, and the number of texts."""

    code: str
    what: str
    n_texts: int


class ListedPairs(NamedTuple):
    """The pairs of a list, or its problems, each in a sentence."""

    pairs: list[list[str]]
    problems: list[str]


def list_pairs(given: bytes | str, file_name: str = "") -> ListedPairs:
    """Return the pairs of a file, given as bytes with its name, or of lines that were typed."""
    from postprocess.formats.tabular import TableError, cut_lines, group_findings
    from preprocess.pairs.reading import read_listed_pairs, read_pairs

    try:
        if isinstance(given, bytes):
            pairs, _ = read_pairs(given)
        else:
            pairs, _ = read_listed_pairs(given)
    except TableError as error:
        if isinstance(given, bytes):
            lines = cut_lines(group_findings(error.findings))
            return ListedPairs([], [f"{file_name}: {line}." for line in lines])
        return ListedPairs([], [_word_problem(finding) for finding in error.findings[:MOST_LISTED]])
    if len(pairs) > MOST_PAIRS:
        return ListedPairs([], [f"There are {len(pairs):,} pairs, more than {MOST_PAIRS:,}."])
    return ListedPairs([[pair.word1, pair.word2] for pair in pairs], [])


def find_filter_problem(changes: Iterable[str]) -> str:
    """Return the problem of changed filters as a sentence, or an empty text."""
    from preprocess.windows.filters import FilterError, change_filter, default_filters

    filters = default_filters("")
    try:
        for change in changes:
            filters = change_filter(filters, change)
    except FilterError as error:
        return _as_sentence(str(error))
    return ""


def describe_rejections(rejected: Mapping[str, int]) -> list[Rejection]:
    """Return the reasons for which a search rejected texts, given the numbers by code."""
    from preprocess.windows.filters import default_filters

    reasons = {rule.code: rule.what for rule in default_filters("").values()} | ALWAYS_REJECTED
    return [Rejection(code, reasons.get(code, ""), n) for code, n in rejected.items()]


def _word_problem(finding: "Finding") -> str:
    """Return a typed list's problem as a sentence, by line."""
    if not finding.row:
        return _as_sentence(finding.reason)
    column = f", {finding.column}" if finding.column else ""
    return f"Line {finding.row}{column}: {finding.reason}."


def _as_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
