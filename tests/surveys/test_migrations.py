from datetime import timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import F
from django.utils import timezone

from surveys.answering import record_engagement, record_unjudgeable
from surveys.assigning import count_places_left
from surveys.checkpointing import import_checkpoints
from surveys.configuring import configure_study
from surveys.erasing import withdraw_annotator
from surveys.filing import count_unfiled, file_answers
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Batch,
    ConsentNotice,
    Place,
    Release,
    Response,
    Review,
    Run,
    Study,
    StudyText,
    Visit,
)
from surveys.repeating import repeat_block
from surveys.retaining import mark_paid
from tests.factories import finish, make_study, start, stored, whereabouts
from tests.mturk.offered import plan
from tests.surveys.checkpoint_rows import file, row
from tests.surveys.reviewed import reviewed_study, submit

LAST = MigrationLoader(None).graph.leaf_nodes("surveys")[0][1]
BEFORE_NUMBERS = (
    MigrationLoader(None)
    .get_migration("surveys", "0018_number_within_the_study")
    .dependencies[0][1]
)
OLD_CONSENT = (  # the default text before migration 0021
    "Thank you for your interest. We would like to know how people understand words when "
    "they meet them in a text. You will read short texts. For each one, you write down two "
    "words that it makes you think of. Then you rate how similar in meaning two of its own "
    "words are.\n"
    "\n"
    "- Taking part is voluntary. You can stop at any time, and you need not say why.\n"
    "- We do not ask for your name. Your answers are stored under a random code.\n"
    "- The answers of everyone who takes part will be published as a dataset for research on "
    "language. Nothing in it will say who you are.\n"
    "- Please take part only if you are an adult and read English with ease.\n"
    "\n"
    "You do not need to prepare or to know anything special. What matters to us is how you "
    "understand each text."
)
OLD_TABLES = ("Study", "Pair", "Context", "Block", "Questionnaire", "Item", "Annotator",
              "Invitation", "Assignment", "Response")  # fmt: skip


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    names = [name for app, name in MigrationLoader(connection).disk_migrations if app == "surveys"]
    assert max(names) == LAST


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


@pytest.mark.django_db(transaction=True)
def test_migrations_can_be_undone_and_a_study_of_the_first_keeps_its_answers():
    """One assignment finished, one begun, of a study that asks for two; back and forth."""
    call_command("migrate", "surveys", "zero", verbosity=0)
    tables = connection.introspection.table_names()
    assert [table for table in tables if table.startswith("surveys_")] == []

    old = go_back_to("0001_initial")
    assert columns_of("surveys_assignment") == {  # as it was published
        "id", "questionnaire_id", "annotator_id", "token", "state", "started_at", "submitted_at",
    }  # fmt: skip
    assert "lease_hours" not in columns_of("surveys_study")
    study = make_old_study(old)
    assignments = [make_old_assignment(old, study, number) for number in (1, 2)]
    answer(assignments[0], old, rating=4)

    for back in ("0001_initial", None):
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
        if back:
            migrate_to(back)


