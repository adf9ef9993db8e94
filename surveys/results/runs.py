"""Runs: requests for results, releases, links and exports, and how the first two are made."""

import tempfile
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Choices
from django.utils import timezone

from postprocess.naming import check_name, find_datasets
from postprocess.release.checksums import write_archive
from surveys.access.audit_log import record
from surveys.errors import RunRefused
from surveys.jobs.kinds import find_kind
from surveys.jobs.perform import Progress
from surveys.jobs.queue import enqueue, retry
from surveys.models import Job, JobState, Release, Run, RunKind, Study
from surveys.models.study import Centre
from surveys.participation.assignments import list_places_left
from surveys.participation.second_look import refuse_open_look
from surveys.recruitment.links import MOST_INVITED, read_notes, refuse_others_meanwhile
from surveys.results.entries.description import name_dataset
from surveys.results.export_jobs import EXPORT_FORMATS
from surveys.results.inspection.plots import count_ratings_by_day, count_ratings_wanted
from surveys.results.numbering import number_run
from surveys.results.ratings_table import (
    collect_study,
    list_shortfalls,
    refuse_translations,
    scale_of,
    withdrawal_cutoff,
)
from surveys.results.release import ReleaseOptions, release_dataset
from surveys.results.run_files import LIST_DROPPED, drop_exports
from surveys.results.run_jobs import makes_run

if TYPE_CHECKING:
    from postprocess.steps.recipe import Recipe


@transaction.atomic
def request_results(study: Study, recipe: str, by: User | None) -> Run:
    """Queue a run that post-processes ratings by a recipe, in TOML. Raises RunRefused."""
    return store_request(study, RunKind.RESULTS, by, recipe=read_recipe(study, recipe))


@transaction.atomic
def request_release(study: Study, recipe: str, options: Mapping[str, Any], by: User | None) -> Run:
    """Queue a run that makes a release; `options` are fields of `ReleaseOptions`, `ids_of` an id.

    Raises RunRefused for an invalid recipe or name, or an `ids_of` that is not a release of the
    study, SecondLookRefused while a second look is open.
    """
    refuse_open_look(study)
    if name := options.get("name"):
        _refuse_name(name)
    of = options.get("ids_of")
    if of and not Release.objects.filter(study=study, pk=of).exists():
        raise RunRefused(f"This study has no release with the id {of}.")
    recipe_read = read_recipe(study, recipe)
    return store_request(study, RunKind.RELEASE, by, options, recipe=recipe_read)


@transaction.atomic
def request_links(
    study: Study, by: User | None, *, n_before: int, count: int = 0, notes: Iterable[str] = ()
) -> Run:
    """Queue a run that creates `count` links, or one per note.

    Raises InvitationRefused for an invalid list, or if the study does not have `n_before` links;
    RunRefused while another such run is in progress.
    """
    listed = read_notes(notes) if not count else []
    if count > MOST_INVITED:
        raise RunRefused(f"At most {MOST_INVITED:,} links can be created at once, not {count:,}.")
    refuse_others_meanwhile(study, n_before)
    if Run.objects.filter(study=study, kind=RunKind.LINKS).under_way().exists():
        raise RunRefused("Links are already being created. Wait until that is done.")
    return store_request(study, RunKind.LINKS, by, {"count": count} if count else {"notes": listed})


@transaction.atomic
def request_export(study: Study, form: str, by: User | None) -> Run:
    """Queue a run that exports all responses; an earlier export is deleted. Raises RunRefused."""
    if form not in EXPORT_FORMATS:
        raise RunRefused(f"Responses are exported as {' or '.join(EXPORT_FORMATS)}.")
    run = store_request(study, RunKind.EXPORT, by, {"form": form})
    drop_exports(study)
    return run


@transaction.atomic
def request_verification(release: Release, by: User | None) -> Run:
    """Queue a run that verifies a release from its stored archive.

    Raises RunRefused if the site does not keep its files, or during another verification of it.
    """
    run = getattr(release, "run", None)
    if run is None or not run.archive:
        raise RunRefused(
            "This site does not keep the files of the release. Verify them where they are: "
            "python -m postprocess verify."
        )
    request = {"release": release.pk}
    verification = store_request(release.study, RunKind.VERIFY, by, request)  # locks the study
    verifications = Run.objects.filter(study=release.study, kind=RunKind.VERIFY).under_way()
    if verifications.filter(job__request__release=release.pk).exclude(pk=verification.pk).exists():
        raise RunRefused("The release is already being verified. Wait until that is done.")
    return verification


@transaction.atomic
def request_rehearsal(study: Study, count: int, by: User | None) -> Run:
    """Queue a run in which `count` scripted annotators answer, in a draft or an open study.

    Raises RunRefused for more than there are free places, or during another rehearsal.
    """
    if study.is_closed:
        raise RunRefused("The study is closed. Reopen it first.")
    n_places = sum(list_places_left(study).values())
    if not 0 < count <= n_places:
        raise RunRefused(f"{n_places:,} places are free, so at most as many can rehearse.")
    if Run.objects.filter(study=study, kind=RunKind.REHEARSE).under_way().exists():
        raise RunRefused("A rehearsal is already in progress. Wait until it ends.")
    return store_request(study, RunKind.REHEARSE, by, {"count": count})


@transaction.atomic
def retry_run(run: Run) -> Run:
    """Queue a run again. Raises RunRefused unless it failed or was interrupted."""
    if run.has_lost_list:
        raise RunRefused(LIST_DROPPED)
    if not retry(run.job):
        raise RunRefused("Only a run that failed or was interrupted can be retried.")
    record("run.retried", run.study, run.name)
    run.refresh_from_db()
    return run


