import pytest

from surveys.models import Assignment, Response
from surveys.monitoring.annotators import appraise, list_sittings
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories import make_study, start
from tests.surveys import checkpoint_rows
from tests.surveys.answered import answer, finish_at, finished_study, hours_ago, take_seconds

FAST = "Very fast: half of the texts took 11 seconds or less; the study allows for 45."


def look_at(assignment):
    return appraise(assignment.study, assignment.annotator, assignment)


@pytest.fixture
def patient(db):
    """Somebody in the middle of six texts, who has taken their time."""
    assignment = start(make_study(6))
    answer(assignment, [0, 2, 4, 6])
    take_seconds(assignment, 40)
    return assignment


def test_appraise_tells_progress_times_mean_and_spread(patient):
    found = look_at(patient)

    assert (found.n_rated, found.mean, found.median_seconds) == (4, 3, 40)
    assert found.spread == pytest.approx((20 / 3) ** 0.5)
    assert [bar.amount for bar in found.bars] == [1, 0, 1, 0, 1, 0, 1]
    assert [(a.position, a.rating, bar.share) for a, bar in found.answers] == [
        (1, 0, 100), (2, 2, 100), (3, 4, 100), (4, 6, 100),
    ]  # fmt: skip
    assert found.flags == []


def test_appraise_of_who_has_answered_nothing_is_empty(db):
    found = look_at(start(make_study(2)))

    assert (found.n_rated, found.mean, found.spread, found.answers) == (0, None, None, [])
    assert found.agreement.rho is None


def test_seconds_without_a_script_are_those_from_showing_to_answering(patient):
    for number, response in enumerate(patient.responses.filter(rated_at__isnull=False)):
        shown, rated = hours_ago(2), hours_ago(1)
        Response.objects.filter(pk=response.pk).update(
            words_visible_seconds=None, words_shown_at=shown, engaged_at=rated,
            rating_shown_at=rated if number else None, rated_at=rated,
        )  # fmt: skip

    seconds = [a.seconds for a, _ in look_at(patient).answers]

    assert seconds == [None, *[pytest.approx(3600, abs=1)] * 3]


@pytest.mark.parametrize(
    ("ratings", "seconds", "pasted", "expected"),
    [
        ([3, 3, 3, 3], 40, False, "Constant ratings: all 4 are the same."),
        ([0, 2, 4, 6], 11, False, FAST),
        ([0, 2, 4, 6], 40, True, "Pasted words: in 4 of 4 texts."),
    ],
)  # fmt: skip
def test_appraise_flags_what_is_odd(ratings, seconds, pasted, expected, db):
    assignment = start(configure_study(make_study(6), seconds_per_item=45))
    answer(assignment, ratings)
    take_seconds(assignment, seconds)
    Response.objects.filter(rated_at__isnull=False).update(has_pasted_word1=pasted)

    assert look_at(assignment).flags == [expected]


def test_failed_checkpoints_are_flagged_and_no_ratings(db):
    study = make_study(6)
    import_checkpoints(study, checkpoint_rows.file(checkpoint_rows.row()), per_assignment=1)
    assignment = start(study)
    answer(assignment, [3] * 7)
    checkpoint = Response.objects.get(assignment=assignment, pair__is_checkpoint=True)
    assert checkpoint.rating < checkpoint.context.checkpoint.lowest
    take_seconds(assignment, 40)

    assert look_at(assignment).flags == [
        "Constant ratings: all 6 are the same.",
        "Failed checkpoints: 1 of 1.",
    ]
    assert look_at(assignment).n_rated == 6
    (sitting,) = list_sittings(study, [Assignment.objects.get()])
    assert sitting.flags == ["constant ratings", "very fast", "failed checkpoints: 1 of 1"]


def test_agreement_by_chance_is_flagged(db):
    study = finished_study(4, n_pairs=12)
    one = start(study)
    by_pair = sorted(one.responses.all(), key=lambda response: response.context_id % 7)
    order = {response.position: 6 - place // 2 for place, response in enumerate(by_pair)}
    answer(one, [order[position] for position in sorted(order)])
    take_seconds(one, 40)

    assert look_at(one).flags == [
        "Agreement that may be chance: its interval holds 0, or lies below."
    ]


@pytest.mark.parametrize("n", [1, 3])
def test_list_sittings_asks_as_often_for_many(n, db, django_assert_num_queries):
    study = finished_study(n, n_pairs=2)
    assignments = list(Assignment.objects.select_related("annotator"))

    with django_assert_num_queries(1):
        assert len(list_sittings(study, assignments)) == n


def test_a_sitting_tells_minutes_mean_and_spread(db):
    study = make_study(6)
    assignment = answer(start(study), [0, 2, 4, 6, 6, 6])
    finish_at(assignment, hours_ago(1), 10)
    assignment.refresh_from_db()

    (sitting,) = list_sittings(study, [assignment])

    assert (sitting.n_answered, sitting.mean, sitting.flags) == (6, 4, [])
    assert sitting.minutes == pytest.approx(10)
    assert sitting.spread == pytest.approx((32 / 5) ** 0.5)
