"""A batch from its plan to its ledger, by the console's forms and buttons alone."""

from datetime import timedelta
from urllib.parse import urlsplit

import lxml.html
import pytest
from django.utils import timezone

from surveys.models import Batch, Qualification, Run, Standing, Visit
from surveys.rehearsal.mturk_site import CrowdRefused
from tests.console.crowded import make_roomy_study, sign_in_owner
from tests.console.test_collection import page, read
from tests.factories import stored
from tests.mturk.working import arrive, count_paid_here, count_spent_there, do_task, group_of

pytestmark = pytest.mark.every_database

TERMS = {"reward_cents": "0.50", "title": "Words in texts", "description": "Read and rate."}


@pytest.fixture
def study(transactional_db):
    return make_roomy_study()


@pytest.fixture
def client(study):
    return sign_in_owner(study)


def press(client, where, button, **typed):
    """Press a button of a page, with this typed or ticked in its form; where that leads."""
    shown = lxml.html.fromstring(client.get(where).content)
    (found,) = shown.xpath("//button[starts-with(normalize-space(), $name)]", name=button)
    form = next(found.iterancestors("form"))
    assert typed.keys() <= set(form.fields.keys())
    own = {found.get("name"): found.get("value")} if found.get("name") else {}
    address = urlsplit(found.get("formaction") or form.action).path
    answer = client.post(address, {**dict(form.form_values()), **typed, **own})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def publish(client, study, total, ceiling, **terms):
    """The page of a batch that is planned, armed by its total, and offered."""
    where = press(client, page("plan_batch", study), "Plan the batch", **TERMS, **terms)
    last_day = f"{timezone.now() + timedelta(days=2):%Y-%m-%d}"
    press(
        client, where, "Arm the batch", typed_cents=total, ceiling_cents=ceiling, last_day=last_day
    )
    press(client, where, "Publish 1 HIT")
    return where


def hand_in_unfinished(stage, batch):
    """The visit of somebody who hands in what they have not done."""
    worker = stage.worker()
    held = worker.accept(group_of(stage, batch))
    arrive(held)
    worker.submit(held.mturk_assignment_id, {"completion_code": "none"})
    return Visit.objects.get(submission=held.mturk_assignment_id)


def test_a_batch_is_run_by_its_buttons_and_paid_to_the_cent(client, study, platform):
    where = publish(client, study, "3.60", "10", named="1A:6", each="6")
    batch = Batch.objects.get()
    workers = [platform.worker() for _ in range(3)]
    done = [do_task(platform, batch, worker) for worker in workers]
    late, empty = (hand_in_unfinished(platform, batch) for _ in range(2))
    press(client, where, "Fetch what was handed in")
    assert [stored(one, "standing")[0] for one in (*done, late, empty)] == [
        *[Standing.PAYABLE] * 3, *[Standing.HELD] * 2,
    ]  # fmt: skip

    press(client, where, "Pay 3 payable")
    press(client, page("visit", study, batch.pk, late.pk), "Pay the reward", reason="they wrote")
    of_empty = page("visit", study, batch.pk, empty.pk)
    press(client, of_empty, "Reject this work", feedback="Nothing was answered.")
    assert stored(empty, "provider_state") == ("rejected",)
    assert count_paid_here(batch) == count_spent_there(platform) == 240
    press(client, of_empty, "Take the rejection back", reason="we were wrong")

    people = page("batch_people", study, batch.pk)
    pay_bonus_twice(client, people, [one.pk for one in done[:2]])
    assert platform.control.counts()["SendBonus"] == 2
    choose = "Let them do private tasks"
    press(client, people, choose, chosen=[done[0].pk], reason="agrees with the others")

    task = Qualification.objects.get(block=None)
    private = publish(
        client, study, "0.60", "0.60", named="2A:1", each="1", private_task=str(task.pk)
    )
    second = Batch.objects.latest("pk")
    with pytest.raises(CrowdRefused):
        do_task(platform, second, workers[1])
    do_task(platform, second, workers[0])
    press(client, private, "Fetch what was handed in")
    press(client, private, "Pay 1 payable")
    for stopped in (batch, second):
        press(client, page("stop_batch", study, stopped.pk), "Stop the batch")

    assert not Run.objects.exclude(state="done").exists()
    assert not [run.report["errors"] for run in Run.objects.all() if run.report["errors"]]
    assert [count_paid_here(one) for one in (batch, second)] == [540, 60]
    assert count_spent_there(platform) == 600
    text = read(client, "batch_ledger", study, batch.pk)
    for what, amount in (("Rewards paid", "2.50"), ("Bonuses paid", "2.00"), ("Fees", "0.90")):
        assert f"<dt>{what}</dt><dd>${amount}</dd>" in text


def pay_bonus_twice(client, people, chosen):
    """Send the same form again, as whoever is impatient does."""
    shown = lxml.html.fromstring(client.get(people).content)
    (key,) = shown.xpath("//input[@name='key']/@value")
    sent = {"chosen": chosen, "amount_cents": "1", "reason": "very careful", "key": key}
    for _ in range(2):
        press(client, people, "Pay them a bonus", **sent)
