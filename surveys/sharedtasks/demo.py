"""The finished demo shared task: two languages, three invented teams, a published board."""

import io
import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import acting
from surveys.access.roles import DEMONSTRATION
from surveys.models import AuditEntry, Job, Release
from surveys.rehearsal.demo import DEMO_CONTACT
from surveys.rehearsal.finished.study import complete
from surveys.sharedtasks.boards.published import import_board, read_board
from surveys.sharedtasks.final_results.boards import request_finalising
from surveys.sharedtasks.final_results.eligibility import list_unranked
from surveys.sharedtasks.final_results.publishing import publish
from surveys.sharedtasks.models import Phase, SharedTask, Team
from surveys.sharedtasks.opening import open_task
from surveys.sharedtasks.parts import PartFiles, add_part, read_release
from surveys.sharedtasks.phases import add_phase
from surveys.sharedtasks.scoring.baselines import cancel_baselines
from surveys.sharedtasks.scoring.score import SCORE
from surveys.sharedtasks.submissions import submit
from surveys.sharedtasks.tasks import FINALISE, configure_task, find_jobs, is_busy, make_shared_task
from surveys.sharedtasks.teams.description import accept_terms, describe_team
from surveys.sharedtasks.teams.links import invite_team
from surveys.sharedtasks.uploads import check_files

SHARED_TASK = "demo"
FOLDER = settings.BASE_DIR / "demo"
ORGANISERS = "demo-organisers"  # an account without a password
TITLE = "Graded word similarity in Finnish and Slovene (demo)"
EVALUATION = "evaluation"
DAYS = 14  # from the beginning of the evaluation to today
EVALUATION_DAYS = 10
Prediction = Callable[[float, int], float]  # from a score and its number to a predicted score
TEAMS: dict[str, tuple[Prediction, tuple[str, ...]]] = {
    "Otters": (lambda score, k: score + 3 * math.sin(k), ("fi", "sl")),
    "Herons": (lambda score, k: score + 4 * math.sin(2 * k + 1), ("fi", "sl")),
    "Badgers": (lambda score, k: 5 + 4 * math.cos(k) + 0.4 * score, ("sl",)),
}
PUBLISHED = {
    "name": "table-2",
    "title": "An earlier year, subtask 1 (invented)",
    "source": "Marten and Vole (2025), Table 2. An invented paper",
    "text": "An example of a table as a paper printed it.",
}
SYSTEMS = {
    "Otters": ("WhiskerBERT", "Vectors of the two target words, compared in their texts."),
    "Herons": ("Stilt", "Translations of both texts, compared word by word."),
    "Badgers": ("Sett", "A list of synonyms and a dice cup."),
}


def prepare_shared_task() -> SharedTask | None:
    """Create the demo shared task, or complete it; None without the finished demo study."""
    shared_task = SharedTask.objects.filter(slug=SHARED_TASK).first()
    release = Release.objects.filter(study__slug=DEMONSTRATION).exclude(run=None).first()
    if release is None:
        return shared_task
    organisers, _ = User.objects.get_or_create(username=ORGANISERS)
    with acting(organisers):
        shared_task = shared_task or make_task(organisers, release, timezone.now())
        if shared_task.published_at is None:  # it was not taken back
            _finish(shared_task, organisers)
    return SharedTask.objects.get(pk=shared_task.pk)


def describe_demo() -> tuple[str, str, bool]:
    """Return what the demo shared task is, its path, and whether it is published."""
    finished = SharedTask.objects.filter(slug=SHARED_TASK, published_at__isnull=False)
    return "a shared task", reverse("sharedtasks:overview", args=[SHARED_TASK]), finished.exists()


@transaction.atomic
def make_task(organisers: User, release: Release, now: datetime) -> SharedTask:
    """Create a shared task whose evaluation ended some days before an instant."""
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS)
    end = begin + timedelta(days=EVALUATION_DAYS)
    files = {"fi": _read_finnish(), "sl": read_release(release)}
    shared_task = _draft(organisers, files, release)
    _add_phases(shared_task, begin, end)
    open_task(shared_task, now=begin - timedelta(days=7), accepts_probing=True)
    phase = Phase.objects.select_related("shared_task").get(
        shared_task=shared_task, name=EVALUATION
    )
    _date_log(shared_task, begin - timedelta(days=7))
    for number, name in enumerate(TEAMS):
        _take_part(phase, name, files, organisers, begin + timedelta(days=2 + 3 * number))
    # The final boards have the baselines anyway: let none arrive while the boards are made.
    cancel_baselines(phase)
    return shared_task


