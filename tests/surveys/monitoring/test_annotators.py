import pytest

from surveys.models import Assignment, Response, Review
from surveys.monitoring.agreement import compute_agreement
from surveys.monitoring.annotators import describe_annotator
from surveys.monitoring.assignments import Flag, summarise_assignments
from surveys.monitoring.listing import show_assignments
from surveys.monitoring.progress import count_block_progress
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories import checkpoints as checkpoint_rows
from tests.factories.answers import answer, finish_at, finished_study, hours_ago, take_seconds
from tests.factories.studies import make_study, start
from tests.surveys.monitoring.test_progress import current_rounds

pytestmark = pytest.mark.every_database  # aggregated

FAST = "Very fast: half of the texts took 11 seconds or less; the study allows for 45."


def texts(flags):
    return [flag.text for flag in flags]


def look_at(assignment):
    return describe_annotator(assignment.study, assignment.annotator, assignment)


@pytest.fixture
def patient(db):
    """Return an assignment with four of six texts answered at a normal pace."""
    assignment = start(make_study(6))
    answer(assignment, [0, 2, 4, 6])
    take_seconds(assignment, 40)
    return assignment


def test_describe_annotator_returns_progress_times_mean_and_spread(patient):
    found = look_at(patient)

    assert (found.n_rated, found.mean, found.median_seconds) == (4, 3, 40)
    assert found.spread == pytest.approx((20 / 3) ** 0.5)
    assert [bar.amount for bar in found.bars] == [1, 0, 1, 0, 1, 0, 1]
    assert [(a.position, a.rating, bar.share) for a, bar in found.answers] == [
        (1, 0, 100), (2, 2, 100), (3, 4, 100), (4, 6, 100),
    ]  # fmt: skip
    assert found.flags == []


def test_describe_annotator_without_answers_is_empty(db):
    found = look_at(start(make_study(2)))

    assert (found.n_rated, found.mean, found.spread, found.answers) == (0, None, None, [])
    assert found.agreement.rho is None


def test_seconds_without_a_script_run_from_display_to_answer(patient):
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
def test_describe_annotator_flags_unusual_answers(ratings, seconds, pasted, expected, db):
    assignment = start(configure_study(make_study(6), seconds_per_item=45))
    answer(assignment, ratings)
    take_seconds(assignment, seconds)
    Response.objects.filter(rated_at__isnull=False).update(has_pasted_word1=pasted)

    assert texts(look_at(assignment).flags) == [expected]


def test_failed_checkpoints_are_flagged_and_not_counted_as_ratings(db):
    study = make_study(6)
    import_checkpoints(study, checkpoint_rows.file(checkpoint_rows.row()), per_assignment=1)
    assignment = start(study)
    answer(assignment, [3] * 7)
    checkpoint = Response.objects.get(assignment=assignment, pair__is_checkpoint=True)
    assert checkpoint.rating < checkpoint.context.checkpoint.lowest
    take_seconds(assignment, 40)

    assert texts(look_at(assignment).flags) == [
        "Constant ratings: all 6 are the same.",
        "Failed checkpoints: 1 of 1.",
    ]
    assert look_at(assignment).n_rated == 6
    (summary,) = summarise_assignments(study, [Assignment.objects.get()], {})
    assert texts(summary.flags) == ["constant ratings", "failed checkpoints: 1 of 1", "very fast"]
    assert [flag.is_grave for flag in summary.flags] == [True, True, False]


def test_agreement_below_zero_is_grave(db):
    study = finished_study(4, n_pairs=12)
    one = answer(start(study), opposes=True)
    take_seconds(one, 40)

    assert look_at(one).flags == [("Low agreement: ρ is 0 or less.", True)]


def test_agreement_below_that_of_the_others_is_worth_a_look(db):
    study = finished_study(8, n_pairs=12)
    one = start(study)
    by_context = sorted(one.responses.all(), key=lambda response: response.context_id)
    ratings = dict(zip(by_context, [0, 6, 3, 1, 4, 2, 5, 0, 6, 3, 5, 2], strict=True))
    answer(one, [ratings[r] for r in sorted(ratings, key=lambda response: response.position)])
    take_seconds(one, 40)
    compute_agreement(study, count_block_progress(study, current_rounds(study)))

    found = look_at(one)

    (flag,) = found.flags
    assert 0 < found.agreement.rho < found.agreement.high
    assert flag.text.startswith("Low agreement: its interval lies below the median of")
    assert not flag.is_grave
    (shown,) = show_assignments(study, [one.pk])
    assert Flag("low agreement") in shown.flags


@pytest.mark.parametrize("n", [1, 3])
def test_summarise_assignments_needs_two_queries_for_any_number(n, db, django_assert_num_queries):
    study = finished_study(n, n_pairs=2)
    assignments = list(Assignment.objects.select_related("annotator"))

    with django_assert_num_queries(2):
        assert len(summarise_assignments(study, assignments, {})) == n


def test_summarise_assignments_returns_minutes_mean_and_spread(db):
    study = make_study(6)
    assignment = answer(start(study), [0, 2, 4, 6, 6, 6])
    finish_at(assignment, hours_ago(1), 10)
    assignment.refresh_from_db()

    (summary,) = summarise_assignments(study, [assignment], {})

    assert (summary.n_answered, summary.mean, summary.flags) == (6, 4, [])
    assert summary.minutes == pytest.approx(10)
    assert summary.spread == pytest.approx((32 / 5) ** 0.5)


def test_describe_annotator_flags_order_speed_and_shared_words(db):
    assignment = start(make_study(40, block_size=40, language="tlh"))
    for number, response in enumerate(assignment.responses.order_by("position")[:20]):
        Response.objects.filter(pk=response.pk).update(
            written1="sea", written2="salt", engaged_at=hours_ago(1),
            rated_at=hours_ago(1), rating=6 * (number % 2),
            rating_visible_seconds=0.5 if number < 5 else 4,
        )  # fmt: skip
    Review.objects.create(
        study=assignment.study,
        assignment=assignment,
        draw=0,
        state="open",
        evidence=[["twin", 0, 3], ["flagged", 0, 1]],
    )

    assert [text[:44] for text in texts(look_at(assignment).flags)] == [
        "5 ratings were given within a second of seei",
        "Order of ratings: two ratings alternate for ",
        "The same two words as one other annotator in",
    ]
