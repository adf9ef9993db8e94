"""Verification of releases: whether all figures of their files follow from their ratings."""

import tempfile
from pathlib import Path
from typing import Any

from django.utils import timezone

from postprocess.formats.tabular import render_rows
from surveys.errors import ReleaseRefused, RunRefused
from surveys.jobs.perform import Progress
from surveys.models import Release, Run, RunKind
from surveys.results.inspection.public_page import close_page
from surveys.results.run_inspection import unpack_archive
from surveys.results.run_jobs import makes_run

STAGE = "computing all figures again"
MOST_KEPT = 10_000  # differences; their number is stored in any case
COLUMNS = ("file", "place", "published", "computed")


def verify_folder(folder: Path) -> dict[str, Any]:
    """Compute all figures of a release again from its files, and compare them.

    Returns the fields of a `Release` that hold the result. Raises ReleaseRefused if the files
    lack what is needed.
    """
    from postprocess.release import ReleaseError
    from postprocess.release.description.study import DescriptionError
    from postprocess.release.verification.verifying import verify_release
    from postprocess.steps.recipe import RecipeError
    from postprocess.table.ratings import RatingsError

    try:
        result = verify_release(folder)
    except (ReleaseError, DescriptionError, RecipeError, RatingsError) as error:
        raise ReleaseRefused(f"The files cannot be verified: {error}") from error
    return {
        "verified_at": timezone.now(),
        "n_figures": result.n_figures,
        "n_differences": len(result.differences),
        "differences": [
            [difference.file, difference.place, difference.published, difference.computed]
            for difference in result.differences[:MOST_KEPT]
        ],
        "reservations": list(result.reservations),
    }


@makes_run
def verify_archive(run: Run, progress: Progress) -> dict[str, Any]:
    """Verify the release that a run requests, from its stored archive; close a page that differs.

    Raises RunRefused if the release has been deleted, ReleaseRefused as `verify_folder`.
    """
    release = Release.objects.filter(pk=run.request["release"]).first()
    if release is None:
        raise RunRefused("The release has been deleted.")
    progress(STAGE, 0, 1)
    with tempfile.TemporaryDirectory() as unpacked:
        fields = verify_folder(unpack_archive(release.run, Path(unpacked)))
    Release.objects.filter(pk=release.pk).update(**fields)
    if fields["n_differences"]:
        close_page(release)
    counts = {name: fields[name] for name in ("n_figures", "n_differences")}
    return {"report": {**counts, "n_reservations": len(fields["reservations"])}}


def find_verification(release: Release) -> Run | None:
    """Return the last job that was to verify a release, or None."""
    jobs = Run.objects.filter(study=release.study_id, kind=RunKind.VERIFY)
    return jobs.filter(job__request__release=release.pk).first()


def write_differences(release: Release) -> str:
    """Return the differences of a release as a tab-separated table."""
    return render_rows(COLUMNS, release.differences)


def list_differences(release: Release) -> list[dict[str, str]]:
    """Return the stored differences of a release by the columns of that table."""
    return [dict(zip(COLUMNS, difference, strict=True)) for difference in release.differences]


def name_archive(run: Run) -> str:
    """Return the file name under which the archive of a run or release is downloaded.

    That of a release with differences says so.
    """
    name = str(run.archive).rpartition("/")[2]
    differs = run.release is not None and bool(run.release.n_differences)
    return f"DIFFERS_{name}" if differs else name
