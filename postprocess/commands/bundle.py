"""`python -m postprocess bundle`: an archive that sets up a shared task on Codabench."""

import argparse
import sys
from pathlib import Path

from postprocess.bundles.bundle import write_bundle
from postprocess.bundles.task import load_task
from postprocess.formats.writing import write_files
from postprocess.scoring.figures import Subtask

EPILOG = "The archive has the gold: keep it secret. See docs/scoring.md."


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "bundle", help="set up a shared task on Codabench", epilog=EPILOG
    )
    add = parser.add_argument
    add("--task", type=Path, required=True, metavar="FILE", help="such as task.toml")
    add(
        "--subtask",
        type=Subtask,
        choices=list(Subtask),
        required=True,
        help="1: changes, 2: similarities; each needs a separate site",
    )
    add("--out", type=Path, required=True, metavar="FILE", help="such as subtask1.zip")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the bundle of one subtask."""
    content = write_bundle(load_task(options.task), options.subtask)
    (path,) = write_files({options.out.name: content}, options.out.parent)
    sys.stdout.write(f"written   {path}\n")
    return 0
