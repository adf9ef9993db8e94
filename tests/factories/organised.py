"""Shared tasks with content on every page of their organisers."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from surveys.features import Lane
from surveys.jobs.perform import perform_due
from surveys.sharedtasks.models import SharedTask, Submission
from surveys.sharedtasks.opening import open_task
from surveys.sharedtasks.parts import add_part
from surveys.sharedtasks.phases import add_gwsc_phases
from surveys.sharedtasks.scoring.rescoring import request_rescoring
from surveys.sharedtasks.teams.links import make_link
from surveys.sharedtasks.web.organisers.urls import urlpatterns
from tests.factories.clients import client_of
from tests.factories.sharedtasks import (
    make_shared_task,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)
from tests.factories.task_files import gold_file, part_files

NOW = datetime(2027, 1, 1, 12, tzinfo=UTC)
FLAG = {
    "flag": "zeros",
    "text": "more than half of the predictions are 0",
    "subtask": 1,
    "language": "sl",
    "other": "",
}
TEXT = "Predict how **similar** the words of each pair are *in context*.\n\n- Slovene\n- Finnish"


def page(name: str, *arguments: object) -> str:
    """Return the address of a page of the shared task `gwsc` for its organisers."""
    return reverse(f"organisers:{name}", args=["gwsc", *arguments])


def make_organised() -> list[SharedTask]:
    """Return a draft and an open shared task, which an account called organiser organises."""
    user = User.objects.create_user("organiser")
    return [_make_draft(user), _make_open(user)]


def list_addresses(tasks: list[SharedTask]) -> list[str]:
    """Return the id of a session of the organiser, and the addresses of all pages with content."""
    client = client_of("organiser")
    addresses = [reverse("organisers:tasks"), reverse("organisers:new_task")]
    for shared_task in tasks:
        found = _values_of(shared_task)
        for pattern in urlpatterns:
            wanted = pattern.pattern.converters
            if "slug" in wanted and {*wanted} <= {*found}:
                values = {name: found[name] for name in wanted}
                addresses.append(reverse(f"organisers:{pattern.name}", kwargs=values))
    answers = {one: client.get(one, headers={"host": "127.0.0.1"}) for one in addresses}
    pages = [
        one
        for one, answer in answers.items()
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html")
    ]
    return [client.cookies["sessionid"].value, *pages]


def _values_of(shared_task: SharedTask) -> dict[str, object]:
    """Return the arguments of addresses of a shared task."""
    found: dict[str, object] = {
        "slug": shared_task.slug,
        "language": "sl",
        "name": "evaluation",
        "user_id": shared_task.organisers.first().user_id,
    }
    team = shared_task.teams.filter(submissions__isnull=False).first()
    if team:
        found |= {"team_id": team.pk, "member_id": team.members.first().pk}
        found |= {"submission_id": team.submissions.first().pk, "number": 2}
        found["link_id"] = team.invitations.first().pk
    return found


def _make_draft(user: User) -> SharedTask:
    shared_task = make_shared_task(
        user, slug="draft", title="Similarity of words in two languages", state="draft",
        opened_at=None, text=TEXT, terms="Each person takes part once.",
    )  # fmt: skip
    add_part(shared_task, "sl", part_files(111, 10, reliability=0.841, human=0.77))
    add_part(shared_task, "fi", part_files(24, 5, first=200))
    begin = timezone.now().replace(hour=11, minute=59, second=59, microsecond=0)
    times = (begin + timedelta(days=days) for days in (3, 20, 40))
    add_gwsc_phases(
        shared_task,
        **dict(zip(("practice_opens_at", "opens_at", "closes_at"), times, strict=True)),
        now=timezone.now(),
    )
    return shared_task


def _make_open(user: User) -> SharedTask:
    shared_task = _make_draft_of(user)
    now = timezone.now()
    shared_task = open_task(shared_task, now=now, accepts_probing=True)
    for name in ("Otters", "A team with a rather long name, for tables"):
        team = make_team(shared_task, name, contact="someone@university-of-examples.example.org")
        make_link(team, by=user, now=now, is_captain=True)
        for seed in (1, 2):
            numbers = predictions(seed + team.pk, 30)
            files = [result_file(numbers), result_file(numbers, 2)]
            send(team, shared_task.phases.get(name="evaluation"), files, now=now)
    score_all()
    Submission.objects.filter(number=2).update(flags=[FLAG], note="the second try")
    gold = gold_file(30).replace(b"0\t0\t0\n", b"0\t9\t9\n")
    request_rescoring(shared_task, "two rows were exchanged", gold={"sl": gold}, by=user)
    perform_due(Lane.LONG)  # the site has not submitted baselines yet
    make_team(shared_task, "Badgers", state="pending")
    return shared_task


def _make_draft_of(user: User) -> SharedTask:
    shared_task = make_shared_task(
        user, slug="running", title="Graded similarity", state="draft", opened_at=None, text=TEXT,
        terms="Each person takes part once.",
    )  # fmt: skip
    add_part(shared_task, "sl", part_files(30, 4, first=400))
    now = timezone.now().replace(microsecond=0)
    times = (now + timedelta(days=days) for days in (-3, -2, 40))
    add_gwsc_phases(
        shared_task,
        **dict(zip(("practice_opens_at", "opens_at", "closes_at"), times, strict=True)),
        now=now,
    )
    return shared_task
