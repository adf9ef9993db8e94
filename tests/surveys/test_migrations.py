from itertools import permutations

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from surveys.models import Annotator, Assignment, Place, Response, Visit

pytestmark = pytest.mark.every_database  # schemas differ


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)

    on_disk = set(MigrationLoader(connection).disk_migrations)
    assert set(MigrationRecorder(connection).applied_migrations()) == on_disk


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Annotator, Assignment, Place, Response, Visit])
def test_no_index_of_a_busy_table_is_the_beginning_of_another(model):
    with connection.cursor() as cursor:
        table = connection.introspection.get_constraints(cursor, model._meta.db_table)
        conditional = {index.name for index in model._meta.indexes if index.condition}
    indexes = [
        tuple(found["columns"])
        for name, found in table.items()
        if (found["index"] or found["unique"])
        and name not in conditional
        and not name.endswith("_like")  # on PostgreSQL, in another order
    ]

    assert indexes
    beginnings = [
        (short, long) for short, long in permutations(indexes, 2) if long[: len(short)] == short
    ]
    assert beginnings == []
