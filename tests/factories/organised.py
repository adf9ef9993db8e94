"""Shared tasks with content on every page of their organisers."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.models.sharedtasks import SharedTask, Submission
from surveys.sharedtasks.opening import open_task
from surveys.sharedtasks.parts import add_part
from surveys.sharedtasks.phases import add_gwsc_phases
from surveys.web.console.sharedtasks.urls import urlpatterns
from tests.factories.sharedtasks import make_shared_task, make_team
from tests.factories.task_files import part_files

TEXT = "Predict how **similar** the words of each pair are *in context*.\n\n- Slovene\n- Finnish"


def make_organised() -> list[SharedTask]:
    """Return a draft and an open shared task, which an account called organiser organises."""
    user = User.objects.create_user("organiser")
    return [_make_draft(user), _make_open(user)]


def list_addresses(tasks: list[SharedTask]) -> list[str]:
    """Return the id of a session of the organiser, and the addresses of all pages with content."""
    client = Client()
    client.force_login(User.objects.get(username="organiser"))
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
    team = shared_task.teams.first()
    if team:
        found |= {"team_id": team.pk, "member_id": team.members.first().pk}
        found["submission_id"] = team.submissions.first().pk
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
    open_task(shared_task, now=now, accepts_probing=True)
    for name in ("Otters", "A team with a rather long name, for tables"):
        team = make_team(shared_task, name, contact="someone@university-of-examples.example.org")
        for number in (1, 2):
            Submission.objects.create(
                phase=shared_task.phases.get(name="evaluation"), team=team, number=number,
                digest=f"{number}" * 64, sent_at=now, file_sha256="0" * 64,
                state=("scored", "failed")[number - 1], state_reason=("", "lost")[number - 1],
                flags=[{"flag": "zeros"}] * (number - 1),
            )  # fmt: skip
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
