"""Checking the files that a team sends, before it decides to submit them. No gold is read."""

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from surveys.operations.job_process import in_job_process
from surveys.sharedtasks.errors import SharedTaskRefused, UploadRefused
from surveys.sharedtasks.models import (
    Phase,
    PhaseData,
    RefusedUpload,
    Submission,
    TaskPart,
    Team,
    TeamKind,
    Upload,
)
from surveys.sharedtasks.parts import load_data
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.teams.attempts import (
    find_earlier,
    refuse_phase,
    refuse_repeated,
    refuse_team,
)

if TYPE_CHECKING:
    from postprocess.formats.tabular import Finding
    from postprocess.scoring.gold import Part
    from postprocess.scoring.submitted import ResultFile

KEPT = timedelta(days=1)  # checked files
MOST_KEPT = 20  # checked files of a team that were not submitted
MOST_SHOWN = 20  # findings
LARGEST_UPLOAD = 4_000_000  # bytes of all files
NO_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive can have


@dataclass(frozen=True)
class ResultFiles:
    """Result files without errors, packed, and the SHA-256 of all their numbers (`digest`).

    `contents` has a mapping for each file: subtask, language, n, the SHA-256 of the file (`sha256`)
    and of its numbers (`digest`).
    """

    archive: bytes
    digest: str
    contents: list[dict[str, Any]]
    warnings: list[dict[str, Any]]


def check_files(
    team: Team, phase: Phase, sent: Sequence[tuple[str, bytes]], *, by: User | None, now: datetime
) -> Upload:
    """Check files, given by name and content, and keep them for a day, to be submitted or not.

    Raises what `examine_files` raises.
    """
    return keep_files(examine_files(team, phase, sent, now=now), team, phase, by=by)


def examine_files(
    team: Team, phase: Phase, sent: Sequence[tuple[str, bytes]], *, now: datetime
) -> ResultFiles:
    """Check files, given by name and content, without keeping them.

    Raises what `read_sent` raises, and SubmissionRefused for predictions that were submitted
    before, which are counted as refused files, too.
    """
    files = read_sent(team, phase, sent, now=now)
    with _counting_refusals(team, phase):
        refuse_repeated(find_earlier(team, phase, files.digest))
    return files


def read_sent(
    team: Team, phase: Phase, sent: Sequence[tuple[str, bytes]], *, now: datetime
) -> ResultFiles:
    """Return the files that a team sends for a phase, whether or not it has submitted them.

    Raises UploadRefused with all findings, which are counted but are no attempt, and
    SubmissionRefused for a team or at a time that cannot submit.
    """
    refuse_team(team)
    refuse_phase(team, phase, now)
    with _counting_refusals(team, phase):
        return read_files(phase, sent)


def keep_files(files: ResultFiles, team: Team, phase: Phase, *, by: User | None) -> Upload:
    """Keep checked files of a team for a day, to be submitted or not."""
    upload = Upload(
        team=team, phase=phase, sent_by=by, digest=files.digest, contents=files.contents,
        warnings=files.warnings,
    )  # fmt: skip
    upload.file.save("results.zip", ContentFile(files.archive), save=False)
    upload.save()
    drop_uploads(team)
    return upload


@contextmanager
def _counting_refusals(team: Team, phase: Phase) -> Iterator[None]:
    """Count files that are refused within the context, with the first reasons."""
    try:
        yield
    except SharedTaskRefused as refusal:
        reasons = str(refusal).splitlines()[:MOST_SHOWN]
        RefusedUpload.objects.create(team=team, phase=phase, reasons=reasons)
        raise


