"""Measure how long the pages of a shared task take when many teams have sent many submissions.

    .venv/bin/python bench/task_pages.py
    .venv/bin/python bench/task_pages.py --cluster postgres://postgres@127.0.0.1:5432

Each size has a fresh site with a shared task of four languages, whose board everybody sees. Each
team has sent 50 submissions of both subtasks, all of them scored, and as many files were refused
as teams. Pages are requested through the WSGI application's middleware and views, by Django's test
client: no network. Printed are for each size the median after a first visit, the mean CPU time,
and the number of queries; for the largest size, what exceeds its aim is marked.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
from databases import fresh_site, settle
from django.db import connection
from serving import run
from workbench import Timing, take, visiting

REPOSITORY = Path(__file__).resolve().parent.parent
DATABASES = {"sqlite": "SQLite", "pg": "PostgreSQL"}
MAX_MILLISECONDS, MAX_QUERIES = 200, 8  # of a page of a board
SLUG, PHASE = "bench", "evaluation"
SIZES = {"en": 340, "fi": 24, "hr": 112, "sl": 111}
N_EACH = 50  # submissions of a team
OPENED = datetime(2026, 1, 1, tzinfo=UTC)
SENT_SPAN = timedelta(days=60)
SCORE = """
INSERT INTO surveys_subtaskscore
  (submission_id, part_id, subtask, scoring_id, score, n, error, low, high, reason, file_sha256)
SELECT submission.id, part.id, subtask.number, scoring.id, 0.5, part.n_pairs, 0.1, 0.3, 0.7, '', ''
FROM surveys_submission submission, surveys_taskpart part, surveys_scoring scoring,
  (SELECT 1 AS number UNION SELECT 2) subtask
"""
PUBLIC = {
    "overview": "",
    "board": "board/{phase}/1/",
    "board, by a language": "board/{phase}/1/?by=fi",
    "board, last page": "board/{phase}/2/?page=9999",
    "board as JSON": "board/{phase}/1/board.json",
    "a result": "results/{code}/",
}
OF_A_TEAM = {
    "home of a team": "team/",
    "submit": "team/submit/",
    "submissions of a team": "team/submissions/",
    "a submission": "team/submissions/{phase}/{number}/",
    "what counts": "team/choice/",
}
OF_ORGANISERS = {
    "organisers: overview": "",
    "organisers: teams": "teams/",
    "organisers: a team": "teams/{team}/",
    "organisers: submissions": "submissions/",
    "organisers: submissions, last page": "submissions/?page=99999",
    "organisers: submissions of a team": "submissions/?team={team}",
    "organisers: by team and day": "submissions/days/",
    "organisers: a submission": "submissions/{pk}/",
    "organisers: scores": "scores/",
}


def fill(n_teams: int) -> None:
    """Make a shared task with teams, and with submissions that are scored."""
    from surveys.models.sharedtasks import Phase, RefusedUpload, Scoring, SharedTask, TaskPart, Team

    shared_task = SharedTask.objects.create(
        slug=SLUG, title="Bench", contact="-", state="open", opened_at=OPENED
    )
    files = {"data": "none", "gold": "none", "data_sha256": "0" * 64, "gold_sha256": "0" * 64}
    for language, n in SIZES.items():
        TaskPart.objects.create(shared_task=shared_task, language=language, n_pairs=n, **files)
    phase = Phase.objects.create(
        shared_task=shared_task, name=PHASE, subtasks=[1, 2], opens_at=OPENED, visibility="board"
    )
    Scoring.objects.create(shared_task=shared_task, number=1, state="current", scorer="1.0")
    names = [f"team{number:04}" for number in range(n_teams)]
    teams = Team.objects.bulk_create(
        Team(shared_task=shared_task, name=name, name_key=name, system=f"System {name}")
        for name in names
    )
    RefusedUpload.objects.bulk_create(
        RefusedUpload(team=team, phase=phase, reasons=[f"results_subtask1_fi.tsv: {k} rows"])
        for k, team in enumerate(teams)
    )
    send(phase, teams)
    with connection.cursor() as cursor:
        cursor.execute(SCORE)
    count(phase, teams)


def send(phase: Any, teams: list[Any]) -> None:
    """Store the submissions of teams."""
    from surveys.models.sharedtasks import Submission

    contents = [
        {"subtask": subtask, "language": language, "n": n, "sha256": "0" * 64, "digest": "0" * 64}
        for subtask in (1, 2)
        for language, n in SIZES.items()
    ]
    step = SENT_SPAN / (N_EACH * len(teams))
    Submission.objects.bulk_create(
        (
            Submission(
                phase=phase, team=team, number=number + 1, state="scored", file="none",
                sent_at=OPENED + step * (number * len(teams) + k), file_sha256="0" * 64,
                digest=f"{k}-{number}", contents=contents,
            )
            for k, team in enumerate(teams)
            for number in range(N_EACH)
        ),
        batch_size=2_000,
    )  # fmt: skip


def count(phase: Any, teams: list[Any]) -> None:
    """Store which submissions count, with scores that differ."""
    from surveys.models.sharedtasks import CountedSubmission, Submission

    rng = random.Random(0)  # noqa: S311 (scores to repeat, not a secret)
    last = dict(Submission.objects.filter(number=N_EACH).values_list("team", "pk"))
    rows = []
    for subtask in (1, 2):
        for team in teams:
            scores = {language: draw_score(rng, n) for language, n in SIZES.items()}
            mean = sum(one["score"] for one in scores.values()) / len(scores)
            rows.append(
                CountedSubmission(
                    phase=phase, subtask=subtask, team=team, submission_id=last[team.pk],
                    scores=scores, average=mean, average_low=mean - 0.1, average_high=mean + 0.1,
                    n_attempts=N_EACH,
                )
            )  # fmt: skip
    CountedSubmission.objects.bulk_create(rows, batch_size=2_000)


def draw_score(rng: random.Random, n: int) -> dict[str, Any]:
    """Return the figures of a score, in all digits."""
    score = rng.uniform(-0.1, 0.9)
    return {
        "score": score, "low": score - rng.uniform(0, 0.2), "high": score + rng.uniform(0, 0.1),
        "pearson": score, "spearman": score, "n": n, "reason": "",
    }  # fmt: skip


def measure(n_visits: int) -> dict[str, Timing]:
    """Visit the pages of a filled site as anybody, as a team, and as an organiser."""
    from django.contrib.auth.models import User
    from django.test import Client

    from surveys.models import LimitedAccount
    from surveys.models.sharedtasks import Organiser, Team, TeamMember
    from surveys.sharedtasks.teams.links import HOME

    team = Team.objects.earliest("pk")
    sent = team.submissions.earliest("sent_at")
    values = {
        "phase": PHASE, "team": team.pk, "pk": sent.pk, "number": sent.number,
        "code": team.counted_submissions.earliest("pk").submission.code,
    }  # fmt: skip
    captain, organiser = (User.objects.create_user(name) for name in ("captain", "organiser"))
    TeamMember.objects.create(
        team=team, shared_task=team.shared_task, is_captain=True,
        participant=LimitedAccount.objects.create(user=captain, home=HOME),
    )  # fmt: skip
    Organiser.objects.create(shared_task=team.shared_task, user=organiser)
    rooms = (
        (f"/tasks/{SLUG}/", PUBLIC, None),
        (f"/tasks/{SLUG}/", OF_A_TEAM, captain),
        (f"/console/shared-tasks/{SLUG}/", OF_ORGANISERS, organiser),
    )
    found = {}
    for start, pages, user in rooms:
        client = Client(SERVER_NAME="127.0.0.1")
        if user:
            client.force_login(user)
        for name, address in pages.items():
            visit = visiting(client, start + address.format(**values))
            visit()
            found[name] = take(visit, n_visits)
    return found


def act(action: str, number: int) -> None:
    """Fill or measure the site of this process's environment."""
    sys.path.insert(0, str(REPOSITORY))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    if action == "fill":
        fill(number)
    else:
        sys.stdout.write(json.dumps(measure(number)))


