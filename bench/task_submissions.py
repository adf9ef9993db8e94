"""Measure the submissions of a shared task on each database: sending, scoring, boards, finalising.

    .venv/bin/python bench/task_submissions.py
    .venv/bin/python bench/task_submissions.py --databases pg --cluster postgres://postgres@127.0.0.1

The data has the sizes of SemEval-2020 Task 3. Every team sends the files of both subtasks in all
languages: one after another, at random instants of the last minute, and all at once by several
threads; while the last two are sent, another thread scores what arrived. `checks` is how many
submissions were lost, beyond a limit, or not scored: 0 is right. Pages are not measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from typing import Any

import numpy as np
from databases import fresh_database
from reporting import say, table

REPOSITORY = Path(__file__).resolve().parent.parent
SIZES = {"en": 340, "hr": 112, "sl": 111, "fi": 24}
START = datetime(2027, 1, 1, tzinfo=UTC)
END = START + timedelta(days=7)
LAST = END - timedelta(seconds=30)
MINUTE = 60.0
THREADS = 8
N_BOARD_TEAMS = 2_000
COLUMNS = ("database", "check p95 ms", "submit p95 ms", "score s", "last minute p95 ms",
           "at once p95 ms", "all s", "scored s", "checks", "board ms", "queries",
           "finalise s")  # fmt: skip
ROW = (
    "alpha{n}\tbeta{n}\tOnce <strong>alpha{n}</strong> came. <strong>beta{n}</strong> left.\t"
    "Here was <strong>beta{n}</strong>. Then <strong>alpha{n}</strong> lay.\t"
    "alpha{n}\tbeta{n}\talpha{n}\tbeta{n}"
)


def make_task() -> Any:
    """Return an open shared task with data in four languages and a phase."""
    from django.core.files.base import ContentFile

    from postprocess.formats.stimuli import COLUMNS as NAMES
    from surveys.models.sharedtasks import Phase, SharedTask, TaskPart

    shared_task = SharedTask.objects.create(
        slug="bench", title="Bench", contact="-", state="open", opened_at=START,
        requires_description=False,
    )  # fmt: skip
    rng = np.random.default_rng(1)
    for language, n in SIZES.items():
        data = "\n".join(["\t".join(NAMES), *(ROW.format(n=k) for k in range(n))]) + "\n"
        scores = rng.uniform(0, 10, (n, 2)).round(3)
        rows = [f"{a:.3f}\t{b:.3f}\t{b - a:.3f}" for a, b in scores]
        gold = "\n".join(["sim_context1\tsim_context2\tchange", *rows]) + "\n"
        part = TaskPart(shared_task=shared_task, language=language, n_pairs=n)
        part.data_sha256 = part.gold_sha256 = "0" * 64
        part.data.save("data", ContentFile(data.encode()), save=False)
        part.gold.save("gold", ContentFile(gold.encode()), save=False)
        part.save()
    return Phase.objects.create(
        shared_task=shared_task, name="evaluation", subtasks=[1, 2], opens_at=START,
        closes_at=END, attempts_total=9,
    )  # fmt: skip


def make_teams(shared_task: Any, n: int, prefix: str = "team") -> list[Any]:
    """Return new teams of a shared task."""
    from surveys.models.sharedtasks import Team

    names = [f"{prefix}{k:04}" for k in range(n)]
    teams = [Team(shared_task=shared_task, name=name, name_key=name) for name in names]
    return Team.objects.bulk_create(teams)


def draw_files(rng: np.random.Generator) -> list[tuple[str, bytes]]:
    """Return the result files of random predictions."""
    files = []
    for language, n in SIZES.items():
        for subtask, header in ((1, "change"), (2, "sim_context1\tsim_context2")):
            rows = ["\t".join(f"{x:.4f}" for x in row) for row in rng.normal(size=(n, subtask))]
            content = "\n".join([header, *rows]) + "\n"
            files.append((f"results_subtask{subtask}_{language}.tsv", content.encode()))
    return files


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that an action takes, and its result."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def p95(seconds: list[float]) -> float:
    """Return the 95th percentile in milliseconds."""
    return 1000 * quantiles(seconds, n=20)[-1]


@contextmanager
def scoring_beside() -> Iterator[None]:
    """Score what waits in another thread until the context ends."""
    from django.db import connection

    from surveys.sharedtasks.scoring.waiting import score_waiting

    ended = Event()

    def score() -> None:
        while not ended.wait(0.1):
            score_waiting()
        connection.close()

    thread = Thread(target=score)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def measure_one_by_one(phase: Any, teams: list[Any]) -> dict[str, float]:
    """Send one submission of each team, one after another; score them afterwards."""
    from surveys.sharedtasks.scoring.waiting import score_waiting
    from surveys.sharedtasks.submissions import submit
    from surveys.sharedtasks.uploads import check_files

    rng = np.random.default_rng(2)
    checks: list[float] = []
    submits: list[float] = []
    for team in teams:
        files = draw_files(rng)
        seconds, upload = timed(
            lambda team=team, files=files: check_files(team, phase, files, by=None, now=LAST)
        )
        checks.append(seconds)
        submits.append(timed(lambda upload=upload: submit(upload, now=LAST, by=None))[0])
    seconds, n_scored = timed(score_waiting)
    return {"check": p95(checks), "submit": p95(submits), "score": seconds / n_scored}


def measure_crowd(phase: Any, teams: list[Any], within: float) -> dict[str, float]:
    """Send one more submission of each team, by several threads, while others are scored.

    They arrive at random instants of so many seconds, and the time of an answer counts from the
    arrival; with 0 seconds each thread sends as fast as it can.
    """
    from django.db import connection

    from surveys.models.sharedtasks import Submission
    from surveys.sharedtasks.scoring.waiting import count_waiting
    from surveys.sharedtasks.submissions import submit
    from surveys.sharedtasks.uploads import check_files

    def send(number: int, arrived: float | None) -> float:
        began = arrived or time.perf_counter()
        try:
            upload = check_files(teams[number], phase, files[number], by=None, now=LAST)
            submit(upload, now=LAST, by=None)
        finally:
            connection.close()
        return time.perf_counter() - began

    n_before = Submission.objects.count()
    drawn = (np.random.default_rng((int(within), number)) for number in range(len(teams)))
    files = [draw_files(rng) for rng in drawn]
    instants = np.sort(np.random.default_rng(4).uniform(0, within, len(teams)))
    start = time.perf_counter()
    with scoring_beside():
        with ThreadPoolExecutor(THREADS) as senders:
            sent_by = []
            for number, instant in enumerate(instants):
                time.sleep(max(0.0, start + instant - time.perf_counter()))
                sent_by.append(senders.submit(send, number, start + instant if within else None))
            seconds = [future.result() for future in sent_by]
        n_seconds = time.perf_counter() - start
        while count_waiting():
            time.sleep(0.1)
    sent = Submission.objects.all()
    wrong = len(teams) - (sent.count() - n_before)
    wrong += sent.exclude(state="scored").count() + sent.filter(number__gt=9).count()
    scored = time.perf_counter() - start
    return {"p95": p95(seconds), "all": n_seconds, "scored": scored, "wrong": wrong}


def measure_board(phase: Any) -> dict[str, float]:
    """Read a page of the board of many teams from the rows of counted submissions."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from surveys.models.sharedtasks import CountedSubmission

    known = CountedSubmission.objects.filter(phase=phase, subtask=1).first()
    rng = np.random.default_rng(3)
    phase.pk, phase.name = None, "large"
    phase.save()
    rows = [
        CountedSubmission(
            phase=phase, subtask=1, team=team, submission=known.submission, scores=known.scores,
            average=float(rng.uniform()),
        )
        for team in make_teams(phase.shared_task, N_BOARD_TEAMS, "row")
    ]  # fmt: skip
    CountedSubmission.objects.bulk_create(rows)

    def read() -> None:
        found = CountedSubmission.objects.filter(phase=phase, subtask=1)
        found.count()
        list(found.select_related("team", "submission").order_by("-average")[:100])

    with CaptureQueriesContext(connection) as queries:
        read()
    return {"board": 1000 * min(timed(read)[0] for _ in range(5)), "queries": len(queries)}


