"""Retention of personal data."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from surveys.errors import ErasureRefused, OwnLinkNeeded
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Invitation,
    Study,
    Visit,
    Worker,
)
from surveys.participation.arrivals import return_by_own_link, return_visitor
from surveys.participation.assignments import begin_assignment
from surveys.privacy.retention import (
    count_kept,
    drop_due,
    find_due,
    find_unpaid,
    mark_paid,
    set_retention,
    settle_study,
    undo_payment,
)
from surveys.recruitment.links import invite_listed, invite_scripted_annotators, open_entrance
from surveys.study.blocks.allocation import repeat_block
from tests.factories.newcomers import CODES, arrive, claims_of
from tests.factories.studies import finish, make_study, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=4)]

WORKER = "5f0c0ffee0000000000000aa"
SESSION = "6a0c0ffee0000000000000bb"


@pytest.fixture
def finished_assignment(study_prolific) -> Assignment:
    """Return a finished assignment of a Prolific annotator; ids are kept for 30 days."""
    assignment = begin_assignment(arrive(study_prolific, WORKER, SESSION))
    finish(assignment)
    set_retention(study_prolific.study, 30)
    return Assignment.objects.get(pk=assignment.pk)


def let_pass(days: float) -> None:
    """Shift all instants into the past by some days."""
    past = timedelta(days=days)
    for model, names in (
        (Annotator, ("created_at", "paid_at")),
        (Invitation, ("created_at",)),
        (Assignment, ("offered_at", "started_at", "active_at", "submitted_at")),
        (Study, ("settled_at",)),
    ):
        model.objects.update(**{name: F(name) - past for name in names})


def fresh(study: Study) -> Study:
    return Study.objects.get(pk=study.pk)


def everything_stored() -> str:
    """Return the contents of all tables that may hold an id, an address or a submission."""
    tables = (Annotator, Worker, Visit, Invitation, AuditEntry)
    return str([list(table.objects.values()) for table in tables])


# When


@pytest.mark.every_database
def test_ids_are_due_so_many_days_after_payment(study, finished_assignment):
    mark_paid(study)
    let_pass(29.9)
    assert find_due(fresh(study)).people == []

    let_pass(0.2)

    assert find_due(fresh(study)).people == [finished_assignment.annotator_id]


def test_ids_are_kept_where_no_number_of_days_is_given(study, finished_assignment):
    set_retention(study, None)
    mark_paid(study)
    settle_study(study, is_settled=True)
    let_pass(4000)

    assert find_due(fresh(study)).people == []


def test_ids_of_who_never_finished_are_kept_until_the_study_is_settled(study, study_prolific):
    begun = arrive(study_prolific, WORKER)
    set_retention(study, 30)
    let_pass(100)
    assert find_due(fresh(study)).people == []

    settle_study(study, is_settled=True)
    let_pass(31)

    assert find_due(fresh(study)).people == [begun.annotator_id]
    settle_study(study, is_settled=False)
    assert find_due(fresh(study)).people == []


@pytest.mark.every_database
def test_a_study_is_not_settled_while_an_annotator_waits_for_pay(study, finished_assignment):
    with pytest.raises(ErasureRefused, match="not marked as paid: 1"):
        settle_study(study, is_settled=True)

    assert stored(study, "settled_at") == (None,)
    assert not AuditEntry.objects.filter(action="study.settled").exists()


def test_ids_of_who_waits_for_pay_are_kept_in_a_settled_study(study, finished_assignment):
    mark_paid(study)
    settle_study(study, is_settled=True)
    undo_payment(finished_assignment.annotator)
    let_pass(31)
    assert find_due(fresh(study)).people == []

    mark_paid(study)
    let_pass(31)

    assert find_due(fresh(study)).people == [finished_assignment.annotator_id]


def test_scripted_annotators_do_not_keep_a_study_from_being_settled(study):
    (link,) = invite_scripted_annotators(study, 1)
    finish(start(study, link))

    assert settle_study(study, is_settled=True).settled_at is not None


def test_pay_is_counted_of_people_and_not_of_scripted_annotators(study, finished_assignment):
    mark_paid(study)
    finish(start(study))
    start(study)
    (link,) = invite_scripted_annotators(study, 1)
    finish(start(study, link))

    kept = count_kept(study)

    assert (kept.n_payable, kept.n_paid, kept.n_unpaid, kept.n_scripted) == (2, 1, 1, 1)


def test_who_has_finished_more_since_is_not_due(study, finished_assignment):
    mark_paid(study)
    let_pass(40)
    Assignment.objects.update(submitted_at=timezone.now() - timedelta(days=35))

    assert find_due(fresh(study)).people == []
    assert list(find_unpaid(study)) == [finished_assignment.annotator]


@pytest.mark.every_database
def test_who_is_in_the_middle_is_not_due_until_their_place_has_lapsed(study, study_prolific):
    arrive(study_prolific, WORKER)
    set_retention(study, 0)
    settle_study(study, is_settled=True)
    assert find_due(fresh(study)).people == []

    Assignment.objects.update(active_at=timezone.now() - timedelta(hours=25))

    assert len(find_due(fresh(study)).people) == 1


def test_who_comes_after_the_study_was_settled_is_not_due_by_that(study, study_prolific):
    set_retention(study, 30)
    settle_study(study, is_settled=True)
    Study.objects.update(settled_at=timezone.now() - timedelta(days=31))
    finish(begin_assignment(arrive(study_prolific, WORKER)))
    invite_listed(study, ["late@example.org"])

    due = find_due(fresh(study))

    assert (due.people, due.links) == ([], [])


def test_notes_of_links_that_nobody_used_are_due_once_the_study_is_settled(study):
    (link,) = invite_listed(study, ["ana@example.org"]).new
    set_retention(study, 30)
    settle_study(study, is_settled=True)
    let_pass(31)

    assert find_due(fresh(study)).links == [link.pk]


@pytest.mark.parametrize("days", [-1, 3651])
def test_an_impossible_number_of_days_is_refused(study, days):
    with pytest.raises(ErasureRefused, match="from 0 to 3650"):
        set_retention(study, days)

    assert stored(study, "retention_days") == (None,)


@pytest.mark.every_database
def test_settings_are_logged_once(study):
    for _ in range(2):
        set_retention(study, 30)
        settle_study(study, is_settled=True)

    entries = AuditEntry.objects.order_by("pk").values_list("action", "details")
    assert list(entries) == [
        ("retention.set", {"dropped": "never → 30 days"}), ("study.settled", {}),
    ]  # fmt: skip


# Paid


@pytest.mark.every_database
def test_mark_paid_counts_who_finished_and_were_not_marked(study, finished_assignment):
    start(study)
    finish(start(study))

    assert (mark_paid(study), mark_paid(study)) == (2, 0)


@pytest.mark.every_database
def test_a_payment_is_taken_back(study, finished_assignment):
    mark_paid(study, finished_assignment.annotator)

    undo_payment(finished_assignment.annotator)

    assert list(find_unpaid(study)) == [finished_assignment.annotator]


# Dropped


@pytest.fixture
def dropped(study, finished_assignment) -> Assignment:
    (link,) = invite_listed(study, ["ana@example.org"]).new
    finish(start(study, link))
    invite_listed(study, ["berta@example.org"])
    mark_paid(study)
    settle_study(study, is_settled=True)
    let_pass(31)
    drop_due(fresh(study))
    return finished_assignment


@pytest.mark.every_database
def test_nothing_of_ids_submissions_and_notes_is_left(dropped):
    text = everything_stored()

    for secret in (WORKER, SESSION, "example.org", "ana", "berta"):
        assert secret not in text.replace("Annotator", "").replace("annotator", "")
    entry = AuditEntry.objects.get(action="personal_data.dropped")
    assert entry.details == {"annotators": 2, "links": 1, "days": 30}


def test_answers_stay(study, dropped):
    assert dropped.responses.rated().count() == 2
    assert stored(dropped, "state") == ("submitted",)


def test_dropping_again_drops_nothing(study, dropped):
    before = everything_stored()

    due = drop_due(fresh(study))

    assert (due.people, due.links, everything_stored()) == ([], [], before)
    kept = count_kept(fresh(study))
    assert (kept.n_people, kept.n_links) == (0, 0)


def test_who_comes_again_after_their_id_was_dropped_is_led_back(study, study_prolific, dropped):
    known = Visit.objects.count()

    assert return_visitor(study_prolific, claims_of(WORKER, SESSION)) == dropped
    assert arrive(study_prolific, WORKER, SESSION) == dropped
    assert Visit.objects.count() == known
    with pytest.raises(OwnLinkNeeded):
        arrive(study_prolific, WORKER, "another")
    claims = claims_of(WORKER, "another")
    assert return_by_own_link(study_prolific, claims, dropped.token) == dropped
    assert return_visitor(study_prolific, claims) == dropped
    assert Visit.objects.count() == known + 1
    assert Annotator.objects.filter(worker__isnull=False).count() == 1
    assert WORKER not in everything_stored()
    assert "another" not in everything_stored()


def test_the_digest_that_is_stored_lets_nobody_in(study_prolific, dropped):
    digest = Worker.objects.get().worker_id

    assert return_visitor(study_prolific, claims_of(digest)) is None


def test_who_was_invited_gets_no_second_link_after_their_note_was_dropped(study, dropped):
    listed = invite_listed(study, ["berta@example.org", "ana@example.org", "cyril@example.org"])

    assert [link.note for link in listed.new] == ["cyril@example.org"]
    assert listed.by_note["ana@example.org"].annotator is not None


def test_another_study_still_knows_whom_it_has_not_dropped(study, finished_assignment):
    other = open_entrance(make_study(2, slug="other"), "prolific", **CODES)
    theirs = arrive(other, WORKER, SESSION)
    mark_paid(study)
    let_pass(31)

    drop_due(fresh(study))

    theirs.refresh_from_db()
    assert theirs.annotator.worker.worker_id == WORKER
    assert Visit.objects.get(entrance=other).submission == SESSION
    assert Worker.objects.filter(is_digest=True).count() == 1


def test_digests_of_two_studies_differ(study, finished_assignment):
    other = open_entrance(make_study(2, slug="other"), "prolific", **CODES)
    finish(begin_assignment(arrive(other, WORKER, SESSION)))
    for some in (study, other.study):
        set_retention(some, 0)
        mark_paid(some)
        drop_due(fresh(some))

    assert len(set(Worker.objects.values_list("worker_id", flat=True))) == 2
    assert len(set(Visit.objects.values_list("submission", flat=True))) == 2


def test_a_repeated_block_is_not_given_to_who_was_dropped(study, study_prolific, dropped):
    repeat_block(study.blocks.get(), reason="scripts", author="anna")

    assert arrive(study_prolific, WORKER, SESSION) == dropped


# What annotators agreed to


def test_a_longer_retention_holds_only_for_those_who_come_afterwards(study, study_prolific):
    set_retention(study, 30)
    early = begin_assignment(arrive(study_prolific, WORKER, SESSION))
    finish(early)
    set_retention(study, 90)
    late = begin_assignment(arrive(study_prolific, WORKER[:-1] + "b", SESSION[:-1] + "c"))
    finish(late)
    mark_paid(study)

    let_pass(31)
    assert find_due(fresh(study)).people == [early.annotator_id]
    assert drop_due(study).people == [early.annotator_id]
    let_pass(60)
    assert find_due(fresh(study)).people == [late.annotator_id]


def test_a_promise_holds_where_the_study_keeps_data_for_good_now(study, study_prolific):
    set_retention(study, 30)
    assignment = begin_assignment(arrive(study_prolific, WORKER, SESSION))
    finish(assignment)
    set_retention(study, None)
    mark_paid(study)

    let_pass(31)

    assert find_due(fresh(study)).people == [assignment.annotator_id]


def test_a_shorter_retention_holds_for_all(study, study_prolific):
    set_retention(study, 90)
    assignment = begin_assignment(arrive(study_prolific, WORKER, SESSION))
    finish(assignment)
    mark_paid(study)
    set_retention(study, 7)

    let_pass(8)

    assert find_due(fresh(study)).people == [assignment.annotator_id]