def columns_of(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {c.name for c in connection.introspection.get_table_description(cursor, table)}


def add_checkpoint(study: Study) -> None:
    import_checkpoints(study, file(row()), per_assignment=1)


def withdraw_what_is_submitted(study: Study) -> None:
    assignment = start(study)
    finish(assignment)
    Assignment.objects.filter(pk=assignment.pk).update(state="withdrawn")


def withdraw_somebody(study: Study) -> None:
    assignment = start(study)
    finish(assignment)
    withdraw_annotator(assignment.annotator)


def pay_somebody(study: Study) -> None:
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


BEFORE_PLACES = {  # what happened to a study of its own each, and how it is told
    add_checkpoint: "checkpoint items: 1",
    repeat: "repeats of blocks: 1",
    withdraw_what_is_submitted: "questionnaires withdrawn after they were submitted: 1",
    judge_nothing: "texts that could not be judged: 1",
    rate_in_fractions: "studies whose scale has fractions: 1",
}
BEFORE_RETENTION = {
    withdraw_somebody: "first ratings of annotators who withdrew: 1",
    pay_somebody: "annotators who were paid: 1",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("happened", "before_that"),
    [(BEFORE_PLACES, "0002_places_rounds_texts_entrances"), (BEFORE_RETENTION, "0012_programs")],
    ids=["places", "retention"],
)
def test_going_back_is_refused_where_something_would_be_lost(happened, before_that):
    for number, happen in enumerate(happened):
        happen(make_study(2, slug=f"study{number}", question_forms="text"))
    AuditEntry.objects.all().delete()  # it would be refused for their sake before
    forget_notices()
    before = everything()

    try:
        with pytest.raises(CommandError, match=f"could not hold {'; '.join(happened.values())}. N"):
            migrate_to(before_that)
    finally:
        migrate_to(LAST)

    assert everything() == before


def forget_notices() -> None:
    """As annotators from before notices were kept: going back drops those."""
    Annotator.objects.update(notice=None)
    ConsentNotice.objects.all().delete()


def everything() -> dict[str, list[Any]]:
    """All rows of all tables of ours, but for the log, which goes with those who wrote it."""
    models = [m for m in apps.get_app_config("surveys").get_models() if m is not AuditEntry]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


@pytest.mark.django_db(transaction=True)
def test_going_back_is_refused_while_there_is_a_log():
    configure_study(make_study(1, question_forms="text"), title="Words")
    n_entries = AuditEntry.objects.count()

    try:
        with pytest.raises(CommandError, match=rf"log .* entries \({n_entries}\) would be lost"):
            migrate_to("0007_release_keys_and_published_words")
    finally:
        migrate_to(LAST)

    assert AuditEntry.objects.count() == n_entries > 0


@pytest.mark.django_db(transaction=True)
def test_going_back_is_refused_while_there_is_a_ledger():
    plan(make_study(2, question_forms="text"))
    before = everything()

    try:
        with pytest.raises(CommandError, match=r"lost \(Batch 1, Hit 1, Entrance 1\)\. Nothing"):
            migrate_to("0014_errands")
    finally:
        migrate_to(LAST)

    assert everything() == before


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


def migrate_to(name: str) -> None:
    MigrationExecutor(connection).migrate([("surveys", name)])


def go_back_to(name: str) -> Any:
    """Migrate there; the models as they were then."""
    migrate_to(name)
    return MigrationLoader(connection).project_state([("surveys", name)]).apps


@pytest.mark.django_db(transaction=True)
def test_releases_from_before_keys_have_none():
    """One key for all of them would let their ids be matched."""
    old = go_back_to("0004_every_assignment_has_a_round")
    study = old.get_model("surveys", "Study").objects.create(
        slug="old", title="old", language="en", ratings_per_context=2, block_size=5
    )
    old.get_model("surveys", "Release").objects.create(study=study, report={})

    migrate_to(LAST)

    assert [release.key for release in Release.objects.all()] == [""]
    assert Study.objects.get().publishes_words is False


@pytest.mark.django_db(transaction=True)
def test_what_was_made_before_marks_were_kept_is_marked():
    study = make_study(2, question_forms="text")
    finish(start(study))
    old = go_back_to("0012_programs")
    old.get_model("surveys", "Release").objects.create(study_id=study.pk, report={})
    old.get_model("surveys", "Annotator").objects.update(withdrawn_at=timezone.now())

    migrate_to(LAST)

    assert Release.objects.with_withdrawn_since().get().n_withdrawn_since == 1


@pytest.mark.django_db(transaction=True)
def test_what_was_filed_before_it_was_marked_is_marked():
    study = reviewed_study(n_assignments=2, question_forms="text")
    submit(study)
    filed = dict(Review.objects.assignments(study).values_list("assignment", "filed_at"))
    migrate_to("0016_crowd_work")
    assert "filed_at" not in columns_of("surveys_assignment")

    migrate_to(LAST)

    marked = Assignment.objects.exclude(filed_at=None).values_list("pk", "filed_at")
    assert dict(marked) == filed
    assert (len(filed), count_unfiled(study), file_answers(study)) == (2, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_what_had_ids_alone_is_numbered_in_the_order_of_its_creation():
    """Of two studies whose ids are mixed; the log calls everything by its new name."""
    studies = [make_study(2, slug=slug, question_forms="text") for slug in ("first", "second")]
    batches = [plan(study, 1) for study in (*studies, *studies)]
    old = go_back_to(BEFORE_NUMBERS)
    runs, releases = (old.get_model("surveys", name).objects for name in ("Run", "Release"))
    entries = old.get_model("surveys", "AuditEntry").objects
    made: dict[str, Any] = {}
    for study in studies:
        made["results", study.slug] = runs.create(study_id=study.pk, kind="results")
        made["failed", study.slug] = runs.create(study_id=study.pk, kind="release", state="failed")
        made["command", study.slug] = releases.create(study_id=study.pk, report={})
        release = releases.create(study_id=study.pk, report={})
        made["release", study.slug] = runs.create(
            study_id=study.pk, kind="release", state="done", report={}, release=release
        )
        named = f"run {made['release', study.slug].pk}"
        entries.create(study_id=study.pk, action="release.made", subject=named)
        erased = {"in_releases": [release.pk]}
        entries.create(study_id=study.pk, action="annotator.erased", details=erased)
    log = list(entries.order_by("pk").values_list("subject", "details"))

    migrate_to(LAST)

    for study in studies:
        numbered = Run.objects.filter(study=study).order_by("pk")
        assert [run.name for run in numbered] == ["run 1", "release 1", "release 3"]
        assert list(study.releases.order_by("pk").values_list("number", flat=True)) == [2, 3]
        made_entry, erased_entry = AuditEntry.objects.filter(study=study).order_by("-pk")[:2][::-1]
        assert made_entry.subject == "release 3"
        assert erased_entry.details == {"in_releases": [3]}
    assert [(b.study.slug, b.number) for b in Batch.objects.order_by("pk")] == [
        ("first", 1), ("second", 1), ("first", 2), ("second", 2),
    ]  # fmt: skip
    planned = AuditEntry.objects.filter(action="batch.planned").order_by("pk")
    assert [entry.subject for entry in planned] == [
        "batch 1 of first", "batch 1 of second", "batch 2 of first", "batch 2 of second",
    ]  # fmt: skip

    old = go_back_to(BEFORE_NUMBERS)
    entries = old.get_model("surveys", "AuditEntry").objects
    assert list(entries.order_by("pk").values_list("subject", "details")) == log
    assert f"batch {batches[3].pk} of second" in [subject for subject, _ in log]
    migrate_to(LAST)


@pytest.mark.django_db(transaction=True)
def test_studies_that_have_begun_keep_the_forms_that_were_asked():
    old = go_back_to("0017_mark_what_is_filed").get_model("surveys", "Study").objects
    for slug, opened_at in (("draft", None), ("open", timezone.now())):
        old.create(
            slug=slug, title=slug, language="hr", ratings_per_context=2, block_size=5,
            opened_at=opened_at,
        )  # fmt: skip

    migrate_to(LAST)

    forms = dict(Study.objects.values_list("slug", "question_forms"))
    assert forms == {"draft": "dictionary", "open": "text"}


@pytest.mark.django_db(transaction=True)
def test_going_back_is_refused_while_a_study_asks_for_dictionary_forms():
    make_study(1)
    before = everything()

    try:
        with pytest.raises(CommandError, match="ask for dictionary forms: 1"):
            migrate_to("0017_mark_what_is_filed")
    finally:
        migrate_to(LAST)

    assert everything() == before


@pytest.mark.django_db(transaction=True)
def test_who_had_finished_when_a_study_was_settled_is_marked_as_paid():
    """One finished before, one since; in a study that is not settled another."""
    study = make_study(1, ratings_per_context=3, question_forms="text")
    before, since = (start(study).annotator for _ in range(2))
    elsewhere = start(make_study(1, slug="other", question_forms="text")).annotator
    settled_at = timezone.now()
    for annotator, day in ((before, -1), (since, 1), (elsewhere, -1)):
        annotator.assignments.update(submitted_at=settled_at + timedelta(days=day))
    Study.objects.filter(pk=study.pk).update(settled_at=settled_at)
    migrate_to("0017_mark_what_is_filed")

    migrate_to(LAST)

    found = [Annotator.objects.get(pk=one.pk).paid_at for one in (before, since, elsewhere)]
    assert found == [settled_at, None, None]


@pytest.mark.django_db(transaction=True)
def test_defaults_in_english_from_before_are_marked_and_nothing_is_claimed_about_them():
    studies = [make_study(1, slug=language, language=language) for language in ("pt", "en", "sl")]
    (shown,) = [start(study).annotator for study in studies][:1]
    old = go_back_to("0020_pay_and_public_titles")
    texts = old.get_model("surveys", "StudyText").objects
    consents = texts.filter(kind="consent")
    consents.update(body=OLD_CONSENT)

    migrate_to(LAST)

    now = StudyText.objects.filter(kind="consent").values_list("study__slug", "language")
    assert dict(now) == {"pt": "en", "en": "", "sl": "en"}
    assert not StudyText.objects.exclude(reviewed_at=None).exists()
    assert stored(shown, "notice", "retention_days") == (None, None)
    assert not Study.objects.filter(opened_at=None).exists()
