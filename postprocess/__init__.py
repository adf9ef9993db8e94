"""Post-processing of graded similarity ratings: tables and files in, dataset files out.

Ratings are calibrated, filtered, rescaled and aggregated (Hill et al., 2015; Armendariz et al.,
2020), and written in the published formats of CoSimLex. The package knows nothing of Django, of
the clock or of the network: the same input gives the same bytes.

The names in `__all__` are the public API. Each is loaded from its module when it is first used,
so that importing the package loads neither pandas nor SciPy. docs/library.md shows how to use
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from postprocess.version import __version__ as __version__

if TYPE_CHECKING:
    from postprocess.aggregation import aggregate_ratings as aggregate_ratings
    from postprocess.auditing.contexts import Assumptions as Assumptions
    from postprocess.auditing.errors import AuditError as AuditError
    from postprocess.auditing.examining import audit_dataset as audit_dataset
    from postprocess.auditing.rendering import render_audit as render_audit
    from postprocess.calibration import calibrate_ratings as calibrate_ratings
    from postprocess.change import paired_pvalues as paired_pvalues
    from postprocess.comparison import Comparison as Comparison
    from postprocess.comparison import compare_outcomes as compare_outcomes
    from postprocess.confounds import find_confounds as find_confounds
    from postprocess.confounds import measure_contexts as measure_contexts
    from postprocess.details import load_details as load_details
    from postprocess.evaluation import harmonic_correlation as harmonic_correlation
    from postprocess.evaluation import uncentered_pearson as uncentered_pearson
    from postprocess.extras import ExtraMissing as ExtraMissing
    from postprocess.files import read_dataset as read_dataset
    from postprocess.files import read_gold as read_gold
    from postprocess.filtering import filter_annotators as filter_annotators
    from postprocess.pipeline import Dataset as Dataset
    from postprocess.pipeline import LanguageError as LanguageError
    from postprocess.pipeline import build_dataset as build_dataset
    from postprocess.planning import Costs as Costs
    from postprocess.planning import Plan as Plan
    from postprocess.planning import PlanError as PlanError
    from postprocess.planning import Question as Question
    from postprocess.planning import plan_study as plan_study
    from postprocess.polarisation import find_polarised as find_polarised
    from postprocess.rating_models import ModelError as ModelError
    from postprocess.rating_models import models_of_ratings as models_of_ratings
    from postprocess.rating_models import models_of_scores as models_of_scores
    from postprocess.ratings import RatingsError as RatingsError
    from postprocess.ratings import Scale as Scale
    from postprocess.ratings import check_ratings as check_ratings
    from postprocess.reading import load_checks as load_checks
    from postprocess.reading import load_ratings as load_ratings
    from postprocess.recipe import Recipe as Recipe
    from postprocess.recipe import RecipeError as RecipeError
    from postprocess.recipe import list_presets as list_presets
    from postprocess.recipe import read_recipe as read_recipe
    from postprocess.reliability import change_reliability as change_reliability
    from postprocess.reporting.bundle import render_reports as render_reports
    from postprocess.rescaling import rescale_ratings as rescale_ratings
    from postprocess.slices import agreement_table as agreement_table
    from postprocess.steps import Outcome as Outcome
    from postprocess.steps import post_process as post_process
    from postprocess.stimuli import ParsedStimuli as ParsedStimuli
    from postprocess.stimuli import StimuliError as StimuliError
    from postprocess.stimuli import load_stimuli as load_stimuli
    from postprocess.writing import write_files as write_files

_MODULES = {
    "aggregation": ["aggregate_ratings"],
    "auditing.contexts": ["Assumptions"],
    "auditing.errors": ["AuditError"],
    "auditing.examining": ["audit_dataset"],
    "auditing.rendering": ["render_audit"],
    "calibration": ["calibrate_ratings"],
    "change": ["paired_pvalues"],
    "comparison": ["Comparison", "compare_outcomes"],
    "confounds": ["find_confounds", "measure_contexts"],
    "details": ["load_details"],
    "evaluation": ["harmonic_correlation", "uncentered_pearson"],
    "extras": ["ExtraMissing"],
    "files": ["read_dataset", "read_gold"],
    "filtering": ["filter_annotators"],
    "pipeline": ["Dataset", "LanguageError", "build_dataset"],
    "planning": ["Costs", "Plan", "PlanError", "Question", "plan_study"],
    "polarisation": ["find_polarised"],
    "rating_models": ["ModelError", "models_of_ratings", "models_of_scores"],
    "ratings": ["RatingsError", "Scale", "check_ratings"],
    "reading": ["load_checks", "load_ratings"],
    "recipe": ["Recipe", "RecipeError", "list_presets", "read_recipe"],
    "reliability": ["change_reliability"],
    "reporting.bundle": ["render_reports"],
    "rescaling": ["rescale_ratings"],
    "slices": ["agreement_table"],
    "steps": ["Outcome", "post_process"],
    "stimuli": ["ParsedStimuli", "StimuliError", "load_stimuli"],
    "writing": ["write_files"],
}
_HOMES = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Load a name of the public API. Raises ExtraMissing if its packages are not installed."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "render_reports":
        from postprocess.extras import require_report

        require_report()
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
