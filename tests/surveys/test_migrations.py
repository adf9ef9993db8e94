from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import F
from django.utils import timezone

from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Batch,
    Place,
    Release,
    Response,
    Review,
    Run,
    Study,
    StudyText,
    Visit,
)
from surveys.operations.migration_steps import StepLoader
from tests.factories.batches import plan
from tests.factories.old_rows import (
    OLD_CONSENT,
    answer,
    make_begun_study,
    make_old_assignment,
    make_old_study,
    rows_of,
)
from tests.factories.studies import count_places_left, make_study
from tests.surveys.migrating import (
    AT_PLACES,
    AT_RETENTION,
    applied,
    columns_of,
    drop_tables,
    everything,
    execute,
    forget_retention,
    forget_what_places_brought,
    go,
    lose_the_ledger,
    refuse,
    restore,
    tables,
)

pytestmark = pytest.mark.every_database  # schemas differ

LAST = StepLoader(None).graph.leaf_nodes("surveys")[0][1]
SQUASHED = "0001_squashed_0042_baselines_of_phases"
PRACTICE = {  # texts as they were, and with the new name of a key
    "# between which percentages of the scale most readers rate\nreaders = [0, 34]\n": (
        "# between which percentages of the scale we would rate\nours = [0, 34]\n"
    ),
    "text = 'All readers, [us].'\n'readers'=[0, 34]": "text = 'All readers, [us].'\n'ours'=[0, 34]",
    "text = 'Most readers'": "text = 'Most readers'",
}
TERMS = {
    "title": "Words", "description": "Words in short texts", "reward_cents": 50, "fee_cents": 10,
    "billed_fee_cents": 10, "assignment_seconds": 3600,
}  # fmt: skip


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    names = {name for app, name in MigrationLoader(connection).disk_migrations if app == "surveys"}
    assert max(names) == LAST
    assert applied() == names


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


@pytest.fixture
def step_by_step(transactional_db, pytestconfig):
    """Yield a database without our tables, and restore it afterwards."""
    drop_tables()
    yield
    restore(pytestconfig)


def test_a_database_of_the_first_version_goes_step_by_step_to_the_last_and_back(step_by_step):
    """Once each way, with all changes of rows and all refusals to lose data."""
    assert tables() == []

    begin_a_study(go("0001_initial"))
    release_without_a_key(go("0004_every_assignment_has_a_round"))
    withdraw_without_a_mark(go("0012_programs"))
    file_without_a_mark(go("0016_crowd_work"))
    old = go("0017_mark_what_is_filed")
    log = make_what_has_ids_alone(old)
    make_studies_that_have_begun_or_not(old)
    settle_a_study(old)
    show_defaults_in_english(go("0020_pay_and_public_titles"))
    go(LAST)

    check_the_study_of_the_first()
    check_marks()
    check_numbers()
    check_forms_and_texts()
    call_command("migrate", verbosity=0)
    assert SQUASHED in applied()

    happened = [*AT_PLACES, *AT_RETENTION]
    for number, happen in enumerate(happened):
        happen(make_study(2, slug=f"since{number}", question_forms="text"))
    plan(make_study(2, slug="paid", question_forms="text"))
    make_study(1, slug="dictionary")

    old = go("0019_say_which_forms_are_asked")
    assert SQUASHED not in applied()  # code from before it would not know it
    refuse("0018_number_within_the_study", "ask for dictionary forms: 1")
    studies = old.get_model("surveys", "Study").objects
    studies.filter(slug="dictionary").update(question_forms="text")
    old = go("0017_mark_what_is_filed")
    assert [row for row in list_log(old) if row[0] <= log[-1][0]] == log
    go("0015_batches_and_payments")
    refuse("0014_errands", r"lost \(Batch 5, Hit 1, Entrance 3\)\. Nothing")
    lose_the_ledger()
    go("0013_keep_personal_data_for_a_time")
    refuse("0012_programs", f"could not hold {'; '.join(AT_RETENTION.values())}. N")
    forget_retention()
    go("0009_open_studies_when_ready")
    refuse("0008_researchers_and_what_they_decide", r"not open yet: draft\. Open them")
    execute("UPDATE surveys_study SET opened_at = created_at")
    go("0008_researchers_and_what_they_decide")
    n_entries = len(everything()["surveys_auditentry"])
    refuse(
        "0007_release_keys_and_published_words", rf"log .* entries \({n_entries}\) would be lost"
    )
    assert n_entries > len(log)
    execute("DELETE FROM surveys_auditentry")
    old = go("0003_lay_out_places")
    refuse(
        "0002_places_rounds_texts_entrances",
        f"could not hold {'; '.join(AT_PLACES.values())}. N",
    )
    forget_what_places_brought(old)
    check_the_study_as_at_first(go("0001_initial"))


