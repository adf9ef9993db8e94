"""Runs: stored background jobs for results, releases, links, exports and batches."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from postprocess.formats.stimuli import StimuliError
from postprocess.naming import check_name, find_datasets
from postprocess.release.checksums import write_archive
from surveys.access.audit_log import record
from surveys.access.webhooks import store_run_messages
from surveys.errors import GatewayDown, RunRefused, RunTaken, SurveyError
from surveys.models import Batch, Release, Run, RunKind, RunState, Study
from surveys.models.results import RunQuerySet
from surveys.participation.assignments import list_places_left
from surveys.recruitment.links import MOST_INVITED, read_notes, refuse_others_meanwhile
from surveys.results.entries.description import name_dataset
from surveys.results.inspection.plots import count_ratings_by_day, count_ratings_wanted
from surveys.results.jobs import EXPORT_FORMATS, Progress
from surveys.results.numbering import number_run
from surveys.results.ratings_table import (
    collect_study,
    list_shortfalls,
    scale_of,
    withdrawal_cutoff,
)
from surveys.results.release import ReleaseOptions, release_dataset
from surveys.results.run_files import LIST_DROPPED, drop_exports, drop_lists
from surveys.results.run_leases import (
    fail_run,
    lease_duration,
    make_lease,
    release_run,
    renew_lease,
    renewing,
    report_progress,
    requeue,
)

if TYPE_CHECKING:
    from postprocess.steps.recipe import Recipe

Maker = Callable[[Run, Progress], dict[str, Any]]
MAX_RETRIES = 5
FIRST_PAUSE = timedelta(seconds=15)  # doubled each time; in all less than a lease lasts
INTERRUPTED = "It was interrupted. Try again; if that does not help, ask an operator for the log."


@transaction.atomic
def request_results(study: Study, recipe: str, by: User | None) -> Run:
    """Queue a run that post-processes ratings by a recipe, in TOML. Raises RunRefused."""
    return store_request(study, RunKind.RESULTS, read_recipe(study, recipe), by)


@transaction.atomic
def request_release(study: Study, recipe: str, wishes: Mapping[str, Any], by: User | None) -> Run:
    """Queue a run that makes a release; `wishes` are fields of `ReleaseOptions`, `ids_of` an id.

    Raises RunRefused for an invalid recipe or name, or an `ids_of` that is not a release of the
    study.
    """
    if name := wishes.get("name"):
        _refuse_name(name)
    of = wishes.get("ids_of")
    if of and not Release.objects.filter(study=study, pk=of).exists():
        raise RunRefused(f"This study has no release with the id {of}.")
    return store_request(
        study, RunKind.RELEASE, read_recipe(study, recipe), by, wishes=dict(wishes)
    )


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
    wishes = {"count": count} if count else {"notes": listed}
    return store_request(study, RunKind.LINKS, None, by, wishes=wishes)


@transaction.atomic
def request_export(study: Study, form: str, by: User | None) -> Run:
    """Queue a run that exports all responses; an earlier export is deleted. Raises RunRefused."""
    if form not in EXPORT_FORMATS:
        raise RunRefused(f"Responses are exported as {' or '.join(EXPORT_FORMATS)}.")
    run = store_request(study, RunKind.EXPORT, None, by, wishes={"form": form})
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
    verification = store_request(
        release.study, RunKind.VERIFY, None, by, wishes={"release": release.pk}
    )  # locks the study
    same = Run.objects.filter(study=release.study, kind=RunKind.VERIFY).under_way()
    if same.filter(wishes__release=release.pk).exclude(pk=verification.pk).exists():
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
        raise RunRefused("A rehearsal is already in progress. Wait until it is done.")
    return store_request(study, RunKind.REHEARSE, None, by, wishes={"count": count})


@transaction.atomic
def request_batch_work(batch: Batch, kind: RunKind, by: User | None) -> Run:
    """Queue a run that publishes, fetches, pays or stops a batch.

    Raises RunRefused while the same is in progress.
    """
    same = _find_batch_work(batch).filter(kind=kind)
    if kind not in RunKind.of_batches() or any(not is_broken_off(run) for run in same):
        raise RunRefused("This is already in progress. Wait until it is done.")
    return store_request(batch.study, kind, None, by, wishes={"batch": batch.pk})


def is_batch_busy(batch: Batch) -> bool:
    """Return whether a job of a batch is waiting or in progress."""
    return _find_batch_work(batch).exists()


@transaction.atomic
def retry_run(run: Run) -> Run:
    """Queue a run again. Raises RunRefused unless it failed or was interrupted."""
    if run.has_lost_list:
        raise RunRefused(LIST_DROPPED)
    silent = Run.objects.silent(timezone.now() - lease_duration())
    over = (Run.objects.filter(state=RunState.FAILED) | silent).filter(pk=run.pk)
    if not requeue(over, after=timedelta(), error="", n_deaths=0):
        raise RunRefused("Only a run that failed or was interrupted can be retried.")
    record("run.retried", run.study, run.name)
    run.refresh_from_db()
    if run.wishes.pop("n_tries", None):
        run.save(update_fields=["wishes"])
    return run


def perform_run(run_id: int, makers: Mapping[RunKind, Maker]) -> None:
    """Perform a waiting run; if several processes try, one of them does.

    `makers` has for each kind the function that returns the values of the run's fields. Refusals
    of the library or an action are stored as the run's error. If a service is down, the run is
    retried later. A process that is terminated returns the run to the queue.
    """
    drop_lists()
    lease = make_lease()
    begun = Run.objects.filter(pk=run_id, state=RunState.WAITING).update(
        state=RunState.RUNNING, heard_at=timezone.now(), lease=lease
    )
    if not begun:
        return
    run = Run.objects.select_related("study").get(pk=run_id)
    run.lease = lease
    _delete_files(run)  # of a process that was killed
    with _storing_failure(run), renewing(run):
        try:
            _finish(run, **makers[RunKind(run.kind)](run, report_progress(run)))
        except GatewayDown as error:
            if not _postpone(run, str(error)):
                raise


def is_broken_off(run: Run) -> bool:
    """Return whether a run is marked as running but its lease has expired."""
    return run.state == RunState.RUNNING and timezone.now() - run.heard_at > lease_duration()


def read_recipe(study: Study, recipe: str) -> "Recipe":
    """Parse a recipe in TOML, on the study's scale. Raises RunRefused with all errors."""
    from postprocess.steps.recipe import RecipeError, parse_recipe

    try:
        return parse_recipe(recipe.encode()).on_scale(scale_of(study))
    except RecipeError as error:
        raise RunRefused(str(error)) from error


