"""Checkpoint files for tests."""

from surveys.models import Study
from tests.factories.studies import invented_items

HEADER = "word1\tword2\tcontext\tword1_context\tword2_context\tlowest\thighest"


def row(**changed: str) -> str:
    """One sound row of a checkpoint file; name columns to change them."""
    fields = {
        "word1": "sofa",
        "word2": "couch",
        "context": "The <strong>sofas</strong> came. It rained. A <strong>couch</strong> stayed.",
        "word1_context": "sofas",
        "word2_context": "couch",
        "lowest": "5",
        "highest": "6",
    }
    return "\t".join({**fields, **changed}.values())


def numbered_row(number: int, **changed: str) -> str:
    text = f"A <strong>sofas</strong> no. {number} came. It rained. A <strong>couch</strong> left."
    return row(**{"context": text, **changed})


def file(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def file_of(study: Study, *ranges: tuple[str, str]) -> bytes:
    """Checkpoint items of the kind of a study, a row for each range."""
    header, *rows = invented_items(study.design, 7).decode().splitlines()
    ends = zip(rows[-len(ranges) :], ranges, strict=True)
    lines = ["\t".join([row, *wanted]) for row, wanted in ends]
    return "\n".join([f"{header}\tlowest\thighest", *lines, ""]).encode()