def begin_a_study(old: Any) -> None:
    """Create a study of two ratings with a finished and a begun assignment."""
    check_tables_of_the_first()
    study = make_old_study(old)
    assignments = [make_old_assignment(old, study, number) for number in (1, 2)]
    answer(assignments[0], old, rating=4)


def check_tables_of_the_first() -> None:
    assert columns_of("surveys_assignment") == {  # as it was published
        "id", "questionnaire_id", "annotator_id", "token", "state", "started_at", "submitted_at",
    }  # fmt: skip
    assert "lease_hours" not in columns_of("surveys_study")


def check_the_study_of_the_first() -> None:
    study = Study.objects.get(slug="old")
    assert [
        (a.token, a.state, a.study_id, a.round.number, a.n_items, a.seed, a.reason,
         a.is_over_quota, place_number(a))
        for a in Assignment.objects.filter(study=study).order_by("pk")
    ] == [
        ("token1", "submitted", study.pk, 1, 1, 0, "", False, 1),
        ("token2", "started", study.pk, 1, 1, 0, "", False, 2),
    ]  # fmt: skip
    assert study.assignments.filter(started_at=F("offered_at")).count() == 2
    answers = Response.objects.filter(assignment__study=study).order_by("pk")
    assert list(answers.values_list("inspired_word1", "rating")) == [("sea", 4), ("", None)]
    assert (study.lease_hours, study.scale_maximum, study.publishes_words) == (24, 6, False)
    assert study.opened_at == study.created_at
    assert count_places_left(study) == 0


def check_the_study_as_at_first(old: Any) -> None:
    check_tables_of_the_first()
    stored = rows_of(old, "Assignment").filter(annotator__study__slug="old").order_by("pk")
    assert list(stored.values_list("token", "state")) == [
        ("token1", "submitted"), ("token2", "started"),
    ]  # fmt: skip
    answers = rows_of(old, "Response").filter(assignment__in=stored).order_by("pk")
    assert list(answers.values_list("inspired_word1", "rating")) == [("sea", 4), ("", None)]


def release_without_a_key(old: Any) -> None:
    """One key for all of them would let their ids be matched."""
    rows_of(old, "Release").create(study=rows_of(old, "Study").get(), report={})


def withdraw_without_a_mark(old: Any) -> None:
    """As before the instants of reading and first answers were stored."""
    rows_of(old, "Release").create(study=rows_of(old, "Study").get(), report={})
    rows_of(old, "Annotator").filter(code="code1").update(withdrawn_at=timezone.now())


def file_without_a_mark(old: Any) -> None:
    """Of two assignments, as before the mark was stored with them."""
    assignment = rows_of(old, "Assignment").get(token="token1")
    rows_of(old, "Review").create(study=assignment.study, assignment=assignment, draw=0)


def check_marks() -> None:
    releases = Release.objects.with_withdrawn_since().filter(study__slug="old")
    assert [(one.key != "", one.n_withdrawn_since) for one in releases.order_by("pk")] == [
        (False, 1), (True, 1),
    ]  # fmt: skip
    filed = Assignment.objects.exclude(filed_at=None).values_list("token", "filed_at")
    assert list(filed) == [("token1", Review.objects.get().filed_at)]
    settled_at = Study.objects.get(slug="settled").settled_at
    paid = Annotator.objects.filter(code__in=("before", "since", "elsewhere"))
    assert dict(paid.values_list("code", "paid_at")) == {
        "before": settled_at, "since": None, "elsewhere": None,
    }  # fmt: skip


def make_what_has_ids_alone(old: Any) -> list[Any]:
    """In two studies with mixed ids. Return the log, which names everything by its id."""
    create = {
        name: rows_of(old, name).create for name in ("Entrance", "Run", "Release", "AuditEntry")
    }
    studies = [make_begun_study(old, slug) for slug in ("first", "second")]
    entrances = [create["Entrance"](study=one, provider="simulator") for one in studies]
    for entrance in (*entrances, *entrances):
        batch = rows_of(old, "Batch").create(entrance=entrance, **TERMS)
        subject = f"batch {batch.pk} of {entrance.study.slug}"
        create["AuditEntry"](study=entrance.study, action="batch.planned", subject=subject)
    for study in studies:
        create["Run"](study=study, kind="results")
        create["Run"](study=study, kind="release", state="failed")
        create["Release"](study=study, report={})
        release = create["Release"](study=study, report={})
        run = create["Run"](study=study, kind="release", state="done", report={}, release=release)
        create["AuditEntry"](study=study, action="release.made", subject=f"run {run.pk}")
        erased = {"in_releases": [release.pk]}
        create["AuditEntry"](study=study, action="annotator.erased", details=erased)
    return list_log(old)


