"""Reviewed study → dataset files and a Release."""

from decimal import Decimal
from pathlib import Path

from postprocess.ratings import Scale
from postprocess.recipe import Recipe
from postprocess.report import summarise
from postprocess.writing import write_files
from surveys.analysing import analyse_study
from surveys.models import Release, Study


def release_dataset(study: Study, folder: Path, recipe: Recipe) -> Release:
    """Write the dataset files of a study, and beside them the individual ratings they rest on.

    The recipe is used on the study's own scale. `python -m postprocess build` makes the same
    dataset of the files in the folder. Raises RatingsMissing or StimuliChanged, and then writes
    nothing.
    """
    scale = Scale(
        _as_number(study.scale_minimum),
        _as_number(study.scale_maximum),
        _as_number(study.scale_step),
    )
    analysed = analyse_study(study, recipe.on_scale(scale))
    write_files({**analysed.dataset.files, **analysed.individual}, folder)
    return Release.objects.create(study=study, report=analysed.dataset.report)


def _as_number(point: Decimal) -> float:
    """Whole where it is whole: the report is written as `postprocess build` writes it."""
    return int(point) if point == int(point) else float(point)


def describe_release(release: Release) -> str:
    """What the release holds and who was moved or left out, a few lines."""
    return summarise(release.report)