def _refuse_name(name: str) -> None:
    try:
        check_name(name)
    except ValueError as error:
        raise RunRefused(f"The name of the dataset {error}.") from error


def _find_batch_work(batch: Batch) -> RunQuerySet:
    """Return the jobs of a batch that are waiting or in progress."""
    jobs = Run.objects.filter(study=batch.study, kind__in=RunKind.of_batches())
    return jobs.filter(wishes__batch=batch.pk).under_way()


def store_request(
    study: Study, kind: RunKind, recipe: "Recipe | None", by: User | None, **more: Any
) -> Run:
    """Store a job of a kind in its study's queue, with a log entry; locks the study."""
    if recipe:
        more |= {"recipe": recipe.render(), "recipe_name": recipe.name}
    number = number_run(study, kind)
    run = Run.objects.create(study=study, kind=kind, number=number, requested_by=by, **more)
    record(f"{kind.value}.requested", study, run.name, **_name_recipe(run))
    return run


def _name_recipe(run: Run) -> dict[str, str]:
    return {"recipe": run.recipe_name} if run.recipe_name else {}


def make_results(run: Run, progress: Progress) -> dict[str, Any]:
    """Post-process the ratings of a run's study. Raises the library's errors."""
    import pandas as pd

    from postprocess.pipeline import build_dataset
    from postprocess.reporting.bundle import render_reports
    from postprocess.reporting.plots.bundle import draw_plots, write_plots
    from postprocess.steps.recipe import parse_recipe
    from postprocess.steps.stored_runs import write_ledger

    collected_at = withdrawal_cutoff(run.study)
    collected = collect_study(run.study)
    dataset = build_dataset(
        collected.stimuli,
        collected.ratings,
        language=run.study.language,
        recipe=parse_recipe(run.recipe.encode()),
        inputs={},
        checks=collected.checks,
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


def make_release(run: Run, progress: Progress) -> dict[str, Any]:
    """Make the release that a run requests. Raises as `release_dataset` does."""
    from postprocess.release.assembling import Release as BuiltRelease
    from postprocess.steps.recipe import parse_recipe
    from postprocess.steps.stored_runs import write_ledger

    kept: list[BuiltRelease] = []
    fields = dict(run.wishes)
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
            number=run.number, progress=progress, keep=kept.append,
        )  # fmt: skip
        (dataset,) = find_datasets(path.name for path in folder.iterdir())
        name = f"{dataset.name}_{dataset.tag}_{release.number}.zip"
        (packed,) = folder.parent.glob("*.zip")
        archive = packed.read_bytes()
    return {
        "number": release.number,
        "collected_at": release.collected_at,
        "report": release.report,
        "archive": ContentFile(archive, name),
        "ledger": ContentFile(write_ledger(kept[0].dataset.outcome), "ledger.parquet"),
        "release": release,
        "wishes": {**run.wishes, **({"unscored": kept[0].unscored} if kept[0].unscored else {})},
    }


