"""Checkpoint files for tests."""

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
