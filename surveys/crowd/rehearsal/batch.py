"""Rehearsal of a paid batch in the simulator: plan, approve, publish, work, pay.

Only here is a budget approved without a person, so no other target is accepted.
"""

import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import httpx
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from mturk_simulator.client import CrowdRefused, CrowdWorker, open_browser
from surveys.crowd.budget import approve_budget, count_spent
from surveys.crowd.errors import TargetRefused
from surveys.crowd.fees import estimate_hits, rates_of, round_reserved, round_shown, split_places
from surveys.crowd.ledger import intend_bonus
from surveys.crowd.models import MOST_PLACES, Batch, Payment
from surveys.crowd.mturk.collect import fetch_batch
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.hits import plan_batch
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.crowd.mturk.stop import stop_batch
from surveys.crowd.rehearsal.worker import End, ScriptedWorker
from surveys.errors import RehearsalFailed, SurveyError
from surveys.models import Context, Provider, Questionnaire, ReconciliationResult, Study, Visit
from surveys.money import read_cents
from surveys.participation.assignments import list_places_left
from surveys.rehearsal.study import Rehearsal, refuse_unready
from surveys.rehearsal.vocabulary import list_words

TERMS = {
    "title": "Words in short texts (rehearsal)",
    "description": "Read short texts and answer two questions about each.",
    "assignment_seconds": 3600,
}
BONUS_REASON = "rehearsal of a bonus"


class Money(NamedTuple):
    """Cost of a batch in cents: by our ledger, the simulator's account, and the fee calculator."""

    ledger: int
    simulator: int
    calculator: int

    @property
    def agrees(self) -> bool:
        """Return whether all three are equal."""
        return self.ledger == self.simulator == self.calculator


@dataclass(frozen=True, kw_only=True)
class BatchRehearsal(Rehearsal):
    """Settings of a rehearsal of a batch."""

    n_workers: int
    reward_cents: int
    bonus_cents: int
    n_places: int | None  # of each questionnaire; None for all that are left


@dataclass(frozen=True)
class BatchSummary:
    """Results of a rehearsal. `ends` counts the outcomes of the workers; faults are messages."""

    batch: Batch
    n_hits: int
    n_places: int
    n_judgements: int
    seconds: float
    ends: Counter[End]
    faults: list[str]
    money: Money


class WorkerResult(NamedTuple):
    """Result of one worker."""

    end: End
    n_judgements: int
    fault: str


def rehearse_batch(
    study: Study, user: User, rehearsal: BatchRehearsal, *, target: str = Provider.SIMULATOR
) -> BatchSummary:
    """Let scripted workers fill places of a study for simulated pay, settled to the cent.

    Their answers fill the places and stay marked as scripted. An error of one worker does not stop
    the others. Raises TargetRefused, RehearsalFailed, and what the steps raise.
    """
    refuse_real_target(target)
    refuse_unready(study, rehearsal.base_url)
    places = _choose_places(study, rehearsal)
    _refuse_unreachable(rehearsal)
    gateway = open_gateway(target)
    batch = plan_batch(study, target, places, reward_cents=rehearsal.reward_cents, **TERMS)
    _approve(batch, user, rehearsal)
    before = _read_account(gateway)
    faults = publish_batch(batch).errors
    started = time.monotonic()
    vocabulary = list_words(Context.objects.stimuli(study).values_list("text", flat=True))
    group_ids = _find_groups(gateway, batch)
    results = rehearsal.run(
        lambda number: _run_worker(study, rehearsal, group_ids, number, vocabulary),
        rehearsal.n_workers,
    )
    seconds = time.monotonic() - started
    ends = Counter(result.end for result in results)
    faults += [result.fault for result in results if result.fault]
    n_bonuses, outcome = _settle(batch, user, rehearsal)
    faults += outcome.errors
    return BatchSummary(
        batch=batch,
        n_hits=batch.hits.count(),
        n_places=sum(places.values()),
        n_judgements=sum(result.n_judgements for result in results),
        seconds=seconds,
        ends=ends,
        faults=faults,
        money=_compare(
            batch, rehearsal, before - _read_account(gateway), ends[End.HANDED_IN], n_bonuses
        ),
    )


def refuse_real_target(target: str) -> None:
    """Raise TargetRefused for a target that could pay people."""
    if target != Provider.SIMULATOR:
        raise TargetRefused(
            f"A rehearsal approves budgets by itself, so it runs only in the "
            f"{Provider.SIMULATOR.label}, not in {Provider(target).label}."
        )


