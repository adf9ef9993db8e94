"""Candidates picked by scores that models gave the windows of a search."""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User

from surveys.corpora.searching import pick
from surveys.errors import ImportRefused
from surveys.models import CandidateSet, Run
from surveys.selection.candidates import import_candidates

LARGEST_SCORES = 20_000_000  # bytes


def pick_by_scores(
    run: Run,
    data: bytes,
    by: User,
    *,
    file_name: str,
    number: int,
    distance_within: int | None = None,
    discards_choices: bool = False,
) -> CandidateSet:
    """Pick the candidates of a draft by a file of scores of the windows that a search found.

    They replace those that the draft has. Raises ImportRefused for scores that cannot be used, and
    as `import_candidates`.
    """
    from postprocess.formats.tabular import TableError
    from preprocess.selection.scores import ScoresError, load_scores
    from preprocess.windows.table import load_windows

    if len(data) > LARGEST_SCORES:
        raise ImportRefused(f"The file is larger than {LARGEST_SCORES // 1_000_000} MB.")
    windows = Path(run.archive.path)
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(file_name).name
        path.write_bytes(data)
        try:
            scores = load_scores(path, load_windows(windows)["window"])
        except (ScoresError, TableError) as error:
            lines = str(error).replace(f"{folder}/", "").splitlines()
            raise ImportRefused("\n".join(f"{line}." for line in lines)) from error
    checked = pick(windows, scores, number, distance_within)
    return import_candidates(
        run.study, checked, by, file_name=f"{run.name}, {file_name}",
        discards_choices=discards_choices,
    )  # fmt: skip
