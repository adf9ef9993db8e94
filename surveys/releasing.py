"""Reviewed study → dataset files and a Release."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from postprocess.pipeline import Settings, write_dataset
from postprocess.report import summarise
from surveys.analysing import analyse_study
from surveys.models import Release, Study


def release_dataset(study: Study, folder: Path, settings: Settings) -> Release:
    """Write the dataset files of a study, and beside them the individual ratings they rest on.

    `python -m postprocess build` makes the same dataset of the files in the folder.
    Raises RatingsMissing or StimuliChanged, and then writes nothing.
    """
    scale = replace(
        settings.scale,
        minimum=_as_number(study.scale_minimum),
        maximum=_as_number(study.scale_maximum),
        step=_as_number(study.scale_step),
    )
    analysed = analyse_study(study, replace(settings, scale=scale))
    files = {**analysed.dataset.files, f"ratings_{study.language}.csv": analysed.ratings_csv}
    write_dataset(replace(analysed.dataset, files=files), folder)
    return Release.objects.create(study=study, report=analysed.dataset.report)


def _as_number(point: Decimal) -> float:
    """Whole where it is whole: the report is written as `postprocess build` writes it."""
    return int(point) if point == int(point) else float(point)


def describe_release(release: Release) -> str:
    """What the release holds and who was moved or left out, a few lines."""
    return summarise(release.report)
