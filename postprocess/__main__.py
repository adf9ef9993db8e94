"""Command line: `python -m postprocess`, or `cosima-post` if installed; see `--help`."""

import sys
from collections.abc import Sequence

from postprocess.auditing import AuditError
from postprocess.baselines.errors import BaselineError
from postprocess.bundles.errors import BundleError
from postprocess.commands import audit, baseline, build, bundle, effects, plan, score, trace
from postprocess.commands.comparing import collections, recipes
from postprocess.commands.program import run_program
from postprocess.commands.publishing import describe, release, verify
from postprocess.extras import ExtraMissing
from postprocess.formats.tabular import TableError
from postprocess.kits.rules import KitError
from postprocess.pipeline import LanguageError
from postprocess.planning.plan import PlanError
from postprocess.planning.rating_models import ModelError
from postprocess.release import ReleaseError
from postprocess.release.description.study import DescriptionError
from postprocess.scoring.gold import GoldError
from postprocess.statistics.effects.fitting import EffectsError
from postprocess.steps.recipe import RecipeError
from postprocess.table.ratings import RatingsError

NAMES = ("postprocess", "cosima-post")
COMMANDS = (
    build, release, describe, trace, recipes, collections, effects, plan, audit, verify, score,
    baseline, bundle,
)  # fmt: skip
ERRORS = (
    TableError, RatingsError, RecipeError, LanguageError, DescriptionError, ReleaseError,
    ModelError, PlanError, AuditError, EffectsError, GoldError, BaselineError,
    BundleError, KitError, ExtraMissing,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for errors, after which nothing was written."""
    about = "Post-process similarity ratings into a dataset."
    return run_program(NAMES, about, COMMANDS, ERRORS, arguments)


if __name__ == "__main__":
    sys.exit(main())
