"""The archive of a shared task: everything that is published, as files."""

import zipfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from surveys.sharedtasks.final_results.entries import Results
from surveys.sharedtasks.models import (
    Phase,
    SharedTask,
    Submission,
    SubmissionState,
    Team,
    TeamKind,
    TeamState,
)
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.tracks import has_contexts
from surveys.sharedtasks.scoring.visibility import name_published

if TYPE_CHECKING:
    from postprocess.boards.archive import ArchivedTeam
    from postprocess.boards.board import Board

Boards = Mapping[tuple[Phase, int], "Board"]


def make_archive(
    shared_task: SharedTask, boards: Boards, results: Mapping[Phase, Results], golds: Golds
) -> bytes:
    """Return the archive of a shared task as a zip."""
    from postprocess.boards.archive import Archive, pack_archive, zip_archive
    from postprocess.kits.kit import read_scorer

    gold = {
        language: read_gold_file(part, practice=False, scoring=golds.scoring)
        for language, part in golds.parts.items()
    }
    committed = {
        language: read_gold_file(part, practice=False) for language, part in golds.parts.items()
    }
    overview = reverse("sharedtasks:overview", args=[shared_task.slug])
    archive = Archive(
        shared_task.title,
        boards={f"{phase.name}-{subtask}": board for (phase, subtask), board in boards.items()},
        gold=gold,
        score=read_scorer() if has_contexts(shared_task) else b"",
        text=shared_task.text,
        baselines=_render_baselines(results),
        teams=list(_list_teams(boards)),
        salt=bytes.fromhex(shared_task.salt) if shared_task.commitment else b"",
        commitment=shared_task.commitment,
        committed=committed if committed != gold else {},
        results=f"{settings.SITE_URL}{overview}results/",
    )
    return zip_archive(pack_archive(archive), shared_task.slug)


def drop_archive(shared_task: SharedTask) -> None:
    """Clear the archive of a shared task, which is not saved; delete its file on commit."""
    replaced = shared_task.archive.name, shared_task.archive.storage
    shared_task.archive, shared_task.archive_sha256 = "", ""
    if replaced[0]:
        transaction.on_commit(lambda: replaced[1].delete(str(replaced[0])))


def list_archive(shared_task: SharedTask) -> dict[str, int]:
    """Return the paths of an archive's files, and their sizes in bytes."""
    with shared_task.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
    return {entry.filename.partition("/")[2]: entry.file_size for entry in entries}


def read_archived(shared_task: SharedTask, path: str) -> bytes | None:
    """Return a file of an archive, or None if it has none of this path."""
    with shared_task.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        name = f"{shared_task.slug}/{path}"
        return archive.read(name) if name in archive.namelist() else None


def _render_baselines(results: Mapping[Phase, Results]) -> dict[str, dict[str, bytes]]:
    """Return the result files of the baselines that every board has."""
    from postprocess.baselines.results import render_results

    predicted = next(iter(results.values())).baselines
    return {
        name: {
            path: content
            for (subtask, language), numbers in sorted(places.items(), key=lambda item: item[0])
            if subtask == 2
            for path, content in render_results(numbers, language).items()
        }
        for name, places in predicted.items()
    }


def _list_teams(boards: Boards) -> "Iterator[ArchivedTeam]":
    """Yield the teams on the boards, with the files that they agreed to publish."""
    from postprocess.boards.archive import ArchivedTeam

    codes = {row.result for board in boards.values() for row in board.rows if row.result}
    sent = Submission.objects.filter(code__in=codes, team__kind=TeamKind.TEAM)
    sent = sent.filter(team__state=TeamState.ACCEPTED).exclude(state=SubmissionState.WITHDRAWN)
    by_code = {submission.code: submission for submission in sent.select_related("team")}
    by_team: dict[Team, dict[str, bytes]] = {
        team: {} for team in sorted((s.team for s in by_code.values()), key=lambda t: t.name_key)
    }
    for (phase, subtask), board in boards.items():
        for row in board.rows:
            submission = by_code.get(row.result)
            if submission and submission.team.publishes_files:
                by_team[submission.team] |= {
                    f"{phase.name}-{subtask}/{path}": content
                    for path, content in _read_files(submission, subtask)
                }
    for team, files in by_team.items():
        yield ArchivedTeam(name_published(team), team.code, files, _describe(team))


def _read_files(submission: Submission, subtask: int) -> Iterator[tuple[str, bytes]]:
    with submission.file.open("rb") as file, zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            if name.startswith(f"results_subtask{subtask}_"):
                yield name, archive.read(name)


def _describe(team: Team) -> str:
    """Return what a team wrote about its system, for the archive's README.

    An unfinished description is not published: it may lack the team's consent.
    """
    if team.described_at is None:
        return ""
    texts = (team.system, team.summary, team.models_used, team.resources)
    links = () if team.hides_name else (team.paper_url, team.code_url)  # they may name the team
    return ". ".join(text.strip().rstrip(".") for text in (*texts, *links) if text.strip())
