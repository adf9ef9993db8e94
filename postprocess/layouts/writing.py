"""Writing a data set in a layout: items and figures become rows of cells."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePath

from postprocess.formats.tabular import Finding, Severity
from postprocess.layouts import LayoutError, Record, refusal
from postprocess.layouts.columns import CellError
from postprocess.layouts.published_set import FOLDER, FileForm, PublishedSet
from postprocess.layouts.splitting import NUMBERS, Split, join_rows, normalise

SPLIT = "test"  # in the names of files that were not read
MOST_PARTS = 2  # of the name of a file
Rows = list[list[str] | Finding]  # a finding for a row that cannot be written


def write_set(published: PublishedSet) -> dict[str, bytes]:
    """Return the files of a data set by name: those that were read, or all of the layout.

    Raises LayoutError for rows that the layout cannot hold, and for names of files outside of the
    folder of a data set and its folders of lemmas.
    """
    writer, files, findings = Writer(published), {}, []
    for form in published.forms or writer.list_forms():
        path = PurePath(form.name)
        if path.is_absolute() or ".." in path.parts or len(path.parts) > MOST_PARTS:
            what = "the name is not that of a file in the folder or in a folder of a lemma"
            raise refusal(form.name, what, "rename it")
        rows = writer.list_rows(form)
        findings += [form.locate(row) for row in rows if isinstance(row, Finding)]
        written = [row for row in rows if not isinstance(row, Finding)]
        files[form.name] = join_rows(form.file, form.header, written)
    if findings:
        raise LayoutError(findings)
    return files


class Writer:
    """The rows of the files of a data set; `list_forms` are the files unless some were read."""

    def __init__(self, published: PublishedSet) -> None:
        self.published = published

    def list_forms(self) -> Iterator[FileForm]:
        """Yield the layout's files, without files for figures that the data set lacks."""
        published = self.published
        for file in published.layout.files:
            names = {name for record in self._of_rows(file.rows) for name in record}
            lacking = [c for c in file.columns if c.is_figure and c.name not in names]
            if not file.is_default or not names or (lacking and not file.is_main):
                continue
            language = published.language
            both = language if published.is_of_two else f"{language}-{language}"
            parts = {"language": language, "languages": both, "name": published.layout.name}
            folders = dict.fromkeys(map(_folder_of, self._of_rows(file.rows)))
            for folder in folders if file.is_foldered else [""]:
                name = file.name.format(**parts, split=SPLIT, folder=folder)
                raters = published.raters if file.more == "ratings" else []
                orders = file.orders[::-1] if published.is_of_two else file.orders
                forms = [FileForm(name, file, [*order, *raters]) for order in orders]
                yield min(forms, key=self._count_unwritten)

    def list_rows(self, form: FileForm) -> Rows:
        """Return the rows of cells of a file, or why a row cannot be written."""
        folder = PurePath(form.name).parent.name if form.file.is_foldered else ""
        records = self._by_folder[form.file.rows].get(folder, [])
        cells = [form.file.cell_of(name) for name in form.header]
        columns = [c for c in form.file.columns if set(c.cells) & set(cells)]
        rows: Rows = []
        for number, record in enumerate(records, 1):
            try:
                written = dict(record)
                for column in columns:
                    written.update(column.write(record))
                rows.append([_take(written, cell) for cell in cells])
            except CellError as error:
                rows.append(error.of_row(number))
        return rows

    def _count_unwritten(self, form: FileForm) -> int:
        return sum(isinstance(row, Finding) for row in self.list_rows(form))

    @cached_property
    def _by_folder(self) -> dict[str, dict[str, list[Record]]]:
        """The records by what their rows are, and by folder."""
        found: dict[str, dict[str, list[Record]]] = {}
        for file in self.published.layout.files:
            groups = found[file.rows] = defaultdict(list)
            for record in self._of_rows(file.rows):
                groups[_folder_of(record) if file.is_foldered else ""].append(record)
        return found

    def _of_rows(self, rows: str) -> Sequence[Record]:
        published = self.published
        if rows == "items":
            figures = {figure["id"]: figure for figure in published.figures}
            return [item | figures.get(item["id"], {}) for item in published.items]
        if rows == "uses":
            return published.uses or list(_list_uses(published))
        if rows == "judgements":
            items = {item["id"]: {"lemma": item["word1"], **item} for item in published.items}
            return [items.get(figure["id"], {}) | figure for figure in published.figures]
        return published.items


def list_unwritten(writer: Writer, form: FileForm, split: Split, data: bytes) -> Iterator[Finding]:
    """Yield warnings on what is not written as it was read from a file."""
    yield from (Finding(Severity.WARNING, note) for note in split.notes)
    rows, is_same = writer.list_rows(form), True
    for (number, given), row in zip(split.rows.items(), rows, strict=False):
        if row != given:
            is_same = False
            for column, reason in _list_differences(form.header, given, row):
                yield Finding(Severity.WARNING, reason, number, column)
    if len(rows) != len(split.rows):
        yield Finding(Severity.WARNING, f"{len(rows)} rows are written, not {len(split.rows)}")
    elif is_same and NUMBERS not in split.notes:
        written = join_rows(form.file, form.header, list(split.rows.values()))
        if written != normalise(data):
            what = "the indentation, escapes or quotation marks are written differently"
            yield Finding(Severity.WARNING, what)


def _list_differences(
    header: Sequence[str], given: Sequence[str], row: list[str] | Finding
) -> Iterator[tuple[str, str]]:
    """Yield the columns that are written otherwise, and how."""
    if isinstance(row, Finding):
        yield row.column or "", f"not written: {row.what}"
        return
    for column, before, after in zip(header, given, row, strict=True):
        if before != after:
            reason = f'"{after[:40]}" is written'
            if set("\t\n\r") & set(before):
                reason = "a tab or line break is written as a space"
            elif before == f"\ufeff{after}":
                reason = "a byte order mark before it is left out"
            yield column, reason


def _take(cells: Record, name: str) -> str:
    if name not in cells:
        what = "it is not known, or the target is in pieces"
        raise CellError(name, what, "this form of the file has no place for it")
    return cells[name]


def _folder_of(record: Record) -> str:
    """Return the folder of a record's files: where it was read, or its lemma."""
    return record[FOLDER] if FOLDER in record else record.get("word1", "")


def _list_uses(published: PublishedSet) -> Iterator[Record]:
    """Yield the uses in the items, each once; items without texts have none."""
    seen = set()
    for item in (item for item in published.items if "text1" in item):
        for side in ("1", "2"):
            names = [name for name in item if name.endswith(side) and not name.startswith("word")]
            use = {name.removesuffix(side): item[name] for name in names}
            use.update({"lemma": item["word1"], FOLDER: _folder_of(item)})
            if "pos" in item:
                use["pos"] = item["pos"]
            if (key := (use[FOLDER], use.get("identifier"))) not in seen:
                seen.add(key)
                yield use
