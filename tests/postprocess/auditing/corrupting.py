"""A small valid dataset in a folder, and functions that corrupt it."""

import functools

from postprocess.auditing.examining import audit_dataset
from postprocess.auditing.reconstruction.contexts import Assumptions
from tests.postprocess.published_format import build, cells, random_pairs

DATASET, DATA, GOLD = "cosimlex_xx.csv", "data/data_xx.tsv", "gold/gold_xx.tsv"
TEN = Assumptions(sizes=range(10, 11), is_known=True)


def write_dataset(folder):
    """Write a dataset of 12 pairs with ten ratings per context, as `build` does."""
    return write(_files(), folder)


def write(files, folder):
    """Write files, relative path → content."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@functools.cache
def _files():
    return build(*random_pairs()).files


def get(path, row, column):
    table = cells(path)
    return table[row][table[0].index(column)]


def get_row(path, row):
    return cells(path)[row]


def append(path, fields):
    """Add a row at the end of a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write("\t".join(fields) + "\n")


def put(path, row, **fields):
    """Change fields of a row."""
    table = cells(path)
    for column, text in fields.items():
        table[row][table[0].index(column)] = text
    path.write_text("".join("\t".join(line) + "\n" for line in table), encoding="utf-8")


def places(folder, assumptions=None):
    """Return file, row and column of each finding of an audit."""
    audit = audit_dataset(folder, assumptions=assumptions)
    return [(one.file, one.finding.row, one.finding.column) for one in audit.findings]


def reasons(folder, assumptions=None):
    audit = audit_dataset(folder, assumptions=assumptions)
    return "\n".join(one.finding.reason for one in audit.findings)
