"""The scores of a result in the forms of other sites: MTEB, and the Hugging Face Hub."""

import hashlib
import re

from babel.core import get_global

from surveys.results.deposit.languages import name_language
from surveys.sharedtasks.boards.results import Result, SubtaskResult
from surveys.sharedtasks.boards.visible import VisibleBoard
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import SharedTask
from surveys.study.languages import PAIR

DATASET = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)


def render_for_mteb(result: Result, subtask: int) -> bytes | None:
    """Return the scores of a subtask as a result file of MTEB; None if no board has them.

    Raises SharedTaskRefused for a language that has no code of three letters.
    """
    from postprocess.boards.entries import BoardError
    from postprocess.boards.exports.leaderboards import render_mteb

    shared_task = result.submission.phase.shared_task
    for part, visible in _list_boards(result):
        if part.subtask == subtask:
            codes = {tag: _write_code(tag) for tag in visible.board.rules.languages}
            try:
                return render_mteb(
                    visible.board,
                    result.team,
                    task_name=f"{shared_task.slug}_subtask{subtask}",
                    revision=_digest_data(shared_task),
                    languages={tag: code for tag, code in codes.items() if code},
                    is_gold_public=visible.is_gold_public,
                )
            except BoardError as error:
                raise SharedTaskRefused(str(error)) from error
    return None


def render_for_hub(result: Result, dataset: str, address: str) -> bytes | None:
    """Return the scores as a file in `.eval_results/` of a model on the Hub; None without a board.

    `dataset`: the name of the data's repository there; `address`: that of the page of the result.
    Raises SharedTaskRefused for a name that no repository has.
    """
    from postprocess.boards.exports.leaderboards import HubDataset, Source, render_hub_results

    if not DATASET.fullmatch(dataset):
        raise SharedTaskRefused(
            "Write the name of the dataset on the Hub as owner/name, such as example/cosimlex."
        )
    submission = result.submission
    rendered = [
        render_hub_results(
            visible.board,
            result.team,
            {
                column: HubDataset(dataset, f"subtask{part.subtask}_{column}")
                for column in visible.board.columns
            },
            date=f"{submission.sent_at:%Y-%m-%d}",
            source=Source(address, submission.phase.shared_task.title),
            is_gold_public=visible.is_gold_public,
        )
        for part, visible in _list_boards(result)
    ]
    return b"".join(rendered) or None


def _list_boards(result: Result) -> list[tuple[SubtaskResult, VisibleBoard]]:
    return [(part, part.board) for part in result.subtasks if part.board]


def _write_code(tag: str) -> str | None:
    """Return the code of a language as MTEB writes it, with the script that is usual.

    >>> [_write_code(tag) for tag in ("sl", "sr-Latn", "fa", "xx", "en-ar")]
    ['slv-Latn', 'srp-Latn', 'fas-Arab', None, None]
    """
    language = None if PAIR.fullmatch(tag) else name_language(tag)
    scripts = [part for part in tag.split("-")[1:] if len(part) == 4]
    if not scripts:
        likely = get_global("likely_subtags").get(tag.partition("-")[0], "")
        scripts = [part for part in likely.split("_")[1:] if len(part) == 4]
    return f"{language}-{scripts[0].title()}" if language and scripts else None


def _digest_data(shared_task: SharedTask) -> str:
    """Return the SHA-256 of the test data: the file's, or a digest over all files' digests."""
    digests = list(shared_task.parts.order_by("name").values_list("data_sha256", flat=True))
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()
