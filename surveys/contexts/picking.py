"""Candidates picked among windows: by scores that models gave them, and at random."""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from postprocess.formats.tabular import Finding, TableError
from surveys.contexts.candidates import KEYS, LARGEST_FILE, CheckedCandidates, check_candidates
from surveys.errors import ImportRefused
from surveys.operations.job_process import in_job_process

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

CANDIDATES, MOST_CANDIDATES = 8, len(KEYS)  # of a pair: usual, and at most
LARGEST_SCORES = 20_000_000  # bytes
ROW = "row"  # of the file of windows


@dataclass(frozen=True)
class Picking:
    """How candidates are picked.

    `number` of each pair; `distance_within`: see `preprocess.selection.candidates.Choice`;
    `scores`: the content of a file of scores, with its name, or None.
    """

    number: int = CANDIDATES
    distance_within: int | None = None
    scores: bytes | None = None
    scores_name: str = ""


@in_job_process
def check_file(data: bytes, picking: Picking) -> CheckedCandidates:
    """Return the candidates of a file, or those picked in a file of windows, or what is wrong.

    Errors are reported by the rows of the file. Raises ImportRefused for scores that cannot be
    used, or that come with candidates.
    """
    from preprocess.selection.reading import is_file_of_windows, read_windows

    if len(data) > LARGEST_FILE or not is_file_of_windows(data):
        if picking.scores is not None:
            raise ImportRefused(
                "Scores need a file of windows, and the other file is not one. Leave out the "
                "scores, or give the file of windows."
            )
        return check_candidates(data)
    try:
        table, origin = read_windows(data)
    except TableError as error:
        return CheckedCandidates(error.findings)
    return pick(table, origin, picking)


def pick(
    windows: "pd.DataFrame", origin: "Mapping[str, Any]", picking: Picking
) -> CheckedCandidates:
    """Return candidates picked among windows, checked as a file's candidates.

    `windows` has the columns of a file of windows; its index counts the rows from 1. Raises
    ImportRefused for scores that cannot be used, and if models contribute more candidates than
    are wanted.
    """
    from preprocess.selection.candidates import (
        Choice,
        ChoiceError,
        describe_picking,
        pick_candidates,
        render_candidates,
    )
    from preprocess.selection.scores import ScoresError, load_scores

    choice = Choice(picking.number, distance_within=picking.distance_within)
    if picking.scores is not None and len(picking.scores) > LARGEST_SCORES:
        most = LARGEST_SCORES // 1_000_000
        raise ImportRefused(f"{picking.scores_name} is larger than {most} MB.")
    with TemporaryDirectory() as folder:
        files = []
        if picking.scores is not None:
            files = [Path(folder) / Path(picking.scores_name).name]
            files[0].write_bytes(picking.scores)
        try:
            scores = load_scores(files[0], windows["window"]) if files else {}
            picked = pick_candidates(windows.assign(**{ROW: windows.index}), scores, choice)
            origin = describe_picking(origin, files, list(scores), choice)
        except (ScoresError, TableError) as error:
            lines = str(error).replace(f"{folder}/", "").splitlines()
            raise ImportRefused("\n".join(f"{line}." for line in lines)) from error
        except ChoiceError as error:
            raise ImportRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    checked = check_candidates(render_candidates(picked.drop(columns=ROW), origin))
    return checked._replace(errors=tuple(_locate(error, picked[ROW]) for error in checked.errors))


def _locate(finding: Finding, rows: "pd.Series[int]") -> Finding:
    """Return a finding about a candidate as one about its row in the file of windows."""
    return finding if finding.row is None else replace(finding, row=int(rows.iloc[finding.row - 1]))
