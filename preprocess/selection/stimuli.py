"""The stimuli file of chosen windows, and the file of their sources."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from postprocess.formats.kinds import read_table
from postprocess.formats.stimuli import StimulusPair, parse_stimuli, render_stimuli
from postprocess.formats.tabular import Finding, Severity, TableError, render_rows
from preprocess.windows.table import make_context

SELECTION_COLUMNS = ("window1", "window2")
DESCRIBED = (
    "file", "document", "first_sentence", "last_sentence",
    "first_id", "last_id", "title", "url", "revision", "licence",
)  # fmt: skip
SOURCE_COLUMNS = ("pair", "context", "window", *DESCRIBED)
Rows = Mapping[str, Mapping[Any, Any]]  # by the identifiers of windows


def load_selection(path: Path) -> list[tuple[str, str]]:
    """Read a selection: a row per pair, with the windows of its context 1 and context 2.

    Raises OSError and TableError.
    """
    table = read_table(path.read_bytes(), SELECTION_COLUMNS)
    if table.errors:
        raise TableError(table.errors)
    return [(first, second) for first, second in table.rows.values()]


def make_stimuli(
    windows: pd.DataFrame, selection: Sequence[tuple[str, str]]
) -> tuple[str, str, tuple[Finding, ...]]:
    """Return a stimuli file's text, its sources' text, and its warnings.

    `windows` has the columns of a file of windows or candidates. Raises TableError with all that is
    wrong, by the rows of the selection.
    """
    by_id: Rows = dict(zip(windows["window"], windows.to_dict("records"), strict=True))
    if findings := list(_check_selection(by_id, selection)):
        raise TableError(findings)
    pairs = [
        StimulusPair(
            by_id[first]["word1"],
            by_id[first]["word2"],
            make_context(by_id[first]),
            make_context(by_id[second]),
        )
        for first, second in selection
    ]
    text = render_stimuli(pair.fields() for pair in pairs)
    parsed = parse_stimuli(text.encode())
    if parsed.errors:
        raise TableError(parsed.errors)
    sources = [
        [str(row), str(number), window, *(str(by_id[window][name]) for name in DESCRIBED)]
        for row, chosen in enumerate(selection, 1)
        for number, window in enumerate(chosen, 1)
    ]
    warnings = (*parsed.warnings, *_find_shared_sentences(by_id, selection))
    return text, render_rows(SOURCE_COLUMNS, sources), warnings


def _check_selection(by_id: Rows, selection: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for row, chosen in enumerate(selection, 1):
        unknown = [
            (column, window)
            for column, window in zip(SELECTION_COLUMNS, chosen, strict=True)
            if window not in by_id
        ]
        for column, window in unknown:
            what = f'window "{window[:40]}" does not exist'
            yield Finding(Severity.ERROR, what, row, column, advice="choose a candidate")
        if unknown:
            continue
        first, second = chosen
        if by_id[first]["pair"] != by_id[second]["pair"]:
            what = "the two windows belong to different pairs"
            yield Finding(Severity.ERROR, what, row, advice="choose two of the same pair")
        elif first == second:
            what = "both windows are the same"
            yield Finding(Severity.ERROR, what, row, advice="choose two")
        for window in chosen:
            if seen.setdefault(window, row) != row:
                what = f"window {window} was chosen in row {seen[window]} already"
                yield Finding(Severity.ERROR, what, row, advice="use each window once")


def _find_shared_sentences(by_id: Rows, selection: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """Yield a warning for each pair whose contexts overlap in their document."""
    for row, chosen in enumerate(selection, 1):
        first, second = sorted(
            (by_id[window] for window in chosen), key=lambda row: row["first_sentence"]
        )
        is_same = all(first[name] == second[name] for name in ("file", "document"))
        if is_same and second["first_sentence"] <= first["last_sentence"]:
            what = f"both contexts have sentence {second['first_sentence']} of their document"
            yield Finding(Severity.WARNING, what, row, advice="choose another window")
