"""Kinds of table files: recognising how a table is written, and reading it in that way.

The published formats are tab-separated UTF-8; see `tabular`. Tables from other programs may be
separated by commas, semicolons or vertical bars, have quotation marks, another encoding or other
line ends, or be a workbook (.xlsx). No encoding of one byte per character can be recognised with
certainty, so that a person has to confirm it.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from postprocess.foreign import NOT_TEXT, Foreign, name_foreign, name_text
from postprocess.foreign import WORKBOOK as EXCEL
from postprocess.formats.tabular import (
    MOST_ABOVE,
    UTF_16_MARKS,
    Finding,
    Records,
    Severity,
    Table,
    TableError,
    find_header,
    fold_name,
    locate_undecoded,
    shape_table,
    split_plain,
    tidy_records,
    unreadable,
)
from postprocess.formats.workbooks import split_workbook


class Separator(StrEnum):
    """What separates the columns of a text."""

    TAB = "tab"
    QUOTED_TAB = "quoted-tab"
    COMMA = "comma"
    SEMICOLON = "semicolon"
    BAR = "bar"


class Encoding(StrEnum):
    """The encoding of a text."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    WINDOWS_1250 = "windows-1250"
    WINDOWS_1252 = "windows-1252"
    ISO_8859_2 = "iso-8859-2"


@dataclass(frozen=True, slots=True)
class FileKind:
    """How a table is written; a workbook has neither separator nor encoding of its own."""

    separator: Separator = Separator.TAB
    encoding: Encoding = Encoding.UTF_8
    is_workbook: bool = False

    def __str__(self) -> str:
        if self.is_workbook:
            return "an Excel workbook"
        return f"{SEPARATED[self.separator]} in {ENCODINGS[self.encoding]}"

    @property
    def is_certain(self) -> bool:
        """Whether a file can only have been written in this encoding."""
        return self.is_workbook or self.encoding not in SINGLE_BYTE


SEPARATED = {
    Separator.TAB: "a tab-separated file",
    Separator.QUOTED_TAB: "a tab-separated file with quotation marks around fields",
    Separator.COMMA: "a comma-separated file",
    Separator.SEMICOLON: "a semicolon-separated file",
    Separator.BAR: "a file separated by vertical bars",
}
ENCODINGS = {
    Encoding.UTF_8: "UTF-8",
    Encoding.UTF_16: "UTF-16",
    Encoding.WINDOWS_1250: "Windows-1250",
    Encoding.WINDOWS_1252: "Windows-1252",
    Encoding.ISO_8859_2: "ISO-8859-2",
}
CHARACTERS = {
    Separator.TAB: "\t",
    Separator.QUOTED_TAB: "\t",
    Separator.COMMA: ",",
    Separator.SEMICOLON: ";",
    Separator.BAR: "|",
}
CANONICAL = FileKind()
WORKBOOK = FileKind(is_workbook=True)

# In the order in which they are preferred if the letters do not decide.
SINGLE_BYTE = (Encoding.WINDOWS_1250, Encoding.WINDOWS_1252, Encoding.ISO_8859_2)
PLAIN = [FileKind(encoding=encoding) for encoding in (Encoding.UTF_8, *SINGLE_BYTE)]
ALPHABETS = {  # letters beyond a to z
    "bs": "čćđšž", "ca": "àçéèíïóòúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøåé", "de": "äöüß",
    "en": "éèïöç", "es": "áéíñóúü", "et": "äõöüšž", "fi": "äöåšž", "fr": "àâæçéèêëîïôœùûüÿ",
    "hr": "čćđšž", "hu": "áéíóöőúüű", "is": "áðéíóúýþæö", "it": "àèéìíîòóùú", "nb": "æøåéòô",
    "nl": "ëïéèöüáó", "pl": "ąćęłńóśźż", "pt": "áâãàçéêíóôõúü", "ro": "ăâîşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sq": "çë", "sv": "äöåé",
}  # fmt: skip
PUNCTUATION = frozenset("“”„‟’‘‚«»‹›–—…·•°€§©®™×÷±¡¿\u00a0\u00ad")
CONTROL = re.compile("[\x80-\x9f]")
FEWEST_FITTING = 0.8  # share of the letters beyond ASCII that belong to one alphabet
MOST_DAMAGED = 10  # bytes that are not UTF-8, for each character beyond ASCII that is
LINE_END = re.compile("\r\r\n|\r\n|\r|\n")
MOST_HEADER = 200_000  # characters in which the header is looked for
QUOTED_FIELD = re.compile(r'(?:^|\t)"[^\t\n]*"(?=\t|\r?$)', re.MULTILINE)


