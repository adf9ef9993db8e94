"""Published data sets beside a study whose pairs have one context, and comparison with them.

A set is stored as an imported collection: its `ratings` are a table of its items, with their
scores, standard errors and a column of each annotator whose ratings are known.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from postprocess.layouts import LAYOUT_NAMES
from postprocess.naming import STAMP
from postprocess.unpacking import ARCHIVE, ArchiveRefused, Limits, unpack
from surveys.errors import ImportRefused
from surveys.models import CollectionKind, ImportedCollection, Study
from surveys.operations.job_process import in_job_process
from surveys.results.comparisons.importing import (
    DETAILS,
    LARGEST_FILE,
    CollectionFile,
    ImportedTable,
    refuse_unusable,
    store_collection,
)
from surveys.results.ratings_table import collect_study, scale_of
from surveys.study.design import design_of

if TYPE_CHECKING:
    from postprocess.layouts.layout import Layout
    from postprocess.two_collections.items import ItemKey

MOST_SHOWN = 20  # items that differ
LIMITS = Limits(10_000, LARGEST_FILE, LARGEST_FILE)
LAYOUTS = LAYOUT_NAMES


class PublishedFile(NamedTuple):
    """A file of a data set, as its layout names it, or a zip archive of such files."""

    name: str
    data: bytes


class SetResult(NamedTuple):
    """A comparison with a data set: its report and its files."""

    report: dict[str, Any]
    files: dict[str, bytes]


def import_published(
    study: Study, name: str, layout: str, files: Sequence[PublishedFile], by: Any = None
) -> ImportedCollection:
    """Store a published data set; idempotent for the same name and files.

    Raises ImportRefused with all errors, by file, row and column.
    """
    parts = [layout.encode(), *(part for file in files for part in (file.name.encode(), file.data))]
    file = CollectionFile(name, "", b"\0".join(parts))
    refuse_unusable(file)
    table = _read_set(study, layout, files)
    return store_collection(study, file, table, study.languages, scale_of(study), by)


def compare_set(
    study: Study, stored: ImportedCollection, by: "ItemKey | None", *, only_matched: bool
) -> SetResult:
    """Compare a data set with a study's present ratings, by the recipe of its design.

    Raises the errors of the library.
    """
    from postprocess.pipeline import options_of
    from postprocess.reporting.report import plain_report
    from postprocess.reporting.two_collections.items_page import list_far, render_items
    from postprocess.steps.post_process import post_process
    from postprocess.steps.rehearsal import count_scripted
    from postprocess.two_collections.items import compare_items, read_scored, score_outcome

    collected, design = collect_study(study), design_of(study)
    outcome = post_process(
        collected.ratings, design.as_recipe(), n_pairs=len(collected.stimuli.rows),
        checks=collected.checks, decisions=collected.decisions, **options_of(design),
    )  # fmt: skip
    first = read_scored(str(stored.ratings), stored.name)
    second = score_outcome(collected.stimuli, outcome, design, study.slug)
    comparison = compare_items(first, second, design, by=by, only_matched=only_matched)
    counts = count_scripted(outcome.used, collected.scripted)
    is_rehearsal = counts["ratings_scripted"] > 0
    tables = {
        "parts_of_speech": comparison.parts_of_speech.to_dict("records"),
        "different_items": list_far(comparison.items).head(MOST_SHOWN).to_dict("records"),
    }
    report = {**comparison.report, "counts": counts, "stamps": [STAMP] if is_rehearsal else []}
    return SetResult(
        {**report, **plain_report(tables)}, render_items(comparison, is_rehearsal=is_rehearsal)
    )


@in_job_process
def _read_set(study: Study, layout: str, files: Sequence[PublishedFile]) -> ImportedTable:
    from postprocess.errors import UserError
    from postprocess.layouts.published import find_layout
    from postprocess.layouts.reading import read_set
    from postprocess.two_collections.items import score_set, write_scored

    declared = find_layout(layout)
    try:
        published = read_set(declared, _name_files(declared, files), study.languages)
        scored = score_set(published, "the set", centre=study.centre)
    except UserError as error:
        raise ImportRefused(str(error)) from error
    n_ratings = 0 if scored.ratings is None else len(scored.ratings)
    n_annotators = 0 if scored.ratings is None else scored.ratings["annotator"].nunique()
    source = {"kind": CollectionKind.PEOPLE.value, **dict.fromkeys(DETAILS, "")}
    return ImportedTable(write_scored(scored), n_ratings, n_annotators, source)


def _name_files(layout: "Layout", files: Sequence[PublishedFile]) -> dict[str, bytes]:
    """Return the files of a set by name, in some layouts with the folder of their lemma."""
    named: dict[str, bytes] = {}
    for path, data in (member for file in files for member in _unpack(layout, file)):
        folder = f"{path.parent.name or 'lemma'}/" if layout.files[0].is_foldered else ""
        name = f"{folder}{path.name}"
        if name in named:
            raise ImportRefused(
                f"Two files have the name {name}. Put the folders of several lemmas in one zip "
                "archive, and upload data sets one by one."
            )
        named[name] = data
    return named


def _unpack(layout: "Layout", file: PublishedFile) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield a file or, of an archive, the files with the layout's names."""
    if not file.data.startswith(ARCHIVE):
        yield PurePosixPath(file.name), file.data
        return

    def is_named(path: str) -> bool:
        return layout.find_file(path)[0] is not None

    try:
        members = unpack(file.data, LIMITS, is_named)
    except ArchiveRefused as error:
        raise ImportRefused(f"{file.name} cannot be unpacked: {error}.") from error
    yield from ((PurePosixPath(path), data) for path, data in members if is_named(path))
