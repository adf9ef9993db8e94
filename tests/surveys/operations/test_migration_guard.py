"""Code refuses a database of another version, and asks to migrate one that lacks migrations."""

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from surveys.operations.migration_guard import check_apps_off, check_at_start
from tests.factories.studies import make_study

OTHER = "0042_baselines_of_phases"
REFUSED = (
    r"made by another version of Cosima \(its migration surveys\.0042_baselines_of_phases is "
    r"unknown here\)\. Databases from before 0\.1\.0 cannot be upgraded"
)


def record(app: str, name: str) -> None:
    MigrationRecorder(connection).record_applied(app, name)


@pytest.mark.every_database
@pytest.mark.django_db
@pytest.mark.parametrize("command", [["open_study", "x"], ["prepare_site"], ["drop_personal_data"]])
def test_commands_refuse_a_database_of_another_version(command):
    record("surveys", OTHER)

    with pytest.raises(CommandError, match=REFUSED):
        call_command(*command)


@pytest.mark.every_database
@pytest.mark.django_db
def test_migrate_refuses_a_database_of_another_version_and_changes_nothing():
    make_study(2)
    MigrationRecorder(connection).migration_qs.filter(app="surveys").delete()
    record("surveys", OTHER)

    with pytest.raises(SystemCheckError, match=REFUSED):
        call_command("migrate", skip_checks=False, verbosity=0)

    recorded = MigrationRecorder(connection).migration_qs.filter(app="surveys")
    assert list(recorded.values_list("name", flat=True)) == [OTHER]


@pytest.mark.django_db
@pytest.mark.parametrize("name", [OTHER, "0001_initial", "0001_draft_14"])
def test_servers_and_workers_do_not_start_with_a_database_of_another_version(name):
    record("surveys", name)

    with pytest.raises(SystemExit, match=REFUSED.replace(OTHER, name)):
        check_at_start()


@pytest.mark.django_db
def test_each_installed_app_is_compared_and_no_other():
    record("an_app_switched_off", "0001_draft_01")
    check_at_start()
    record("axes", "9999_of_the_future")

    with pytest.raises(SystemExit, match=r"its migration axes\.9999_of_the_future is unknown"):
        check_at_start()


@pytest.mark.django_db
@pytest.mark.parametrize("app", ["surveys", "axes"])
def test_a_database_that_lacks_a_migration_is_to_be_migrated(app, caplog):
    MigrationRecorder(connection).migration_qs.filter(app=app).delete()

    with pytest.raises(CommandError, match=rf"from {app}\.0001.*run `manage.py migrate`"):
        call_command("drop_personal_data")
    check_at_start()

    assert "run `manage.py migrate`" in caplog.text


@pytest.mark.every_database
@pytest.mark.django_db
def test_rows_of_an_app_that_is_switched_off_are_reported(settings):
    settings.ALL_APPS, settings.APPS = ["lexicons", "surveys"], []
    assert check_apps_off() == []

    make_study(1)
    (warning,) = check_apps_off()
    assert warning.msg.startswith("surveys is not in APPS, but the database has its rows: ")
    assert "Add surveys to APPS." in warning.hint

    settings.APPS = ["surveys"]
    assert check_apps_off() == []
