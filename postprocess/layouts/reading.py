"""Reading published files in a layout: rows of cells become items and figures."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from postprocess.formats.tabular import Finding, Severity, shape_problem, unreadable
from postprocess.layouts import FileFinding, LayoutError, Record, refusal
from postprocess.layouts.columns import NUMBER, CellError
from postprocess.layouts.layout import BROKEN, File, Layout
from postprocess.layouts.published_set import FOLDER, UNKNOWN, FileForm, PublishedSet
from postprocess.layouts.splitting import Split, split_file
from postprocess.layouts.writing import Writer, list_unwritten

OF_USES = (
    "text", "form", "identifier", "date", "grouping", "description", "indexes_target_sentence",
)  # fmt: skip
NAMED = ("language", "split", "name")


@dataclass
class Read:
    """A file that was read: its form, its cells, and a record for each row."""

    form: FileForm
    split: Split
    records: dict[int, Record] = field(default_factory=dict)
    more: list[str] = field(default_factory=list)  # columns that are not declared

    @property
    def folder(self) -> str:
        """The folder of the files of a lemma; empty for other files."""
        return PurePath(self.form.name).parent.name if self.form.file.is_foldered else ""

    def add(self, row: int | None, what: str, advice: str = "", column: str | None = None) -> None:
        """Add an error on a row, or on the whole file."""
        self.split.findings.append(Finding(Severity.ERROR, what, row, column, advice))


def group_files(layout: Layout, places: Sequence[Path]) -> list[dict[str, bytes]]:
    """Return each data set's files by name; in a folder, only files with the layout's names.

    Raises LayoutError if there are none, OSError.
    """
    groups: dict[tuple[str | None, ...], dict[str, bytes]] = defaultdict(dict)
    for place in places:
        paths = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in paths:
            file, parts = layout.find_file(path.name)
            if path == place or (file and path.is_file()):
                key = () if layout.has_uses else tuple(map(parts.get, NAMED))
                is_foldered = layout.files[0].is_foldered
                folder = f"{path.resolve().parent.name}/" if is_foldered else ""
                name = f"{folder}{path.name}"
                if name in groups[key]:
                    raise refusal(name, "there are two files with this name", "read one folder")
                groups[key][name] = path.read_bytes()
    if not groups:
        names = ", ".join(file.name for file in layout.files)
        what = f"no files of the layout {layout.name}"
        raise refusal(str(places[0]), what, f"their names are {names}")
    return list(groups.values())


def load_files(layout: Layout, places: Sequence[Path], language: str = "") -> PublishedSet:
    """Read the files of one data set; see `group_files` and `read_set`."""
    first, *others = group_files(layout, places)
    if others:
        names = " and ".join(next(iter(files)) for files in (first, others[0]))
        raise refusal(names, "these are files of several data sets", "read each by itself")
    return read_set(layout, first, language)


def read_set(layout: Layout, files: Mapping[str, bytes], language: str = "") -> PublishedSet:
    """Read the files of one data set, name → content.

    Parameters
    ----------
    layout : Layout
        Files with other names than it declares are read as its main one.
    files : mapping
        For layouts with uses, a name has the folder of its lemma.
    language : str
        Such as "en", or "en-ar" if the second words or texts are of another language; by default
        that in the names of the files.

    Raises
    ------
    LayoutError
        With all errors, by file, row and column.
    """
    reads = []
    for name, data in files.items():
        file, parts = layout.find_file(name)
        language = language or parts.get("language", "")
        reads.append(_read_file(name, data, file or layout.files[0]))
    first, _, second = language.partition("-")
    language = first if second == first else language
    published = PublishedSet(layout, language or UNKNOWN, forms=[read.form for read in reads])
    if not _list_errors(reads):
        join = _join_uses if layout.has_uses else _join_rows
        join(published, reads)
    if not _list_errors(reads) and not published.items:
        reads[0].add(None, "there are no items", "add rows, or give all files")
    if errors := _list_errors(reads):
        raise LayoutError(errors)
    writer = Writer(published)
    for read in reads:
        unwritten = list_unwritten(writer, read.form, read.split, files[read.form.name])
        published.warnings += map(read.form.locate, unwritten)
    return published


def _list_errors(reads: Sequence[Read]) -> list[FileFinding]:
    return [read.form.locate(finding) for read in reads for finding in read.split.findings]


def _read_file(name: str, data: bytes, file: File) -> Read:
    split = split_file(data, file)
    header = split.header or _name_columns(file, next(iter(split.rows.values()), []))
    read = Read(FileForm(name, file, header), split)
    if split.findings:
        return read
    cells = [file.cell_of(name) for name in header]
    missing = [cell for column in file.columns for cell in column.find_missing(cells)]
    if missing or len(set(cells)) < len(cells):
        what = f"missing columns: {', '.join(missing)}" if missing else "a column is there twice"
        read.add(None if file.has_header else 1, what, f"it has {', '.join(header)[:200]}")
        return read
    columns = [column for column in file.columns if column.cell in cells]
    known = {cell for column in columns for cell in column.cells}
    read.more = [cell for cell in cells if cell not in known]
    for row, fields in split.rows.items():
        if len(fields) != len(header):
            problem = shape_problem(fields, len(header), file.syntax)
            split.findings.append(unreadable(*problem, row=row))
            continue
        given = dict(zip(cells, (field.translate(BROKEN) for field in fields), strict=True))
        record: Record = {}
        for column in columns:
            try:
                column.read(given, record)
            except CellError as error:
                read.split.findings.append(error.of_row(row))
        for cell in read.more:
            record[cell] = given[cell]
            if file.more == "ratings" and given[cell] and not NUMBER.fullmatch(given[cell]):
                read.add(row, f'"{given[cell][:40]}" is not a number', column=cell)
        read.records[row] = record
    return read


def _name_columns(file: File, cells: Sequence[str]) -> list[str]:
    """Return the columns of a file without a header, as many as its first row has."""
    declared = file.orders[0][: len(cells)]
    n_more = len(cells) - len(declared)
    return [*declared, *(f"r{number}" for number in range(1, n_more + 1))]


def _join_rows(published: PublishedSet, reads: Sequence[Read]) -> None:
    """Join the files of items by id, or by row where they have none."""
    order = published.layout.files.index
    main, *others = sorted(reads, key=lambda read: order(read.form.file))
    if not main.form.file.is_main:
        main.add(None, "the file of the items is missing", "give it, too")
        return
    for read in others:
        _join_file(main, read)
    if _list_errors(reads):
        return
    seen: set[str] = set()
    figures = {c.name for file in published.layout.files for c in file.columns if c.is_figure}
    figures.update(main.more if main.form.file.more == "ratings" else ())
    for row, record in main.records.items():
        name = record.setdefault("id", str(row))
        if name in seen:
            main.add(row, f'the id "{name}" is that of an earlier row', column="id")
        seen.add(name)
        if "word2" not in record:
            record["word2"] = record["form2"] if published.is_of_two else record["word1"]
        published.items.append({n: text for n, text in record.items() if n not in figures})
        rated = {n: text for n, text in record.items() if n in figures}
        published.figures.append({"id": name, **rated})


def _join_file(main: Read, read: Read) -> None:
    """Add the fields of another file to the records of the main file."""
    if read.form.file is main.form.file:
        read.add(None, f"a second file like {main.form.name}", "read each by itself")
        return
    has_ids = any(column.name == "id" for column in read.form.file.columns)
    places = {record["id"] if has_ids else row: row for row, record in main.records.items()}
    for row, record in read.records.items():
        place = places.pop(record["id"] if has_ids else row, None)
        if place is None:
            what = f"{main.form.name} lacks this item, or it was named before"
            read.add(row, what, column="id" if has_ids else None)
        else:
            main.records[place].update(record)
    for key, row in places.items():
        main.add(row, f"{read.form.name} has nothing about this item ({key})")


def _join_uses(published: PublishedSet, reads: Sequence[Read]) -> None:
    """Make items of the pairs of uses that have judgements or instances."""
    uses: dict[tuple[str, str], Record] = {}
    for read in (read for read in reads if read.form.file.rows == "uses"):
        for row, record in read.records.items():
            key = read.folder, record["identifier"]
            if key in uses:
                what = f'the identifier "{key[1]}" is that of an earlier use'
                read.add(row, what, column="identifier")
            uses[key] = record
            published.uses.append({FOLDER: read.folder, **record})
    items: dict[tuple[str, str, str], Record] = {}
    for read in sorted(reads, key=lambda read: read.form.file.rows != "instances"):
        if read.form.file.rows == "uses":
            continue
        for row, record in read.records.items():
            ids = [record[f"identifier{side}"] for side in (1, 2)]
            unknown = [name for name in ids if uses and (read.folder, name) not in uses]
            for name in dict.fromkeys(unknown):
                read.add(row, f'no use has the identifier "{name}"')
            pair = (read.folder, min(ids), max(ids))
            if pair not in items:
                sides = [uses.get((read.folder, name), {"identifier": name}) for name in ids]
                item = {"id": str(len(items) + 1), FOLDER: read.folder}
                items[pair] = item | _pair_uses(record, sides)
            if read.form.file.rows == "judgements":
                judged = {"id": items[pair]["id"], FOLDER: read.folder}
                published.figures.append(judged | record)
    published.items = list(items.values())


def _pair_uses(record: Record, sides: Sequence[Record]) -> Record:
    """Return the lemma of two uses, and what is known of each under its name and side."""
    lemma = sides[0].get("lemma") or record.get("lemma") or record.get("word1", "")
    item = {"word1": lemma, "word2": lemma}
    if pos := sides[0].get("pos"):
        item["pos"] = pos
    for side, use in enumerate(sides, 1):
        known = {name: text for name, text in use.items() if name in OF_USES}
        item.update({f"{name}{side}": text for name, text in known.items()})
    return item
