"""Names of the files that are no table of text, recognised by their content."""

import io
import re
import zipfile
from typing import NamedTuple

ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")  # of archives with and without files
UNPACK = "unpack it, and give the file inside"
ARCHIVES = {
    b"\x1f\x8b": "a gzip archive (.gz, .tgz)", b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive", b"BZh": "a bzip2 archive (.bz2)",
    b"\xfd7zXZ\0": "an xz archive", b"\x28\xb5\x2f\xfd": "a Zstandard archive (.zst)",
}  # fmt: skip
DOCUMENTS = {
    bytes.fromhex("d0cf11e0a1b11ae1"):
        "a workbook that is encrypted or of an old version of Excel (.xls)",
    b"PAR1": "a Parquet file", b"%PDF-": "a PDF document", b"{\\rtf": "an RTF document",
    b"SQLite format 3\0": "an SQLite database", b"\xff\xfe\0\0": "a text in UTF-32",
    b"\0\0\xfe\xff": "a text in UTF-32", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
}  # fmt: skip
NOT_TEXT = "not text, since it has null bytes"
WORKBOOK = "a workbook of Excel (.xlsx)"
TAR_MARK, TAR_PLACE = b"ustar", 257
MEMBERS = (  # of zip archives, with what they make of it
    (r"xl/workbook\.xml", WORKBOOK),
    (r"xl/workbook\.bin", "a binary workbook of Excel (.xlsb)"),
    (r"word/document\.xml", "a document of Word"),
    (r".*\.iwa|Index\.zip", "a spreadsheet of Numbers"),
    (r"content\.xml", "a spreadsheet of LibreOffice (.ods)"),
)
MARKUP = re.compile(rb"\s*<(?:!doctype|html|table|\?xml|meta|head)\b", re.IGNORECASE)
JSON = re.compile(rb"\s*[\[{]\s*[\[{\"]")


class Foreign(NamedTuple):
    """What a file is instead of a table of text, and what to do about it."""

    name: str
    advice: str = "save it as UTF-8 text, such as CSV"


def name_foreign(data: bytes) -> Foreign | None:
    r"""Return what a file is that cannot be read as text; None for a text, however it is written.

    >>> name_foreign(b"\x1f\x8b\x08").name, name_foreign(b"word1\tword2\n")
    ('a gzip archive (.gz, .tgz)', None)
    """
    if data.startswith(ZIP_MARKS):
        return _name_zip(data)
    name = next((name for mark, name in ARCHIVES.items() if data.startswith(mark)), "")
    if name or data[TAR_PLACE:].startswith(TAR_MARK):
        return Foreign(name or "a tar archive", UNPACK)
    return next((Foreign(name) for mark, name in DOCUMENTS.items() if data.startswith(mark)), None)


def name_text(data: bytes) -> Foreign | None:
    r"""Return what a text is that is no table, by its beginning.

    >>> name_text(b'[{"word1": "ice"}]').name, name_text(b"word1\tword2\n")
    ('JSON', None)
    """
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    if MARKUP.match(start):
        return Foreign("HTML or XML, as some programs save under the name .xls")
    return Foreign("JSON", "convert it to a table with a header") if JSON.match(start) else None


def _name_zip(data: bytes) -> Foreign:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError):
        return Foreign("a spreadsheet or an archive that is damaged", "save it again")
    for pattern, name in MEMBERS:
        if any(re.fullmatch(pattern, member) for member in members):
            return Foreign(name)
    return Foreign("a zip archive", UNPACK)
