"""`python -m postprocess bundle`: an archive that sets up a shared task on Codabench."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.writing import write_files

EPILOG = "The archive has the gold: keep it secret. See docs/sharedtasks.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--task", type=Path, required=True, metavar="FILE", help="such as task.toml")
    add(
        "--subtask",
        choices=("1", "2"),
        required=True,
        help="1: changes, 2: similarities; each needs a separate site",
    )
    add("--out", type=Path, required=True, metavar="FILE", help="such as subtask1.zip")


def run(options: argparse.Namespace) -> int:
    """Write the bundle of one subtask."""
    from postprocess.bundles.codabench_bundle import write_bundle
    from postprocess.bundles.task import load_task
    from postprocess.scoring.metrics import GWSC

    content = write_bundle(load_task(options.task), GWSC[int(options.subtask) - 1])
    (path,) = write_files({options.out.name: content}, options.out.parent)
    sys.stdout.write(f"written   {path}\n")
    return 0
