"""Releases: the dataset files of a study, and their descriptions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from postprocess import naming
from postprocess.release import ReleaseError
from postprocess.release.description.study import (
    Description,
    DescriptionError,
    fill_in,
    parse_description,
)
from postprocess.release.description.template import render_template
from surveys.errors import RatingsMissing, ReleaseRefused
from surveys.models import Release, Study
from surveys.models.results import make_key
from surveys.participation.second_look import refuse_open_look
from surveys.results.description import describe_study
from surveys.results.inspection.verification import STAGE, verify_folder
from surveys.results.numbering import number_release
from surveys.results.public_log import write_public_log
from surveys.results.ratings_table import (
    collect_study,
    list_shortfalls,
    number_annotators,
    refuse_translations,
    scale_of,
    withdrawal_cutoff,
)

if TYPE_CHECKING:
    from postprocess.pipeline import Dataset
    from postprocess.release.assembling import Release as BuiltRelease
    from postprocess.steps.recipe import Recipe

LOG = "log.tsv"
PUBLISHED_NAME = naming.PUBLISHED  # of datasets in the published layout


@dataclass(frozen=True)
class ReleaseOptions:
    """A researcher's choices for a release, other than the recipe.

    `description`: a TOML file with what the site does not know; `n_practice` and `seed`: of the
    practice kit; `complete`: refuse while texts are missing; `has_report`: add the HTML and PDF
    report; `has_log`: add the public log; `ids_of`: an earlier release of the study, whose
    annotator ids are reused; `name`: of the dataset in its files, if not that in the description;
    `withholds_unknown`: mask texts whose licence is not known, too; `accepts_unscored`: leave out
    pairs of which a context has no score, and do not refuse.
    """

    description: bytes = b""
    n_practice: int = 0
    seed: int = 0
    complete: bool = False
    has_report: bool = False
    has_log: bool = False
    ids_of: Release | None = None
    name: str = ""
    withholds_unknown: bool = False
    accepts_unscored: bool = False


def release_dataset(
    study: Study,
    folder: Path,
    recipe: "Recipe",
    options: ReleaseOptions | None = None,
    *,
    number: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    keep: Callable[["BuiltRelease"], None] | None = None,
) -> Release:
    """Write the published files of a study into a folder and, next to it, as a zip file.

    The recipe is applied on the study's scale. `python -m postprocess build` creates the same
    dataset from the files in the folder. The written files are verified: the release stores how
    many figures follow from its ratings, and what differs. `number` is that of the run that makes
    the release, and `keep` receives what the library built. Writes nothing when it raises
    RatingsMissing, StimuliChanged, ReleaseRefused, or SecondLookRefused during a second look.
    """
    from postprocess.release.assembling import Choices, build_release, write_release
    from postprocess.release.withholding import list_withheld
    from postprocess.table.ratings import RatingsError

    options = options or ReleaseOptions()
    key = _choose_key(study, options.ids_of)
    collected_at = withdrawal_cutoff(study)
    refuse_open_look(study)
    collected = number_annotators(collect_study(study))
    try:
        release = build_release(
            collected,
            complete_description(study, options.description, released_on=timezone.now().date()),
            recipe.on_scale(scale_of(study)),
            Choices(
                key,
                n_practice=options.n_practice,
                seed=options.seed,
                complete=options.complete,
                name=options.name or None,
                withheld=list_withheld(unknown=options.withholds_unknown),
                accepts_unscored=options.accepts_unscored,
            ),
            language=study.languages,
            notes=list_shortfalls(study),
            add_files=partial(_add_files, study, options),
        )
        write_release(release, folder)
    except RatingsError as error:
        raise RatingsMissing(str(error)) from error
    except ReleaseError as error:
        raise ReleaseRefused(str(error)) from error
    if keep:
        keep(release)
    if progress:
        progress(STAGE, 0, 1)
    verified = verify_folder(folder)
    with transaction.atomic():
        return Release.objects.create(
            study=study,
            number=number_release(study, number),
            collected_at=collected_at,
            report=release.dataset.report,
            key=key,
            **verified,
        )


def complete_description(
    study: Study, description: bytes, *, released_on: date | None = None
) -> Description:
    """Parse a description and complete it from the database. Raises ReleaseRefused."""
    try:
        given = parse_description(description)
    except DescriptionError as error:
        raise ReleaseRefused(f"The description cannot be used.\n{error}") from error
    return fill_in(given, describe_study(study, released_on=released_on))


def write_form(study: Study, description: bytes = b"") -> str:
    """Return a template of the study's description, with what is known filled in.

    Raises ReleaseRefused for a study of translations.
    """
    refuse_translations(study)
    return render_template(complete_description(study, description), n_texts=study.kind.n_texts)


def describe_release(release: Release) -> str:
    """Return a summary of a release in a few lines."""
    from postprocess.reporting.report import summarise

    return summarise(release.report)


def list_unwritten(release: Release) -> list[str]:
    """Return the texts that are missing in the files of a release, one per line."""
    texts = release.report["to_be_written"]
    return [f"{text['file']}, {text['section']}: {text['what']}" for text in texts]


def _add_files(study: Study, options: ReleaseOptions, dataset: "Dataset") -> dict[str, bytes]:
    """Return the optional files of a release: the report and the log."""
    files = {LOG: write_public_log(study).encode()} if options.has_log else {}
    if not options.has_report:
        return files
    from postprocess.reporting.report_files import render_reports

    return {**files, **render_reports(dataset)}


def _choose_key(study: Study, ids_of: Release | None) -> str:
    if ids_of is None:
        return make_key()
    if ids_of.study_id != study.pk or not ids_of.key:
        raise ReleaseRefused(
            f"The ids of release {ids_of.number} cannot be reused: it belongs to another study, or "
            "was made before releases had keys."
        )
    return ids_of.key
