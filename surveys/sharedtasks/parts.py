"""The parts of a shared task: test data, gold and practice pairs of each language."""

import hashlib
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.fields.files import FieldFile

from surveys.access.audit_log import record
from surveys.access.roles import AnyUser, Right
from surveys.errors import RunRefused
from surveys.models import Release, Run
from surveys.models.study import validate_language
from surveys.operations.job_process import in_job_process
from surveys.results.run_inspection import restore_run
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import SharedTask, SharedTaskState, TaskPart
from surveys.sharedtasks.scoring.tracks import find_tracks, has_contexts
from surveys.sharedtasks.tasks import lock_task
from surveys.study.languages import PAIR

if TYPE_CHECKING:
    from postprocess.scoring.gold import Part
    from postprocess.scoring.metrics import Track

MASKED = "rebuild.py"  # in releases with texts that may not be published
PRACTICE = "practice"
MOST_LISTED = 20  # problems of a file
LARGEST_FILE = 20_000_000  # bytes
TOLERANCE = 0.01  # of a change, in parts of the largest score: each score has three digits
STORED = ("data", "gold", "practice_data", "practice_gold")
IN_RELEASE = {
    "data": r"data/data_[^/]+\.tsv",
    "gold": r"gold/gold_[^/]+\.tsv",
    "practice_data": r"practice_kit/data_[^/]+\.tsv",
    "practice_gold": r"practice_kit/gold_[^/]+\.tsv",
    "instructions": r"texts/instructions_\d+\.md",
    "scores": r"scores\.tsv",
}


@dataclass(frozen=True)
class PartFiles:
    """The contents of a part's files; practice files may be empty.

    `instructions`: what annotators read; `reliability` and `human`: see `TaskPart`.
    """

    data: bytes
    gold: bytes
    practice_data: bytes = b""
    practice_gold: bytes = b""
    instructions: str = ""
    reliability: float | None = None
    human: float | None = None


def load_data(part: TaskPart, *, practice: bool) -> "Part":
    """Return a part's pairs without the gold, which is NaN: what checking results needs."""
    import numpy as np

    from postprocess.formats.stimuli import read_rows
    from postprocess.scoring.gold import Part, read_items

    data, tracks = read_data_file(part, practice=practice), find_tracks(part.shared_task)
    words: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()
    if has_contexts(part.shared_task):
        words = tuple((row[0], row[1]) for row in read_rows(data))
    else:
        ids, _ = read_items(data)
    missing = np.full(len(words or ids), np.nan)
    columns = {column: missing for track in tracks.values() for column in track.columns}
    return Part(part.name, columns, "", words, ids)


def read_data_file(part: TaskPart, *, practice: bool) -> bytes:
    """Return the content of a part's file with test or practice data."""
    return _read(part.practice_data if practice else part.data)


def list_usable_releases(user: AnyUser) -> QuerySet[Release]:
    """Return the releases whose files a user may download, and whose archive is kept."""
    rows = Release.objects.exclude(run=None).exclude(run__archive="")
    if not getattr(user, "is_superuser", False):
        roles = [str(role) for role in Right.WORK.value]
        rows = rows.filter(study__memberships__user=user.pk, study__memberships__role__in=roles)
    return rows.select_related("study", "run").without_report().defer("differences")


@in_job_process
def read_release(release: Release) -> PartFiles:
    """Return the files of a part in a release's archive, with its reliability and human figure.

    Raises SharedTaskRefused for a release without an archive, or with masked texts.
    """
    run = getattr(release, "run", None)
    if run is None or not run.archive:
        raise SharedTaskRefused(
            f"The files of {release.name} are not kept on this site. Upload them instead."
        )
    members = _read_archive(run)
    if MASKED in members:
        raise SharedTaskRefused(
            f"{release.name.capitalize()} masks texts whose licence does not allow publishing, so "
            "that teams could not read them. If teams may have the texts, upload the files instead."
        )
    files = {name: _find(members, pattern) for name, pattern in IN_RELEASE.items()}
    if not files["data"] or not files["gold"]:
        raise SharedTaskRefused(f"{release.name.capitalize()} has no data or no gold.")
    return PartFiles(
        files["data"],
        files["gold"],
        files["practice_data"],
        files["practice_gold"],
        instructions=files["instructions"].decode("utf-8", "replace"),
        reliability=_measure_reliability(files["scores"]),
        human=_measure_human(run, _count(files["data"])),
    )


def list_parts(shared_task: SharedTask) -> list[TaskPart]:
    """Return the parts, each with `n_withdrawn_since`: people who withdrew after its release."""
    parts = list(shared_task.parts.select_related("release__study"))
    releases: Any = Release.objects.filter(pk__in=[part.release_id for part in parts])
    counted = releases.with_withdrawn_since().values_list("pk", "n_withdrawn_since")
    withdrawn = dict(counted)
    for part in parts:
        part.n_withdrawn_since = withdrawn.get(part.release_id, 0)  # type: ignore[attr-defined]
    return parts