@in_job_process
def read_files(phase: Phase, sent: Iterable[tuple[str, bytes]]) -> ResultFiles:
    """Return the result files for a phase among files. Raises UploadRefused with all findings."""
    from postprocess.scoring import scoring as library
    from postprocess.scoring.submitted import sort_files

    parts = {part.language: part for part in load_parts(phase)}
    submitted = sort_files(sent, list(parts), [*find_tracks(phase.shared_task).values()])
    refused = [_refuse_subtask(file, phase) for file in submitted.files if _is_other(file, phase)]
    expected = [file for file in submitted.files if not _is_other(file, phase)]
    submitted = submitted._replace(files=expected, findings=[*submitted.findings, *refused])
    required = [language for language in phase.shared_task.required_languages if language in parts]
    baselines = list_baselines(phase.shared_task_id)
    try:
        checked = library.check_submission(submitted, parts, required, baselines=baselines)
    except library.SubmissionRefused as refusal:
        raise _refuse(refusal.findings) from refusal
    contents = [
        {"subtask": place[0], "language": place[1], "n": parts[place[1]].n_pairs,
         "sha256": checked.digests[place], "digest": digest}
        for place, digest in sorted(checked.number_digests.items())
    ]  # fmt: skip
    warnings = [_describe(path, finding) for path, finding in checked.warnings]
    warnings += [{"file": path, "reason": "ignored"} for path in checked.ignored]
    named = {PurePosixPath(file.path).name: file.data for file in expected}
    return ResultFiles(pack_files(named), checked.digest, contents, warnings)


def load_parts(phase: Phase) -> "list[Part]":
    """Return the pairs of a phase by language, without gold."""
    is_practice = phase.data == PhaseData.PRACTICE
    return [
        _load_part(part.pk, (part.practice_data if is_practice else part.data).name, is_practice)
        for part in list_parts(phase)
    ]


@lru_cache(maxsize=32)
def _load_part(part_id: int, name: str | None, practice: bool) -> "Part":
    """Return the pairs of a part; a file of another content has another name."""
    return load_data(TaskPart.objects.get(pk=part_id), practice=practice)


def list_parts(phase: Phase) -> list[TaskPart]:
    """Return the parts that have the data of a phase."""
    parts = TaskPart.objects.filter(shared_task=phase.shared_task_id)
    return list(parts.exclude(practice_data="") if phase.data == PhaseData.PRACTICE else parts)


def list_baselines(shared_task_id: int) -> dict[str, str]:
    """Return the names of the organisers' baselines by the digests of their files' numbers."""
    sent = Submission.objects.filter(
        team__shared_task=shared_task_id, team__kind=TeamKind.BASELINE
    ).attempts()
    rows = sent.values_list("team__name", "contents")
    return {file["digest"]: name for name, contents in rows for file in contents}


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of result files, without folders; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, NO_TIME), files[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def drop_uploads(team: Team | None = None) -> int:
    """Delete checked files after a day, and a team's all but last files; return their number.

    Files that were submitted stay with their submission.
    """
    uploads = Upload.objects.filter(team=team) if team else Upload.objects.all()
    old = uploads.filter(checked_at__lt=timezone.now() - KEPT)
    dropped = set(old.values_list("pk", flat=True))
    if team:
        dropped |= set(uploads.order_by("-pk").values_list("pk", flat=True)[MOST_KEPT:])
    return sum(_drop_upload(pk) for pk in sorted(dropped))


def _drop_upload(pk: int) -> bool:
    """Delete an upload, and its file unless it was submitted."""
    with transaction.atomic():
        upload = Upload.objects.select_for_update().filter(pk=pk).first()
        if upload is None:
            return False
        name, storage = str(upload.file.name), upload.file.storage
        upload.delete()
        if not Submission.objects.filter(file=name).exists():
            transaction.on_commit(lambda: storage.delete(name))
    return True


def _is_other(file: "ResultFile", phase: Phase) -> bool:
    return file.track.number not in phase.subtasks


def _refuse_subtask(file: "ResultFile", phase: Phase) -> "tuple[str, Finding]":
    from postprocess.formats.tabular import Finding, Severity

    what = f"the phase {phase.name} has no subtask {file.track.number}"
    return file.path, Finding(Severity.ERROR, what, advice="leave the file out")


def _describe(path: str, finding: "Finding") -> dict[str, Any]:
    return {"file": path, "row": finding.row, "column": finding.column, "reason": finding.reason}


def _refuse(findings: "Sequence[tuple[str, Finding]]") -> UploadRefused:
    from postprocess.formats.tabular import cut_lines
    from postprocess.scoring.scoring import group_by_file, write_finding

    grouped = group_by_file(findings)
    problems = [
        (path, f.row, f.column, f"{f.reason} (rows {f.rows})" if f.others else f.reason)
        for path, f in grouped[:MOST_SHOWN]
    ]
    lines = cut_lines((write_finding(*finding) for finding in grouped), MOST_SHOWN)
    problems += [("", None, None, more) for more in lines[MOST_SHOWN:]]
    return UploadRefused("\n".join(lines), problems=problems)
