"""Which of the files that a team sends are result files."""

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from postprocess.formats.tabular import Finding, Severity
from postprocess.scoring.figures import Subtask

IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
MOST_FILES = 1_000
LARGEST = 50_000_000  # bytes of all files


class ResultFile(NamedTuple):
    """The predictions of one subtask and language, as they were sent."""

    subtask: Subtask
    language: str
    path: str
    data: bytes


class Submitted(NamedTuple):
    """What was sent: result files, the paths that were ignored, and what is wrong or odd."""

    files: list[ResultFile]
    ignored: list[str]
    findings: list[tuple[str, Finding]]  # with the path, "" for all

    @property
    def errors(self) -> list[tuple[str, Finding]]:
        """The findings for which the files are refused."""
        return [one for one in self.findings if one[1].severity is not Severity.WARNING]


def read_submission(paths: Iterable[Path], languages: Sequence[str]) -> Submitted:
    """Read result files, folders and zip archives. Raises OSError."""
    found: list[tuple[str, bytes]] = []
    for path in paths:
        if path.is_dir():
            inner = (one for one in sorted(path.rglob("*")) if one.is_file())
            found += [(one.relative_to(path).as_posix(), one.read_bytes()) for one in inner]
        else:
            found.append((path.name, path.read_bytes()))
    return sort_files(found, languages)


def sort_files(sent: Iterable[tuple[str, bytes]], languages: Sequence[str]) -> Submitted:
    """Return the result files among files, given by their names and contents, and in archives."""
    result = Submitted([], [], [])
    try:
        members = [member for name, data in sent for member in _unpack(name, data)]
    except zipfile.BadZipFile as error:
        result.findings.append(_refuse("", f"the archive cannot be read: {error}", "pack it again"))
        return result
    accepted = {
        f"results_subtask{subtask}_{language}.tsv": (subtask, language)
        for language in languages
        for subtask in Subtask
    }
    places: dict[str, str] = {}
    for path, data in members:
        place = PurePosixPath(path)
        if any(part in IGNORED or part.startswith(".") for part in place.parts):
            result.ignored.append(path)
        elif place.name not in accepted:
            result.findings.append(_refuse(path, *_name_nearest(place.name, accepted)))
        elif place.name in places:
            what = f"{place.name} is there twice: {places[place.name]} and {path}"
            result.findings.append(_refuse(path, what, "keep one"))
        else:
            places[place.name] = path
            if len(place.parts) > 1:
                what = f"the file is in the folder {place.parent}, not at the top; it is read"
                result.findings.append((path, Finding(Severity.WARNING, what)))
            result.files.append(ResultFile(*accepted[place.name], path, data))
    if not result.files and not result.errors:
        advice = f"name it {next(iter(accepted))}"
        result.findings.append(_refuse("", "no result file was sent", advice))
    result.files.sort()
    return result


def _unpack(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the file, or the files in it if it is a zip archive; raises BadZipFile."""
    if not name.lower().endswith(".zip"):
        yield name, data
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) > MOST_FILES or sum(one.file_size for one in members) > LARGEST:
                what = f"{name} has more than {MOST_FILES:,} files or {LARGEST:,} bytes"
                raise zipfile.BadZipFile(what)
            for member in members:
                yield member.filename, archive.read(member)
    except (NotImplementedError, RuntimeError, zlib.error, EOFError) as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from error


def _name_nearest(name: str, accepted: Iterable[str]) -> tuple[str, str]:
    nearest = get_close_matches(name, list(accepted), n=1, cutoff=0)
    return f"{name[:80]} is not the name of a result file", f"did you mean {nearest[0]}?"


def _refuse(path: str, what: str, advice: str) -> tuple[str, Finding]:
    return path, Finding(Severity.ERROR, what, advice=advice)