def recognise_kind(data: bytes, columns: Sequence[str], language: str = "") -> FileKind | None:
    r"""Return how a table with these columns seems to be written, or None if it is unknown.

    A header with half of the columns is enough, also below a title. `language` is a tag such as
    hr, whose letters decide between the encodings of one byte per character.

    >>> data = "word1;word2\nkuća;mačka".encode("cp1250")
    >>> str(recognise_kind(data, ["word1", "word2"]))
    'a semicolon-separated file in Windows-1250'
    """
    if (foreign := name_foreign(data)) is not None:
        return WORKBOOK if foreign.name == EXCEL else None
    data = _mark_utf16(data)
    encoding = _recognise_encoding(data, language)
    if encoding is None:
        return None
    text = _decode(data, encoding)
    separator = _recognise_separator(text, columns)
    if separator is Separator.TAB and encoding is not Encoding.UTF_8 and QUOTED_FIELD.search(text):
        separator = Separator.QUOTED_TAB  # “Unicode text” of Excel
    return None if separator is None else FileKind(separator, encoding)


def read_table(
    data: bytes,
    columns: Sequence[str],
    kind: FileKind = CANONICAL,
    *,
    optional: Sequence[str] = (),
    numbers: Collection[str] = (),
) -> Table:
    """Read a table with the given columns, in any order; never raises for its content.

    A file of another kind than tab-separated UTF-8 is read with a warning that says so, unless its
    encoding is uncertain, which a finding reports; a `kind` that a person has chosen is read
    without. `optional` are columns that a file need not have; `numbers` those of a workbook that
    may hold numbers.
    """
    column_names = (*columns, *optional)
    records = split_records(data, columns, kind, known=column_names, numbers=numbers)
    return shape_table(records, columns, optional)


def split_records(
    data: bytes,
    columns: Sequence[str],
    kind: FileKind = CANONICAL,
    *,
    known: Sequence[str] = (),
    numbers: Collection[str] = (),
    otherwise: FileKind = CANONICAL,
) -> Records:
    """Split a table of any kind into fields; see `read_table`, which fits them to columns.

    `known` are all columns that matter, `columns` those by which the header is found; without them,
    the file is read as `otherwise` says.
    """
    if (foreign := name_foreign(data)) is not None and foreign.name != EXCEL:
        return Records([], [unreadable(f"the file is {foreign.name}", foreign.advice)])
    kind_read = recognise_kind(data, columns) if kind == CANONICAL else kind
    if kind_read is None or (kind == CANONICAL and not kind_read.is_certain):
        return _explain_unread(data, columns, kind_read, otherwise)
    if kind_read.is_workbook:
        records = split_workbook(data, columns, known or columns, numbers)
    else:
        records = split_text(_mark_utf16(data), kind_read)
    if b"\0" in data:
        _refuse_nul(records)
    _spell_header(records, known or columns)
    tidy_records(records, columns)
    if kind_read != kind and records.rows and not records.findings:
        what = f"read as {kind_read}"
        advice = "the format is tab-separated UTF-8 without quotation marks"
        records.findings.append(Finding(Severity.WARNING, what, advice=advice))
    return records


