"""One table as many programs write it, and what each reader must do with it."""

import csv
import gzip
import io
import json
import tarfile

from tests.factories.workbooks import write_workbook

READ, OLE = "", bytes.fromhex("d0cf11e0a1b11ae1")


def write(rows, separator=",", end="\r\n", quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return out.getvalue()


def number(rows):
    return [rows[0], *([str(place), *row] for place, row in enumerate(rows[1:], 1))]


def index(rows):
    return [["", *rows[0]], *([str(place), *row] for place, row in enumerate(rows[1:]))]


def tarred(data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


# Name: how the rows are written, and a part of the message for which they may be refused.
COURTESIES = {
    "tabs": (lambda rows: write(rows, "\t", "\n").encode(), READ),
    "commas": (lambda rows: write(rows).encode(), READ),
    "semicolons": (lambda rows: write(rows, ";").encode(), READ),
    "bars": (lambda rows: write(rows, "|").encode(), READ),
    "UTF-8 with BOM": (lambda rows: write(rows).encode("utf-8-sig"), READ),
    "UTF-16": (lambda rows: write(rows, "\t").encode("utf-16"), READ),
    "UTF-16 BE without BOM": (lambda rows: write(rows, ";").encode("utf-16-be"), READ),
    "UTF-16 LE without BOM": (lambda rows: write(rows).encode("utf-16-le"), READ),
    "CR": (lambda rows: write(rows, end="\r").encode(), READ),
    "CR and tabs": (lambda rows: write(rows, "\t", "\r").encode(), READ),
    "CRCRLF": (lambda rows: write(rows, ",", "\r\r\n").encode(), READ),
    "no last line end": (lambda rows: write(rows).encode().rstrip(), READ),
    "quoted": (lambda rows: write(rows, quoting=csv.QUOTE_ALL).encode(), READ),
    "quoted tabs": (lambda rows: write(rows, "\t", quoting=csv.QUOTE_ALL).encode(), READ),
    "R": (lambda rows: write(number(rows), quoting=csv.QUOTE_ALL).encode(), READ),
    "R with tabs": (lambda rows: write(number(rows), "\t", "\n").encode(), READ),
    "pandas": (lambda rows: write(index(rows)).encode(), READ),
    "empty rows": (lambda rows: write([*rows, [""] * len(rows[0]), []]).encode(), READ),
    "empty columns": (lambda rows: write([[*row, "", ""] for row in rows]).encode(), READ),
    "workbook": (write_workbook, READ),
    "sep=": (lambda rows: b"sep=;\r\n" + write(rows, ";").encode(), "named in line 2"),
    "title": (lambda rows: b"My table;;\r\n;;\r\n" + write(rows, ";").encode(), "named in line 3"),
    "title of a workbook": (lambda rows: write_workbook([["My table"], *rows]), "named in line 2"),
    "cp1250": (
        lambda rows: write([*rows, ["šuma čaj", *rows[-1][1:]]], ";").encode("cp1250"),
        "Windows-1250: line",
    ),
    "cp1251": (
        lambda rows: write([*rows, ["лес", *rows[-1][1:]]]).encode("cp1251"), "not UTF-8: byte",
    ),
    "UTF-32": (lambda rows: write(rows).encode("utf-32"), "UTF-32"),
    "null bytes": (lambda rows: bytes(300), "null bytes"),
    "two BOM": (lambda rows: b"\xef\xbb\xbf" + write(rows, "\t").encode("utf-8-sig"), READ),
    "NUL": (
        lambda rows: write(rows).encode().replace(rows[1][0].encode(), b"\0", 1),
        "a NUL character",
    ),
    "a field over the limit": (
        lambda rows: write([*rows, ["y" * 140_000, *rows[-1][1:]]]).encode(),
        "a field of more than 131,072 characters",
    ),
    "JSON on one line": (
        lambda rows: json.dumps([dict(zip(rows[0], row)) for row in rows] * 5000).encode(),  # noqa: B905
        "JSON",
    ),
    "an open quotation mark": (
        lambda rows: write(rows).encode() + b'"' + write(rows[1:]).encode(), "not closed in line",
    ),
    "empty": (lambda rows: b"", "empty"),
    "an empty workbook": (lambda rows: write_workbook([]), "empty"),
    "tar": (lambda rows: tarred(write(rows).encode()), "a tar archive"),
    "upper case below a title": (
        lambda rows: b"T\n" + write([[one.upper() for one in rows[0]], *rows[1:]]).encode(),
        "named in line 2",
    ),
    "xls": (lambda rows: OLE + bytes(600), "old version of Excel"),
    "HTML": (lambda rows: b"<html><table><tr><td>a</td></tr></table></html>", "HTML"),
    "gzip": (lambda rows: gzip.compress(write(rows).encode()), "gzip"),
    "Parquet": (lambda rows: b"PAR1" + bytes(20), "Parquet"),
    "a broken zip": (lambda rows: b"PK\x03\x04" + bytes(20), "damaged"),
    "other bytes": (lambda rows: bytes(range(128, 256)) * 3, "UTF-8"),
}  # fmt: skip
