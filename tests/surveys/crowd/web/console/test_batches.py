import re
from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.crowd.batches.offer import find_pace
from surveys.crowd.models import Batch, HitState, Qualification
from surveys.models import Place, Run, Study
from surveys.money import format_cents
from surveys.templatetags.figures import number
from tests.factories.batch_states import (
    send,
    text_of,
)
from tests.factories.batches import TERMS, plan
from tests.factories.pages import page, read
from tests.factories.studies import make_study, stored

pytestmark = pytest.mark.study(n_pairs=4, block_size=2, ratings_per_context=8)

TOMORROW = f"{timezone.now() + timedelta(days=2):%Y-%m-%d}"
TITLE = TERMS["title"]
SENT = {
    "target": "simulator", "each": "2", "named": "", "reward_cents": "0.50", "title": TITLE,
    "description": "Read and rate.", "keywords": "", "assignment_minutes": "30",
    "lifetime_days": "7", "auto_approval_days": "3", "countries": "", "approval_percent": "",
    "n_approved": "", "private_task": "",
}  # fmt: skip


def test_a_batch_is_planned_with_all_open_places(owner, study):
    answer = owner.post(page("plan_batch", study), {**SENT, "each": "8"})

    batch = Batch.objects.get()
    assert (answer.status_code, answer.url) == (302, page("batch", study, batch.pk))
    assert [hit.n_places for hit in batch.hits.all()] == [8, 8, 8, 8]
    assert stored(batch, "reward_cents", "fee_cents", "assignment_seconds", "requirements") == (
        50, 10, 1800, [],
    )  # fmt: skip
    assert "There are no open places" in read(owner, "plan_batch", study)


def test_pages_name_a_batch_by_its_number_in_the_study(owner, study):
    plan(make_study(2, slug="other"), 1)
    batch = plan(study, 1)

    assert ">1. Words in short texts</a>" in read(owner, "batches", study)
    assert "<h1>Batch 1: Words in short texts</h1>" in read(owner, "batch", study, batch.pk)
    assert "<h1>People of batch 1</h1>" in read(owner, "batch_people", study, batch.pk)
    assert "<h1>Ledger of batch 1</h1>" in read(owner, "batch_ledger", study, batch.pk)
    assert ">Planned batch 1</th>" in read(owner, "log", study)


def test_open_places_are_listed_by_ranges_of_questionnaires(owner, study):
    assert read_ranges(owner, study) == [("1A to 2B", "8")]

    plan(study, 3)

    assert read_ranges(owner, study) == [("1A", "5"), ("1B to 2B", "8")]
    assert "29 open places in 4 questionnaires" in read(owner, "plan_batch", study)


def test_only_the_first_ranges_are_listed(owner, study, monkeypatch):
    monkeypatch.setattr("surveys.crowd.web.console.batches.MAX_RANGES", 1)
    plan(study, 3)

    assert read_ranges(owner, study) == [("1A", "5")]
    assert "And 3 more questionnaires." in read(owner, "plan_batch", study)


def read_ranges(client, study):
    row = r'<tr> <th scope="row">([^<]+?) ?</th> <td class="number">([^<]+)</td> </tr>'
    return re.findall(row, read(client, "plan_batch", study))


def test_a_batch_is_planned_with_named_questionnaires_and_requirements(owner, study):
    asked = {"named": "1a, 2B:7", "countries": "si hr", "approval_percent": "95"}

    owner.post(page("plan_batch", study), {**SENT, **asked, "n_approved": "100"})

    batch = Batch.objects.get()
    sizes = {str(hit.reservation.questionnaire)[-2:]: hit.n_places for hit in batch.hits.all()}
    assert list(sizes.values()) == [2, 7]
    text = read(owner, "batch", study, batch.pk)
    assert "in SI, HR; 95 % approved or more; 100 approved HITs or more" in text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"named": "1C"}, "1C is not a questionnaire with free places"),
        ({"named": "first"}, "Write “first” as 1A"),
        ({"named": "1A, 1A"}, "1A is named twice"),
        ({"named": "1A:9"}, "1A has 8 free places, not 9"),
        ({"reward_cents": "0.505"}, "no more than 2 decimal places"),
        ({"reward_cents": "1000.01"}, "less than or equal to 1000"),
        ({"countries": "SVN"}, "“SVN” is not a country code"),
        ({"target": "production"}, "is not one of the available choices"),
        ({"title": ""}, "This field is required"),
    ],
)
def test_an_invalid_plan_is_refused_with_an_error_at_its_field(owner, study, wrong, said):
    answer = owner.post(page("plan_batch", study), {**SENT, **wrong})

    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not Batch.objects.exists()
    assert not Place.objects.filter(reservation__isnull=False).exists()


