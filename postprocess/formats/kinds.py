"""Kinds of table files: recognising how a table is written, and reading it in that way.

The published formats are tab-separated UTF-8; see `tabular`. Tables from spreadsheet programs may
be separated by commas or semicolons, have another encoding, or be a workbook (.xlsx). No encoding
of one byte per character can be recognised with certainty, so that a person has to confirm it.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from postprocess.formats.tabular import (
    UTF_16_MARKS,
    ZIP_MARK,
    Finding,
    Table,
    read_table,
    shape_table,
    unreadable,
)
from postprocess.formats.workbooks import is_workbook, read_workbook


class Separator(StrEnum):
    """What separates the columns of a text."""

    TAB = "tab"
    QUOTED_TAB = "quoted-tab"
    COMMA = "comma"
    SEMICOLON = "semicolon"


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
OLD_WORKBOOK_MARK = bytes.fromhex("d0cf11e0a1b11ae1")
QUOTED_FIELD = re.compile(r'(?:^|\t)"[^\t\n]*"(?=\t|\r?$)', re.MULTILINE)


def recognise_kind(data: bytes, columns: Sequence[str], language: str = "") -> FileKind | None:
    r"""Return how a table with these columns seems to be written, or None if it is unknown.

    A header with half of the columns is enough. `language` is a tag such as hr, whose letters
    decide between the encodings of one byte per character.

    >>> data = "word1;word2\nkuća;mačka".encode("cp1250")
    >>> str(recognise_kind(data, ["word1", "word2"]))
    'a semicolon-separated file in Windows-1250'
    """
    if data.startswith(ZIP_MARK):
        return WORKBOOK if is_workbook(data) else None
    encoding = _recognise_encoding(data, language)
    if encoding is None:
        return None
    text = _decode(data, encoding)
    separator = _recognise_separator(text.partition("\n")[0], columns)
    if separator is Separator.TAB and encoding is not Encoding.UTF_8 and QUOTED_FIELD.search(text):
        separator = Separator.QUOTED_TAB  # “Unicode text” of Excel
    return None if separator is None else FileKind(separator, encoding)


def read_table_as(
    data: bytes,
    columns: Sequence[str],
    kind: FileKind = CANONICAL,
    *,
    numbers: Collection[str] = (),
) -> Table:
    """Read a table of a kind as `read_table` does; rows and findings are alike.

    A tab-separated UTF-8 file is read by `read_table`; if that fails and the file seems to be of
    another kind, a finding says so. `numbers` are the columns of a workbook that may hold numbers.
    """
    if kind == CANONICAL:
        return _with_recognised(read_table(data, columns), data, columns)
    if kind.is_workbook:
        return read_workbook(data, columns, numbers)
    try:
        text = _decode(data, kind.encoding)
    except UnicodeDecodeError as error:
        what = f"not {ENCODINGS[kind.encoding]}: byte {error.start + 1} of the file"
        return Table({}, (unreadable(what, "choose another encoding"),))
    records: list[list[str] | None] = []
    findings: list[Finding] = []
    try:
        records.extend(_split(text, kind.separator))
    except csv.Error as error:
        what = f"the quotation marks of a field are not closed, or it is too long ({error})"
        advice = "correct the row; the rows from here on were not read"
        findings.append(unreadable(what, advice, row=len(records) or None))
    return shape_table(records, columns, findings, separator=kind.separator.split("-")[-1])


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


def _with_recognised(table: Table, data: bytes, columns: Sequence[str]) -> Table:
    """Return what `read_table` read, or a finding on the kind that the file seems to be of."""
    if not any(finding.severity == "unreadable" for finding in table.findings):
        return table
    if data.startswith(OLD_WORKBOOK_MARK):
        what = "the file is a workbook that is encrypted or of an old version of Excel (.xls)"
        return Table({}, (unreadable(what, "save it as .xlsx, without a password"),))
    kind = recognise_kind(data, columns)
    if kind is None or kind in PLAIN:  # the findings name the bytes that are not UTF-8
        return table
    advice = "save it as UTF-8 text, its columns separated by tabs"
    return Table({}, (unreadable(f"the file looks like {kind}", advice),))


def _decode(data: bytes, encoding: Encoding) -> str:
    if encoding is Encoding.UTF_16:
        return data.decode("utf-16").removeprefix("\ufeff")
    return data.removeprefix(codecs.BOM_UTF8).decode(encoding)


def _split(text: str, separator: Separator) -> Iterator[list[str]]:
    if separator is Separator.TAB:
        text = text.removesuffix("\r").replace("\r\n", "\n").rstrip("\n")
        yield from (line.split("\t") for line in text.split("\n") if text)
        return
    stream = io.StringIO(text.rstrip("\r\n"), newline="")
    yield from csv.reader(stream, delimiter=CHARACTERS[separator], strict=True)


def _recognise_separator(header: str, columns: Sequence[str]) -> Separator | None:
    """Return what separates most of the columns in a header, or None for less than half."""

    def count(separator: Separator) -> int:
        names = header.strip("\r").split(CHARACTERS[separator])
        return len({name.strip('"') for name in names} & set(columns))

    best = max((Separator.TAB, Separator.COMMA, Separator.SEMICOLON), key=count)
    return best if 2 * count(best) >= len(columns) else None


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
    """Return whether a text is UTF-8 but for some bytes."""
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
    known = ALPHABETS.get(language.split("-")[0])
    alphabets = [known] if known else ALPHABETS.values()
    return max(sum(counts[letter] for letter in alphabet) for alphabet in alphabets) / n_all
