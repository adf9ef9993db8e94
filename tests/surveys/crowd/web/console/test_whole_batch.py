"""A batch from plan to ledger, using only the console's forms and buttons."""

from datetime import timedelta
from urllib.parse import urlsplit

import lxml.html
import pytest
from django.utils import timezone

from mturk_simulator.client import CrowdRefused
from surveys.crowd.models import Batch, Qualification
from surveys.models import ReconciliationResult, Run, Visit
from tests.factories.pages import page, read
from tests.factories.studies import stored
from tests.factories.workers import arrive, count_paid_here, count_spent_there, do_task, group_of

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.study(n_pairs=4, block_size=2, ratings_per_context=8),
]

TERMS = {"reward_cents": "0.50", "title": "Words in texts", "description": "Read and rate."}


def press(client, where, button, **typed):
    """Submit the form of a button with these values; return the URL of the redirect."""
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
    """Plan, approve and publish a batch; return the URL of its page."""
    where = press(client, page("plan_batch", study), "Plan the batch", **TERMS, **terms)
    last_day = f"{timezone.now() + timedelta(days=2):%Y-%m-%d}"
    sent = {"typed_cents": total, "ceiling_cents": ceiling, "last_day": last_day}
    press(client, where, "Approve the budget", **sent)
    press(client, where, "Publish 1 HIT")
    return where


def hand_in_unfinished(stage, batch):
    """Let a worker submit an unfinished assignment; return the visit."""
    worker = stage.worker()
    held = worker.accept(group_of(stage, batch))
    arrive(held)
    worker.submit(held.mturk_assignment_id, {"completion_code": "none"})
    return Visit.objects.get(submission=held.mturk_assignment_id)


def test_a_batch_is_run_with_its_buttons_and_paid_to_the_cent(owner, study, platform):
    where = publish(owner, study, "3.60", "10", named="1A:6", each="6")
    batch = Batch.objects.get()
    workers = [platform.worker() for _ in range(3)]
    done = [do_task(platform, batch, worker) for worker in workers]
    late, empty = (hand_in_unfinished(platform, batch) for _ in range(2))
    press(owner, where, "Fetch submitted work")
    assert [stored(one, "standing")[0] for one in (*done, late, empty)] == [
        *[ReconciliationResult.PAYABLE] * 3, *[ReconciliationResult.HELD] * 2,
    ]  # fmt: skip

    press(owner, where, "Pay 3 payable")
    press(owner, page("visit", study, batch.pk, late.pk), "Pay the reward", reason="they wrote")
    of_empty = page("visit", study, batch.pk, empty.pk)
    press(owner, of_empty, "Reject the work", feedback="Nothing was answered.")
    assert stored(empty, "provider_state") == ("rejected",)
    assert count_paid_here(batch) == count_spent_there(platform) == 240
    press(owner, of_empty, "Reverse the rejection", reason="we were wrong")

    people = page("batch_people", study, batch.pk)
    pay_bonus_twice(owner, people, [one.pk for one in done[:2]])
    assert platform.control.counts()["SendBonus"] == 2
    choose = "Allow private tasks"
    press(owner, people, choose, chosen=[done[0].pk], reason="agrees with the others")

    task = Qualification.objects.get(block=None)
    private = publish(
        owner, study, "0.60", "0.60", named="2A:1", each="1", private_task=str(task.pk)
    )
    second = Batch.objects.latest("pk")
    with pytest.raises(CrowdRefused):
        do_task(platform, second, workers[1])
    do_task(platform, second, workers[0])
    press(owner, private, "Fetch submitted work")
    press(owner, private, "Pay 1 payable")
    for stopped in (batch, second):
        press(owner, page("stop_batch", study, stopped.pk), "Stop the batch")

    assert not Run.objects.exclude(job__state="done").exists()
    assert not [run.report["errors"] for run in Run.objects.all() if run.report["errors"]]
    assert [count_paid_here(one) for one in (batch, second)] == [540, 60]
    assert count_spent_there(platform) == 600
    text = read(owner, "batch_ledger", study, batch.pk)
    for what, amount in (("Rewards paid", "2.50"), ("Bonuses paid", "2.00"), ("Fees", "0.90")):
        assert f"<dt>{what}</dt><dd>${amount}</dd>" in text


def pay_bonus_twice(client, people, chosen):
    """Submit the same form twice."""
    shown = lxml.html.fromstring(client.get(people).content)
    (key,) = shown.xpath("//input[@name='key']/@value")
    sent = {"chosen": chosen, "amount_cents": "1", "reason": "very careful", "key": key}
    for _ in range(2):
        press(client, people, "Pay a bonus", **sent)
