"""Published boards: tables as papers printed them, imported, shown and deleted."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    Phase,
    PublishedBoard,
    Scoring,
    ScoringState,
    SharedTask,
    Submission,
)
from surveys.sharedtasks.scoring.figures import Golds, compute_figures
from surveys.sharedtasks.scoring.predictions import load_predictions
from surveys.sharedtasks.tasks import lock_task
from surveys.sharedtasks.uploads import read_files
from surveys.study.languages import PAIR, name_language

if TYPE_CHECKING:
    from postprocess.boards.published import PrintedBoard, PrintedCell, PrintedRow

MOST_LISTED = 20  # problems of a file
RESULT_FILE = re.compile(r"results_subtask(\d+)_.+\.tsv")
DIGITS = {True: 6, False: 3}  # decimals of computed scores, by whether the gold is public


class RecomputedCell(NamedTuple):
    """A printed and a computed score, and whether both have the same digits."""

    column: str
    printed: str
    score: str
    is_equal: bool


@dataclass(frozen=True)
class ShownBoard:
    """A published board as its page shows it.

    `lists`: heading and cells of each column; `others`: rows outside the ranking and references,
    with a text for each column; `recomputed`: rows with their cells and the scorer's version.
    """

    board: PublishedBoard
    headings: "list[str]"
    lists: "list[tuple[str, list[PrintedCell]]]"
    others: "list[tuple[PrintedRow, list[str]]]"
    marks: list[str]
    recomputed: list[tuple[Mapping[str, Any], list[RecomputedCell]]]


def read_board(
    shared_task: SharedTask, fields: Mapping[str, Any], by: User | None
) -> PublishedBoard:
    """Return a published board that is not stored yet, given by its fields; files are texts.

    Raises SharedTaskRefused for fields that cannot be stored, and for files that cannot be read
    or differ from each other.
    """
    board = PublishedBoard(shared_task=shared_task, imported_by=by, **fields)
    board.sha256 = hashlib.sha256((board.table + board.order).encode()).hexdigest()
    try:
        board.full_clean()
    except ValidationError as error:
        raise SharedTaskRefused("\n".join(_list_problems(error))) from error
    parse_board(board)
    return board


@transaction.atomic
def import_board(board: PublishedBoard) -> PublishedBoard:
    """Store a board that `read_board` returned. Raises SharedTaskRefused for a name in use."""
    shared_task = lock_task(board.shared_task)
    if shared_task.published_boards.filter(name=board.name).exists():
        raise SharedTaskRefused(f"The name “{board.name}” is taken. Choose another name.")
    board.save()
    rows = ", ".join(item["row"] for item in board.recomputed)
    record("board.imported", shared_task, board.name, sha256=board.sha256, recomputed=rows)
    return board


@transaction.atomic
def delete_board(board: PublishedBoard) -> None:
    """Delete a published board, if it is still there."""
    n_deleted, _ = PublishedBoard.objects.filter(pk=board.pk).delete()
    if n_deleted:
        record("board.deleted", board.shared_task, board.name, sha256=board.sha256)


def parse_board(board: PublishedBoard) -> "PrintedBoard":
    """Return what a board's files hold. Raises SharedTaskRefused with what cannot be read."""
    from postprocess.boards.published import read_printed
    from postprocess.formats.tabular import TableError, cut_lines
    from postprocess.scoring.ranking import Places

    try:
        return read_printed(
            board.table.encode(),
            board.order.encode() or None,
            places=Places(board.places),
            is_percent=board.is_percent,
        )
    except TableError as error:
        raise SharedTaskRefused(
            "\n".join(cut_lines(str(error).splitlines(), MOST_LISTED))
        ) from error


def show_board(board: PublishedBoard) -> ShownBoard:
    """Return a board as its page shows it."""
    printed = parse_board(board)
    unit = " (%)" if board.is_percent else ""
    rows = {row.name: row for row in printed.rows}
    return ShownBoard(
        board,
        [name_column(column) + unit for column in printed.columns],
        [(name_column(name) + unit, printed.list_column(name)) for name in printed.columns],
        [
            (row, [row.cells.get(column, "") for column in printed.columns])
            for row in printed.list_others()
        ],
        printed.list_marks(name_column),
        [(item, list(_compare(board, rows[item["row"]], item))) for item in board.recomputed],
    )


def name_column(column: str) -> str:
    """Return the name of a column's language, or of two; other columns stay.

    >>> [name_column(column) for column in ("sl", "de-es", "global")]
    ['Slovenian', 'German–Spanish', 'global']
    """
    is_language = len(column) in (2, 3) or PAIR.fullmatch(column)
    return (name_language(column) if is_language else None) or column


def recompute_row(
    board: PublishedBoard, row: str, sent: Sequence[tuple[str, bytes]], subtask: int | None = None
) -> dict[str, Any]:
    """Return a board's row as the task's gold scores its result files, given by name and content.

    The mapping has the row, the subtask, the scorer's version, and in `cells` by language the
    score and the SHA-256 of the file and of the gold. Raises SharedTaskRefused for a row that the
    board lacks, and files of several subtasks, unless `subtask` says which files count, and what
    `read_files` raises.
    """
    from postprocess.scoring.scoring import SCORER

    if row not in {there.name for there in parse_board(board).rows}:
        raise SharedTaskRefused(f"The board has no row “{row}”. Write its name as in the file.")
    subtasks = {int(match[1]) for name, _ in sent if (match := RESULT_FILE.fullmatch(name))}
    if subtask is None and len(subtasks) > 1:
        raise SharedTaskRefused("There are files of several subtasks. Choose one: --subtask.")
    chosen = subtask or min(subtasks, default=1)
    phase = Phase(shared_task=board.shared_task, subtasks=[chosen])
    others = tuple(f"results_subtask{number}_" for number in subtasks - {chosen})
    read = read_files(phase, [file for file in sent if not file[0].startswith(others)])
    submission = Submission(phase=phase, contents=read.contents)
    submission.file = ContentFile(read.archive, "results.zip")
    current = board.shared_task.scorings.filter(state=ScoringState.CURRENT).first()
    golds = Golds(current or Scoring(shared_task=board.shared_task))
    figures = compute_figures(load_predictions(submission), phase, golds)
    sha256 = {file["language"]: file["sha256"] for file in read.contents}
    return {
        "row": row,
        "subtask": chosen,
        "scorer": SCORER,
        "cells": {
            language: {
                "score": figure.score,
                "file_sha256": sha256[language],
                "gold_sha256": golds.scoring.gold_sha256.get(language)
                or golds.parts[language].gold_sha256,
            }
            for (_, language), figure in figures.items()
        },
    }


def _compare(
    board: PublishedBoard, row: "PrintedRow", item: Mapping[str, Any]
) -> Iterator[RecomputedCell]:
    from postprocess.boards.published import is_printed_as

    n_digits = DIGITS[board.shared_task.is_published]
    for column, figures in item["cells"].items():
        text, score = row.cells.get(column, ""), figures["score"]
        is_equal = is_printed_as(text, score, is_percent=board.is_percent)
        shown = f"{score * 100:.{n_digits - 2}f}" if board.is_percent else f"{score:.{n_digits}f}"
        yield RecomputedCell(name_column(column), text, shown, is_equal)


def _list_problems(error: ValidationError) -> Iterator[str]:
    for name, texts in error.message_dict.items():
        yield from texts if name == "__all__" else (f"{name}: {text}" for text in texts)
