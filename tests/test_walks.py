"""The walks through the code that docs/architecture.md shows: each module, in order of entry."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import CO_NEWLOCALS
from types import FrameType

import pytest
from django.core.management import call_command
from django.db.models import F
from django.urls import reverse

from surveys.models import Study
from surveys.participation.answers import record_engagement
from surveys.results.run_inspection import write_recipes
from tests.factories.answers import answer
from tests.factories.arrivals import due, hidden_fields
from tests.factories.boards import make_running, result_file_of
from tests.factories.jobs import perform_all
from tests.factories.sharedtasks import START, score_all, send
from tests.factories.studies import make_study, numbered_stimuli, progress_of, start
from tests.machine import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.needs("sharedtasks")]
PAGE = ROOT / "docs/architecture.md"


def list_shown(heading: str) -> list[str]:
    """Return the modules in the table below a heading of the page."""
    table = (
        PAGE.read_text(encoding="utf-8").partition(f"### {heading}\n")[2].strip().split("\n\n")[0]
    )
    modules = []
    for row in table.splitlines()[2:]:
        folder = ""
        for path in re.findall(r"`([\w/]+)\.py`", row.split("|")[1]):
            folder = path.rpartition("/")[0] or folder
            modules.append(f"{folder}/{path.rpartition('/')[2]}".replace("/", "."))
    return modules


def follow(heading: str, *acts: Callable[[], object]) -> tuple[list[str], list[str]]:
    """Return which shown modules acts enter, in order of their first call, and those shown."""
    shown = list_shown(heading)
    for module in shown:
        import_module(module)  # imports would call, too
    entered: dict[str, None] = {}

    def notice(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_NEWLOCALS:  # no class body
            entered.setdefault(frame.f_globals.get("__name__", ""))

    for act in acts:
        sys.setprofile(notice)
        try:
            act()
        finally:
            sys.setprofile(None)
    return [module for module in entered if module in shown], shown


def test_a_rating_from_its_post_to_a_p_value(client, admin_user):
    study = make_study(n_pairs=6, ratings_per_context=10)
    for _ in range(4):
        answer(start(study))
    last = answer(start(study), [3, 4, 5, 2, 1])
    record_engagement(progress_of(last), "sea", "salt")
    page = due(client, last)
    fields = {**hidden_fields(client.get(page)), "rating": "3"}
    client.force_login(admin_user)
    request = {"recipe": write_recipes()["raw"].replace("pdf = true", "pdf = false")}

    entered, shown = follow(
        "A rating, from its POST to a p-value",
        lambda: client.post(page, fields),
        lambda: client.post(reverse("console:recipe_text", args=[study.slug]), request),
        perform_all,
    )

    assert entered == shown


def test_a_context_from_its_import_to_a_file_of_a_release(client, tmp_path):
    file = tmp_path / "data_en.tsv"
    file.write_bytes(numbered_stimuli(4))
    design = {"study": "study", "language": "en", "ratings_per_context": 2}
    release = {"recipe": "raw", "no_report": True}

    def read_page() -> None:
        Study.objects.update(opened_at=F("created_at"))
        client.get(due(client, start(Study.objects.get())))

    def answer_all() -> None:
        for _ in range(3):
            answer(start(Study.objects.get()))

    entered, shown = follow(
        "A context, from its import to a file of a release",
        lambda: call_command("import_stimuli", file, **design),
        read_page,
        answer_all,
        lambda: call_command("release_dataset", "study", tmp_path / "out", **release),
    )

    assert entered == shown


def test_a_submission_from_its_files_to_the_board(client, time_machine):
    time_machine.move_to(START)
    shared_task = make_running(START)
    phase = shared_task.phases.get(name="practice")
    team = shared_task.teams.get(name="Otters II")
    board = reverse("sharedtasks:board", args=[shared_task.slug, phase.name, 1])
    client.get("/")  # imports URLs

    entered, shown = follow(
        "A submission, from its files to the board",
        lambda: send(team, phase, [result_file_of(1, "fi", 1, 9)]),
        score_all,
        lambda: client.get(board),
    )

    assert entered == shown
