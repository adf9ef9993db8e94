"""From publishing to payment, in the simulator, by the real client."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from mturk_simulator.client import CrowdRefused
from mturk_simulator.market.people import WorkerProfile, add_worker
from mturk_simulator.market.work import accept_hit, get_worker, submit
from surveys.crowd.budget import count_spent, withdraw_approval
from surveys.crowd.errors import BatchRefused, TargetRefused
from surveys.crowd.fees import estimate_hits, rates_of, split_places
from surveys.crowd.ledger import intend_bonus
from surveys.crowd.models import Batch, Hit, Payment
from surveys.crowd.mturk.collect import fetch_batch, read_code
from surveys.crowd.mturk.gateway import PAGE
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.stop import stop_batch
from surveys.crowd.mturk.targets import find_target
from surveys.models import Assignment, Entrance, Place, Visit
from surveys.results.export import stream_responses
from tests.factories.batches import arm, plan
from tests.factories.studies import make_study, stored
from tests.factories.workers import (
    answer_all,
    arrive,
    count_paid_here,
    count_spent_there,
    do_task,
    group_of,
    hand_over,
    list_bonuses,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def approved_batch(platform) -> Batch:
    """Return an approved batch of three places."""
    return arm(plan(make_study(2, ratings_per_context=3), 3), more_cents=200)


@pytest.fixture
def published_batch(approved_batch) -> Batch:
    publish_batch(approved_batch)
    return approved_batch


def states(batch: Batch) -> list[str]:
    return list(batch.hits.values_list("state", flat=True))


def test_twelve_places_of_two_questionnaires_from_publishing_to_payment(platform):
    study = make_study(2, ratings_per_context=12)
    batch = arm(plan(study, 12, 2, reward_cents=12), more_cents=500)  # fees of 2.4, billed as 2
    assert publish_batch(batch).counts == {"created": 4}
    group = group_of(platform, batch)
    returning, leaving, reloading, waiting = [platform.worker() for _ in range(4)]

    held = returning.accept(group)
    arrive(held)
    returning.return_task(held.mturk_assignment_id)
    left = leaving.accept(group)
    assert left.mturk_assignment_id == held.mturk_assignment_id  # an id that is used again
    arrive(left)
    kept = reloading.accept(group)
    assert arrive(kept) == arrive(kept)
    hand_over(reloading, kept)
    unsent = waiting.accept(group)
    answer_all(unsent)
    for _ in range(21):
        do_task(platform, batch)
    fetch_batch(batch)
    assert (states(batch).count("closed"), states(batch).count("live")) == (3, 1)

    platform.control.advance(3601)
    Visit.objects.filter(provider_state="").update(deadline_at=timezone.now() - timedelta(hours=2))
    fetch_batch(batch)
    do_task(platform, batch)
    fetch_batch(batch)
    assert pay_batch(batch).counts == {"paid": 23}
    for n, visit in enumerate(Visit.objects.filter(standing="settled")[:5]):
        intend_bonus(visit, f"careful-{n}", 41, by=User.objects.get(), reason="careful")
    assert pay_batch(batch).counts == {"paid": 5}
    stop_batch(batch)
    fetch_batch(batch)

    unpaid = Visit.objects.get(standing="unpaid")
    assert unpaid.worker.worker_id == waiting.worker_id
    assert set(states(batch)) == {"closed"}
    rates = rates_of("simulator")
    calculated = estimate_hits(rates, 12, split_places(23, 9)).total_cents
    assert calculated + 5 * (41 + 8) == count_paid_here(batch) == count_spent_there(platform)
    assert count_spent(batch).committed_cents == count_paid_here(batch)
    assert Assignment.objects.filter(submitted_at__isnull=False).count() == 24
    text = "".join(stream_responses(study))
    assert text.count("\n") > 24
    assert waiting.worker_id not in text


def test_publish_batch_creates_each_hit_once(platform, approved_batch):
    assert publish_batch(approved_batch).counts == {"created": 1}
    hit = approved_batch.hits.get()
    requested = platform.control.counts()

    assert publish_batch(approved_batch).counts == {}

    assert platform.control.counts() == requested
    there = platform.client().get_hit(HITId=hit.hit_id)["HIT"]
    assert (there["RequesterAnnotation"], there["MaxAssignments"]) == (
        str(hit.reservation.token),
        3,
    )
    assert (hit.state, hit.expires_at, hit.hit_type_id) == (
        "live", there["Expiration"], there["HITTypeId"],
    )  # fmt: skip
    assert f"/mturk/enter/{hit.reservation.token}/" in there["Question"]


@pytest.mark.parametrize("act", [publish_batch, pay_batch])
@pytest.mark.parametrize("how", ["unarmed", "expired", "foreign"])
def test_no_request_is_sent_for_a_batch_that_may_not_spend(platform, approved_batch, act, how):
    if how == "unarmed":
        withdraw_approval(approved_batch)
    if how == "expired":
        past = timezone.now() - timedelta(days=2)
        Batch.objects.update(armed_at=past, armed_until=past + timedelta(days=1))
    if how == "foreign":
        Entrance.objects.update(provider="sandbox")

    with pytest.raises((BatchRefused, TargetRefused)):
        act(Batch.objects.get())

    assert platform.control.counts() == {}
    assert states(approved_batch) == ["planned"]


def test_hits_of_a_target_other_than_their_batchs_are_never_requested(platform, approved_batch):
    Hit.objects.update(provider="production")

    for act in (publish_batch, fetch_batch, pay_batch, stop_batch):
        with pytest.raises(BatchRefused, match="a target other"):
            act(approved_batch)

    assert platform.control.counts() == {}


def test_an_error_at_the_ceiling_is_stored_with_its_row(platform):
    batch = arm(plan(make_study(2, ratings_per_context=21), 21))
    Batch.objects.update(total_cents=600, ceiling_cents=600)

    outcome = publish_batch(batch)

    assert (outcome.counts, len(outcome.errors)) == ({"created": 1}, 2)
    assert states(batch) == ["live", "planned", "planned"]
    assert "above its ceiling" in batch.hits.last().error
    assert platform.control.counts()["CreateHITWithHITType"] == 1


def test_a_refused_row_does_not_stop_the_others(platform):
    batch = arm(plan(make_study(2, ratings_per_context=18), 18))
    platform.control.set_balance("simulator", "7.00")

    outcome = publish_batch(batch)

    assert (outcome.counts["created"], states(batch)) == (1, ["live", "creating"])
    assert "insufficient funds" in batch.hits.last().error
    platform.control.set_balance("simulator", "20.00")
    assert publish_batch(batch).counts == {"created": 1}
    assert stored(batch.hits.last(), "state", "error") == ("live", "")


def test_outside_the_simulator_the_account_must_hold_enough(platform, settings, monkeypatch):
    """Use the simulator as the sandbox."""
    settings.MTURK_IS_LIVE = True
    settings.MTURK_LIVE_KEYS = ["AKID", "simulated"]
    study = make_study(2, ratings_per_context=3)
    url = platform.url
    sandbox = replace(
        find_target("sandbox"), endpoint=url, worker_site=url, submit_host=url, is_enabled=True
    )
    monkeypatch.setattr("surveys.crowd.mturk.targets.list_targets", lambda: [sandbox])
    batch = arm(plan(study, 3, target="sandbox"))
    platform.control.set_balance("AKID", "1.79")

    with pytest.raises(BatchRefused, match=r"holds 1\.79; 1\.80 are needed"):
        publish_batch(batch)
    assert states(batch) == ["planned"]
    platform.control.set_balance("AKID", "1.80")

    assert publish_batch(batch).counts == {"created": 1}


def test_fetch_batch_holds_unknown_work_and_flags_a_wrong_code(platform, published_batch):
    group = group_of(platform, published_batch)
    stranger, hasty, careless = [platform.worker() for _ in range(3)]
    stranger.submit(stranger.accept(group).mturk_assignment_id, {"completion_code": "C"})
    held = hasty.accept(group)
    arrive(held)
    hasty.submit(held.mturk_assignment_id, {"completion_code": "C"})
    hand_over(careless, careless.accept(group), completion_code="WRONG")

    assert fetch_batch(published_batch).counts == {"held": 2, "payable": 1}
    assert fetch_batch(published_batch).counts == {"held": 2, "payable": 1}

    assert Visit.objects.get(standing="payable").has_wrong_code
    assert (states(published_batch), published_batch.hits.get().n_released) == (["closed"], 0)
    assert pay_batch(published_batch).counts == {"paid": 1}
    assert count_spent_there(platform) == count_paid_here(published_batch) == 60


def test_automatic_approval_is_recorded_as_paid_outside(platform, published_batch):
    do_task(platform, published_batch)
    platform.control.advance(3 * 86_400)

    fetch_batch(published_batch)

    assert stored(Payment.objects.get(), "state", "amount_cents", "fee_cents") == (
        "outside", 50, 10,
    )  # fmt: skip
    assert pay_batch(published_batch).counts == {}


def test_an_unseen_submission_keeps_its_hit_open(platform, published_batch):
    platform.control.queue_fault("externalSubmit", "unseen", n_calls=3, seconds=60)
    for _ in range(3):
        do_task(platform, published_batch)

    fetch_batch(published_batch)
    assert states(published_batch) == ["closing"]
    platform.control.advance(60)

    assert fetch_batch(published_batch).counts == {"payable": 3}
    assert states(published_batch) == ["closed"]


def test_stop_batch_refuses_new_workers_and_pays_those_who_had_begun(platform, published_batch):
    slow = platform.worker()
    held = slow.accept(group_of(platform, published_batch))
    arrive(held)

    assert stop_batch(published_batch).counts == {"ended": 1}
    assert stop_batch(published_batch).counts == {}
    with pytest.raises(CrowdRefused):
        platform.worker().accept(group_of(platform, published_batch))
    fetch_batch(published_batch)
    assert states(published_batch) == ["closing"]
    hand_over(slow, held)
    fetch_batch(published_batch)

    assert stored(published_batch.hits.get(), "state", "n_released") == ("closed", 2)
    assert Place.objects.filter(reservation__isnull=False).count() == 0
    assert pay_batch(published_batch).counts == {"paid": 1}
    assert count_spent(published_batch).committed_cents == count_spent_there(platform) == 60


def test_stop_batch_drops_planned_hits_without_a_request(platform, approved_batch):
    stop_batch(approved_batch)

    assert (states(approved_batch), platform.control.counts()) == (["closed"], {})
    with pytest.raises(BatchRefused, match="Type the total"):
        arm(approved_batch)


@pytest.mark.parametrize("mode", ["always", "when_more"])
@pytest.mark.parametrize("n_rows", [0, 5, 6])
def test_fetch_batch_reads_all_pages(platform, published_batch, mode, n_rows, monkeypatch):
    """In pages of 5. A larger HIT replaces ours, which could not have that many rows."""
    monkeypatch.setitem(PAGE, "PageSize", 5)
    platform.control.change_settings(next_token=mode)
    hit, client = published_batch.hits.get(), platform.client()
    _let_in(platform, client, hit, n_rows)

    counts = fetch_batch(published_batch).counts

    assert counts == ({"held": n_rows} if n_rows else {})
    assert Visit.objects.count() == n_rows


def _let_in(platform, client, hit: Hit, n_rows: int) -> None:
    """Let `n_rows` workers submit work for a larger HIT, which replaces this one."""
    if not n_rows:
        return
    there = client.get_hit(HITId=hit.hit_id)["HIT"]
    made = client.create_hit_with_hit_type(
        HITTypeId=there["HITTypeId"], MaxAssignments=n_rows, LifetimeInSeconds=3600,
        Question=there["Question"], RequesterAnnotation=str(hit.reservation.token),
    )["HIT"]  # fmt: skip
    client.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=platform.in_hours(-1))
    Hit.objects.filter(pk=hit.pk).update(hit_id=made["HITId"])
    with platform.market.moment() as moment:
        for number in range(n_rows):
            worker_id = add_worker(moment, WorkerProfile(f"A{number}"))
            held = accept_hit(moment, get_worker(moment, worker_id), made["HITGroupId"])
            submit(moment, held, [("completion_code", "C")], unseen_seconds=0)


@pytest.mark.parametrize("answer", ["", "<no", "<QuestionFormAnswers/>"])
def test_an_answer_without_a_code_has_none(answer):
    assert read_code(answer) == ""


def test_commands_do_the_same(platform, approved_batch, capsys):
    call_command("batch", "publish", "study", "1")
    do_task(platform, approved_batch)
    call_command("batch", "fetch", "study", "1")
    call_command("batch", "pay", "study", "1")
    call_command("batch", "stop", "study", "1")
    call_command("compare_qualifications", "study")
    call_command("run_crowd_round", "--pay")

    out = capsys.readouterr().out.splitlines()
    assert out == [
        "created: 1", "payable: 1", "paid: 1", "ended: 1", "Both sides agree.",
        "All batches are up to date.",
    ]  # fmt: skip
    assert states(approved_batch) == ["closed"]
    with pytest.raises(CommandError, match="Study study has no batch 999"):
        call_command("batch", "publish", "study", "999")


@pytest.mark.every_database
def test_a_round_continues_after_an_error_and_reports_it(platform, published_batch):
    platform.control.queue_fault("GetHIT", "fail", n_calls=3)

    with pytest.raises(CommandError, match="next round tries again"):
        call_command("run_crowd_round")

    call_command("run_crowd_round")


def test_bonuses_are_paid_once_for_their_key(platform, published_batch, ana):
    visit = do_task(platform, published_batch)
    fetch_batch(published_batch)
    for _ in range(2):
        intend_bonus(visit, "careful-1", 40, by=ana, reason="careful")
        intend_bonus(visit, "careful-10", 20, by=ana, reason="careful")
        pay_batch(published_batch)

    assert sorted(list_bonuses(published_batch.hits.get().hit_id)) == ["0.20", "0.40"]
    assert count_spent_there(platform) == count_paid_here(published_batch) == 60 + 48 + 24
