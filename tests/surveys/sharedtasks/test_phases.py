"""Times and rules of phases: anywhere on earth, summer time, moved ends, the phases of GWSC."""

from datetime import UTC, datetime, timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import Phase, Submission
from surveys.sharedtasks.phases import (
    add_gwsc_phases,
    add_phase,
    change_phase,
    count_days,
    expect_probing,
    list_early_scores,
    list_zones,
    read_local,
    remove_phase,
    write_local,
)
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_part,
    make_phase,
    make_shared_task,
    make_team,
    score_all,
    send,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(has_data=False, zone="UTC"),
]
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RULES = {"name": "evaluation", "subtasks": [1], "opens_at": START, "closes_at": START + 7 * DAY}
ALL_ZONES_BUT_THE_FIRST_TWO = 300


@pytest.mark.parametrize(
    ("local", "zone", "at"),
    [
        ("2027-01-31 23:59:59", "Etc/GMT+12", "2027-02-01 11:59:59"),  # anywhere on earth
        ("2027-01-31 23:59:59", "UTC", "2027-01-31 23:59:59"),
        ("2027-03-28 01:59:59", "Europe/Ljubljana", "2027-03-28 00:59:59"),  # before the gap
        ("2027-03-28 03:00:00", "Europe/Ljubljana", "2027-03-28 01:00:00"),
        ("2027-10-31 01:59:59", "Europe/Ljubljana", "2027-10-30 23:59:59"),  # before the overlap
        ("2027-10-31 03:00:00", "Europe/Ljubljana", "2027-10-31 02:00:00"),
        ("2027-07-01 12:00:00", "Asia/Kathmandu", "2027-07-01 06:15:00"),
    ],
)
def test_local_times_are_read_in_the_zone_and_written_in_it(local, zone, at):
    naive = datetime.fromisoformat(local)

    found = read_local(naive, zone)

    assert found == datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert write_local(found, zone) == naive


@pytest.mark.parametrize(
    ("local", "zone", "reason"),
    [
        ("2027-03-28 02:00:00", "Europe/Ljubljana", "does not exist"),
        ("2027-03-28 02:59:59", "Europe/Ljubljana", "does not exist"),
        ("2027-10-31 02:00:00", "Europe/Ljubljana", "comes twice"),
        ("2027-10-31 02:59:59", "Europe/Ljubljana", "comes twice"),
        ("2027-10-03 02:15:00", "Australia/Lord_Howe", "does not exist"),  # half an hour
        ("2027-04-04 01:45:00", "Australia/Lord_Howe", "comes twice"),
    ],
)
def test_local_times_that_a_zone_has_twice_or_never_are_refused(local, zone, reason):
    with pytest.raises(SharedTaskRefused, match=reason):
        read_local(datetime.fromisoformat(local), zone)


def test_zones_are_offered_with_anywhere_on_earth_first():
    zones = list_zones()

    assert zones[:2] == [("Etc/GMT+12", "anywhere on earth (UTC−12)"), ("UTC", "UTC")]
    assert ("Europe/Ljubljana", "Europe/Ljubljana") in zones
    assert len(zones) > ALL_ZONES_BUT_THE_FIRST_TWO
    assert len({code for code, _ in zones}) == len(zones)


def test_a_phase_is_added_and_logged(draft_task):
    phase = add_phase(draft_task, RULES, now=START)

    assert (phase.visibility, phase.counting, phase.attempts_total) == ("hidden", "chosen", None)
    details = AuditEntry.objects.get().details
    assert details["opens_at"] == "2027-01-01 12:00:00 UTC"
    assert details["subtasks"] == "1"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"closes_at": START}, "The end must be later"),
        ({"subtasks": []}, "Choose one or more"),
        ({"subtasks": [3]}, "Choose one or more"),
        ({"counting": "best"}, "would tell its score"),
        ({"attempts_total": 10_001}, "typing error"),
        ({"name": "taken"}, "a phase of this name"),
        ({"name": "no name"}, "slug"),
    ],
)
def test_rules_that_are_not_possible_are_refused(draft_task, changes, reason):
    make_phase(draft_task, "taken")

    with pytest.raises(SharedTaskRefused, match=reason):
        add_phase(draft_task, {**RULES, **changes}, now=START)

    assert Phase.objects.count() == 1


def test_a_phase_of_an_open_shared_task_begins_in_the_future(shared_task):
    with pytest.raises(SharedTaskRefused, match="begin in the past"):
        add_phase(shared_task, RULES, now=START)

    assert add_phase(shared_task, RULES, now=START - HOUR).pk


def test_rules_change_until_a_phase_begins(shared_task):
    phase = make_phase(shared_task)

    change_phase(phase, {"attempts_total": 3}, now=START - timedelta(seconds=1))
    with pytest.raises(SharedTaskRefused, match="only its end can be changed"):
        change_phase(phase, {"attempts_total": 5}, now=START)

    phase.refresh_from_db()
    assert (phase.attempts_total, phase.moved_at) == (3, None)
    assert AuditEntry.objects.get().details == {"attempts_total": "9 → 3"}


def test_a_moved_end_is_stored_with_the_earlier_one_and_logged(shared_task):
    phase = make_phase(shared_task)
    end = phase.closes_at

    change_phase(phase, {"closes_at": end + DAY}, now=end - HOUR)

    phase.refresh_from_db()
    assert (phase.closes_at, phase.moved_at, phase.moved_from) == (end + DAY, end - HOUR, end)
    assert AuditEntry.objects.get().details == {
        "closes_at": "2027-01-08 12:00:00 UTC → 2027-01-09 12:00:00 UTC"
    }


