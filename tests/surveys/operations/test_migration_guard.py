"""Migrating back loses no data without consent, and code refuses a database of other code."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, migrations, models
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from surveys.access.api_tokens import make_token
from surveys.models import ApiToken, AuditEntry, Batch, Hit, Run, Webhook
from surveys.models.sharedtasks import Phase, SharedTask
from surveys.operations.migration_guard import (
    check_at_start,
    refuse_losses,
    refuse_newer_database,
    refuse_older_database,
)
from surveys.results.runs import request_export
from tests.factories.batches import plan
from tests.factories.studies import make_study, start
from tests.surveys.migrating import applied, columns_of, restore

NEWER = "9999_of_the_future"
OLDER = "0009_open_studies_when_ready"
STEP_BEFORE, LAST_STEP = "0041_archives_made_again", "0042_baselines_of_phases"
SQUASHED, EARLIER_SQUASHED = f"0001_squashed_{LAST_STEP}", "0001_squashed_0024_x"


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_migrating_back_lists_what_would_be_lost_and_changes_nothing():
    study = make_study(2)
    make_token(User.objects.create_user("ana"), "a program", ["studies:read"], expires_at=None)
    Webhook.objects.create(study=study, url="https://example.org/", secret="s")
    request_export(study, "csv", None)
    before = applied()

    with pytest.raises(CommandError, match="--drop-data") as refused:
        call_command("migrate", "surveys", OLDER, verbosity=0)

    for table in ("surveys_apitoken", "surveys_webhook", "surveys_run"):
        assert f"1 rows of {table}" in str(refused.value)
    assert (ApiToken.objects.count(), Webhook.objects.count(), Run.objects.count()) == (1, 1, 1)
    assert applied() == before


@pytest.mark.django_db(transaction=True)
def test_migrating_to_zero_never_drops_the_log_and_the_ledger(pytestconfig):
    study = make_study(2)

    with pytest.raises(CommandError, match=r"1 rows of surveys_study.*--drop-data"):
        call_command("migrate", "surveys", "zero", verbosity=0)
    plan(study)
    n_entries = AuditEntry.objects.count()
    lost = rf"\(AuditEntry {n_entries}, Batch 1, Hit 1, Entrance 1\)\. Nothing"
    try:
        with pytest.raises(CommandError, match=lost):
            call_command("migrate", "surveys", "zero", drop_data=True, verbosity=0)
        assert AuditEntry.objects.count() == n_entries > 0
        assert (Batch.objects.count(), Hit.objects.count()) == (1, 1)
    finally:
        restore(pytestconfig)  # later migrations were reversed


@pytest.mark.django_db(transaction=True)
def test_migrating_back_into_the_squashed_steps_and_forward_again():
    """In one test, since each way through the migrations takes seconds.

    `tests/surveys/test_migrations.py` goes through the same steps on every database.
    """
    shared_task = SharedTask.objects.create(slug="words", title="Words", contact="-")
    Phase.objects.create(
        shared_task=shared_task, name="evaluation", subtasks=[1], opens_at=timezone.now(),
        baselines_at=timezone.now(),
    )  # fmt: skip
    before = applied()
    MigrationRecorder(connection).record_applied("surveys", EARLIER_SQUASHED)
    refuse_newer_database()

    try:
        call_command("migrate", "surveys", LAST_STEP, verbosity=0)
        steps = {name for name in before if name <= LAST_STEP} - {SQUASHED}
        assert applied() == steps
        with pytest.raises(CommandError, match="baselines_at in 1 rows of surveys_phase"):
            call_command("migrate", "surveys", STEP_BEFORE, verbosity=0)
        assert applied() == steps
        call_command("migrate", "surveys", STEP_BEFORE, drop_data=True, verbosity=0)
        assert "baselines_at" not in columns_of("surveys_phase")
        assert applied() == steps - {LAST_STEP}
    finally:
        call_command("migrate", verbosity=0)
    assert applied() == before
    assert Phase.objects.get().baselines_at is None

    MigrationRecorder(connection).record_unapplied("surveys", SQUASHED)
    refuse_older_database()
    call_command("migrate", "surveys", verbosity=0)

    assert applied() == before


class Renamed(migrations.Migration):
    """A study's title under earlier names."""

    operations = [
        migrations.CreateModel("Plan", [("id", models.BigAutoField(primary_key=True))]),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AddField("Plan", "name", models.CharField(max_length=9, default=""))
            ]
        ),
        migrations.RenameModel("Plan", "Study"),
        migrations.RenameField("Study", "name", "title"),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "loss"), [(1, "title in 1 rows of surveys_study"), (0, "1 rows of surveys_study")]
)
def test_refuse_losses_follows_renames(first, loss):
    make_study(2)
    made = Renamed("0001", "surveys")
    made.operations = made.operations[first:]

    with pytest.raises(CommandError, match=loss):
        refuse_losses([(made, True)], apps)


@pytest.mark.django_db
def test_refuse_losses_ignores_default_values():
    start(make_study(2))
    added = migrations.AddField(
        "Invitation", "note", models.CharField(max_length=200, blank=True, default="")
    )
    plan = migrations.Migration("0001", "surveys")
    plan.operations = [added]

    refuse_losses([(plan, True)], apps)
    refuse_losses([(Renamed("0001", "surveys"), False)], apps)


@pytest.fixture
def newer(db):
    MigrationRecorder(connection).record_applied("surveys", NEWER)


@pytest.fixture
def older(db):
    MigrationRecorder(connection).record_unapplied("surveys", max(applied()))


def test_older_code_refuses_a_newer_database(newer, capsys):
    for command in (["open_study", "x"], ["migrate"], ["drop_personal_data"]):
        with pytest.raises(CommandError, match=f"newer than this code.*{NEWER}"):
            call_command(*command)
    with pytest.raises(SystemExit, match=NEWER):
        check_at_start()


def test_newer_code_asks_to_migrate_an_older_database(older, caplog):
    with pytest.raises(CommandError, match=r"run `manage.py migrate`"):
        call_command("drop_personal_data")
    check_at_start()

    assert "run `manage.py migrate`" in caplog.text
