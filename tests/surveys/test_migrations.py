from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import F

from surveys.models import Assignment, Place

LAST = "0004_every_assignment_has_a_round"


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    names = [name for app, name in MigrationLoader(connection).disk_migrations if app == "surveys"]
    assert max(names) == LAST


@pytest.mark.django_db(transaction=True)
def test_migrations_can_be_undone_and_done_again():
    call_command("migrate", "surveys", "zero", verbosity=0)
    assert "surveys_study" not in connection.introspection.table_names()

    call_command("migrate", "surveys", verbosity=0)
    assert "surveys_study" in connection.introspection.table_names()


@pytest.mark.django_db(transaction=True)
def test_assignments_from_before_places_get_theirs():
    """Two started and one over quota, of a study that asks for two ratings; back and forth."""
    old = migrate_to("0001_initial")
    make = {
        name: old.get_model("surveys", name).objects.create
        for name in ("Study", "Block", "Questionnaire", "Annotator", "Assignment")
    }
    study = make["Study"](
        slug="old", title="old", language="en", ratings_per_context=2, block_size=5
    )
    block = make["Block"](study=study, number=1)
    questionnaire = make["Questionnaire"](block=block, letter="A")
    for number in range(3):
        annotator = make["Annotator"](study=study, code=f"code{number}")
        make["Assignment"](
            questionnaire=questionnaire, annotator=annotator, token=f"token{number}",
            is_over_quota=number == 1,
        )  # fmt: skip

    for _ in range(2):
        migrate_to(LAST)

        assert [
            (a.token, a.study_id, a.round.number, a.n_items, place_number(a))
            for a in Assignment.objects.order_by("pk")
        ] == [
            ("token0", study.pk, 1, 0, 1), ("token1", study.pk, 1, 0, None),
            ("token2", study.pk, 1, 0, 2),
        ]  # fmt: skip
        assert Assignment.objects.filter(started_at=F("offered_at")).count() == 3
        migrate_to("0001_initial")

    migrate_to(LAST)


def place_number(assignment: Assignment) -> int | None:
    place = Place.objects.filter(assignment=assignment).first()
    return place.number if place else None


def migrate_to(name: str) -> Any:
    """Migrate there; the models as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("surveys", name)])
    return MigrationExecutor(connection).loader.project_state([("surveys", name)]).apps