def retry_job(job: Job) -> None:
    """Queue a job again, whether it makes a run or not. Raises RunRefused unless it failed."""
    if run := Run.objects.filter(job=job).first():
        retry_run(run)
    elif not retry(job):
        raise RunRefused("Only a job that failed or was interrupted can be retried.")
    else:
        record("job.retried", job.study, find_kind(job.kind).label)


def is_broken_off(run: Run) -> bool:
    """Return whether a run is marked as running but its lease has expired."""
    silence = timezone.now() - run.job.heard_at
    return run.state == JobState.RUNNING and silence > timedelta(seconds=settings.JOB_SILENCE)


def read_recipe(study: Study, recipe: str) -> "Recipe":
    """Parse a recipe in TOML, on the study's scale. Raises RunRefused with all errors.

    Rejected answers have no say in a majority. Raises ReleaseRefused for a study of translations.
    """
    from postprocess.designs.design import leave_rejected_out
    from postprocess.steps.recipe import RecipeError, parse_recipe

    refuse_translations(study)
    try:
        read = parse_recipe(recipe.encode()).on_scale(scale_of(study))
    except RecipeError as error:
        raise RunRefused(str(error)) from error
    if study.centre != Centre.MAJORITY:
        return read
    if read.calibration.enabled or read.filtering.enabled:
        raise RunRefused("A majority is neither calibrated nor filtered: choose the recipe raw.")
    return leave_rejected_out(read)


def _refuse_name(name: str) -> None:
    try:
        check_name(name)
    except ValueError as error:
        raise RunRefused(f"The name of the dataset {error}.") from error


def store_request(
    study: Study,
    kind: Choices,
    by: User | None,
    request: Mapping[str, Any] | None = None,
    *,
    recipe: "Recipe | None" = None,
    details: Mapping[str, str] | None = None,
) -> Run:
    """Queue a job of a kind with its run, and log it with these details; locks the study."""
    named = {"recipe": recipe.render(), "recipe_name": recipe.name} if recipe else {}
    number = number_run(study, kind)
    job = enqueue(kind.value, request, scope=f"study:{study.pk}", study=study, by=by)
    run = Run.objects.create(job=job, study=study, kind=kind.value, number=number, **named)
    details = details or ({"recipe": recipe.name} if recipe and recipe.name else {})
    record(f"{kind.value}.requested", study, run.name, **details)
    return run


@makes_run
def make_results(run: Run, progress: Progress) -> dict[str, Any]:
    """Post-process the ratings of a run's study. Raises the library's errors."""
    import pandas as pd

    from postprocess.pipeline import build_dataset
    from postprocess.reporting.plots.plot_files import draw_plots, write_plots
    from postprocess.reporting.report_files import render_reports
    from postprocess.steps.recipe import parse_recipe
    from postprocess.steps.stored_runs import write_ledger

    collected_at = withdrawal_cutoff(run.study)
    collected = collect_study(run.study)
    dataset = build_dataset(
        collected.stimuli,
        collected.ratings,
        language=run.study.languages,
        design=collected.design,
        recipe=parse_recipe(run.recipe.encode()),
        inputs={},
        checks=collected.checks,
        decisions=collected.decisions,
        details=collected.details,
        notes=list_shortfalls(run.study),
        scripted=collected.scripted,
        name=name_dataset(run.study),
        progress=progress,
    )
    progress("drawing the report", 0, 1)
    per_day = pd.Series(count_ratings_by_day(run.study), dtype=int)
    plots = draw_plots(dataset, per_day, count_ratings_wanted(run.study))
    reports = render_reports(dataset, plots)
    files = {**dataset.files, **reports, **write_plots(dataset, plots, reports)}
    name = f"results_{run.study.slug}_{run.number}"
    archive = write_archive(files, name)
    return {
        "collected_at": collected_at,
        "report": dataset.report,
        "archive": ContentFile(archive, f"{name}.zip"),
        "ledger": ContentFile(write_ledger(dataset.outcome), "ledger.parquet"),
    }


@makes_run
def make_release(run: Run, progress: Progress) -> dict[str, Any]:
    """Make the release that a run requests. Raises as `release_dataset` does."""
    from postprocess.release.assembling import Release as BuiltRelease
    from postprocess.steps.recipe import parse_recipe
    from postprocess.steps.stored_runs import write_ledger

    built: list[BuiltRelease] = []
    fields = dict(run.request)
    options = ReleaseOptions(
        description=fields.pop("description", "").encode(),
        ids_of=Release.objects.filter(pk=fields.pop("ids_of", None)).first(),
        **fields,
    )
    recipe = parse_recipe(run.recipe.encode())
    progress("making the release", 0, 1)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "release"
        release = release_dataset(
            run.study, folder, recipe, options,
            number=run.number, progress=progress, keep=built.append,
        )  # fmt: skip
        (dataset,) = find_datasets(path.name for path in folder.iterdir())
        name = f"{dataset.name}_{dataset.tag}_{release.number}.zip"
        (packed,) = folder.parent.glob("*.zip")
        archive = packed.read_bytes()
    unscored = built[0].unscored
    return {
        "number": release.number,
        "collected_at": release.collected_at,
        "report": release.report,
        "archive": ContentFile(archive, name),
        "ledger": ContentFile(write_ledger(built[0].dataset.outcome), "ledger.parquet"),
        "release": release,
        "request": {**run.request, **({"unscored": unscored} if unscored else {})},
    }
