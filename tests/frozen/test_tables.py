"""The tables of the site: columns, constraints and indexes, whichever app they belong to."""

import re

import pytest
from django.db import connection

from tests.frozen.texts import check_frozen

QUERIES = {
    "sqlite": "SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL",
    "postgresql": """
        SELECT attrelid::regclass::text, concat_ws(
            ' ', quote_ident(attname), format_type(atttypid, atttypmod),
            CASE WHEN attnotnull THEN 'NOT NULL' ELSE 'NULL' END,
            'DEFAULT ' || pg_get_expr(adbin, adrelid),
            CASE WHEN attidentity <> '' THEN 'IDENTITY' END
        )
        FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r'
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT conrelid::regclass::text, concat(conname, ' ', pg_get_constraintdef(oid))
        FROM pg_constraint WHERE conrelid <> 0
        UNION ALL
        SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
    """,
}
PREFIX = re.compile(r"\b(?:surveys|sharedtasks|crowd|contexts)_(?=\w)")
TOKENS = re.compile(r"'[^']*'|\"[^\"]*\"|[(),]|[^'\"(),]+")
DRAWN_NAME = re.compile(r'(?:CONSTRAINT )?"?\b\w+_(?:[0-9a-f]{8}(?:_\w+)?|pkey|key|check)\b"? ')


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
@pytest.mark.every_database
@pytest.mark.django_db
def test_tables():
    tables: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(QUERIES[connection.vendor])
        for table, definition in cursor.fetchall():
            if PREFIX.match(table):
                lines = tables.setdefault(PREFIX.sub("", table), [])
                lines += [PREFIX.sub("", line) for line in split_definition(definition)]

    check_frozen(
        f"tables_{connection.vendor}",
        {table: "\n".join(sorted(lines)) for table, lines in tables.items()},
    )


def split_definition(definition: str) -> list[str]:
    """Return the columns and constraints of a table of SQLite; anything else is one line.

    Names that Django draws from the names of tables are left out.
    """
    if definition.startswith("CREATE TABLE"):
        _, _, body = definition.removesuffix(")").partition("(")
        lines, depth = [""], 0
        for token in TOKENS.findall(body):
            depth += {"(": 1, ")": -1}.get(token, 0)
            if token == "," and not depth:
                lines.append("")
            else:
                lines[-1] += token
    else:
        lines = [definition]
    return [DRAWN_NAME.sub("", " ".join(line.split())) for line in lines]
