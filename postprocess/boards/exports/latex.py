"""`board.tex`: a board as a table for a paper."""

from postprocess.boards.board import Board, Row
from postprocess.boards.shown import (
    describe_board,
    explain_column,
    list_lines,
    list_notes,
    list_outside,
    write_ends,
    write_rank,
    write_rank_range,
    write_score,
)
from postprocess.reporting.phrases import NONE
from postprocess.reporting.published import escape_latex


def render_latex(board: Board, column: str | None = None) -> bytes:
    r"""Return the content of `board.tex`, which needs `\usepackage{booktabs}`.

    Rows are in the order of a column, by default the first, which alone has intervals; rules
    separate its groups, and scores of references are in italics. Figures have three decimals.
    """
    column = column or board.columns[0]
    is_tested = column in board.differences
    n_figures = len(board.columns) + (not board.is_rounded)
    lines = [
        r"% Needs \usepackage{booktabs}; names may need \usepackage[T1]{fontenc}, or XeLaTeX.",
        r"% In a paper with two columns, write table* instead of table.",
        r"\begin{table}",
        r"  \centering",
        r"  \footnotesize",
        r"  \setlength{\tabcolsep}{4pt}",
        r"  \setlength{\belowcaptionskip}{4pt}",
        rf"  \caption{{{_escape(_caption(board, column))}}}",
        rf"  \begin{{tabular}}{{r{'r' if is_tested else ''}l{'r' * n_figures}}}",
        r"    \toprule",
        _join(_list_headings(board, column, is_tested=is_tested)),
        r"    \midrule",
    ]
    for line in list_lines(board, column):
        if line.begins_group:
            lines.append(r"    \midrule")
        ranks = [write_rank(line.place), *([write_rank_range(line.place)] if is_tested else [])]
        shown = ranks if line.place else [""] * len(ranks)
        lines.append(_write_row(board, column, line.row, shown))
    if outside := list_outside(board, column):
        lines.append(r"    \midrule")
        blank = [""] * (2 if is_tested else 1)
        lines += [_write_row(board, column, row, blank) for row in outside]
    notes = _escape(" ".join(list_notes(board)))
    lines += [
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \par\smallskip\parbox{{\linewidth}}{{\scriptsize {notes}}}",
        r"\end{table}",
    ]
    return ("\n".join(lines) + "\n").encode()


def _caption(board: Board, column: str) -> str:
    return " ".join([f"{describe_board(board)}.", *explain_column(board, column)[:1]])


def _list_headings(board: Board, column: str, *, is_tested: bool) -> list[str]:
    headings = ["Rank", *(["Range"] if is_tested else []), "Team"]
    for name in board.columns:
        has_ends = name == column and not board.is_rounded
        headings += [_escape(name), *([r"95\,\%"] if has_ends else [])]
    return headings


def _write_row(board: Board, column: str, row: Row, ranks: list[str]) -> str:
    shown = f"{row.name} ({row.outside})" if row.outside else row.name
    cells = [*map(_escape, ranks), _slant(_escape(shown), row)]
    is_percent = board.rules.track.is_percent
    for name in board.columns:
        cell = row.cells.get(name)
        score = write_score(cell.score if cell else None, is_percent=is_percent)
        cells.append(_slant(_escape(score), row))
        if name == column and not board.is_rounded:
            ends = write_ends(cell, is_percent=is_percent)
            cells.append("" if ends == NONE else _slant(_escape(ends), row))
    return _join(cells)


def _slant(text: str, row: Row) -> str:
    return rf"\textit{{{text}}}" if row.is_reference else text


def _escape(text: str) -> str:
    r"""Escape text for LaTeX, and write signs that not every engine knows as commands.

    >>> print(_escape("4–6 ’√R’"))
    4--6 '$\surd$R'
    """
    escaped = escape_latex(text)
    for sign, command in SIGNS.items():
        escaped = escaped.replace(sign, command)
    return escaped


SIGNS = {"’": "'", "√": r"$\surd$", "ρ": r"$\rho$", "\u00a0": "~", r" \%": r"~\%"}


def _join(cells: list[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"
