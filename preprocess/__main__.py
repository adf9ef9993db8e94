"""Command line: `python -m preprocess`, or `cosima-pre` if installed; see `--help`."""

import sys
from collections.abc import Sequence

from postprocess.baselines.errors import BaselineError
from postprocess.commands.program import run_program
from postprocess.extras import ExtraMissing
from postprocess.formats.tabular import TableError
from postprocess.scoring.gold import GoldError
from preprocess.commands import candidates, corpus, find, pairs, predict, score, stimuli
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import UnknownLanguage
from preprocess.models.loading import ModelError
from preprocess.pairs.sampling import QuotaError
from preprocess.selection.candidates import ChoiceError
from preprocess.selection.scores import ScoresError
from preprocess.windows.dividing import ClusterError
from preprocess.windows.filters import FilterError
from preprocess.windows.table import WindowsError

NAMES = ("preprocess", "cosima-pre")
COMMANDS = (corpus, pairs, find, score, candidates, stimuli, predict)
ERRORS = (
    TableError,
    CorpusError,
    ClusterError,
    QuotaError,
    FilterError,
    WindowsError,
    ModelError,
    ExtraMissing,
    ScoresError,
    ChoiceError,
    UnknownLanguage,
    BaselineError,
    GoldError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which no result is written."""
    about = "From a corpus to the stimuli of a study."
    try:
        return run_program(NAMES, about, COMMANDS, ERRORS, arguments)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on from here\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