def measure_finalising(phase: Any) -> dict[str, float]:
    """Make the final boards and the archive."""
    from surveys.sharedtasks.finishing.finalising import finalise

    phase.shared_task.phases.exclude(name="evaluation").delete()
    task = phase.shared_task
    return {"finalise": timed(lambda: finalise(task, lambda *_: None, now=END)())[0]}


def measure(n_teams: int) -> dict[str, float]:
    """Measure everything on a fresh database; runs in a separate process."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    phase = make_task()
    teams = make_teams(phase.shared_task, n_teams)
    measure_one_by_one(phase, make_teams(phase.shared_task, 2, "warm"))  # loads the library
    found = measure_one_by_one(phase, teams)
    minute = measure_crowd(phase, teams, within=MINUTE)
    crowd = measure_crowd(phase, teams, within=0)
    found |= {**crowd, "minute": minute["p95"], "wrong": minute["wrong"] + crowd["wrong"]}
    found |= measure_finalising(phase)
    return found | measure_board(phase)


def run_on(kind: str, cluster: str, n_teams: int) -> dict[str, float]:
    """Measure in a process with a fresh database of a kind."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fresh_database(kind, Path(folder), cluster) as url,
    ):
        environment = {
            **os.environ, "DATABASE_URL": url, "VAR_DIR": folder, "ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "annotation_site.settings", "PYTHONPATH": str(REPOSITORY),
        }  # fmt: skip
        command = [sys.executable, __file__, "--teams", str(n_teams), "--in-process"]
        done = subprocess.run(  # noqa: S603  (this script)
            command, env=environment, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure on each database and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "pg"])
    parser.add_argument("--cluster", default="postgres://postgres@127.0.0.1:5432")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process:
        say(json.dumps(measure(options.teams)))
        return
    names = ("check", "submit", "score", "minute", "p95", "all", "scored", "wrong", "board",
             "queries", "finalise")  # fmt: skip
    rows = []
    for kind in options.databases:
        found = run_on(kind, options.cluster, options.teams)
        rows.append((kind, *(f"{found[name]:.3g}" for name in names)))
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