@transaction.atomic
def add_part(
    shared_task: SharedTask, language: str, files: PartFiles, *, release: Release | None = None
) -> TaskPart:
    """Add the data of a language, or of a pair such as en-ar, to a draft; the files are copied.

    Raises SharedTaskRefused with all that is wrong with the files, and if there is a part for the
    language already.
    """
    shared_task = _lock_draft(shared_task)
    first, second = _split_languages(language)
    if shared_task.parts.filter(name=language).exists():
        raise SharedTaskRefused(f"There is a part for {language} already. Remove it first.")
    n_pairs, n_practice = _check_files(shared_task, language, files)
    part = TaskPart(
        shared_task=shared_task,
        language=first,
        language2=second,
        release=release,
        n_pairs=n_pairs,
        n_practice=n_practice,
        data_sha256=hashlib.sha256(files.data).hexdigest(),
        gold_sha256=hashlib.sha256(files.gold).hexdigest(),
        instructions=files.instructions,
        reliability=files.reliability,
        human=files.human,
    )
    for name in STORED:
        if content := getattr(files, name):
            getattr(part, name).save("file", ContentFile(content), save=False)
    part.save()
    details: dict[str, Any] = {"n_pairs": n_pairs, "n_practice": n_practice}
    if release:
        details["release"] = f"{release.name} of {release.study.slug}"
    record("sharedtask.part_added", shared_task, language, **details)
    return part


@transaction.atomic
def remove_part(part: TaskPart) -> None:
    """Remove a language and its files from a draft. Raises SharedTaskRefused once it is open."""
    shared_task = _lock_draft(part.shared_task)
    files = [getattr(part, name) for name in STORED]
    stored = [(file.storage, file.name) for file in files if file]
    language = part.name
    part.delete()
    for storage, name in stored:
        transaction.on_commit(partial(storage.delete, name))
    record("sharedtask.part_removed", shared_task, language)


def _lock_draft(shared_task: SharedTask) -> SharedTask:
    shared_task = lock_task(shared_task)
    if shared_task.state != SharedTaskState.DRAFT:
        raise SharedTaskRefused(
            "The shared task is open, so its data stays as it is. Wrong scores can be corrected."
        )
    return shared_task


def _split_languages(name: str) -> tuple[str, str]:
    """Return the languages in the name of a part, "" for none. Raises SharedTaskRefused."""
    pair = PAIR.fullmatch(name)
    if pair and pair[1] == pair[2]:
        raise SharedTaskRefused(f"Both languages are {pair[1]}. Write {pair[1]} alone.")
    try:
        for tag in pair.groups() if pair else (name,):
            validate_language(tag)
    except ValidationError as error:
        raise SharedTaskRefused(" ".join(error.messages)) from error
    return (pair[1], pair[2]) if pair else (name, "")


@in_job_process
def _check_files(shared_task: SharedTask, language: str, files: PartFiles) -> tuple[int, int]:
    """Return the numbers of test and practice pairs. Raises SharedTaskRefused."""
    tracks = [*find_tracks(shared_task).values()]
    problems = list(_list_problems(tracks, language, "test", files.data, files.gold))
    has_practice = bool(files.practice_data or files.practice_gold)
    if has_practice:
        practice = files.practice_data, files.practice_gold
        problems += _list_problems(tracks, language, PRACTICE, *practice)
    if not problems:
        problems += _list_shared(shared_task, files)
    if problems:
        raise SharedTaskRefused("\n".join(line[:1].upper() + line[1:] for line in problems))
    return _count(files.data), _count(files.practice_data) if has_practice else 0


def _list_problems(
    tracks: "list[Track]", language: str, kind: str, data: bytes, gold: bytes
) -> Iterator[str]:
    """Yield what is wrong with the files of test or practice pairs."""
    from postprocess.formats.files import GOLD_COLUMNS
    from postprocess.formats.kinds import CANONICAL, recognise_kind
    from postprocess.formats.stimuli import COLUMNS, parse_stimuli
    from postprocess.formats.tabular import cut_lines, group_findings
    from postprocess.scoring.gold import GoldError, check_gold, make_part

    is_of_contexts = all(track.is_of_contexts for track in tracks)
    by_id = ("id", *(column for track in tracks for column in track.columns)), ("id",)
    names = (f"the gold of the {kind} data", f"the {kind} data")
    sizes = dict(zip(names, (len(gold), len(data)), strict=True))
    if missing := [name for name, size in sizes.items() if not size]:
        yield from (f"{name} is missing; give its file" for name in missing)
        return
    if large := [name for name, size in sizes.items() if size > LARGEST_FILE]:
        yield from (f"{name} has more than 20 MB" for name in large)
        return
    expected = (GOLD_COLUMNS, COLUMNS) if is_of_contexts else by_id
    for name, content, columns in zip(names, (gold, data), expected, strict=True):
        if (recognise_kind(content, columns) or CANONICAL) != CANONICAL:  # teams get it as it is
            yield f"{name} must be tab-separated UTF-8 without quotation marks; save it so"
            return
    if is_of_contexts and (errors := parse_stimuli(data).errors):
        yield from (f"{names[1]}, {finding}" for finding in cut_lines(group_findings(errors)))
        return
    try:
        part = make_part(language, gold, data, tracks, names=names)
        check_gold(part, tracks, is_practice=kind == PRACTICE)
    except GoldError as error:
        yield from str(error).splitlines()[:MOST_LISTED]
        return
    if is_of_contexts:
        yield from _list_odd_changes(names[0], part)


