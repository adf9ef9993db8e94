from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import F
from django.utils import timezone

from surveys.assigning import count_places_left
from surveys.models import Assignment, Place, Response, Study

LAST = "0004_every_assignment_has_a_round"
OLD_TABLES = ("Study", "Pair", "Context", "Block", "Questionnaire", "Item", "Annotator",
              "Invitation", "Assignment", "Response")  # fmt: skip


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
def test_a_study_from_before_places_gets_them_and_keeps_its_answers():
    """One assignment finished, one begun, of a study that asks for two; back and forth."""
    old = migrate_to("0001_initial")
    study = make_old_study(old)
    assignments = [make_old_assignment(old, study, number) for number in (1, 2)]
    answer(assignments[0], old, rating=4)

    for _ in range(2):
        migrate_to(LAST)

        assert [
            (a.token, a.state, a.study_id, a.round.number, a.n_items, a.seed, a.reason,
             a.is_over_quota, place_number(a))
            for a in Assignment.objects.order_by("pk")
        ] == [
            ("token1", "submitted", study.pk, 1, 1, 0, "", False, 1),
            ("token2", "started", study.pk, 1, 1, 0, "", False, 2),
        ]  # fmt: skip
        assert Assignment.objects.filter(started_at=F("offered_at")).count() == 2
        assert list(Response.objects.values_list("inspired_word1", "rating")) == [
            ("sea", Decimal(4)), ("", None),
        ]  # fmt: skip
        assert Study.objects.values_list("lease_hours", "scale_maximum").get() == (24, Decimal(6))
        assert count_places_left(Study.objects.get()) == 0
        migrate_to("0001_initial")

    migrate_to(LAST)


def make_old_study(old: Any) -> Any:
    """A study of one text, as it was stored at first; its one questionnaire has two places."""
    make = {name: old.get_model("surveys", name).objects.create for name in OLD_TABLES}
    study = make["Study"](
        slug="old", title="old", language="en", ratings_per_context=2, block_size=5
    )
    pair = make["Pair"](study=study, position=1, word1="cat", word2="dog")
    context = make["Context"](
        pair=pair, number=1, text="cat dog", word1_start=0, word1_end=3, word2_start=4, word2_end=7
    )
    block = make["Block"](study=study, number=1)
    questionnaire = make["Questionnaire"](block=block, letter="A")
    make["Item"](questionnaire=questionnaire, position=1, context=context)
    return study


def make_old_assignment(old: Any, study: Any, number: int) -> Any:
    make = {name: old.get_model("surveys", name).objects.create for name in OLD_TABLES}
    annotator = make["Annotator"](study=study, code=f"code{number}")
    make["Invitation"](study=study, token=f"link{number}", annotator=annotator)
    context = old.get_model("surveys", "Context").objects.get()
    questionnaire = old.get_model("surveys", "Questionnaire").objects.get()
    assignment = make["Assignment"](
        questionnaire=questionnaire, annotator=annotator, token=f"token{number}"
    )
    make["Response"](
        assignment=assignment, annotator=annotator, pair=context.pair, context=context, position=1
    )
    return assignment


def answer(assignment: Any, old: Any, *, rating: int) -> None:
    now = timezone.now()
    old.get_model("surveys", "Response").objects.filter(assignment=assignment).update(
        inspired_word1="sea", inspired_word2="salt", engaged_at=now, rating=rating, rated_at=now
    )
    old.get_model("surveys", "Assignment").objects.filter(pk=assignment.pk).update(
        state="submitted", submitted_at=now
    )


def place_number(assignment: Assignment) -> int | None:
    place = Place.objects.filter(assignment=assignment).first()
    return place.number if place else None


def migrate_to(name: str) -> Any:
    """Migrate there; the models as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("surveys", name)])
    return MigrationExecutor(connection).loader.project_state([("surveys", name)]).apps
