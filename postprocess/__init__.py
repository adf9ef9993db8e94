"""Post-processing of graded similarity ratings: tables and files in, dataset files out.

Ratings are calibrated, filtered, rescaled and aggregated (Hill et al., 2015; Armendariz et al.,
2020), and written in the published formats of CoSimLex. The package uses neither Django nor the
clock nor the network: the same input gives the same bytes.

The names in `__all__` are the public API. Each is loaded from its module when it is first used,
so that importing the package loads neither pandas nor SciPy. docs/library.md shows how to use
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from postprocess.version import __version__ as __version__

if TYPE_CHECKING:
    from postprocess.auditing import AuditError as AuditError
    from postprocess.auditing.examining import audit_dataset as audit_dataset
    from postprocess.auditing.reconstruction.contexts import Assumptions as Assumptions
    from postprocess.auditing.rendering import render_audit as render_audit
    from postprocess.designs.design import Design as Design
    from postprocess.designs.design import DesignError as DesignError
    from postprocess.designs.design import read_design as read_design
    from postprocess.designs.items import parse_items as parse_items
    from postprocess.extras import ExtraMissing as ExtraMissing
    from postprocess.formats.files import read_dataset as read_dataset
    from postprocess.formats.files import read_gold as read_gold
    from postprocess.formats.parsed import ParsedStimuli as ParsedStimuli
    from postprocess.formats.parsed import StimuliError as StimuliError
    from postprocess.formats.reading import load_checks as load_checks
    from postprocess.formats.reading import load_ratings as load_ratings
    from postprocess.formats.stimuli import load_stimuli as load_stimuli
    from postprocess.formats.writing import write_files as write_files
    from postprocess.pipeline import Dataset as Dataset
    from postprocess.pipeline import LanguageError as LanguageError
    from postprocess.pipeline import build_dataset as build_dataset
    from postprocess.planning.plan import Plan as Plan
    from postprocess.planning.plan import plan_study as plan_study
    from postprocess.planning.question import Costs as Costs
    from postprocess.planning.question import PlanError as PlanError
    from postprocess.planning.question import Question as Question
    from postprocess.planning.rating_models import ModelError as ModelError
    from postprocess.planning.rating_models import models_of_ratings as models_of_ratings
    from postprocess.planning.rating_models import models_of_scores as models_of_scores
    from postprocess.release.verification.verifying import Verification as Verification
    from postprocess.release.verification.verifying import verify_release as verify_release
    from postprocess.reporting.report_files import render_reports as render_reports
    from postprocess.scoring.figures import Figures as Figures
    from postprocess.scoring.figures import score_predictions as score_predictions
    from postprocess.scoring.inference import average_scores as average_scores
    from postprocess.scoring.inference import compare_scores as compare_scores
    from postprocess.scoring.inference import score_interval as score_interval
    from postprocess.scoring.metrics import Metric as Metric
    from postprocess.scoring.ranking import rank_systems as rank_systems
    from postprocess.statistics.agreement.by_group import agreement_table as agreement_table
    from postprocess.statistics.agreement.reliability import (
        change_reliability as change_reliability,
    )
    from postprocess.statistics.change import paired_pvalues as paired_pvalues
    from postprocess.statistics.change_size import change_size as change_size
    from postprocess.statistics.confounds import find_confounds as find_confounds
    from postprocess.statistics.confounds import measure_contexts as measure_contexts
    from postprocess.statistics.effects.estimate import Effects as Effects
    from postprocess.statistics.effects.estimate import estimate_effects as estimate_effects
    from postprocess.statistics.effects.fitting import EffectsError as EffectsError
    from postprocess.statistics.evaluation import harmonic_correlation as harmonic_correlation
    from postprocess.statistics.evaluation import uncentered_pearson as uncentered_pearson
    from postprocess.statistics.polarisation import find_polarised as find_polarised
    from postprocess.steps import list_recipes as list_recipes
    from postprocess.steps.comparison import Comparison as Comparison
    from postprocess.steps.comparison import compare_outcomes as compare_outcomes
    from postprocess.steps.distributions import measure_distributions as measure_distributions
    from postprocess.steps.post_process import Outcome as Outcome
    from postprocess.steps.post_process import post_process as post_process
    from postprocess.steps.recipe import Recipe as Recipe
    from postprocess.steps.recipe import RecipeError as RecipeError
    from postprocess.steps.recipe import read_recipe as read_recipe
    from postprocess.steps.score_intervals import score_intervals as score_intervals
    from postprocess.steps.single_steps import aggregate_ratings as aggregate_ratings
    from postprocess.steps.single_steps import calibrate_ratings as calibrate_ratings
    from postprocess.steps.single_steps import filter_annotators as filter_annotators
    from postprocess.steps.single_steps import rescale_ratings as rescale_ratings
    from postprocess.table.details import load_details as load_details
    from postprocess.table.ratings import check_ratings as check_ratings
    from postprocess.table.scale import RatingsError as RatingsError
    from postprocess.table.scale import Scale as Scale
    from postprocess.two_collections.collection import Collection as Collection
    from postprocess.two_collections.comparing import CollectionComparison as CollectionComparison
    from postprocess.two_collections.comparing import compare_collections as compare_collections
    from postprocess.two_collections.loading import Reading as Reading
    from postprocess.two_collections.loading import load_collection as load_collection
    from postprocess.two_collections.sources import Source as Source

_MODULES = {
    "auditing": ["AuditError"],
    "auditing.examining": ["audit_dataset"],
    "auditing.reconstruction.contexts": ["Assumptions"],
    "auditing.rendering": ["render_audit"],
    "designs.design": ["Design", "DesignError", "read_design"],
    "designs.items": ["parse_items"],
    "extras": ["ExtraMissing"],
    "formats.files": ["read_dataset", "read_gold"],
    "formats.parsed": ["ParsedStimuli", "StimuliError"],
    "formats.reading": ["load_checks", "load_ratings"],
    "formats.stimuli": ["load_stimuli"],
    "formats.writing": ["write_files"],
    "pipeline": ["Dataset", "LanguageError", "build_dataset"],
    "planning.plan": ["Plan", "plan_study"],
    "planning.question": ["Costs", "PlanError", "Question"],
    "planning.rating_models": ["ModelError", "models_of_ratings", "models_of_scores"],
    "release.verification.verifying": ["Verification", "verify_release"],
    "reporting.report_files": ["render_reports"],
    "statistics.agreement.by_group": ["agreement_table"],
    "statistics.agreement.reliability": ["change_reliability"],
    "statistics.change": ["paired_pvalues"],
    "statistics.change_size": ["change_size"],
    "scoring.figures": ["Figures", "score_predictions"],
    "scoring.inference": ["average_scores", "compare_scores", "score_interval"],
    "scoring.metrics": ["Metric"],
    "scoring.ranking": ["rank_systems"],
    "statistics.confounds": ["find_confounds", "measure_contexts"],
    "statistics.effects.estimate": ["Effects", "estimate_effects"],
    "statistics.effects.fitting": ["EffectsError"],
    "statistics.evaluation": ["harmonic_correlation", "uncentered_pearson"],
    "statistics.polarisation": ["find_polarised"],
    "steps.comparison": ["Comparison", "compare_outcomes"],
    "steps.distributions": ["measure_distributions"],
    "steps.post_process": ["Outcome", "post_process"],
    "steps": ["list_recipes"],
    "steps.recipe": ["Recipe", "RecipeError", "read_recipe"],
    "steps.score_intervals": ["score_intervals"],
    "steps.single_steps": [
        "aggregate_ratings",
        "calibrate_ratings",
        "filter_annotators",
        "rescale_ratings",
    ],
    "table.details": ["load_details"],
    "table.ratings": ["check_ratings"],
    "table.scale": ["RatingsError", "Scale"],
    "two_collections.collection": ["Collection"],
    "two_collections.comparing": ["CollectionComparison", "compare_collections"],
    "two_collections.loading": ["Reading", "load_collection"],
    "two_collections.sources": ["Source"],
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
    globals()[name] = getattr(import_module(_HOMES[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
