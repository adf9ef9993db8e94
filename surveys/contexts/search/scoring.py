"""Candidates picked by scores that models gave the windows of a search."""

from pathlib import Path

from django.contrib.auth.models import User

from surveys.contexts.candidates import CheckedCandidates, import_candidates
from surveys.contexts.models import CandidateSet
from surveys.contexts.picking import Picking
from surveys.contexts.search.searching import pick_found
from surveys.models import Run
from surveys.operations.job_process import in_job_process


def pick_by_scores(
    run: Run, picking: Picking, by: User, *, discards_choices: bool = False
) -> CandidateSet:
    """Pick a draft's candidates by a file that scores a search's windows.

    They replace those that the draft has. Raises ImportRefused for scores that cannot be used, and
    as `import_candidates`.
    """
    return import_candidates(
        run.study, _pick(Path(run.archive.path), picking), by,
        file_name=f"{run.name}, {picking.scores_name}", discards_choices=discards_choices,
    )  # fmt: skip


@in_job_process
def _pick(windows: Path, picking: Picking) -> CheckedCandidates:
    from preprocess.windows.table import load_windows

    return pick_found(load_windows(windows), windows, picking)
