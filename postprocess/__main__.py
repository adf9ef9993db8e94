"""Command line: `python -m postprocess`, or `cosima-post` if installed; see `--help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from postprocess.auditing import AuditError
from postprocess.commands import audit, build, describe, effects, plan, release, trace, verify
from postprocess.commands.comparing import collections, recipes
from postprocess.extras import ExtraMissing
from postprocess.formats.tabular import TableError
from postprocess.pipeline import LanguageError
from postprocess.planning.plan import PlanError
from postprocess.planning.rating_models import ModelError
from postprocess.release import ReleaseError
from postprocess.release.description.study import DescriptionError
from postprocess.statistics.effects.fitting import EffectsError
from postprocess.steps.recipe import RecipeError
from postprocess.table.ratings import RatingsError

SCRIPT = "cosima-post"
COMMANDS = (build, release, describe, trace, recipes, collections, effects, plan, audit, verify)
ERRORS = (
    TableError, RatingsError, RecipeError, LanguageError, DescriptionError, ReleaseError,
    ModelError, PlanError, AuditError, EffectsError, ExtraMissing,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which nothing was written."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except ERRORS as error:
        sys.stderr.write(f"error: {error}\n")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    by_name = Path(sys.argv[0]).stem == SCRIPT
    parser = argparse.ArgumentParser(
        prog=SCRIPT if by_name else "python -m postprocess",
        description="Post-process similarity ratings into a dataset.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