def decode_text(data: bytes) -> str:
    r"""Return the text of a file in UTF-8 or UTF-16, its lines ended by LF. Raises TableError.

    >>> decode_text("\ufeffana\r\n".encode("utf-16"))
    'ana\n'
    """
    data = _mark_utf16(data)
    if (foreign := name_foreign(data)) is not None:
        raise TableError([unreadable(f"the file is {foreign.name}", foreign.advice)])
    encoding = Encoding.UTF_16 if data.startswith(UTF_16_MARKS) else Encoding.UTF_8
    try:
        text = _decode(data, encoding)
    except UnicodeDecodeError as error:
        what = f"not {ENCODINGS[encoding]} text: byte {error.start + 1} of the file"
        raise TableError([unreadable(what, "save it as UTF-8")]) from error
    if "\0" in text:
        what = f"a NUL character in line {text[: text.index(chr(0))].count(chr(10)) + 1}"
        raise TableError([unreadable(what, "save the file as UTF-8 text")])
    return text.replace("\r\n", "\n").replace("\r", "\n")


def list_letters(rows: Collection[Sequence[str]]) -> list[tuple[str, int]]:
    """Return the letters beyond a to z in some rows with their counts, the most frequent first.

    >>> list_letters([["šišmiš", "ćuk"]])
    [('š', 3), ('ć', 1)]
    """
    counts = Counter(
        letter for row in rows for field in row for letter in field
        if not letter.isascii() and letter.isalpha()
    )  # fmt: skip
    return sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))


def _explain_unread(
    data: bytes, columns: Sequence[str], kind: FileKind | None, otherwise: FileKind
) -> Records:
    """Return the finding that says why a file is not read, or a text without the columns."""
    if kind is not None and kind not in PLAIN:
        line = data.count(b"\n", 0, locate_undecoded(data)) + 1
        what = f"the file looks like {kind}: line {line} is not UTF-8"
        return Records([], [unreadable(what, "save it as UTF-8 text")])
    if kind is None and (foreign := name_text(data)) is not None:
        return Records([], [unreadable(f"the file is {foreign.name}", foreign.advice)])
    data = _mark_utf16(data)
    if b"\0" in data and not data.startswith(UTF_16_MARKS):
        return Records([], [unreadable(f"the file is {NOT_TEXT}", Foreign("").advice)])
    if data.startswith(UTF_16_MARKS):
        otherwise = replace(otherwise, encoding=Encoding.UTF_16)
    elif not _is_decodable(data, Encoding.UTF_8):
        records = split_plain(data)  # whose findings name the bytes that are not UTF-8
        return records if find_header(records.rows, columns) == 0 else Records([], records.findings)
    return split_text(data, otherwise)


def _refuse_nul(records: Records) -> None:
    """Replace each row with a NUL character by a finding."""
    rows = records.rows
    for place, row in enumerate(rows):
        if row and any("\0" in cell for cell in row):
            rows[place] = None
            finding = unreadable("a NUL character inside a field", "remove it", row=place or None)
            records.findings.append(finding)


def _mark_utf16(data: bytes) -> bytes:
    """Return a text with a byte order mark if it seems to be UTF-16 without one."""
    marks = {data[1:16:2]: codecs.BOM_UTF16_LE, data[:16:2]: codecs.BOM_UTF16_BE}
    return marks.get(bytes(8), b"") + data if len(marks) > 1 else data


def _decode(data: bytes, encoding: Encoding) -> str:
    if encoding is Encoding.UTF_16:
        return data.decode("utf-16").removeprefix("\ufeff")
    return data.removeprefix(codecs.BOM_UTF8).decode(encoding)


