"""What is stored of a study → Parquet, a group of rows at a time."""

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models.expressions import Combinable

from surveys.models import Study
from surveys.results.export import (
    RESPONSE_FIELDS,
    ROWS_A_FETCH,
    WrittenInstant,
    find_responses,
)

ROWS_A_GROUP = 20_000
WHOLE = {"pair", "context", "block", "round", "position"}
TRUTHS = {
    "checkpoint", "is_current_round", "is_over_quota", "is_scripted", "pasted_word1",
    "pasted_word2", "cannot_judge",
}  # fmt: skip
FRACTIONS = {"rating", "words_visible_seconds", "rating_visible_seconds"}


class _Sink(io.RawIOBase):
    """What is written to it is taken out again at once, so that no file is kept in memory."""

    def __init__(self) -> None:
        self._written: list[bytes] = []
        self._n_written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written.append(bytes(data))
        self._n_written += len(self._written[-1])
        return len(self._written[-1])

    def tell(self) -> int:
        return self._n_written

    def take(self) -> bytes:
        taken, self._written = b"".join(self._written), []
        return taken


def stream_responses_as_parquet(study: Study, **wanted: Any) -> Iterator[bytes]:
    """The columns of `stream_responses`, with types: instants in UTC, ratings as numbers.

    Texts are as annotators wrote them: no spreadsheet takes them for a formula. No more than a
    group of rows is in memory at once.
    """
    import pyarrow as pa  # takes a while to load
    from pyarrow import parquet

    schema = pa.schema([("language", pa.string()), *_list_types(pa)])
    answered = find_responses(study, **wanted).order_by("assignment_id", "position")
    rows = answered.values_list(*(_unwritten(field) for field in RESPONSE_FIELDS.values()))
    found = rows.iterator(chunk_size=ROWS_A_FETCH)
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(islice(found, ROWS_A_GROUP)):
            columns = [[study.language] * len(group), *zip(*group, strict=True)]
            arrays = [
                pa.array(_read(name, column), type=field_type)
                for name, field_type, column in zip(
                    schema.names, schema.types, columns, strict=True
                )
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()


def _list_types(pa: Any) -> Iterator[tuple[str, Any]]:
    for name, field in RESPONSE_FIELDS.items():
        if isinstance(field, WrittenInstant):
            yield name, pa.timestamp("ms", tz="UTC")
        elif name in WHOLE:
            yield name, pa.int32()
        elif name in TRUTHS:
            yield name, pa.bool_()
        else:
            yield name, pa.float64() if name in FRACTIONS else pa.string()


def _unwritten(field: str | Combinable) -> Any:
    """A field itself where the text of an instant would be taken."""
    return field.get_source_expressions()[0] if isinstance(field, WrittenInstant) else field


def _read(name: str, column: Any) -> Any:
    if name == "rating":  # a Decimal
        return [None if rating is None else float(rating) for rating in column]
    return column
