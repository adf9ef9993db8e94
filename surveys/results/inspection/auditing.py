"""Audits of datasets from elsewhere: uploaded files that are not stored."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from postprocess.foreign import UNPACK, name_foreign
from postprocess.unpacking import ArchiveRefused, Limits, unpack
from surveys.errors import ImportRefused
from surveys.operations.job_process import in_job_process

if TYPE_CHECKING:
    from postprocess.auditing.findings import Audit
    from postprocess.auditing.reconstruction.contexts import Assumptions

READ = (".csv", ".tsv")  # names of other files are listed
RATINGS = "ratings_"  # files that take little time, however many rows they have
PRACTICE = "practice_kit"
MOST_ROWS = 6000  # of all other tables: a minute at most, and two seconds for CoSimLex
MOST_FILES = 500
MOST_BYTES = 2_000_000  # of all tables together
MOST_RATINGS = 100  # of a context
ADVICE = "upload the file of the scores as well"


class DatasetFile(NamedTuple):
    """A file as it was uploaded: part of a dataset, or a zip archive of such files."""

    name: str
    data: bytes


@dataclass(frozen=True)
class AuditChoices:
    """Assumptions about the ratings: numbers of ratings of a context, and both scales.

    `least` is None if only the highest number is known; `with_details` shows all findings.
    """

    least: int | None = None
    most: int = 40
    scale: tuple[float, float, float] = (0, 6, 1)
    published: tuple[float, float] = (0, 10)
    with_details: bool = False


class ShownFinding(NamedTuple):
    """A finding; `kind` is "error" or "warning", and empty for the number of others."""

    kind: str
    text: str


class ShownKit(NamedTuple):
    """The audit of the files of one dataset: a line for each check, and the findings.

    `fitting`: the numbers of ratings that fit each context, if they were asked for.
    """

    name: str
    summary: list[tuple[str, str]]
    findings: list[ShownFinding]
    fitting: list[str]


class ShownAudit(NamedTuple):
    """An audit as a page shows it; `unknown` names the files that were not read."""

    kits: list[ShownKit]
    unknown: list[str]
    counts: str
    n_errors: int


@in_job_process
def audit_files(
    files: Sequence[DatasetFile], practice: Sequence[DatasetFile], choices: AuditChoices
) -> ShownAudit:
    """Audit uploaded files as `python -m postprocess audit` does. Raises ImportRefused.

    A file with another name than those of the format is read as a dataset if it is the only one.
    """
    from postprocess.auditing import AuditError
    from postprocess.auditing.examining import audit_dataset
    from postprocess.table.ratings import RatingsError

    unpacked = [*_unpack(files)], [*_unpack(practice)]
    _refuse_large([*unpacked[0], *unpacked[1]])
    with tempfile.TemporaryDirectory() as made:
        folder, kit = Path(made) / "dataset", Path(made) / PRACTICE
        written = _write(folder, unpacked[0])
        _write(kit, unpacked[1])
        place = written[0] if len(written) == 1 else folder
        try:
            audit = audit_dataset(place, kit if practice else None, _assume(choices))
        except (AuditError, RatingsError) as error:
            text = str(error).replace(f"{place} contains", "The upload contains")
            text = text.replace("give the folder of a dataset, or a file", ADVICE)
            raise ImportRefused(text.replace(f"{made}/", "")) from error
    return _show(audit, with_details=choices.with_details)


def _assume(choices: AuditChoices) -> "Assumptions":
    from postprocess.auditing.reconstruction.contexts import Assumptions
    from postprocess.table.ratings import Scale

    low, high = choices.published
    sizes = range(choices.least or 1, choices.most + 1)
    return Assumptions(
        Scale(*choices.scale), Scale(low, high, high - low), sizes, is_known=bool(choices.least)
    )


def _unpack(files: Iterable[DatasetFile]) -> Iterable[DatasetFile]:
    """Yield files, also from zip archives, with their folders; other archives by name alone."""
    for file in files:
        foreign = name_foreign(file.data)
        if foreign is None or foreign.advice != UNPACK:
            yield DatasetFile(PurePosixPath(file.name).name, file.data)
            continue
        try:
            yield from _read_members(file.data)
        except ArchiveRefused as error:
            raise ImportRefused(f"{file.name} cannot be unpacked: {error}.") from error


def _read_members(archive: bytes) -> Iterable[DatasetFile]:
    """Yield the files of an archive, without the folder that holds all. Raises ArchiveRefused."""
    members = unpack(archive, Limits(MOST_FILES, MOST_BYTES, MOST_BYTES), _is_read)
    top = _find_top([member.path for member in members])
    for member in members:
        yield DatasetFile(member.path.removeprefix(top), member.data)


def _find_top(names: Sequence[str]) -> str:
    """Return the folder that holds all files of an archive, unless it is a practice kit's."""
    tops = {name.partition("/")[0] if "/" in name else "" for name in names}
    (top,) = tops if len(tops) == 1 else ("",)
    return f"{top}/" if top and not top.lower().startswith("practice") else ""


def _is_read(name: str) -> bool:
    return name.lower().endswith(READ)


def _refuse_large(files: Sequence[DatasetFile]) -> None:
    _refuse_bytes(len(file.data) for file in files)
    tables = [file.data for file in files if not Path(file.name).name.startswith(RATINGS)]
    rows = sum(max(data.count(b"\n"), data.count(b"\r")) for data in tables)
    if rows > MOST_ROWS:
        raise ImportRefused(
            f"The tables have {rows:,} rows, more than {MOST_ROWS:,}. Audit them with python -m "
            "postprocess audit."
        )


def _refuse_bytes(sizes: Iterable[int]) -> None:
    n_bytes = sum(sizes)
    if n_bytes > MOST_BYTES:
        raise ImportRefused(
            f"The tables have {n_bytes:,} bytes, more than {MOST_BYTES:,}. Upload only the "
            "dataset’s tables, or audit them with python -m postprocess audit."
        )


def _write(folder: Path, files: Iterable[DatasetFile]) -> list[Path]:
    """Write files into a new folder and return their paths.

    Raises ImportRefused for two files with the same name.
    """
    folder.mkdir()
    written = []
    for file in files:
        parts = file.name.replace("\\", "/").split("/")
        path = folder.joinpath(*(part for part in parts if part not in ("", ".", "..")))
        try:
            if path.exists():
                raise ImportRefused(
                    f"There are two files with the name {file.name}. Upload the archive of their "
                    "folder, or only one file."
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
        except (OSError, ValueError) as error:  # a name that no file can have
            raise ImportRefused(
                f"“{file.name}” cannot be the name of a file. Rename it."
            ) from error
        written.append(path)
    return written


def _show(audit: "Audit", *, with_details: bool) -> ShownAudit:
    from postprocess.auditing.rendering import count_findings, list_findings, list_fitting

    kits = [
        ShownKit(
            kit.name,
            kit.summary,
            [ShownFinding(*line) for line in list_findings(kit, with_details=with_details)],
            [*list_fitting(kit)] if with_details else [],
        )
        for kit in audit.kits
    ]
    return ShownAudit(kits, [*audit.unknown], count_findings(audit), audit.n_errors)
