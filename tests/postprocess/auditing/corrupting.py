"""A small sound dataset in a folder, and ways to spoil it."""

import functools

from postprocess.auditing.contexts import Assumptions
from postprocess.auditing.examining import audit_dataset
from tests.postprocess.published_format import build, cells, random_pairs

DATASET, DATA, GOLD = "cosimlex_xx.csv", "data/data_xx.tsv", "gold/gold_xx.tsv"
TEN = Assumptions(sizes=range(10, 11), is_known=True)


def sound_dataset(folder):
    """A dataset of 12 pairs with ten ratings a context, as `build` writes it."""
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
    """What an audit notices: file, row and column."""
    audit = audit_dataset(folder, assumptions=assumptions)
    return [(one.file, one.finding.row, one.finding.column) for one in audit.noticed]


def reasons(folder, assumptions=None):
    audit = audit_dataset(folder, assumptions=assumptions)
    return "\n".join(one.finding.reason for one in audit.noticed)
