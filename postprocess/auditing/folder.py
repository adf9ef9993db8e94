"""Finding the files of datasets in a folder, and grouping them into kits."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from postprocess.auditing import AuditError
from postprocess.formats.files import has_dataset_columns
from postprocess.naming import read_name, read_tag

NAME = re.compile(
    r"(?P<dataset>cosimlex)_(?P<of_dataset>[^.]+)\.csv"
    r"|((?P<data>data)|(?P<gold>gold))_(?P<of_other>[^.]+)\.tsv"
    r"|(?P<ratings>ratings)_(?P<of_ratings>[^.]+)\.(csv|tsv)"
)
KINDS = ("dataset", "data", "gold", "ratings")
SUBFOLDERS = {"data", "gold"}  # of an evaluation kit, next to the dataset
PRACTICE = re.compile(r"practice", re.IGNORECASE)


class Source(NamedTuple):
    """A file of a dataset: its name in messages, and its path."""

    name: str
    path: Path


@dataclass(frozen=True)
class Kit:
    """The files of one dataset of one language: either test data or a practice kit."""

    language: str
    is_practice: bool
    dataset: Source | None
    data: tuple[Source, ...]
    gold: tuple[Source, ...]
    ratings: tuple[Source, ...]


class Folder(NamedTuple):
    """The kits, in the order of their files, and the names of files that belong to none."""

    kits: tuple[Kit, ...]
    unknown: tuple[str, ...]


class _Known(NamedTuple):
    """A file with a name in the published format; `base` is the folder of its kit."""

    source: Source
    kind: str
    language: str
    base: tuple[str, ...]
    is_practice: bool


def find_kits(place: Path, practice: Path | None = None) -> Folder:
    """Find the files of one or more datasets, and group them into kits.

    `place` is a folder, searched recursively, or a single file; a file with another name than those
    of the format is read as a dataset. In a folder, datasets are `cosimlex_<lang>.csv`, and files
    `<name>_<lang>.csv` with the columns of a dataset. `practice` is the same for a practice kit in
    another folder; within `place`, folders whose names begin with "practice" are practice kits.
    Files of one language in a folder, or in its subfolders data and gold, are one kit. Stimuli and
    gold scores without a dataset in their folder belong to the dataset of their language, if there
    is only one.

    Raises AuditError if no file has a known name, or if a folder has two datasets of one language,
    OSError if a path does not exist.
    """
    known, unknown = _list_files(place, is_practice=False)
    if practice is not None:
        folder = practice.resolve()
        known = [file for file in known if not file.source.path.resolve().is_relative_to(folder)]
        more, more_unknown = _list_files(practice, is_practice=True)
        known, unknown = [*known, *more], [*unknown, *more_unknown]
    with_dataset = {(f.is_practice, f.language) for f in known if f.kind == "dataset"}
    used = [f for f in known if f.kind != "ratings" or (f.is_practice, f.language) in with_dataset]
    if not used:
        raise AuditError(
            f"{place} contains no <name>_<lang>.csv with the columns of a dataset, no "
            "data_<lang>.tsv and no gold_<lang>.tsv; give the folder of a dataset, or a file"
        )
    unused = [file.source.name for file in known if file not in used]
    return Folder(tuple(_join(used)), (*unknown, *unused))


def _list_files(place: Path, *, is_practice: bool) -> tuple[list[_Known], list[str]]:
    if not place.is_dir():
        place.stat()
        source = Source(place.name, place)
        known = _recognise(source, PurePosixPath(place.name), is_practice=is_practice)
        return [known or _Known(source, "dataset", "", (str(place),), is_practice)], []
    files, unknown = [], []
    for path in sorted(p for p in place.rglob("*") if p.is_file()):
        relative = PurePosixPath(path.relative_to(place).as_posix())
        if any(part.startswith(".") for part in relative.parts):
            continue
        name = str(place.name / relative) if is_practice else str(relative)
        if known := _recognise(Source(name, path), relative, is_practice=is_practice):
            files.append(known)
        else:
            unknown.append(name)
    return files, unknown


def _recognise(source: Source, relative: PurePosixPath, *, is_practice: bool) -> _Known | None:
    kind, tag = _read_kind(source.path)
    if not kind:
        return None
    language = read_tag(tag)
    folders = relative.parent.parts
    if kind != "dataset" and folders and folders[-1] in SUBFOLDERS:
        folders = folders[:-1]
    is_practice = is_practice or any(PRACTICE.match(folder) for folder in folders)
    base = ("practice", *folders) if is_practice else folders
    return _Known(source, kind, language, base, is_practice)


def _read_kind(path: Path) -> tuple[str, str]:
    """Return the kind of a file and its tag; "" for a file of no known kind.

    A dataset with its own name is recognised by its columns, too: other CSV files may have such
    names.
    """
    if match := NAME.fullmatch(path.name):
        kind = next(kind for kind in KINDS if match[kind])
        return kind, match["of_dataset"] or match["of_other"] or match["of_ratings"]
    named = read_name(path.name)
    return ("dataset", named.tag) if named and has_dataset_columns(path) else ("", "")


def _join(files: Sequence[_Known]) -> Iterable[Kit]:
    datasets = [file for file in files if file.kind == "dataset"]
    bases: dict[tuple[bool, str], list[tuple[str, ...]]] = defaultdict(list)
    for file in datasets:
        bases[file.is_practice, file.language].append(file.base)
    joined: dict[tuple[bool, str, tuple[str, ...]], list[_Known]] = defaultdict(list)
    for file in [*datasets, *(file for file in files if file.kind != "dataset")]:
        with_dataset = bases[file.is_practice, file.language]
        base = with_dataset[0] if len(with_dataset) == 1 else file.base
        joined[file.is_practice, file.language, base].append(file)
    for (is_practice, language, _), members in joined.items():
        _refuse_two([member.source.name for member in members if member.kind == "dataset"])
        by_kind = {k: tuple(m.source for m in members if m.kind == k) for k in KINDS}
        dataset = by_kind["dataset"][0] if by_kind["dataset"] else None
        others = (by_kind[kind] for kind in KINDS[1:])
        yield Kit(language, is_practice, dataset, *others)


def _refuse_two(datasets: Sequence[str]) -> None:
    if len(datasets) > 1:
        raise AuditError(
            f"{datasets[0]} and {datasets[1]} are datasets of the same language in one folder, so "
            "that their other files cannot be assigned to them; move them to separate folders"
        )