def test_calculating_a_batch_stores_nothing(owner, study):
    answer = owner.post(page("plan_batch", study), {**SENT, "calculate": "yes"})
    part = owner.get(page("batch_cost", study), {"each": "2", "reward_cents": "0.12"})

    assert "<dd>4 <span>of up to nine places" in text_of(answer)
    assert "<dd>$4.80 <span>reserved" in text_of(answer)
    assert "$0.12 + $0.03" in text_of(part)
    assert "$1.20 <span>reserved; billed about $1.12" in text_of(part)
    assert not Batch.objects.exists()


def test_a_low_wage_shows_a_warning(owner, study):
    Study.objects.update(seconds_per_item=600)

    low = owner.get(page("batch_cost", study), {"each": "1", "reward_cents": "0.50"})
    fair = owner.get(page("batch_cost", study), {"each": "1", "reward_cents": "9"})

    assert "low for an hour" in text_of(low)
    at_first = find_pace(Study.objects.get())
    hourly = format_cents(at_first.hourly_cents(50))
    assert at_first.minutes > 22  # the introduction and two texts of ten minutes
    minutes = number(at_first.minutes, 1)
    said = f"${hourly} <span>at {minutes} min: the study’s estimate, with the introduction"
    assert f"{said}; $1.50 without it" in text_of(low)
    assert "low for an hour" not in text_of(fair)


def test_pages_say_that_mturk_is_closed(owner, study):
    for name in ("batches", "plan_batch"):
        text = read(owner, name, study)
        assert "Amazon closed Mechanical Turk on 30 September 2026" in text
        assert page("prolific", study) in text


def test_an_owner_approves_a_budget_by_entering_its_total(owner, study):
    batch = plan(study, n_places=2)
    assert "Publish" not in read(owner, "batch", study, batch.pk)
    sent = {"typed_cents": "1.20", "ceiling_cents": "2", "last_day": TOMORROW}

    answer = send(owner, "arm_batch", study, batch.pk, **sent)

    assert answer.status_code == 302
    assert stored(batch, "total_cents", "ceiling_cents", "armed_by__username") == (120, 200, "ana")
    text = read(owner, "batch", study, batch.pk)
    assert "Publish 1 HIT<" in text
    assert "MTurk simulator: a rehearsal, nobody is paid" in text
    send(owner, "disarm_batch", study, batch.pk)
    assert stored(batch, "armed_by", "ceiling_cents") == (None, None)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"typed_cents": "1.19"}, "Type the total, 1.20"),
        ({"ceiling_cents": "1"}, "The ceiling must be 1.20 or more"),
        ({"last_day": "2020-01-01"}, "The end must be in the future"),
        ({"last_day": "soon"}, "Enter a valid date"),
    ],
)
def test_approval_refuses_invalid_amounts_and_days(owner, study, wrong, said):
    batch = plan(study, n_places=2)
    sent = {"typed_cents": "1.20", "ceiling_cents": "2", "last_day": TOMORROW}

    answer = send(owner, "arm_batch", study, batch.pk, **{**sent, **wrong})

    assert answer.status_code == 422
    assert said in text_of(answer)
    assert stored(batch, "armed_by") == (None,)


def test_work_that_spends_money_is_refused_without_approval(
    owner, study, platform, django_capture_on_commit_callbacks
):
    batch = plan(study)

    with django_capture_on_commit_callbacks(execute=True):
        for what, status in (("publish", 409), ("pay", 409), ("dance", 400)):
            assert send(owner, "work_batch", study, batch.pk, what=what).status_code == status

    assert platform.control.counts() == {}
    assert not Run.objects.exists()


def test_planned_hits_are_deleted(owner, study):
    batch = plan(study, n_places=2)

    send(owner, "drop_batch", study, batch.pk)

    assert stored(batch.hits.get(), "state") == (HitState.CLOSED,)
    assert not Place.objects.filter(reservation__isnull=False).exists()


def test_a_batch_is_planned_for_selected_workers_only(owner, study):
    task = Qualification.objects.create(
        study=study, provider="simulator", name="quality", qualification_type_id="3QUALITY"
    )

    owner.post(page("plan_batch", study), {**SENT, "private_task": str(task.pk)})

    (requirement,) = Batch.objects.get().requirements
    assert requirement["QualificationTypeId"] == "3QUALITY"
    assert requirement["Comparator"] == "Exists"
