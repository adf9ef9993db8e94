"""Code refuses a database of another version, and asks to migrate one that lacks migrations."""

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
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


def plan(monkeypatch, *operations):
    """Let one migration with these operations be pending."""
    migration = migrations.Migration("0099_later", "surveys")
    migration.operations = list(operations)
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [(migration, False)])


@pytest.mark.django_db
def test_an_upgrade_needs_no_stop_for_what_an_earlier_version_neither_reads_nor_misses(
    monkeypatch, capsys
):
    key = ("id", models.BigAutoField(primary_key=True))
    plan(
        monkeypatch,
        migrations.CreateModel("Extra", [key]),
        migrations.AddIndex("Extra", models.Index(fields=["id"], name="extra")),
        migrations.AddField("study", "hint", models.TextField(null=True)),
        migrations.AddField("study", "number", models.IntegerField(db_default=1)),
        migrations.AlterModelOptions("study", {"ordering": ["id"]}),
    )

    call_command("plan_upgrade")

    assert capsys.readouterr().out == "The earlier version can serve during the migration.\n"


@pytest.mark.django_db
def test_an_upgrade_with_other_changes_is_announced_and_needs_consent(monkeypatch, capsys):
    plan(
        monkeypatch,
        migrations.AddField("study", "hint", models.TextField(default="")),
        migrations.AddIndex("Study", models.Index(fields=["slug"], name="slug")),
        migrations.RunPython(migrations.RunPython.noop),
        migrations.RemoveField("study", "slug"),
    )
    announced = (
        "surveys.0099_later: Add field hint to study\n"
        "surveys.0099_later: Create index slug on field(s) slug of model Study\n"
        "surveys.0099_later: Raw Python operation\n"
        "surveys.0099_later: Remove field slug from study\n"
    )

    with pytest.raises(CommandError, match=r"needs a stop, .*Nothing was changed"):
        call_command("plan_upgrade")
    assert capsys.readouterr().out == announced
    call_command("plan_upgrade", stop=True)
    assert capsys.readouterr().out == announced


@pytest.mark.django_db
def test_an_upgrade_to_an_earlier_version_is_refused():
    record("surveys", OTHER)

    with pytest.raises(CommandError, match=REFUSED + ".*restore an earlier backup"):
        call_command("plan_upgrade", stop=True)
