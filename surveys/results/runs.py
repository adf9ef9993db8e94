"""What takes long, made in the background and kept: results and releases, links and exports."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from postprocess.formats.stimuli import StimuliError
from postprocess.release.sealing import write_archive
from surveys.access.audit_log import record
from surveys.access.webhooks import tell_of_run
from surveys.errors import GatewayDown, RunRefused, RunTaken, SurveyError
from surveys.models import Batch, Release, Run, RunKind, RunState, Study
from surveys.recruitment.links import MOST_INVITED, read_notes, refuse_others_meanwhile
from surveys.results.jobs import Tell, read_form
from surveys.results.numbering import number_run
from surveys.results.ratings_table import collect_study, list_shortfalls, note_instant, scale_of
from surveys.results.release import Wishes, release_dataset
from surveys.results.run_files import LIST_DROPPED, drop_exports, drop_lists
from surveys.results.run_leases import (
    fail_run,
    make_lease,
    note_sign_of_life,
    release_run,
    renewing,
    silence,
)

if TYPE_CHECKING:
    from postprocess.steps.recipe import Recipe

Maker = Callable[[Run, Tell], dict[str, Any]]
BETWEEN_SIGNS = timedelta(seconds=1)
MOST_TRIES = 5
FIRST_PAUSE = 15  # seconds, then twice as many each time; in all less than a run may be silent
INTERRUPTED = "It was broken off. Try again; if that does not help, ask an operator for the log."


@transaction.atomic
def request_results(study: Study, recipe: str, by: User | None) -> Run:
    """Put down that a study's ratings are to be post-processed by a recipe, in TOML.

    Raises RunRefused for a recipe that cannot be used.
    """
    return _request(study, RunKind.RESULTS, read_recipe(study, recipe), by)


@transaction.atomic
def request_release(study: Study, recipe: str, wishes: Mapping[str, Any], by: User | None) -> Run:
    """Put down that a release is to be made; `wishes` as `Wishes` has them, `ids_of` a number.

    Raises RunRefused for a recipe, or for a release whose ids are wanted, that cannot be used.
    """
    of = wishes.get("ids_of")
    if of and not Release.objects.filter(study=study, pk=of).exists():
        raise RunRefused(f"This study has no release with the id {of}.")
    return _request(study, RunKind.RELEASE, read_recipe(study, recipe), by, wishes=dict(wishes))


@transaction.atomic
def request_links(
    study: Study,
    by: User | None,
    *,
    n_before: int,
    count: int = 0,
    notes: Iterable[str] = (),
) -> Run:
    """Put down that links are to be made: so many, or one for each of a list.

    Raises InvitationRefused for a list that is wrong, and unless there are as many before as
    somebody counted on; RunRefused while others are being made.
    """
    listed = read_notes(notes) if not count else []
    if count > MOST_INVITED:
        raise RunRefused(f"Up to {MOST_INVITED:,} links can be made at once, not {count:,}.")
    refuse_others_meanwhile(study, n_before)
    if Run.objects.filter(study=study, kind=RunKind.LINKS).under_way().exists():
        raise RunRefused("Links are being made already. Wait until they are there.")
    wishes = {"count": count} if count else {"notes": listed}
    return _request(study, RunKind.LINKS, None, by, wishes=wishes)


@transaction.atomic
def request_export(study: Study, form: str, by: User | None) -> Run:
    """Put down that the answers are to be written to a file; the one before is removed.

    Raises RunRefused for a form that there is not.
    """
    run = _request(study, RunKind.EXPORT, None, by, wishes={"form": read_form(form)})
    drop_exports(study)
    return run


@transaction.atomic
def request_batch_work(batch: Batch, kind: RunKind, by: User | None) -> Run:
    """Put down that a batch is to be published, fetched, paid or stopped.

    Raises RunRefused while the same is under way.
    """
    same = Run.objects.filter(study=batch.study, kind=kind, wishes__batch=batch.pk).under_way()
    if kind not in RunKind.of_batches() or any(not is_broken_off(run) for run in same):
        raise RunRefused("This is under way already. Wait until it is done.")
    return _request(batch.study, kind, None, by, wishes={"batch": batch.pk})


@transaction.atomic
def retry_run(run: Run) -> Run:
    """Put down that a run is to be tried again. Raises RunRefused unless it failed or broke off."""
    if run.has_lost_list:
        raise RunRefused(LIST_DROPPED)
    now = timezone.now()
    if not Run.objects.filter(_is_over(), pk=run.pk).update(
        state=RunState.WAITING,
        error="",
        stage="",
        share_done=0,
        heard_at=now,
        due_at=now,
        lease="",
        n_deaths=0,
    ):
        raise RunRefused("Only a run that failed or was broken off can be tried again.")
    record("run.retried", run.study, run.name)
    run.refresh_from_db()
    if run.wishes.pop("n_tries", None):
        run.save(update_fields=["wishes"])
    return run


def perform_run(run_id: int, makers: Mapping[RunKind, Maker]) -> None:
    """Perform a run that waits, once: of several processes that try, one does it.

    `makers` says for each kind what makes what is stored in the fields of the run.
    What the library or an action refuses is stored as the run's error. Where what the run needs is
    down it waits until later. A process that is asked to end gives the run back.
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
    _remove_files(run)  # of a process that died
    with _keeping_what_goes_wrong(run), renewing(run):
        try:
            _finish(run, **makers[RunKind(run.kind)](run, _tell(run)))
        except GatewayDown as error:
            if not _put_off(run, str(error)):
                raise


