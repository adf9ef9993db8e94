"""Command line: `python -m preprocess`, or `cosima-pre` if installed; see `--help`."""

import sys
from collections.abc import Sequence

from postprocess.commands.program import run_program

NAMES = ("preprocess", "cosima-pre")
COMMANDS = {
    "corpus": ("corpus", "make a corpus that `find` can search"),
    "pairs": ("pairs", "make the list of pairs of a study"),
    "find": ("find", "find texts of a corpus that contain both words of a pair"),
    "score": ("score", "let models say how similar the two words are in each window"),
    "candidates": ("candidates", "pick the windows of each pair that an expert sees"),
    "stimuli": ("stimuli", "write the stimuli file of chosen windows"),
    "predict": ("predict", "predict the scores of a shared task by a model"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which no result is written."""
    about = "From a corpus to the stimuli of a study."
    try:
        return run_program(NAMES, about, COMMANDS, arguments)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on from here\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
