"""Shared tasks: their organisers, the releases that they use, and their background jobs."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from surveys.access.audit_log import SITE, acting, record
from surveys.access.roles import AnyUser, is_limited
from surveys.jobs.queue import enqueue
from surveys.models import Job
from surveys.models.jobs import JobQuerySet
from surveys.results.inspection.guards import Embargo
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    Organiser,
    SharedTask,
    SharedTaskState,
    TaskPart,
    TeamKind,
    TeamState,
    Track,
)
from surveys.sharedtasks.models.tasks import GWSC_TRACKS

RESERVED = frozenset(
    {"new", "sign-in", "sign-out", "invitation", "password", "register", "account"}
)  # addresses that are no shared task
TEXTS = ("text", "terms")  # the log says that they changed, not how
AT_ANY_TIME = ("title", "text", "contact", "contact_days")
UNTIL_FINALISED = (*AT_ANY_TIME, "terms", "registration", "requires_description")
SETTINGS = (*UNTIL_FINALISED, "zone", "names", "required_languages", "best_of", "places")
RESCORE, FINALISE, ARCHIVE = "sharedtasks.rescore", "sharedtasks.finalise", "sharedtasks.archive"
PARTICIPANT = (
    "{} is an account of a participant. Organisers need an account of a researcher, since "
    "organisers do not take part in their own shared tasks."
)


class Step(NamedTuple):
    """The next step: the name of its page, the label of the link to it, and the reason."""

    page: str
    label: str
    reason: str


def organised_tasks(user: AnyUser) -> QuerySet[SharedTask]:
    """Return the shared tasks that a user organises; operators organise all."""
    if not user.is_active:
        return SharedTask.objects.none()
    if getattr(user, "is_superuser", False):
        return SharedTask.objects.all()
    return SharedTask.objects.filter(organisers__user_id=user.pk)


def may_organise(shared_task: SharedTask, user: AnyUser) -> bool:
    """Return whether a user organises a shared task."""
    return organised_tasks(user).filter(pk=shared_task.pk).exists()


def lock_task(shared_task: SharedTask) -> SharedTask:
    """Lock a shared task until the end of the transaction, and return it as it is stored."""
    return SharedTask.objects.select_for_update(no_key=True).get(pk=shared_task.pk)


@transaction.atomic
def make_shared_task(user: User, *, slug: str, title: str, contact: str) -> SharedTask:
    """Create a draft with the subtasks of GWSC, which a user organises.

    Raises SharedTaskRefused for a name that is taken or not possible in an address, and for a
    participant.
    """
    if is_limited(user):
        raise SharedTaskRefused(PARTICIPANT.format(user.get_username()))
    if slug in RESERVED or SharedTask.objects.filter(slug=slug).exists():
        raise SharedTaskRefused(f"The address “{slug}” is taken. Choose another address.")
    shared_task = SharedTask(slug=slug, title=title, contact=contact)
    _check(shared_task)
    shared_task.save()
    Organiser.objects.create(shared_task=shared_task, user=user)
    Track.objects.bulk_create(Track(shared_task=shared_task, **fields) for fields in GWSC_TRACKS)
    record("sharedtask.drafted", shared_task, title=title)
    return shared_task


@transaction.atomic
def configure_task(shared_task: SharedTask, changes: Mapping[str, Any]) -> SharedTask:
    """Change settings of a shared task, given by their names.

    Raises SharedTaskRefused for a value that is not possible, and for a rule that cannot be
    changed now.
    """
    shared_task = lock_task(shared_task)
    before = {name: getattr(shared_task, name) for name in changes}
    changed = {name: value for name, value in changes.items() if value != before[name]}
    if locked := sorted(set(changed) - set(list_changeable(shared_task))):
        names = ", ".join(name.replace("_", " ") for name in locked)
        raise SharedTaskRefused(
            f"These can no longer be changed, since teams rely on them: {names}."
        )
    for name, value in changed.items():
        setattr(shared_task, name, value)
    _check(shared_task)
    if changed:
        shared_task.save(update_fields=list(changed))
        details = {
            name: _describe_value(name, before[name], value) for name, value in changed.items()
        }
        record("sharedtask.configured", shared_task, **details)
    return shared_task


def list_changeable(shared_task: SharedTask) -> tuple[str, ...]:
    """Return the settings that can be changed now: fewer once teams rely on them."""
    if shared_task.state == SharedTaskState.DRAFT:
        return SETTINGS
    return UNTIL_FINALISED if shared_task.state == SharedTaskState.OPEN else AT_ANY_TIME


@transaction.atomic
def add_organiser(shared_task: SharedTask, user: User) -> Organiser:
    """Let a researcher organise a shared task; idempotent.

    Raises SharedTaskRefused for a participant.
    """
    shared_task = lock_task(shared_task)
    if is_limited(user):
        raise SharedTaskRefused(PARTICIPANT.format(user.get_username()))
    organiser, is_new = Organiser.objects.get_or_create(shared_task=shared_task, user=user)
    if is_new:
        record("sharedtask.organiser_added", shared_task, user.get_username())
    return organiser


@transaction.atomic
def remove_organiser(shared_task: SharedTask, user: User) -> None:
    """Remove an organiser; a no-op if it is none. Raises SharedTaskRefused for the only one."""
    shared_task = lock_task(shared_task)
    organisers = Organiser.objects.filter(shared_task=shared_task)
    if not organisers.filter(user=user).exists():
        return
    if organisers.count() == 1:
        raise SharedTaskRefused(
            f"{user.get_username()} is the only organiser. Add another organiser first."
        )
    organisers.filter(user=user).delete()
    record("sharedtask.organiser_removed", shared_task, user.get_username())


def is_any_public() -> bool:
    """Return whether the site has a shared task that everybody may see."""
    return SharedTask.objects.public().exists()


def find_embargoes(releases: Collection[int]) -> dict[int, Embargo]:
    """Return the embargoes of releases whose files hold the gold of unpublished shared tasks."""
    parts = TaskPart.objects.exclude(shared_task__state=SharedTaskState.PUBLISHED)
    rows = parts.filter(release__in=releases).order_by("shared_task")
    titles = defaultdict(list)
    for release, title in rows.values_list("release", "shared_task__title"):
        titles[release].append(f"“{title}”")
    return {
        release: Embargo(
            "holds the gold of a shared task that is not over",
            f"This release holds the hidden scores of the shared task {' and '.join(names)}, which "
            "is not over. Until its results are published, pass on only the folders "
            "data and practice_kit.",
        )
        for release, names in titles.items()
    }


def find_next_step(shared_task: SharedTask, *, now: datetime) -> Step | None:
    """Return the next step, or None if nothing is to be done at present."""
    match shared_task.state:
        case SharedTaskState.DRAFT:
            return _find_step_of_draft(shared_task)
        case SharedTaskState.OPEN:
            return _find_step_when_open(shared_task, now)
        case SharedTaskState.FINALISED:
            return Step("scores", "Publish the results", "The boards are final.")
    return None


def request_job(shared_task: SharedTask, kind: str, by: User | None) -> Job:
    """Queue a job of a locked shared task. Raises SharedTaskRefused while one is under way."""
    if is_busy(shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it ends.")
    return _enqueue(shared_task, kind, by)


def request_new_archive(shared_task: SharedTask, by: User | None) -> None:
    """Queue the making of the archive of a locked shared task, once more if it has begun."""
    _enqueue(shared_task, ARCHIVE, by)


def is_busy(shared_task: SharedTask) -> bool:
    """Return whether a job of a shared task waits or is performed."""
    return find_jobs(shared_task).under_way().exists()


def find_jobs(shared_task: SharedTask) -> JobQuerySet:
    """Return the jobs of a shared task, latest first."""
    return Job.objects.filter(scope=shared_task.scope, kind__in=(RESCORE, FINALISE, ARCHIVE))


def find_shared_task(job: Job) -> SharedTask:
    """Return the shared task of a job."""
    return SharedTask.objects.get(pk=job.request["shared_task"])


def as_requester(job: Job, store: Callable[[], object]) -> Callable[[], None]:
    """Return a function that stores a result and is logged under the requester's name."""

    def store_as_requester() -> None:
        with acting(job.requested_by or SITE):
            store()

    return store_as_requester