def _finish(run: Run, **made: Any) -> None:
    """Store the results of a run. Raises RunTaken if another process has taken it."""
    renew_lease(run)
    for name, value in made.items():
        if isinstance(value, ContentFile):
            getattr(run, name).save(value.name, value, save=False)
        else:
            setattr(run, name, value)
    run.state, run.stage, run.share_done, run.error = RunState.DONE, "", 100, ""
    run.finished_at = timezone.now()
    with transaction.atomic():
        renew_lease(run)  # no other process takes it before the transaction ends
        run.lease = ""
        run.save()
        record(f"{run.kind}.made", run.study, run.name, **_name_recipe(run))
        store_run_messages(run)


def _postpone(run: Run, reason: str) -> bool:
    """Return a run to the queue with a pause; return False after too many tries."""
    n_tries = run.wishes.get("n_tries", 0) + 1
    if n_tries > MAX_RETRIES:
        return False
    wishes = {**run.wishes, "n_tries": n_tries}
    pause = FIRST_PAUSE * 2 ** (n_tries - 1)
    requeue(Run.objects.held_under(run), after=pause, error=reason, wishes=wishes)
    return True


def _delete_files(run: Run) -> None:
    """Delete the files of an interrupted run, to which nothing refers."""
    storage, folder = run.archive.storage, f"runs/{run.pk}"
    if storage.exists(folder):
        for name in storage.listdir(folder)[1]:
            storage.delete(f"{folder}/{name}")


@contextmanager
def _storing_failure(run: Run) -> Iterator[None]:
    """Mark a run as failed if its work ends early, with the reason if there is one.

    A process that is terminated (SIGTERM to a worker) returns it to the queue instead.
    """
    from postprocess.steps.recipe import RecipeError
    from postprocess.table.ratings import RatingsError

    reason = INTERRUPTED
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        release_run(run)
        raise
    except RunTaken:
        for file in (run.archive, run.ledger):
            if file:
                file.storage.delete(str(file))
    except (SurveyError, RatingsError, RecipeError, StimuliError) as error:
        reason = str(error)
    finally:
        fail_run(run, reason)