def split_text(data: bytes, kind: FileKind) -> Records:
    """Split a text of a kind, whose columns need not be named, into fields."""
    if kind == CANONICAL:
        return split_plain(data)
    try:
        text = _decode(data, kind.encoding)
    except UnicodeDecodeError as error:
        what = f"not {ENCODINGS[kind.encoding]}: byte {error.start + 1} of the file"
        return Records([], [unreadable(what, "choose another encoding, or save it as UTF-8")])
    if kind.separator is Separator.TAB:
        return split_plain(text.encode())
    records = Records([], [], kind.separator.split("-")[-1])
    stream = io.StringIO(text.replace("\r\r\n", "\n").rstrip("\r\n"), newline="")
    reader = csv.reader(stream, delimiter=CHARACTERS[kind.separator], strict=True)
    try:
        for row in reader:
            records.rows.append(row)
            records.lines.append(reader.line_num)
    except csv.Error as error:
        place = len(records.rows) or None
        records.findings.append(unreadable(*_explain_csv(error, reader.line_num), row=place))
    return records


def _explain_csv(error: csv.Error, line: int) -> tuple[str, str]:
    """Return why a text separated by commas or the like cannot be read, and what to do."""
    if "limit" in str(error):
        what = f"line {line:,} has a field of more than {csv.field_size_limit():,} characters"
        return what, "check what separates the columns and the rows"
    what = f"the quotation marks of a field are not closed in line {line:,} ({error})"
    return what, "correct the row; the rows from here on were not read"


def _recognise_separator(text: str, columns: Sequence[str]) -> Separator | None:
    """Return the separator of at least half of a header's columns, or None.

    Names of columns in quotation marks tell that those around fields are not part of them.
    """
    folded = set(map(fold_name, columns))
    for line in LINE_END.split(text[:MOST_HEADER], MOST_ABOVE)[:MOST_ABOVE]:
        names = {kind: line.split(character) for kind, character in CHARACTERS.items()}
        counts = {kind: len(folded & set(map(fold_name, cells))) for kind, cells in names.items()}
        best = max(CHARACTERS, key=counts.__getitem__)
        if 2 * counts[best] >= len(columns):
            is_quoted = any(
                name.startswith('"') and fold_name(name) in folded for name in names[best]
            )
            return Separator.QUOTED_TAB if best is Separator.TAB and is_quoted else best
    return None


def _spell_header(records: Records, columns: Sequence[str]) -> None:
    """Write the names of columns as they are known: "Word 1" becomes word1."""
    header = records.rows[0] if records.rows else None
    if header is not None:
        missing = {fold_name(name): name for name in columns if name not in header}
        header[:] = [missing.pop(fold_name(name), name) for name in header]


def _recognise_encoding(data: bytes, language: str) -> Encoding | None:
    if data.startswith(UTF_16_MARKS):
        return Encoding.UTF_16 if _is_decodable(data, Encoding.UTF_16) else None
    if _is_decodable(data, Encoding.UTF_8):
        return Encoding.UTF_8
    if _is_damaged_utf8(data):
        return None
    fits = {encoding: _fit(data, encoding, language) for encoding in SINGLE_BYTE}
    best = max(SINGLE_BYTE, key=lambda encoding: fits[encoding])
    return best if fits[best] >= FEWEST_FITTING else None


def _is_decodable(data: bytes, encoding: Encoding) -> bool:
    try:
        _decode(data, encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    n_undecoded = sum("\udc80" <= character <= "\udcff" for character in text)
    n_beyond = sum(not character.isascii() for character in text) - n_undecoded
    return MOST_DAMAGED * n_beyond >= n_undecoded


def _fit(data: bytes, encoding: Encoding, language: str) -> float:
    """Return the share of the characters beyond ASCII that belong to the best alphabet."""
    if not _is_decodable(data, encoding):
        return 0
    text = _decode(data, encoding)
    if CONTROL.search(text):
        return 0
    counts = Counter(
        character.lower() for character in text
        if not character.isascii() and character not in PUNCTUATION
    )  # fmt: skip
    if not (n_all := counts.total()):
        return 1
    alphabet_of_language = ALPHABETS.get(language.split("-")[0])
    alphabets = [alphabet_of_language] if alphabet_of_language else ALPHABETS.values()
    return max(sum(counts[letter] for letter in alphabet) for alphabet in alphabets) / n_all
