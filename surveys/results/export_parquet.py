"""Stream of a study's responses as Parquet, one row group at a time."""

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from surveys.models import Study
from surveys.results.export import (
    RESPONSE_TABLE,
    ROWS_A_FETCH,
    TIMESTAMP,
    Column,
    WrittenInstant,
    find_responses,
)

ROWS_A_GROUP = 20_000


class _Sink(io.RawIOBase):
    """A write-only file whose contents are taken out after each row group."""

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
    """Yield the columns of `stream_responses` with types: timestamps in UTC, ratings as numbers.

    Texts are unchanged, since no spreadsheet opens them. At most one row group is in memory.
    """
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    types = [(name, _arrow_type(column.arrow_type)) for name, column in RESPONSE_TABLE.items()]
    schema = pa.schema([("language", pa.string()), *types])
    answered = find_responses(study, **wanted).order_by("assignment_id", "position")
    rows = answered.values_list(*map(_unformatted, RESPONSE_TABLE.values()))
    found = rows.iterator(chunk_size=ROWS_A_FETCH)
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(islice(found, ROWS_A_GROUP)):
            columns = [[study.language] * len(group), *zip(*group, strict=True)]
            arrays = [
                pa.array(_convert(field.name, column), type=field.type)
                for field, column in zip(schema, columns, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()


def _arrow_type(name: str) -> Any:
    import pyarrow as pa

    return pa.timestamp("ms", tz="UTC") if name == TIMESTAMP else pa.type_for_alias(name)


def _unformatted(column: Column) -> Any:
    """Return what a column selects, with a timestamp itself instead of its text."""
    source = column.source
    return source.get_source_expressions()[0] if isinstance(source, WrittenInstant) else source


def _convert(name: str, column: Any) -> Any:
    if name == "rating":  # a Decimal
        return [None if rating is None else float(rating) for rating in column]
    return column
