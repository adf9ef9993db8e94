from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import FloatField, Func
from django.db.models.sql.compiler import SQLCompiler


class ElapsedSeconds(Func):
    """Seconds between two instants, computed by the database; null if either is null."""

    arity = 2
    output_field = FloatField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        template = "((julianday(%(expressions)s)) * 86400.0)"
        arguments = {"template": template, "arg_joiner": ") - julianday("}
        since, until = self.get_source_expressions()
        swapped = Func(until, since, **arguments, output_field=FloatField())
        return swapped.as_sql(compiler, connection, **context)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        since, until = self.get_source_expressions()
        template = "EXTRACT(EPOCH FROM (%(expressions)s))::float8"
        swapped = Func(until, since, template=template, arg_joiner=" - ", output_field=FloatField())
        return swapped.as_sql(compiler, connection, **context)