def is_broken_off(run: Run) -> bool:
    """Return whether a run has given no sign of life for longer than its lease."""
    return run.state == RunState.RUNNING and timezone.now() - run.heard_at > silence()


def read_recipe(study: Study, recipe: str) -> "Recipe":
    """A recipe in TOML, on the study's scale. Raises RunRefused with all that is wrong."""
    from postprocess.steps.recipe import RecipeError, parse_recipe

    try:
        return parse_recipe(recipe.encode()).on_scale(scale_of(study))
    except RecipeError as error:
        raise RunRefused(str(error)) from error


def _request(
    study: Study, kind: RunKind, recipe: "Recipe | None", by: User | None, **more: Any
) -> Run:
    if recipe:
        more |= {"recipe": recipe.render(), "recipe_name": recipe.name}
    number = number_run(study, kind)
    run = Run.objects.create(study=study, kind=kind, number=number, requested_by=by, **more)
    record(f"{kind.value}.requested", study, run.name, **_name_recipe(run))
    return run


def _name_recipe(run: Run) -> dict[str, str]:
    return {"recipe": run.recipe_name} if run.recipe_name else {}


def _is_over() -> Q:
    silent = Q(heard_at__lt=timezone.now() - silence())
    return Q(state=RunState.FAILED) | (Q(state=RunState.RUNNING) & silent)


def make_results(run: Run, tell: Tell) -> dict[str, Any]:
    """Post-process the ratings of a run's study. Raises what the library refuses."""
    from postprocess.pipeline import build_dataset
    from postprocess.reporting.bundle import render_reports
    from postprocess.steps.recipe import parse_recipe
    from postprocess.steps.stored_runs import write_ledger

    collected_at = note_instant(run.study)
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
        progress=tell,
    )
    tell("drawing the report", 0, 1)
    files = {**dataset.files, **render_reports(dataset)}
    name = f"results_{run.study.slug}_{run.number}"
    archive = write_archive(files, name)
    return {
        "collected_at": collected_at,
        "report": dataset.report,
        "archive": ContentFile(archive, f"{name}.zip"),
        "ledger": ContentFile(write_ledger(dataset.outcome), "ledger.parquet"),
    }


def make_release(run: Run, tell: Tell) -> dict[str, Any]:
    """Make the release that a run asks for. Raises what `release_dataset` does."""
    from postprocess.steps.recipe import parse_recipe

    wanted = dict(run.wishes)
    wishes = Wishes(
        description=wanted.pop("description", "").encode(),
        ids_of=Release.objects.filter(pk=wanted.pop("ids_of", None)).first(),
        **wanted,
    )
    recipe = parse_recipe(run.recipe.encode())
    tell("making the release", 0, 1)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / f"cosimlex_{run.study.language}"
        release = release_dataset(run.study, folder, recipe, wishes, number=run.number)
        (packed,) = folder.parent.glob("*.zip")  # its name says whether it is a rehearsal
        name, archive = f"{packed.stem}_{release.number}.zip", packed.read_bytes()
    return {
        "number": release.number,
        "collected_at": release.collected_at,
        "report": release.report,
        "archive": ContentFile(archive, name),
        "release": release,
    }


def pause_after(n_tries: int) -> int | None:
    """How long to wait for a target that was down so many times; None to give up."""
    return FIRST_PAUSE * 2 ** (n_tries - 1) if n_tries <= MOST_TRIES else None


def _finish(run: Run, **made: Any) -> None:
    """Store what a run made. Raises RunTaken where another process performs it by now."""
    note_sign_of_life(run)
    for name, value in made.items():
        if isinstance(value, ContentFile):
            getattr(run, name).save(value.name, value, save=False)
        else:
            setattr(run, name, value)
    run.state, run.stage, run.error = RunState.DONE, "", ""
    run.finished_at = timezone.now()
    with transaction.atomic():
        note_sign_of_life(run)  # nobody else takes it until the end of the transaction
        run.lease = ""
        run.save()
        record(f"{run.kind}.made", run.study, run.name, **_name_recipe(run))
        tell_of_run(run)


def _put_off(run: Run, reason: str) -> bool:
    """Let a run wait to be tried again; False after too many times."""
    n_tries = run.wishes.get("n_tries", 0) + 1
    pause = pause_after(n_tries)
    if pause is None:
        return False
    now = timezone.now()
    Run.objects.held_under(run).update(
        state=RunState.WAITING, error=reason, wishes={**run.wishes, "n_tries": n_tries}, lease="",
        heard_at=now, due_at=now + timedelta(seconds=pause),
    )  # fmt: skip
    return True


def _remove_files(run: Run) -> None:
    """Remove what an earlier try of a run has written: nothing leads to it."""
    storage, folder = run.archive.storage, f"runs/{run.pk}"
    if storage.exists(folder):
        for name in storage.listdir(folder)[1]:
            storage.delete(f"{folder}/{name}")


@contextmanager
def _keeping_what_goes_wrong(run: Run) -> Iterator[None]:
    """Leave a run whose work ends early failed, with the reason where one was given.

    A process that is told to end (SIGTERM to a worker) leaves it waiting instead.
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


def _tell(run: Run) -> Tell:
    """Return a function that stores how far a run is, about once a second.

    It raises RunTaken where another process performs the run by now.
    """
    told: dict[str, Any] = {"stage": None, "at": None}

    def tell(stage: str, done: int, of: int) -> None:
        now = timezone.now()
        if stage == told["stage"] and now - told["at"] < BETWEEN_SIGNS:
            return
        told.update(stage=stage, at=now)
        note_sign_of_life(run, stage=stage[:40], share_done=100 * done // max(of, 1))

    return tell