def _draft(organisers: User, files: dict[str, PartFiles], release: Release) -> SharedTask:
    shared_task = make_shared_task(organisers, slug=SHARED_TASK, title=TITLE, contact=DEMO_CONTACT)
    texts = {
        name: (FOLDER / f"task_{name}.txt").read_text(encoding="utf-8")
        for name in ("text", "terms")
    }
    configure_task(shared_task, texts)
    for language, part_files in files.items():
        add_part(shared_task, language, part_files, release=release if language == "sl" else None)
    table = (FOLDER / "task_published.tsv").read_text(encoding="utf-8")
    import_board(read_board(shared_task, {**PUBLISHED, "table": table}, organisers))
    return shared_task


def _add_phases(shared_task: SharedTask, begin: datetime, end: datetime) -> None:
    """Add an evaluation phase as in SemEval-2020 Task 3, and a post-evaluation phase."""
    both = {"subtasks": [1, 2]}
    evaluation = {"name": EVALUATION, "opens_at": begin, "closes_at": end, "attempts_total": 9}
    after = {
        "name": "post-evaluation", "opens_at": end, "attempts_a_day": 20, "visibility": "board",
    }  # fmt: skip
    for rules in (evaluation, after):
        add_phase(shared_task, {**both, **rules}, now=begin - timedelta(days=7))


def _take_part(
    phase: Phase, name: str, files: dict[str, PartFiles], organisers: User, at: datetime
) -> None:
    """Add a team with a description and one submission."""
    team, _ = invite_team(phase.shared_task, name, by=organisers, now=at)
    accept_terms(team, now=at)
    _describe(team, at)
    languages = TEAMS[name][1]
    sent = [file for code in languages for file in _predict(name, code, files[code].gold)]
    upload = check_files(team, phase, sent, by=None, now=at)
    submit(upload, now=at, by=None)
    complete(Job.objects.filter(scope=phase.shared_task.scope, kind=SCORE))
    _date_log(phase.shared_task, at)


def _describe(team: Team, at: datetime) -> None:
    system, summary = SYSTEMS[team.name]
    fields = {
        "system": system, "summary": summary, "models_used": "none: this team is invented",
        "resources": "none", "contact": DEMO_CONTACT, "publishes_scores": True,
        "publishes_files": True,
    }  # fmt: skip
    describe_team(team, fields, now=at)


def _predict(name: str, language: str, gold: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the result files of a team, made of the gold by a fixed formula."""
    import pandas as pd

    predict = TEAMS[name][0]
    scores = pd.read_csv(io.BytesIO(gold), sep="\t")[["sim_context1", "sim_context2"]]
    predicted = pd.DataFrame(
        [
            [predict(score, 2 * row + column + 1) for column, score in enumerate(pair)]
            for row, pair in enumerate(scores.itertuples(index=False))
        ],
        columns=scores.columns,
    )
    change = (predicted["sim_context2"] - predicted["sim_context1"]).rename("change")
    for subtask, table in ((1, change), (2, predicted)):
        text = table.to_csv(sep="\t", index=False, float_format="%.4f", lineterminator="\n")
        yield f"results_subtask{subtask}_{language}.tsv", text.encode()


def _finish(shared_task: SharedTask, organisers: User) -> None:
    now = timezone.now()
    if not (shared_task.finalised_at or is_busy(shared_task)):
        settled = [entry.key for entry in list_unranked(shared_task, now)]
        request_finalising(shared_task, settled=settled, now=now, by=organisers)
    complete(find_jobs(shared_task).filter(kind=FINALISE))
    publish(shared_task, now)


def _read_finnish() -> PartFiles:
    """Return the Finnish part: the pairs of the demo study and six more, with invented gold."""
    first, more = ((FOLDER / f"{name}_fi.tsv").read_bytes() for name in ("data", "more"))
    _, rows = more.split(b"\n", 1)
    return PartFiles(first + rows, (FOLDER / "task_gold_fi.tsv").read_bytes())


def _date_log(shared_task: SharedTask, at: datetime) -> None:
    """Set the time of the log entries that were just made to an instant in the past."""
    today = timezone.now() - timedelta(days=1)
    AuditEntry.objects.filter(scope=shared_task.scope, at__gt=today).update(at=at)
