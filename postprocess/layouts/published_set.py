"""A published data set after reading, and the folder that keeps it."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import NamedTuple

from postprocess.designs.kinds import FORMS, TEXTS, WORDS
from postprocess.formats.parsed import read_cells
from postprocess.formats.tabular import (
    Finding,
    TableError,
    naming_file,
    read_cell,
    render_rows,
    shape_table,
    split_plain,
)
from postprocess.layouts import FileFinding, Record, refusal
from postprocess.layouts.layout import File, Layout
from postprocess.table.ratings import UNJUDGED

PAIR = re.compile(r"([a-z]{2,3})-(?!\1$)[a-z]{2,3}")  # of languages; a region has capitals
UNKNOWN = "und"  # undetermined, in ISO 639-2
FIGURES, USES, FORMS_FILE = "published.tsv", "uses.tsv", "files.tsv"
FOLDER = "folder"  # of the files of a lemma
RATING_COLUMNS = ("language", "pair", "context", "annotator", "rating", "mark")
UNDECIDED = 0  # the judgement "cannot decide"


class FileForm(NamedTuple):
    """A file that was read: its name, the file it is of its layout, and its columns."""

    name: str
    file: File
    header: list[str]

    def locate(self, finding: Finding) -> FileFinding:
        """Return a finding with the name of the file, and the lines of its rows."""
        return FileFinding(self.name, replace(finding, first_line=self.file.first_line))


@dataclass
class PublishedSet:
    """A data set: items, and what was found about each, as text.

    `figures` has a row for each item, or for each judgement where a layout has these; `raters` are
    the columns with the ratings of one rater each; `uses` are the texts that items are pairs of.
    """

    layout: Layout
    language: str = UNKNOWN
    items: list[Record] = field(default_factory=list)
    figures: list[Record] = field(default_factory=list)
    uses: list[Record] = field(default_factory=list)
    forms: list[FileForm] = field(default_factory=list)
    warnings: list[FileFinding] = field(default_factory=list)

    @property
    def is_of_two(self) -> bool:
        """Whether the second words or texts are of another language than the first."""
        return PAIR.fullmatch(self.language) is not None

    @property
    def raters(self) -> list[str]:
        """The columns of the figures that have a rater's ratings."""
        declared = {column.name for file in self.layout.files for column in file.columns}
        has_raters = any(file.more == "ratings" for file in self.layout.files)
        names = self.figures[0] if self.figures and has_raters else ()
        return [name for name in names if name not in declared and name != "id"]

    @property
    def main(self) -> FileForm:
        """The file of the items."""
        return next(form for form in self.forms if form.file.is_main)


def list_ratings(published: PublishedSet) -> list[tuple[str, str, str, str]]:
    """Return the ratings of a data set: the item's row, annotator, rating and mark.

    Several judgements of one annotator of one item are their median; it is left out if it is no
    point of the scale.
    """
    rows = {item["id"]: str(row) for row, item in enumerate(published.items, 1)}
    if raters := published.raters:
        return [
            (rows[figure["id"]], rater, figure[rater], "")
            for figure in published.figures for rater in raters if figure[rater]
        ]  # fmt: skip
    given: dict[tuple[str, str], list[Decimal]] = {}
    for figure in published.figures if published.layout.has_uses else ():
        if figure["annotator"] != "avg":
            judgements = given.setdefault((rows[figure["id"]], figure["annotator"]), [])
            judgements.append(Decimal(figure["judgment"]))
    return list(_list_medians(given, published.layout.points))


def _list_medians(
    given: dict[tuple[str, str], list[Decimal]], points: range | None
) -> Iterator[tuple[str, str, str, str]]:
    for (row, annotator), judgements in given.items():
        if not (decided := [number for number in judgements if number != UNDECIDED]):
            yield row, annotator, "", UNJUDGED
        elif points is None or median(decided) in points:
            yield row, annotator, f"{median(decided).normalize():f}", ""


def render_set(published: PublishedSet) -> dict[str, bytes]:
    """Return the files of the folder of a data set: items, figures, ratings and uses."""
    language = published.language
    forms = [
        {"name": form.name, "file": form.file.name, "columns": json.dumps(form.header)}
        for form in published.forms
    ]
    files = {
        f"items_{language}.tsv": _render(published.items, (*WORDS, *TEXTS, *FORMS)),
        FIGURES: _render(published.figures, ("id",)),
        FORMS_FILE: _render(forms, ()),
    }
    if published.uses:
        files[USES] = _render(published.uses, (FOLDER, "identifier"))
    if ratings := list_ratings(published):
        stream = io.StringIO(newline="")
        rows = ((language, row, "1", *rest) for row, *rest in ratings)
        csv.writer(stream, lineterminator="\n").writerows([RATING_COLUMNS, *rows])
        files[f"ratings_{language}.csv"] = stream.getvalue()
    return {name: text.encode() for name, text in files.items()}


def load_set(layout: Layout, folder: Path) -> PublishedSet:
    """Read the folder of a data set. Raises LayoutError, TableError or OSError."""
    items = sorted(folder.glob("items_*.tsv"))
    if len(items) != 1:
        what = f"{len(items)} files items_<language>.tsv instead of one"
        raise refusal(str(folder), what, "give the folder of one data set")
    language = items[0].stem.removeprefix("items_")
    published = PublishedSet(layout, language, _load(items[0], WORDS))
    if not published.items:
        raise refusal(str(items[0]), "there are no items", "load the data set again")
    published.figures = _load(folder / FIGURES, ("id",))
    published.uses = _load(folder / USES, (FOLDER, "identifier"))
    for form in _load(folder / FORMS_FILE, ("name", "file", "columns")):
        published.forms.append(_read_form(form, layout))
    return published


def _read_form(form: Record, layout: Layout) -> FileForm:
    """Return the form of a file in a row of `files.tsv`. Raises LayoutError."""
    name, by_name = form["name"], {file.name: file for file in layout.files}
    if form["file"] not in by_name:
        what = f"the files were not read in the layout {layout.name}"
        raise refusal(FORMS_FILE, what, "name the other layout")
    try:
        header = [str(column) for column in json.loads(form["columns"])]
    except (ValueError, TypeError) as error:
        raise refusal(FORMS_FILE, f"the columns of {name} are not a list", "load again") from error
    return FileForm(name, by_name[form["file"]], header)


def _render(records: Sequence[Record], first: Sequence[str]) -> str:
    """Return a table of records, "" for none; columns that a record lacks are empty."""
    if not records:
        return ""
    names = dict.fromkeys(name for record in records for name in record)
    columns = [*(name for name in first if name in names), *(n for n in names if n not in first)]
    return render_rows(columns, ([record.get(name, "") for name in columns] for record in records))


def _load(path: Path, columns: Sequence[str]) -> list[Record]:
    """Return the records of a table with some columns; none of a missing or empty file.

    Raises TableError or OSError.
    """
    if not path.exists() or not (data := path.read_bytes()):
        return []
    with naming_file(path):
        records = split_plain(data)
        header = (records.rows[0] or []) if records.rows else []
        table = shape_table(records, columns, [name for name in header if name not in columns])
        if table.errors:
            raise TableError(table.errors)
    names = tuple(map(read_cell, table.columns))
    return [dict(zip(names, row, strict=True)) for row in read_cells(table.rows).values()]
