"""Migrating the database of a test from step to step, and what older steps cannot hold."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from surveys.models import (
    Assignment,
    Study,
)
from surveys.operations.migration_steps import StepExecutor, StepLoader
from surveys.participation.answers import record_engagement, record_unjudgeable
from surveys.privacy.erasure import withdraw_annotator
from surveys.privacy.retention import mark_paid
from surveys.study.design import configure_study
from surveys.study.layout.blocks import repeat_block
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories.checkpoints import file, row
from tests.factories.old_rows import (
    rows_of,
)
from tests.factories.studies import finish, make_study, start, whereabouts
from tests.fixtures.migrated import fill


def applied() -> set[str]:
    found = MigrationRecorder(connection).applied_migrations()
    return {name for app, name in found if app == "surveys"}


def drop_tables() -> None:
    """Drop our tables, which takes a second; migrating back to none takes many."""
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for name in tables():
            cascade = " CASCADE" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(name)}{cascade}")
    MigrationRecorder(connection).migration_qs.filter(app="surveys").delete()


def restore(config: pytest.Config) -> None:
    """Replace a database by one with the tables of the last step and no rows."""
    if connection.vendor == "sqlite":
        fill(connection.connection, config)
        return
    drop_tables()
    call_command("flush", interactive=False, verbosity=0)
    call_command("migrate", verbosity=0)


def go(name: str) -> Any:
    """Migrate to a step that was squashed, and return its models, made if they are needed."""
    StepExecutor(connection).migrate([("surveys", name)])
    state = StepLoader(connection).project_state([("surveys", name)])
    return SimpleLazyObject(lambda: state.apps)


def refuse(name: str, match: str) -> None:
    """Check that a migration is refused and the data are unchanged."""
    before = everything()
    with pytest.raises(CommandError, match=match):
        StepExecutor(connection).migrate([("surveys", name)])
    assert everything() == before


def everything() -> dict[str, list[Any]]:
    """Return all rows of our tables, as stored."""
    return {name: execute(f"SELECT * FROM {name} ORDER BY id") for name in tables()}  # noqa: S608


def tables() -> list[str]:
    names = connection.introspection.table_names()
    return [name for name in names if name.startswith("surveys_")]


def execute(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def columns_of(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {c.name for c in connection.introspection.get_table_description(cursor, table)}


def add_checkpoint(study: Study) -> None:
    import_checkpoints(study, file(row()), per_assignment=1)


def withdraw_what_is_submitted(study: Study) -> None:
    assignment = start(study)
    finish(assignment)
    Assignment.objects.filter(pk=assignment.pk).update(state="withdrawn")


def withdraw_an_annotator(study: Study) -> None:
    assignment = start(study)
    finish(assignment)
    withdraw_annotator(assignment.annotator)


def pay_an_annotator(study: Study) -> None:
    finish(start(study))
    mark_paid(study)


def judge_nothing(study: Study) -> None:
    configure_study(study, allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(whereabouts(assignment), "sea", "salt")
    record_unjudgeable(whereabouts(assignment), "a word is cut off")


def rate_in_fractions(study: Study) -> None:
    fine = make_study(2, slug="fine", scale_step=Decimal("0.25"), question_forms="text")
    finish(start(fine), rating=Decimal("2.25"))


def repeat(study: Study) -> None:
    finish(start(study))
    repeat_block(study.blocks.get(), reason="scripts", author="anna")


def settle(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(settled_at=timezone.now())


AT_PLACES = {  # what happened to a study of its own each, and how it is told
    add_checkpoint: "checkpoint items: 1",
    repeat: "repeats of blocks: 1",
    withdraw_what_is_submitted: "questionnaires withdrawn after they were submitted: 2",
    judge_nothing: "texts that could not be judged: 1",
    rate_in_fractions: "studies whose scale has fractions: 1",
}
AT_RETENTION = {  # with what was so before
    withdraw_an_annotator: "first ratings of annotators who withdrew: 2",
    pay_an_annotator: "annotators who were paid: 2",
    settle: "studies that drop personal data, or were settled: 2",
}


def lose_the_ledger() -> None:
    execute("UPDATE surveys_place SET hit_id = NULL")
    execute("DELETE FROM surveys_hit")
    execute("DELETE FROM surveys_batch")
    execute("DELETE FROM surveys_qualification")
    execute("DELETE FROM surveys_entrance WHERE provider NOT IN ('link', 'prolific')")


def forget_retention() -> None:
    execute("UPDATE surveys_annotator SET first_rated_at = NULL, paid_at = NULL")
    execute("UPDATE surveys_study SET retention_days = NULL, settled_at = NULL")


def forget_what_places_brought(old: Any) -> None:
    rows_of(old, "Pair").filter(is_checkpoint=True).update(is_checkpoint=False, position=9)
    rows_of(old, "Place").filter(round__number__gt=1).delete()
    rows_of(old, "Round").filter(number__gt=1).delete()
    rows_of(old, "Assignment").exclude(state="submitted").update(submitted_at=None)
    rows_of(old, "Response").filter(is_unjudgeable=True).update(
        is_unjudgeable=False, rating=1, comment=""
    )
    rows_of(old, "Study").filter(slug="fine").update(scale_step=1)
    rows_of(old, "Response").filter(assignment__study__slug="fine").update(rating=2)
