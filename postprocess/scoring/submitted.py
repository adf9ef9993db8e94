"""Which of the files that a team sends are result files."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from postprocess.foreign import UNPACK, name_foreign
from postprocess.formats.tabular import Finding, Severity
from postprocess.scoring.metrics import GWSC, Track
from postprocess.scoring.predictions import list_endings, name_result_file
from postprocess.unpacking import ARCHIVE, ArchiveRefused, Limits, unpack

IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
LONGEST_NAME = 80  # characters of a file's name in messages
OTHER_ARCHIVES = (".tar", ".tgz", ".gz", ".7z", ".rar", ".bz2", ".xz", ".zst")
RESULT_FILE = re.compile(r"results_subtask\d+_.+\.tsv")
LIMITS = Limits(entries=50, bytes_each=10_000_000, bytes_together=20_000_000, ratio=100)


class ResultFile(NamedTuple):
    """The predictions of one track and language, as they were sent."""

    track: Track
    language: str
    path: str
    data: bytes

    @property
    def ending(self) -> str:
        """How its name ends; see `list_endings`."""
        return PurePosixPath(self.path).suffix


class Submitted(NamedTuple):
    """What was sent: result files, the paths that were ignored, and what is wrong or odd."""

    files: list[ResultFile]
    ignored: list[str]
    findings: list[tuple[str, Finding]]  # with the path, "" for all

    @property
    def errors(self) -> list[tuple[str, Finding]]:
        """The findings for which the files are refused."""
        return [finding for finding in self.findings if finding[1].severity is not Severity.WARNING]


def read_submission(
    paths: Iterable[Path], languages: Sequence[str], tracks: Sequence[Track] = GWSC
) -> Submitted:
    """Read result files, folders and zip archives. Raises OSError."""
    files: list[tuple[str, bytes]] = []
    for path in paths:
        if path.is_dir():
            inner = (file for file in sorted(path.rglob("*")) if file.is_file())
            files += [(file.relative_to(path).as_posix(), file.read_bytes()) for file in inner]
        else:
            files.append((path.name, path.read_bytes()))
    return sort_files(files, languages, tracks)


def sort_files(
    sent: Iterable[tuple[str, bytes]], languages: Sequence[str], tracks: Sequence[Track] = GWSC
) -> Submitted:
    """Return the result files among files, given by their names and contents, and in archives.

    Files and archives beyond `LIMITS` are refused; nothing is written to the disk.
    """
    result = Submitted([], [], [])
    accepted = {
        name_result_file(track.number, language, ending): (track, language)
        for language in languages
        for track in tracks
        for ending in list_endings(track)
    }
    places: dict[tuple[Track, str], str] = {}
    for path, data in _unpack_all(sent, result):
        place = PurePosixPath(path)
        if _is_ignored(path):
            result.ignored.append(path)
        elif place.name not in accepted:
            result.findings.append(_refuse(path, *_name_nearest(place.name, accepted, languages)))
        elif accepted[place.name] in places:
            what = f"{place.name} is there twice: {places[accepted[place.name]]} and {path}"
            result.findings.append(_refuse(path, what, "keep one"))
        else:
            places[accepted[place.name]] = path
            if len(place.parts) > 1:
                what = f"the file is in the folder {place.parent}, not at the top; it is read"
                result.findings.append((path, Finding(Severity.WARNING, what)))
            result.files.append(ResultFile(*accepted[place.name], path, data))
    if not result.files and not result.errors:
        advice = f"name it {next(iter(accepted))}"
        result.findings.append(_refuse("", "no result file was sent", advice))
    result.files.sort(key=lambda file: (file.track.number, file.language, file.path))
    return result


def _unpack_all(
    sent: Iterable[tuple[str, bytes]], result: Submitted
) -> Iterator[tuple[str, bytes]]:
    """Yield the sent files, also from archives; add refusals to a result."""
    for name, data in sent:
        foreign, is_zip = name_foreign(data), name.lower().endswith(".zip")
        is_archive = foreign is not None and foreign.advice == UNPACK
        if name.lower().endswith(OTHER_ARCHIVES) or (is_archive and not data.startswith(ARCHIVE)):
            what = f"{PurePosixPath(name).name[:LONGEST_NAME]} is an archive of another kind"
            result.findings.append(_refuse(name, what, "pack the files as .zip"))
        elif is_zip or is_archive:
            try:
                yield from unpack(data, LIMITS, lambda path: not _is_ignored(path))
            except ArchiveRefused as error:
                what = f"{error.member}: {error.what}" if error.member else error.what
                result.findings.append(_refuse(name, what, error.advice))
        elif len(data) > LIMITS.bytes_each and not _is_ignored(name):
            what = f"the file has {len(data):,} bytes, more than {LIMITS.bytes_each:,}"
            result.findings.append(_refuse(name, what, "send a number for each pair alone"))
        else:
            yield name, data


def _is_ignored(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(part in IGNORED or part.startswith(".") for part in parts)


def _name_nearest(
    name: str, accepted: Collection[str], languages: Sequence[str]
) -> tuple[str, str]:
    """Return that a file has none of the accepted names, and the nearest one as advice.

    The nearest name of a file of another language is of no use: the advice has the languages, too.
    """
    shown = name[:LONGEST_NAME]
    nearest = get_close_matches(shown, list(accepted), n=1, cutoff=0)
    advice = f"did you mean {nearest[0]}?"
    if not name.lower().endswith(".tsv"):
        advice = f"send files such as {nearest[0]}, or pack them as .zip"
    if RESULT_FILE.fullmatch(shown):
        advice += f" The languages are: {', '.join(languages)}"
    return f"{shown} is not the name of a result file", advice


def _refuse(path: str, what: str, advice: str) -> tuple[str, Finding]:
    return path, Finding(Severity.ERROR, what, advice=advice)
