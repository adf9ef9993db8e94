"""Predictions of another program, such as ELMo, from a table by pair and context."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.types import Floats

COLUMNS = ("pair", "context", "score")
CONTEXTS = ("1", "2")


def import_similarities(data: bytes, n_pairs: int) -> Floats:
    """Read the similarities of all contexts from a table.

    Parameters
    ----------
    data : bytes
        A table with the columns pair (from 1, the row of the data file), context (1
        or 2) and score, in any order.
    n_pairs : int
        Of the data file.

    Returns
    -------
    array, shape (n_pairs, 2)

    Raises
    ------
    TableError
        A row cannot be read, or a context has no score or two; all findings at once.
    """
    table = read_table(data, COLUMNS, numbers=COLUMNS)
    findings = table.errors
    scores = np.full((n_pairs, 2), math.nan)
    findings += _read_rows(table.rows, scores)
    if not findings:
        findings += _list_gaps(scores)
    if findings:
        raise TableError(findings)
    return scores


def _read_rows(rows: Mapping[int, tuple[str, ...]], scores: Floats) -> Iterator[Finding]:
    """Enter the scores of the rows, and yield what is wrong with the others."""
    for row, (pair, context, score) in rows.items():
        problem = _check_row(pair, context, score, len(scores))
        if problem:
            column, what, advice = problem
            yield Finding(Severity.ERROR, what, row, column, advice=advice)
        elif not math.isnan(scores[int(pair) - 1, int(context) - 1]):
            what = f"pair {pair} has two scores in context {context}"
            yield Finding(Severity.ERROR, what, row, advice="keep one")
        else:
            scores[int(pair) - 1, int(context) - 1] = float(score)


def _check_row(pair: str, context: str, score: str, n_pairs: int) -> tuple[str, str, str] | None:
    """Return the column, the problem and the advice for a row, or None."""
    is_number = pair.isascii() and pair.isdigit() and len(pair) < 10
    if not is_number or not 1 <= int(pair) <= n_pairs:
        return "pair", f'"{pair[:40]}" is not a pair', f"write a number from 1 to {n_pairs:,}"
    if context not in CONTEXTS:
        return "context", f'"{context[:40]}" is not a context', "write 1 or 2"
    try:
        is_finite = math.isfinite(float(score))
    except ValueError:
        is_finite = False
    if not is_finite:
        return "score", f'"{score[:40]}" is not a number', "write it as 0.118"
    return None


def _list_gaps(scores: Floats) -> Iterator[Finding]:
    gaps = np.argwhere(np.isnan(scores))
    if len(gaps):
        pair, context = (int(place) + 1 for place in gaps[0])
        what = (
            f"{len(gaps):,} contexts have no score, the first is context {context} of pair {pair}"
        )
        yield Finding(Severity.ERROR, what, advice="add a row for each")