def _check(shared_task: SharedTask) -> None:
    """Raise SharedTaskRefused with all fields that cannot be stored."""
    try:
        shared_task.full_clean(validate_unique=False)
    except ValidationError as error:
        problems = [
            f"{name}: {' '.join(texts)}" if name != "__all__" else " ".join(texts)
            for name, texts in error.message_dict.items()
        ]
        raise SharedTaskRefused("\n".join(problems)) from error


def _enqueue(shared_task: SharedTask, kind: str, by: User | None) -> Job:
    scope = shared_task.scope
    key = f"{scope}:archive" if kind == ARCHIVE else scope
    return enqueue(kind, {"shared_task": shared_task.pk}, scope=scope, key=key, by=by)


def _describe_value(name: str, before: object, after: object) -> str:
    if name in TEXTS:
        return "changed"
    return " → ".join(
        ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for value in (before, after)
    )


def _find_step_of_draft(shared_task: SharedTask) -> Step:
    if not shared_task.parts.exists():
        return Step("data", "Add data", "The shared task has no data yet.")
    if not shared_task.phases.exists():
        return Step("phases", "Add phases", "There are no dates yet.")
    if not shared_task.text.strip() or not shared_task.terms.strip():
        return Step("rules", "Write the texts", "The overview or the terms are missing.")
    return Step("opening", "Open the shared task", "See what the data and the limits can show.")


def _find_step_when_open(shared_task: SharedTask, now: datetime) -> Step | None:
    if n_pending := shared_task.teams.filter(state=TeamState.PENDING).count():
        what = "A team waits" if n_pending == 1 else f"{n_pending} teams wait"
        return Step("teams", "See the teams", f"{what} to be accepted.")
    ending = shared_task.phases.exclude(closes_at=None)
    if ending.exists() and not ending.filter(closes_at__gt=now).exists():
        return Step("scores", "Finalise the boards", "All phases that end are over.")
    if not shared_task.teams.filter(kind=TeamKind.TEAM).exists():
        return Step("teams", "Invite teams", "No team takes part yet.")
    return None
