"""The two result files of predicted similarities, and the name of their language."""

import re
from pathlib import Path

import numpy as np

from postprocess.baselines.errors import BaselineError
from postprocess.formats.stimuli import StimulusPair, parse_stimuli
from postprocess.formats.tabular import TableError, render_rows
from postprocess.scoring.metrics import CHANGES, SIMILARITIES
from postprocess.scoring.predictions import name_result_file
from postprocess.types import Floats

DATA = re.compile(r"data_(?P<language>[^.]+)\.tsv")


def render_results(similarities: Floats, language: str) -> dict[str, bytes]:
    """Return the result files of both subtasks, name → content.

    Parameters
    ----------
    similarities : array, shape (n_pairs, 2)
        In any unit. The predicted change is their difference, context 2 minus context 1.
    language : str
        The code in the names of the files.
    """
    columns = {CHANGES: np.diff(similarities), SIMILARITIES: similarities}
    return {
        name_result_file(track.number, language): render_rows(
            track.columns, ([write_prediction(x) for x in row] for row in numbers.tolist())
        ).encode()
        for track, numbers in columns.items()
    }


def write_prediction(x: float) -> str:
    """Write a prediction as short as possible, so that it reads as the same number.

    >>> write_prediction(-3.0), write_prediction(-0.0), write_prediction(0.1)
    ('-3', '0', '0.1')
    """
    return repr(x + 0.0).removesuffix(".0")


def read_pairs(path: Path) -> tuple[StimulusPair, ...]:
    """Read all pairs of a data file. Raises TableError if one has an error, and OSError."""
    stimuli = parse_stimuli(path.read_bytes())
    if stimuli.errors:
        raise TableError(stimuli.errors)
    return stimuli.pairs


def find_language(path: Path, given: str | None = None) -> str:
    """Return the language of a data file, which its name says. Raises BaselineError.

    >>> find_language(Path("task/data_sl.tsv"))
    'sl'
    """
    if given:
        return given
    if match := DATA.fullmatch(path.name):
        return match["language"]
    raise BaselineError(f"the name of {path} has no language, as data_sl.tsv has; add --language")
