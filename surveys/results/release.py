"""Reviewed study → dataset files and a Release."""

from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from postprocess.release.description import (
    Description,
    DescriptionError,
    fill_in,
    parse_description,
)
from postprocess.release.errors import ReleaseError
from postprocess.release.template import render_template
from surveys.errors import RatingsMissing, ReleaseRefused
from surveys.models import Release, Study
from surveys.models.publication import make_key
from surveys.results.description import describe_design, describe_study
from surveys.results.numbering import number_release
from surveys.results.public_log import write_public_log
from surveys.results.ratings_table import collect_study, list_shortfalls, note_instant, scale_of

if TYPE_CHECKING:
    from postprocess.pipeline import Dataset
    from postprocess.steps.recipe import Recipe

LOG = "log.tsv"
COUNTED = ("collection", "recruitment", "texts")  # sections of which the site knows best


@dataclass(frozen=True)
class Wishes:
    """What a researcher chooses for a release beside the recipe.

    `description`: a TOML file with what the site does not know; `n_practice` and `seed`: of the
    practice kit; `complete`: refuse while anything is still to be written; `has_report`: add the
    report for people; `has_log`: add what was decided when; `ids_of`: an earlier release of the
    study, whose annotators' ids are to be used again.
    """

    description: bytes = b""
    n_practice: int = 0
    seed: int = 0
    complete: bool = False
    has_report: bool = False
    has_log: bool = False
    ids_of: Release | None = None


def release_dataset(
    study: Study,
    folder: Path,
    recipe: "Recipe",
    wishes: Wishes | None = None,
    *,
    number: int | None = None,
) -> Release:
    """Write everything that is published of a study into a folder, and beside it as a zip file.

    The recipe is used on the study's own scale. `python -m postprocess build` makes the same
    dataset of the files in the folder. `number` is that of the run which makes it, if one does.
    Raises RatingsMissing, StimuliChanged or ReleaseRefused, and then writes nothing.
    """
    from postprocess.release.assembling import Choices, build_release, write_release
    from postprocess.table.ratings import RatingsError

    wishes = wishes or Wishes()
    key = _choose_key(study, wishes.ids_of)
    collected_at = note_instant(study)
    collected = collect_study(study)
    try:
        release = build_release(
            collected,
            complete_description(study, wishes.description, released_on=timezone.now().date()),
            recipe.on_scale(scale_of(study)),
            Choices(key, wishes.n_practice, wishes.seed, wishes.complete),
            language=study.language,
            notes=list_shortfalls(study),
            add_files=partial(_add_files, study, wishes),
        )
        write_release(release, folder)
    except RatingsError as error:
        raise RatingsMissing(str(error)) from error
    except ReleaseError as error:
        raise ReleaseRefused(str(error)) from error
    with transaction.atomic():
        return Release.objects.create(
            study=study,
            number=number_release(study, number),
            collected_at=collected_at,
            report=release.dataset.report,
            key=key,
        )


def complete_description(
    study: Study, description: bytes, *, released_on: date | None = None
) -> Description:
    """What a file tells of a study, completed by what the site knows. Raises ReleaseRefused."""
    try:
        told = parse_description(description)
    except DescriptionError as error:
        raise ReleaseRefused(f"The description cannot be used.\n{error}") from error
    return fill_in(told, describe_study(study, released_on=released_on))


def write_form(study: Study, description: bytes = b"") -> str:
    """A description of the study to fill in: what is known, and what is still to be written."""
    return render_template(complete_description(study, description))


def begin_form(study: Study) -> str:
    """The same without what a release counts by itself, for a page that is to be there at once."""
    return render_template(describe_design(study), without=COUNTED)


def describe_release(release: Release) -> str:
    """What the release holds and who was moved or left out, a few lines."""
    from postprocess.reporting.report import summarise

    return summarise(release.report)


def list_unwritten(release: Release) -> list[str]:
    """What a person has still to write in the files of the release, one a line."""
    return [
        f"{one['file']}, {one['section']}: {one['what']}" for one in release.report["to_be_written"]
    ]


def _add_files(study: Study, wishes: Wishes, dataset: "Dataset") -> dict[str, bytes]:
    """What is wished for beside the dataset: the report for people, the log."""
    files = {LOG: write_public_log(study).encode()} if wishes.has_log else {}
    if not wishes.has_report:
        return files
    from postprocess.reporting.bundle import render_reports

    return {**files, **render_reports(dataset)}


def _choose_key(study: Study, ids_of: Release | None) -> str:
    if ids_of is None:
        return make_key()
    if ids_of.study_id != study.pk or not ids_of.key:
        raise ReleaseRefused(
            f"Release {ids_of.number} has no ids to use again: it is of another study, or was made "
            "before releases had keys."
        )
    return ids_of.key
