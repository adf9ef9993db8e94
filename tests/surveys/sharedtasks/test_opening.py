"""Opening a shared task: what is lacking, what can be shown, and the commitment to the gold."""

import hashlib
from datetime import timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.opening import (
    expect_figures,
    list_lacking,
    open_task,
)
from surveys.sharedtasks.parts import add_part
from surveys.sharedtasks.phases import count_scores, expect_probing
from surveys.sharedtasks.tasks import find_next_step
from tests.factories.sharedtasks import START, make_part, make_phase, make_shared_task, make_team
from tests.factories.studies import make_release, make_study
from tests.factories.task_files import part_files

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
READY = {"text": "Predict.", "terms": "Be fair."}


@pytest.fixture
def ready():
    return make_shared_task(state="draft", opened_at=None, zone="UTC", **READY)


def test_everything_that_is_lacking_is_listed_at_once():
    shared_task = make_shared_task(state="draft", opened_at=None, required_languages=["fi"])
    make_phase(shared_task, "practice", data="practice")

    lacking = "\n".join(list_lacking(shared_task, now=START + 8 * DAY))

    for words in (
        "no text",
        "no terms",
        "Data is missing",
        "No phase uses the test",
        "over already",
    ):
        assert words in lacking
    with pytest.raises(SharedTaskRefused, match="Data is missing"):
        open_task(shared_task, now=START)
    shared_task.refresh_from_db()
    assert shared_task.state == "draft"


def test_rules_need_the_data_that_they_are_about(ready):
    add_part(ready, "sl", part_files(n_practice=0))
    make_phase(ready), make_phase(ready, "practice", data="practice")
    ready.required_languages, ready.best_of = ["fi"], 2
    ready.save()

    lacking = "\n".join(list_lacking(ready, now=START))

    for words in ("required: fi", "best 2 languages", "practice data, which these languages lack"):
        assert words in lacking


@pytest.mark.parametrize("is_another", [False, True])
def test_a_public_page_with_the_gold_is_closed_first(ready, is_another):
    """Also that of another release of the same study."""
    release = make_release(make_study(2), report={}, page_opened_at=START)
    used = make_release(release.study, report={}) if is_another else release
    make_part(ready, release=used)
    make_phase(ready)

    with pytest.raises(SharedTaskRefused, match="shows the gold of sl to everybody"):
        open_task(ready, now=START)

    ready.refresh_from_db()
    assert ready.state == "draft"


def test_opening_commits_to_salt_and_gold_in_the_order_of_languages(ready):
    files = {"sl": part_files(), "fi": part_files(first=100)}
    for language, one in files.items():
        add_part(ready, language, one)
    make_phase(ready)

    open_task(ready, now=START)
    open_task(ready, now=START + DAY)

    ready.refresh_from_db()
    salt = bytes.fromhex(ready.salt)
    committed = hashlib.sha256(salt + files["fi"].gold + files["sl"].gold).hexdigest()
    assert (ready.state, ready.opened_at, ready.commitment) == (
        "open",
        START,
        committed,
    )
    entry = AuditEntry.objects.get(action="sharedtask.opened")
    assert entry.details == {"commitment": committed}


def test_the_figures_before_opening_are_those_of_the_specification(ready):
    make_part(ready, "sl", n_pairs=111, reliability=0.841)
    make_part(ready, "fi", n_pairs=24)

    finnish, slovene = expect_figures(ready)

    assert round(slovene.ceiling, 3) == 0.917
    assert finnish.ceiling is None
    assert [round(one.smallest, 3) for one in (finnish, slovene)] == [0.185, 0.086]
    assert (round(finnish.low, 2), round(finnish.high, 2)) == (0.34, 0.83)
    assert finnish.width == finnish.high - finnish.low


def test_probing_is_expected_where_scores_of_test_data_are_seen(ready):
    make_part(ready, n_pairs=24)
    make_phase(ready, "hidden")
    make_phase(ready, "practice", data="practice", visibility="board")
    start = START + 30 * DAY
    make_phase(ready, "own", visibility="own", subtasks=[1], attempts_total=5)
    make_phase(ready, "both", visibility="own", opens_at=start, closes_at=start + DAY)
    make_phase(ready, "endless", opens_at=start + DAY, closes_at=None, visibility="board",
               attempts_total=None, attempts_a_day=20)  # fmt: skip

    found = {one.phase.name: one for one in expect_probing(ready.phases.all())}

    assert {name: (one.n_seen, one.is_large) for name, one in found.items()} == {
        "own": (5, False), "both": (5 + 2 * 9, True), "endless": (None, True),
    }  # fmt: skip
    assert (round(found["own"].blind, 3), found["endless"].reached) == (0.456, 1.0)
    assert (round(found["own"].reached, 3), round(found["own"].most, 3)) == (0.74, 0.895)


def test_the_scores_seen_are_limited_by_days_and_in_all(ready):
    limits = {"closes_at": START + 2 * DAY, "attempts_total": 50}

    one = make_phase(ready, "one", attempts_a_day=10, subtasks=[2], **limits)
    assert count_scores(one) == 30  # three days
    assert count_scores(make_phase(ready, "two", attempts_a_day=20, **limits)) == 2 * 50
    assert count_scores(make_phase(ready, "three", **limits | {"attempts_total": None})) is None


def test_a_large_gain_by_probing_wants_a_confirmation(ready):
    add_part(ready, "sl", part_files(60))
    make_phase(ready, visibility="board", attempts_total=100)

    with pytest.raises(SharedTaskRefused, match="Confirm that this is intended"):
        open_task(ready, now=START)
    open_task(ready, now=START, accepts_probing=True)

    ready.refresh_from_db()
    assert ready.state == "open"


def test_the_next_step_leads_from_data_to_the_publication():
    shared_task = make_shared_task(state="draft", opened_at=None)

    def follow():
        step = find_next_step(shared_task, now=START + DAY)
        return step and step.page

    steps = [follow()]
    make_part(shared_task)
    steps.append(follow())
    phase = make_phase(shared_task)
    steps.append(follow())
    shared_task.text = shared_task.terms = "Text."
    steps.append(follow())
    shared_task.state = "open"
    steps.append(follow())
    team = make_team(shared_task, state="pending")
    steps.append(follow())
    team.state = "accepted"
    team.save()
    steps.append(follow())
    phase.closes_at = START + DAY
    phase.save()
    steps.append(follow())
    shared_task.state = "finalised"
    steps.append(follow())
    shared_task.state = "published"
    steps.append(follow())

    assert steps == [
        "data", "phases", "rules", "opening", "teams", "teams", None, "scores", "scores", None,
    ]  # fmt: skip