def list_log(old: Any) -> list[Any]:
    return list(rows_of(old, "AuditEntry").order_by("pk").values_list("pk", "subject", "details"))


def check_numbers() -> None:
    """Check that everything is numbered in the order of creation, also in the log."""
    for study in Study.objects.filter(slug__in=("first", "second")):
        numbered = Run.objects.filter(study=study).order_by("pk")
        assert [run.name for run in numbered] == ["run 1", "release 1", "release 3"]
        assert list(study.releases.order_by("pk").values_list("number", flat=True)) == [2, 3]
        made, erased = AuditEntry.objects.filter(study=study).order_by("-pk")[:2][::-1]
        assert made.subject == "release 3"
        assert erased.details == {"in_releases": [3]}
    assert [(b.study.slug, b.number) for b in Batch.objects.order_by("pk")] == [
        ("first", 1), ("second", 1), ("first", 2), ("second", 2),
    ]  # fmt: skip
    planned = AuditEntry.objects.filter(action="batch.planned").order_by("pk")
    assert [entry.subject for entry in planned] == [
        "batch 1 of first", "batch 1 of second", "batch 2 of first", "batch 2 of second",
    ]  # fmt: skip


def make_studies_that_have_begun_or_not(old: Any) -> None:
    make_begun_study(old, "open", language="hr")
    make_begun_study(old, "draft", language="hr", opened_at=None)


def settle_a_study(old: Any) -> None:
    """One annotator finished before, one since; another in a study that is not settled."""
    settled_at = timezone.now()
    settled = make_begun_study(old, "settled", settled_at=settled_at)
    other = make_begun_study(old, "other")
    days = (("before", settled, -1), ("since", settled, 1), ("elsewhere", other, -1))
    for number, (code, study, day) in enumerate(days):
        block = rows_of(old, "Block").create(study=study, number=number)
        at = settled_at + timedelta(days=day)
        rows_of(old, "Assignment").create(
            study=study,
            questionnaire=rows_of(old, "Questionnaire").create(block=block, letter="A"),
            annotator=rows_of(old, "Annotator").create(study=study, code=code),
            round=rows_of(old, "Round").create(block=block, number=1),
            state="submitted", offered_at=at, active_at=at, started_at=at, submitted_at=at,
            n_items=0, token=code,
        )  # fmt: skip


def show_defaults_in_english(old: Any) -> None:
    for language in ("pt", "en", "sl"):
        study = make_begun_study(old, language, language=language, question_forms="text")
        rows_of(old, "StudyText").create(study=study, kind="consent", version=1, body=OLD_CONSENT)
    for version, body in enumerate(PRACTICE, 1):
        rows_of(old, "StudyText").create(study=study, kind="practice", version=version, body=body)


def check_forms_and_texts() -> None:
    """Begun studies keep the forms that were asked; old texts get no language."""
    forms = dict(Study.objects.values_list("slug", "question_forms"))
    assert (forms["draft"], forms["open"]) == ("dictionary", "text")
    texts = StudyText.objects.filter(kind="consent").values_list("study__slug", "language")
    assert dict(texts) == {"pt": "en", "en": "", "sl": "en"}
    practice = StudyText.objects.filter(kind="practice", study__slug="sl").order_by("version")
    assert dict(zip(PRACTICE, practice.values_list("body", flat=True), strict=True)) == PRACTICE
    variants = practice.values_list("variant", flat=True)
    assert list(variants) == ["trained", "own", "own"]  # version 1 is the default as it was
    assert set(Study.objects.values_list("variant", flat=True)) == {"trained"}
    assert not StudyText.objects.exclude(reviewed_at=None).exists()
    assert not Annotator.objects.exclude(notice=None, retention_days=None).exists()


def place_number(assignment: Assignment) -> int | None:
    place = Place.objects.filter(assignment=assignment).first()
    return place.number if place else None
