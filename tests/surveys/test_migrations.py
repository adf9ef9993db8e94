import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_migrations_can_be_undone_and_done_again():
    last = max(
        name for app, name in MigrationLoader(connection).disk_migrations if app == "surveys"
    )

    call_command("migrate", "surveys", "zero", verbosity=0)
    assert "surveys_study" not in connection.introspection.table_names()

    call_command("migrate", "surveys", last, verbosity=0)
    assert "surveys_study" in connection.introspection.table_names()
