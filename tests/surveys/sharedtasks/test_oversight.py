"""What arrives in a shared task, as organisers see it."""

from datetime import date, timedelta

import pytest

from surveys.sharedtasks.errors import UploadRefused
from surveys.sharedtasks.oversight import count_by_day, count_refusals
from surveys.sharedtasks.submissions import cancel_submission
from surveys.sharedtasks.uploads import check_files
from tests.factories.sharedtasks import START, send

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
DAY = timedelta(days=1)


def test_submissions_are_counted_by_team_and_day(shared_task, phase, team, herons):
    send(team, phase)
    cancel_submission(send(team, phase, seed=2, now=START + DAY), "a fault")
    send(herons, phase)

    rows = count_by_day(shared_task, 9)

    assert [(row.team, row.by_day, row.n_sent, row.n_attempts) for row in rows] == [
        ("Otters", {date(2027, 1, 1): 1, date(2027, 1, 2): 1}, 2, 1),
        ("Herons", {date(2027, 1, 1): 1}, 1, 1),
    ]
    assert count_by_day(shared_task, 1) == rows[:1]


def test_counting_takes_as_many_queries_for_more_teams(
    shared_task, phase, team, herons, django_assert_max_num_queries
):
    send(team, phase)
    send(herons, phase)

    with django_assert_max_num_queries(3):
        count_by_day(shared_task, 9)


def test_refusals_are_counted_by_reason(shared_task, phase, team):
    for numbers in ([1, 2], [1, 2, 3], ["0,5"] * 12):
        with pytest.raises(UploadRefused):
            check_files(team, phase, [result_file_of(numbers)], by=None, now=START)

    reasons = dict(count_refusals(shared_task))

    assert reasons["… rows, wanted …; write one for each pair of the data file, in its order"] == 2
    assert sum(reasons.values()) == 3


def result_file_of(texts):
    content = "\n".join(["change", *map(str, texts)]) + "\n"
    return "results_subtask1_sl.tsv", content.encode()