def _list_odd_changes(name: str, part: "Part") -> Iterator[str]:
    """Yield the first change that is not the difference of its scores, such as a negated one."""
    import numpy as np

    from postprocess.formats.files import GOLD_COLUMNS

    first, second, change = (part.columns[name] for name in GOLD_COLUMNS)
    largest = max(1.0, float(np.abs([first, second]).max()))
    far = np.abs(second - first - change) > TOLERANCE * largest
    if far.any():
        row = int(np.flatnonzero(far)[0]) + 1
        yield (
            f"{name}, row {row}: the change is not the difference between the contexts; write "
            "sim_context2 − sim_context1"
        )


def _list_shared(shared_task: SharedTask, files: PartFiles) -> Iterator[str]:
    """Yield the overlaps of practice pairs and test data, of all parts."""
    from postprocess.release import ReleaseError
    from postprocess.release.practice import check_disjoint

    tests = {"the test data": files.data}
    practices = {"the practice data": files.practice_data} if files.practice_data else {}
    for part in shared_task.parts.all():
        tests[f"the test data of {part.name}"] = read_data_file(part, practice=False)
        if part.n_practice:
            name = f"the practice data of {part.name}"
            practices[name] = read_data_file(part, practice=True)
    contents = tests | practices
    if not has_contexts(shared_task):
        rows = {
            name: {line.partition(b"\t")[2] for line in content.splitlines()[1:]} - {b""}
            for name, content in contents.items()
        }
        for one, two in product(practices, tests):
            if n_shared := len(rows[one] & rows[two]):
                yield f"{one} shares {n_shared:,} rows with {two}"
        return
    for practice in practices:
        for test in tests:
            try:
                check_disjoint(contents, test, practice)
            except ReleaseError as error:
                shared = "; ".join(str(error).splitlines()[1:])
                yield f"{practice} shares pairs or texts with {test}: {shared}"


def _read_archive(run: Run) -> dict[str, bytes]:
    """Return the files of a release's archive that a part needs, by their path in the release."""
    pattern = re.compile("|".join((*IN_RELEASE.values(), re.escape(MASKED))))
    with run.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        paths = {name.partition("/")[2]: name for name in archive.namelist()}
        return {path: archive.read(name) for path, name in paths.items() if pattern.fullmatch(path)}


def _find(members: Mapping[str, bytes], pattern: str) -> bytes:
    """Return the content of the last file whose path matches a pattern, or empty bytes."""
    paths = sorted(path for path in members if re.fullmatch(pattern, path))
    return members[paths[-1]] if paths else b""


def _measure_reliability(scores: bytes) -> float | None:
    """Return R of the changes of the test pairs, from the release's `scores.tsv`."""
    from postprocess.statistics.agreement.reliability import change_reliability_from_scores
    from postprocess.steps.stored_runs import read_scores

    if not scores:
        return None
    reliability = change_reliability_from_scores(read_scores(scores))
    return reliability if math.isfinite(reliability) and reliability > 0 else None


def _measure_human(run: Run, n_pairs: int) -> float | None:
    """Return the agreement of one person with the others on the test pairs, if it is defined."""
    from postprocess.statistics.agreement.by_group import agreement_table

    if not run.ledger:
        return None
    try:
        used = restore_run(run).used
    except RunRefused:
        return None
    ratings = used[used["pair"] <= n_pairs]
    table = agreement_table(ratings, by=(), figures=["human"], n_resamples=0)
    human = float(table["human"].iloc[-1])
    return human if math.isfinite(human) else None


def _count(data: bytes) -> int:
    """Return the number of rows below the header, which were checked."""
    from postprocess.formats.tabular import split_plain

    return len(split_plain(data).rows) - 1


def _read(stored: FieldFile) -> bytes:
    with stored.open("rb") as file:
        return bytes(file.read())
