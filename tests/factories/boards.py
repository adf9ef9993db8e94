"""A shared task whose boards have everything: groups, ties, missing cells, rows outside."""

import hashlib
import math
from datetime import datetime, timedelta
from typing import Any

from django.core.files.base import ContentFile

from surveys.sharedtasks.final_results.archive import list_archive
from surveys.sharedtasks.final_results.boards import finalise, request_finalising
from surveys.sharedtasks.final_results.eligibility import list_unranked
from surveys.sharedtasks.final_results.publishing import publish
from surveys.sharedtasks.models import (
    CountedSubmission,
    Phase,
    SharedTask,
    Submission,
    SubtaskScore,
    TaskPart,
    Team,
    TeamKind,
)
from surveys.sharedtasks.parts import STORED
from tests.factories.jobs import perform_by
from tests.factories.kept import kept
from tests.factories.sharedtasks import (
    START,
    make_phase,
    make_shared_task,
    make_team,
    result_file,
    score_all,
    send,
)
from tests.factories.task_files import part_files

END = START + timedelta(days=7)
SIZES = {"fi": 24, "sl": 60}
NOISE = {  # of the predictions of each team; two have the same
    "Otters": 0.5, "Herons": 0.6, "Badgers": 2.5, "Lynxes": 2.5, "Newts": 4, "Stoats": 6,
    "Adders & Asps": 8, "Wolves of the Forest and the Hills": 10, "Storks": 14,
    "Voles": 18, "Moles": 24, "Hares": 30,
}  # fmt: skip
ONE_LANGUAGE = {"Stoats", "Hares"}  # without results in the other one
NOT_DESCRIBED = "Voles"


@kept
def make_contest(
    phase_fields: dict[str, Any] | None = None,
    *,
    start: datetime = START,
    after: str = "",
    **fields: Any,
) -> SharedTask:
    """Return an open shared task with a phase, in which twelve teams and a trial were scored.

    `after` is appended to the names of teams.
    """
    shared_task = make_shared_task(
        text="Predict how **similar** the words are *in context*.", terms="Be *fair*.", **fields
    )
    for first, (language, n) in enumerate(SIZES.items()):
        _make_part(shared_task, language, n, 200 * first + 1)
    times = {"opens_at": start, "closes_at": start + timedelta(days=7)}
    phase = make_phase(shared_task, **{**times, **(phase_fields or {})})
    for number, (name, noise) in enumerate(NOISE.items()):
        team = make_team(shared_task, name + after, **_describe(name))
        _send(team, phase, noise, 1 if noise == NOISE["Badgers"] else number + 1, start)
    trial = make_team(shared_task, f"Trial{after}", kind=TeamKind.TRIAL, **_describe("Trial"))
    _send(trial, phase, 1, 40, start)
    score_all()
    return shared_task


def finish(shared_task: SharedTask, *, now: datetime = END) -> SharedTask:
    """Make the boards of a shared task final, and publish them."""
    settled = {one.key for one in list_unranked(shared_task, now)}
    job = request_finalising(shared_task, settled=settled, by=None, now=now)
    job = perform_by(lambda _, done: finalise(shared_task, done, now=now), job)
    assert job.error == ""
    return publish(shared_task, now)


@kept
def make_published() -> SharedTask:
    """Return a shared task whose final boards are published, with the rows of `make_contest`."""
    published = finish(make_contest())
    assert any(path.endswith(".svg") for path in list_archive(published))
    return published


def make_public(start: datetime) -> list[str]:
    """Return the addresses of all kinds of public pages of a finished and a running shared task.

    The first has sent its results a fortnight after `start`.
    """
    done = finish(make_contest(start=start, slug="done", title="Graded similarity in context"),
                  now=start + timedelta(days=14))  # fmt: skip
    make_running(start)
    results = Submission.objects.filter(phase__shared_task=done)
    wanted = [results.get(team__name=name) for name in ("Otters", "Stoats")]
    return [
        "/tasks/", "/tasks/done/", "/tasks/under-way/", "/tasks/done/board/evaluation/1/",
        "/tasks/done/board/evaluation/2/", "/tasks/done/board/evaluation/1/?by=sl",
        "/tasks/under-way/board/practice/1/", "/tasks/done/archive/",
        *(f"/tasks/done/results/{one.code}/" for one in wanted),
    ]  # fmt: skip


def make_running(start: datetime) -> SharedTask:
    """Return a shared task with a phase that has a board without an end, and one to come."""
    running = make_contest(
        {"name": "practice", "visibility": "board", "closes_at": None, "attempts_total": None},
        start=start, slug="under-way", title="Graded similarity, once more", names="codes",
        after=" II",
        commitment="c" * 64,
    )  # fmt: skip
    later = start + timedelta(days=365)
    make_phase(running, opens_at=later, closes_at=later + timedelta(days=14))
    return running


def disturb_intervals() -> None:
    """Replace all that is stored of hidden gold but scores: intervals, errors and correlations."""
    other = {"low": 0.0123, "high": 0.9876, "pearson": 0.4567, "spearman": 0.5432}
    SubtaskScore.objects.update(**other, error=0.3456)
    for row in CountedSubmission.objects.all():
        row.scores = {language: {**one, **other} for language, one in row.scores.items()}
        row.average_low, row.average_high = 0.0123, 0.9876
        row.save()


def make_gold(n: int) -> list[tuple[float, float]]:
    """Return the gold scores of `part_files`."""
    return [(k % 10, (k % 10 * 7) % 10) for k in range(n)]


def _make_part(shared_task: SharedTask, language: str, n: int, first: int) -> None:
    files = part_files(n, 4, first)
    contents = {name: getattr(files, name) for name in STORED}
    stored = {name: ContentFile(content, name) for name, content in contents.items()}
    digests = {
        f"{name}_sha256": hashlib.sha256(contents[name]).hexdigest() for name in ("data", "gold")
    }
    TaskPart.objects.create(
        shared_task=shared_task, language=language, n_pairs=n, n_practice=4, reliability=0.8,
        human=0.75, **stored, **digests,
    )  # fmt: skip


def _describe(name: str) -> dict[str, Any]:
    if name == NOT_DESCRIBED:
        return {}
    return {
        "system": f"{name.split()[0].lower()}-bert",
        "summary": f"We, the {name}, average *layers*.",
        "models_used": "XLM-R large",
        "resources": "none",
        "paper_url": f"https://example.org/{name.split()[0]}",
        "publishes_scores": True,
        "publishes_files": True,
        "described_at": START,
    }


def _send(team: Team, phase: Phase, noise: float, seed: int, now: datetime) -> Submission:
    languages = ["sl"] if team.name.split()[0] in ONE_LANGUAGE else list(SIZES)
    files = [
        result_file_of(subtask, language, noise, seed)
        for subtask in phase.subtasks
        for language in languages
    ]
    return send(team, phase, files, now=now)


def result_file_of(subtask: int, language: str, noise: float, seed: int) -> tuple[str, bytes]:
    """Return a result file with the gold of a part and noise."""
    scores = [
        tuple(one + noise * math.sin(seed * (2 * k + c + 1)) for c, one in enumerate(both))
        for k, both in enumerate(make_gold(SIZES[language]))
    ]
    if subtask == 1:
        return result_file((two - one for one, two in scores), 1, language)
    rows = "".join(f"{one}\t{two}\n" for one, two in scores)
    header = "sim_context1\tsim_context2\n"
    return f"results_subtask2_{language}.tsv", (header + rows).encode()
