"""Command line: `python -m preprocess`, or `cosima-pre` if installed; see `--help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from postprocess.formats.tabular import TableError
from preprocess.commands import candidates, corpus, find, pairs, stimuli
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import UnknownLanguage
from preprocess.pairs.sampling import QuotaError
from preprocess.selection.candidates import ChoiceError
from preprocess.selection.scores import ScoresError
from preprocess.windows.filters import FilterError
from preprocess.windows.table import WindowsError

SCRIPT = "cosima-pre"
COMMANDS = (corpus, pairs, find, candidates, stimuli)
ERRORS = (
    TableError,
    CorpusError,
    QuotaError,
    FilterError,
    WindowsError,
    ScoresError,
    ChoiceError,
    UnknownLanguage,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which no result is written."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except ERRORS as error:
        sys.stderr.write(f"error: {error}\n")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on from here\n")
        return 130
    return 2


def _parser() -> argparse.ArgumentParser:
    by_name = Path(sys.argv[0]).stem == SCRIPT
    parser = argparse.ArgumentParser(
        prog=SCRIPT if by_name else "python -m preprocess",
        description="From a corpus to the stimuli of a study.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