def visit_site(kind: str, n_teams: int, options: argparse.Namespace) -> dict[str, Timing]:
    """Fill a fresh site on one kind of database, and visit its pages."""
    with fresh_site(kind, options.cluster) as environment:
        own = sys.executable, __file__, "--inside"
        run(*own, "fill", str(n_teams), cwd=REPOSITORY, environment=environment)
        settle(environment["DATABASE_URL"])
        visits = str(options.visits)
        output = run(*own, "measure", visits, cwd=REPOSITORY, environment=environment)
    return {name: (one[0], one[1], one[2]) for name, one in json.loads(output).items()}


def list_rows(found: Mapping[int, Mapping[str, Timing]]) -> Iterator[str]:
    """Yield a row of the table per page, with a cell for each number of teams."""
    largest = max(found)
    for name in found[largest]:
        cells = []
        for size, pages in found.items():
            milliseconds, cpu, n_queries = pages[name]
            exceeds = cpu > MAX_MILLISECONDS or n_queries > MAX_QUERIES
            is_aimed = name.startswith("board") and "JSON" not in name
            mark = " **!**" if size == largest and is_aimed and exceeds else ""
            cells.append(f"{milliseconds:,.0f} ({cpu:,.0f}), {n_queries}{mark}")
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--teams", type=int, nargs="+", default=[10, 2_000])
    add("--visits", type=int, default=9, help="of each page, after the first")
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--inside", nargs=2, metavar=("ACTION", "NUMBER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        act(options.inside[0], int(options.inside[1]))
        return
    sys.stdout.write(f"Load average before: {os.getloadavg()[0]:.2f}\n")
    sys.stdout.write("Milliseconds: median (CPU), queries\n")
    for kind in ["sqlite", "pg"] if options.cluster else ["sqlite"]:
        found = {size: visit_site(kind, size, options) for size in sorted(options.teams)}
        sizes = [f"{size:,} teams, {N_EACH * size:,} submissions" for size in found]
        sys.stdout.write(f"\n| {DATABASES[kind]} | {' | '.join(sizes)} |\n")
        sys.stdout.write(f"| --- |{' ---: |' * len(sizes)}\n")
        sys.stdout.writelines(f"{row}\n" for row in list_rows(found))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
