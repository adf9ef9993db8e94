"""Reading the data that a release publishes: what all of its figures are computed from."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from postprocess.designs.design import parse_design
from postprocess.designs.items import parse_items
from postprocess.formats.parsed import ParsedRows
from postprocess.formats.reading import load_checks, load_ratings
from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.tabular import TableError
from postprocess.naming import NamedFile, find_datasets, read_tag
from postprocess.origin import Origin, OriginError, parse_origin
from postprocess.pipeline import RECIPE_FILE, name_data, name_unscored
from postprocess.release import ReleaseError
from postprocess.release.assembling import DESCRIPTION, DESIGN, REPORT, Published
from postprocess.release.individual import (
    SECOND_LOOK,
    Individual,
    join_words,
    load_words,
    name_decisions,
)
from postprocess.release.kit import PRACTICE
from postprocess.release.practice import Split
from postprocess.release.sources import ContextSource, parse_sources
from postprocess.release.verification.comparing import read_json
from postprocess.steps.recipe import Recipe
from postprocess.steps.rehearsal import SCRIPTED, load_scripted
from postprocess.table.details import join_details, load_details
from postprocess.table.ratings import check_ratings


def read_files(folder: Path) -> dict[str, bytes]:
    """Return a folder's files by path, without hidden files. Raises ReleaseError."""
    if not folder.is_dir():
        raise ReleaseError(f"{folder} is not a folder; unpack the archive of the release first")
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not any(part.startswith(".") for part in PurePosixPath(name).parts)
    }


def find_dataset(files: Mapping[str, bytes]) -> NamedFile:
    """Return the file of the dataset, whose name says how the others are called.

    Raises ReleaseError.
    """
    datasets = find_datasets(files)
    if len(datasets) != 1:
        raise ReleaseError(
            f"the folder of a release has one file <name>_<lang>.csv, but this has {len(datasets)}"
        )
    tag = datasets[0].tag
    data = f"data/{'items' if DESIGN in files else 'data'}_{tag}.tsv"
    needed = (REPORT, RECIPE_FILE, DESCRIPTION, f"ratings_{tag}.tsv", data)
    if missing := [name for name in needed if name not in files]:
        raise ReleaseError(f"{missing[0]} is missing, without which nothing can be computed again")
    return datasets[0]


def read_report(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the report of a release. Raises ReleaseError."""
    try:
        report = read_json(files[REPORT])
    except ValueError as error:
        raise ReleaseError(f"{REPORT} is not valid JSON: {error}") from error
    parts = {"inputs": dict, "notes": list, "code": dict}
    if not isinstance(report, dict) or any(
        not isinstance(report.get(name), kind) for name, kind in parts.items()
    ):
        raise ReleaseError(f"{REPORT} is not the report of a release")
    return report


def read_published(folder: Path, files: Mapping[str, bytes], tag: str, recipe: Recipe) -> Published:
    """Read the stimuli and answers of a release.

    Raises RatingsError as `load_ratings` and `check_ratings`, DesignError for a wrong design,
    ReleaseError for wrong sources or a wrong origin, OSError if a file cannot be read.
    """
    design = parse_design(files[DESIGN]) if DESIGN in files else None
    parse = partial(parse_items, rules=design.item) if design else parse_stimuli
    data = name_data(design, tag)
    test = parse(files[data])
    practice_file = f"{PRACTICE}/{PurePosixPath(data).name}"
    practice, unscored = (
        parse(files[name]).rows if name in files else ()
        for name in (practice_file, name_unscored(tag))
    )
    stimuli = _join_stimuli(parse, test, (*practice, *unscored))
    n_test, n_scored, n_pairs = len(test.rows), len((*test.rows, *practice)), len(stimuli.rows)
    path, checks_path = folder / f"ratings_{tag}.tsv", folder / f"checkpoints_{tag}.csv"
    loaded = load_ratings(path, read_tag(tag))
    n_contexts = design.n_contexts if design else 2
    scale = recipe.scale.as_scale()
    ratings = check_ratings(loaded, scale, n_pairs=n_pairs, n_contexts=n_contexts)
    ratings = join_details(ratings, load_details(path))
    if SECOND_LOOK in files and (shown := load_details(folder / SECOND_LOOK)) is not None:
        ratings = join_details(ratings, shown.assign(context="1"))
    words, scripted = load_words(path), load_scripted(path)
    if words is not None:
        ratings = join_words(ratings, words)
    if scripted:
        ratings = ratings.assign(**{SCRIPTED: ratings["annotator"].isin(list(scripted))})
    checks = load_checks(checks_path).drop(columns="language") if checks_path.exists() else None
    decisions = folder / name_decisions(tag)
    decided = load_ratings(decisions, read_tag(tag)) if decisions.exists() else None
    if decided is not None:
        decided = check_ratings(decided, scale, n_pairs=n_pairs, n_contexts=n_contexts)
    return Published(
        stimuli,
        Individual(ratings, checks, decided),
        Split(*(tuple(range(*ends)) for ends in pairwise((0, n_test, n_scored, n_pairs)))),
        _read_sources(files.get(f"sources_{tag}.tsv"), n_pairs),
        _read_origin(files.get(f"origin_{tag}.json")),
        design,
    )


def _read_sources(content: bytes | None, n_pairs: int) -> tuple[ContextSource, ...]:
    try:
        return parse_sources(content, n_pairs) if content is not None else ()
    except TableError as error:
        raise ReleaseError(f"the file of sources cannot be read: {error}") from error


def _read_origin(content: bytes | None) -> Origin:
    try:
        return parse_origin(content) if content is not None else {}
    except OriginError as error:
        raise ReleaseError(f"the file of the origin cannot be read: {error}") from error


def _join_stimuli(
    parse: Callable[[bytes], ParsedRows[Any]],
    test: ParsedRows[Any],
    practice: Sequence[tuple[str, ...]],
) -> ParsedRows[Any]:
    if not practice:
        return test
    first_line = test.text.partition("\n")[0]
    rows = "".join("\t".join(row) + "\n" for row in (*test.rows, *practice))
    return parse(f"{first_line}\n{rows}".encode())
