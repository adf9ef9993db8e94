"""Command line: `python -m postprocess`, or `cosima-post` if installed; see `--help`."""

import sys
from collections.abc import Sequence

from postprocess.commands.program import run_program

NAMES = ("postprocess", "cosima-post")
COMMANDS = {
    "build": ("build", "make the dataset files from stimuli and ratings"),
    "release": (
        "publishing.release", "make all files to publish: dataset, ratings, documents, checksums"
    ),
    "describe": (
        "publishing.describe", "print a description file with comments for missing entries"
    ),
    "trace": ("trace", "show the ratings of a context and how they were processed"),
    "compare": (
        "comparing.recipes", "show which scores, p-values and annotators change with another recipe"
    ),
    "compare-collections": (
        "comparing.collections",
        "compare two crowds, or people and a language model, on the same items",
    ),
    "family": ("family", "put the releases of one data set in several languages side by side"),
    "effects": (
        "effects", "estimate changes, annotators and questionnaires by a mixed model of the ratings"
    ),
    "plan": ("plan", "find how many annotators a study needs, and its cost"),
    "audit": ("audit", "check a published dataset for impossible figures"),
    "load": ("layouts.load", "read a data set in the layout in which it was published"),
    "write": ("layouts.write", "write a data set in the layout in which it was published"),
    "crosslingual": (
        "layouts.crosslingual", "make pairs of two languages of the scored pairs of each"
    ),
    "verify": ("publishing.verify", "compute all figures of a release again from its ratings"),
    "score": ("score", "score predictions against a dataset, as the shared task did"),
    "baseline": ("baseline", "predict by a baseline of the shared task"),
    "bundle": ("bundle", "set up a shared task on Codabench"),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which nothing was written."""
    about = "Post-process similarity ratings into a dataset."
    return run_program(NAMES, about, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