@pytest.mark.parametrize("seconds", [-1, 0])
def test_an_end_is_never_moved_into_the_past(shared_task, seconds):
    phase = make_phase(shared_task)
    now = START + DAY

    with pytest.raises(SharedTaskRefused, match="in the past"):
        change_phase(phase, {"closes_at": now + timedelta(seconds=seconds)}, now=now)
    change_phase(phase, {"closes_at": now + timedelta(seconds=1)}, now=now)

    assert Phase.objects.get().closes_at == now + timedelta(seconds=1)


def test_a_phase_that_is_over_goes_on_unless_scores_of_its_data_were_shown_since(shared_task):
    phase = make_phase(shared_task)
    end = phase.closes_at
    make_phase(shared_task, "practice", data="practice", visibility="board")
    later = make_phase(shared_task, "later", opens_at=end + DAY, closes_at=None, visibility="board")

    with pytest.raises(SharedTaskRefused, match="shows scores of the same data"):
        change_phase(phase, {"closes_at": end + 3 * DAY}, now=later.opens_at)
    change_phase(phase, {"closes_at": end + 3 * DAY}, now=later.opens_at - HOUR)

    phase.refresh_from_db()
    assert phase.closes_at == end + 3 * DAY


def test_a_phase_is_removed_until_it_begins(shared_task):
    phase = make_phase(shared_task)

    with pytest.raises(SharedTaskRefused, match="has begun"):
        remove_phase(phase, now=START)
    remove_phase(phase, now=START - timedelta(seconds=1))

    assert not Phase.objects.exists()


def test_a_phase_is_removed_with_what_organisers_sent(
    shared_task, django_capture_on_commit_callbacks
):
    make_data(shared_task)
    phase = make_phase(shared_task)
    submission = send(make_team(shared_task, "Trial", kind="trial"), phase, now=START - DAY)
    score_all()

    with django_capture_on_commit_callbacks(execute=True):
        remove_phase(phase, now=START - DAY)

    assert not Phase.objects.exists()
    assert not Submission.objects.exists()
    assert not submission.file.storage.exists(submission.file.name)


def test_what_organisers_sent_for_other_data_is_deleted(shared_task):
    make_data(shared_task)
    phase = make_phase(shared_task)
    send(make_team(shared_task, "Trial", kind="trial"), phase, now=START - DAY)

    change_phase(phase, {"attempts_total": 3}, now=START - DAY)
    assert Submission.objects.count() == 1
    change_phase(phase, {"data": "practice"}, now=START - DAY)

    assert Submission.objects.count() == 0


def test_a_large_gain_by_probing_in_a_later_phase_wants_a_confirmation(shared_task):
    make_part(shared_task, n_pairs=111)
    rules = {**RULES, "opens_at": START, "attempts_total": None, "visibility": "own"}
    now = START - DAY

    with pytest.raises(SharedTaskRefused, match="sl: a blind guesser reaches 1"):
        add_phase(shared_task, rules, now=now)
    phase = add_phase(shared_task, {**rules, "visibility": "hidden"}, now=now)
    with pytest.raises(SharedTaskRefused, match="Confirm that this is intended"):
        change_phase(phase, {"visibility": "own"}, now=now)
    change_phase(phase, {"visibility": "own"}, now=now, accepts_probing=True)

    assert change_phase(phase, {"attempts_total": 500}, now=now).attempts_total == 500


def test_a_phase_that_shows_what_another_one_hides_is_named(shared_task):
    hidden = make_phase(shared_task)
    end = hidden.closes_at
    make_phase(shared_task, "practice", data="practice", visibility="board")
    later = make_phase(shared_task, "later", opens_at=end, closes_at=None, visibility="board")

    assert list_early_scores(Phase.objects.all()) == []
    change_phase(hidden, {"closes_at": end + DAY}, now=START)

    (said,) = list_early_scores(Phase.objects.all())
    assert said.startswith("The phase later shows scores of the test data before evaluation is")
    change_phase(later, {"opens_at": end + DAY}, now=START)
    assert list_early_scores(Phase.objects.all()) == []


def test_phases_of_a_finalised_shared_task_stay():
    phase = make_phase(make_shared_task(state="finalised"))

    with pytest.raises(SharedTaskRefused, match="is finalised"):
        change_phase(phase, {"closes_at": phase.closes_at + DAY}, now=START)


def test_the_phases_of_gwsc_are_added(draft_task):
    phases = add_gwsc_phases(
        draft_task, practice_opens_at=START - DAY, opens_at=START, closes_at=START + DAY, now=START
    )

    assert [
        (one.name, one.data, one.attempts_total, one.attempts_a_day, one.visibility, one.closes_at)
        for one in phases
    ] == [
        ("practice", "practice", None, None, "board", None),
        ("evaluation", "test", 9, None, "hidden", START + DAY),
        ("post-evaluation", "test", None, 20, "hidden", None),
    ]
    assert phases[2].opens_at == phases[1].closes_at
    assert expect_probing(phases) == list_early_scores(phases) == []


@pytest.mark.parametrize(
    ("opens_at", "closes_at", "days"),
    [
        (START, START + DAY, 2),  # noon to noon
        (START, START + timedelta(hours=12), 1),  # midnight belongs to the next day
        (START, START + timedelta(hours=12, seconds=1), 2),
        (START, None, None),
    ],
)
def test_days_are_counted_in_the_zone_of_the_task(draft_task, opens_at, closes_at, days):
    assert count_days(make_phase(draft_task, opens_at=opens_at, closes_at=closes_at)) == days
