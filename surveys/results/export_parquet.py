"""Stream of a study's responses as Parquet, one row group at a time."""

import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.db.models import FloatField
from django.db.models.functions import Cast

from surveys.models import Study
from surveys.operations.job_process import in_job_process
from surveys.results.export import (
    ROWS_A_FETCH,
    TIMESTAMP,
    Column,
    WrittenInstant,
    columns_of,
    find_responses,
)

ROWS_A_GROUP = 20_000


class _Sink(io.BytesIO):
    """A file whose contents are taken out after each row group; positions count them."""

    n_taken = 0

    def tell(self) -> int:
        return self.n_taken + super().tell()

    def take(self) -> bytes:
        taken = self.getvalue()
        self.n_taken += len(taken)
        self.seek(0)
        self.truncate()
        return taken


def stream_responses_as_parquet(study: Study, **filters: Any) -> Iterator[bytes]:
    """Yield the columns of `stream_responses` with types: timestamps in UTC, ratings as numbers.

    Texts are unchanged, since no spreadsheet opens them. At most one row group is in memory.
    """
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    instant = pa.timestamp("ms", tz="UTC")
    columns = columns_of(study)
    kinds = {"language": "string"} | {name: of.arrow_type for name, of in columns.items()}
    types = [instant if kind == TIMESTAMP else pa.type_for_alias(kind) for kind in kinds.values()]
    schema = pa.schema([*zip(kinds, types, strict=True)])
    answered = find_responses(study, **filters).order_by("assignment_id", "position")
    rows = answered.values_list(*map(_as_typed, columns.values()))
    remaining = rows.iterator(chunk_size=ROWS_A_FETCH)
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(islice(remaining, ROWS_A_GROUP)):
            entries = [[study.language] * len(group), *zip(*group, strict=True)]
            named = dict(zip(schema.names, entries, strict=True))
            writer.write_table(pa.table(named, schema=schema))
            yield sink.take()
    yield sink.take()


@in_job_process
def write_responses_as_parquet(path: Path, study: Study, **filters: Any) -> None:
    """Write what `stream_responses_as_parquet` yields to a file."""
    with path.open("wb") as file:
        file.writelines(stream_responses_as_parquet(study, **filters))


def _as_typed(column: Column) -> Any:
    """Return what a column selects, with timestamps and numbers themselves instead of texts."""
    source = column.source
    if isinstance(source, WrittenInstant):
        return source.get_source_expressions()[0]
    return Cast(source, FloatField()) if column.arrow_type == "float64" else source