def _choose_places(study: Study, rehearsal: BatchRehearsal) -> dict[Questionnaire, int]:
    left = list_places_left(study)
    most = max(left.values(), default=0) if rehearsal.n_places is None else rehearsal.n_places
    offered = Questionnaire.objects.filter(pk__in=left).order_by("pk")
    places = {questionnaire: min(left[questionnaire.pk], most) for questionnaire in offered if most}
    if not places:
        raise RehearsalFailed(
            f"Study {study.slug} has no places left to offer. To rehearse, import its stimuli "
            "again under a different name."
        )
    return places


def _refuse_unreachable(rehearsal: BatchRehearsal) -> None:
    """Raise RehearsalFailed unless site and simulator answer."""
    with open_browser() as browser:
        for name, address in (
            ("the simulator", settings.MTURK_SIMULATOR_URL),
            ("the site", rehearsal.base_url),
        ):
            try:
                browser.get(address)
            except httpx.HTTPError as error:
                raise RehearsalFailed(
                    f"No answer from {name} at {address}: scripts/serve --with-mturk starts both."
                ) from error


def _approve(batch: Batch, user: User, rehearsal: BatchRehearsal) -> None:
    total = count_spent(batch).total_cents
    room = rehearsal.bonus_cents and rehearsal.bonus_cents + round_reserved(
        rates_of(batch.provider).of_bonus(rehearsal.bonus_cents)
    )
    approve_budget(
        batch, user, typed_cents=total, ceiling_cents=total + room,
        until=timezone.now() + timedelta(days=1),
    )  # fmt: skip


def _read_account(gateway: Gateway) -> int:
    """Return the account's balance in cents, including money on hold, which is not spent."""
    account = gateway.call("get_account_balance")
    return sum(read_cents(account.get(f"{kind}Balance", "0")) for kind in ("Available", "OnHold"))


def _find_groups(gateway: Gateway, batch: Batch) -> set[str]:
    """Return the HIT groups of a batch, one per block."""
    hits = batch.hits.exclude(hit_id="").order_by("hit_type_id", "pk").values_list(
        "hit_type_id", "hit_id"
    )  # fmt: skip
    of_type = dict(hits)
    return {gateway.call("get_hit", HITId=pk)["HIT"]["HITGroupId"] for pk in of_type.values()}


def _run_worker(
    study: Study, rehearsal: BatchRehearsal, group_ids: set[str], number: int, words: list[str]
) -> WorkerResult:
    fault = ""
    with open_browser() as browser:
        annotator = rehearsal.make_annotator(number, browser, words, invitation=number)
        name = f"worker {number}, {annotator.character}"
        try:
            worker = CrowdWorker.join(settings.MTURK_SIMULATOR_URL, browser)
            just_leaves = annotator.person.rng.random() < 0.5
            scripted = ScriptedWorker(worker, annotator, rehearsal.base_url, just_leaves)
            end = scripted.work(study, group_ids)
        except (SurveyError, CrowdRefused, httpx.HTTPError) as error:
            end, fault = End.FAILED, f"{name}: {error}"
    rehearsal.report(f"{name}: {annotator.n_rated} texts, {end}")
    return WorkerResult(end, annotator.n_rated, fault)


def _settle(batch: Batch, user: User, rehearsal: BatchRehearsal) -> tuple[int, Outcome]:
    """Fetch, pay, give a bonus, stop; return the number of bonuses and the outcome."""
    outcome = fetch_batch(batch) + pay_batch(batch)
    best = Visit.objects.filter(
        reservation__hit__batch=batch, standing=ReconciliationResult.SETTLED
    ).first()
    n_bonuses = int(best is not None and rehearsal.bonus_cents > 0)
    if best and n_bonuses:
        intend_bonus(
            best, f"rehearsal:{batch.pk}", rehearsal.bonus_cents, by=user, reason=BONUS_REASON
        )
        outcome += pay_batch(batch)
    return n_bonuses, outcome + stop_batch(batch) + fetch_batch(batch)


def _compare(
    batch: Batch, rehearsal: BatchRehearsal, spent_cents: int, n_handed_in: int, n_bonuses: int
) -> Money:
    """Return the three sums. The calculator uses the rehearsal's own count of submissions."""
    rates = rates_of(batch.provider)
    wages = estimate_hits(rates, batch.reward_cents, split_places(n_handed_in, MOST_PLACES))
    bonus_fee = round_shown(rates.of_bonus(rehearsal.bonus_cents))
    return Money(
        ledger=Payment.objects.settled().filter(batch=batch).total_cents(),
        simulator=spent_cents,
        calculator=wages.total_cents + n_bonuses * (rehearsal.bonus_cents + bonus_fee),
    )
