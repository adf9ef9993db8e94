"""A paid batch tried before people do: planned, armed, published, worked and paid in the simulator.

The one place where a batch is armed by no person, so it knows no other target.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import httpx
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from surveys.crowd.budget import arm_batch, count_spent
from surveys.crowd.fees import estimate_places, rates_of, read_cents, round_reserved, round_shown
from surveys.crowd.ledger import intend_bonus
from surveys.crowd.mturk.fetching import fetch_batch
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.planning import plan_batch
from surveys.crowd.mturk.publishing import publish_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.crowd.mturk.stopping import stop_batch
from surveys.errors import RehearsalFailed, SurveyError, TargetRefused
from surveys.models import Batch, Context, Payment, Provider, Questionnaire, Standing, Study, Visit
from surveys.models.batches import MOST_PLACES
from surveys.participation.assignments import list_places_left
from surveys.rehearsal.annotator import Character, ScriptedAnnotator, list_words
from surveys.rehearsal.mturk_site import CrowdRefused, CrowdWorker, open_browser
from surveys.rehearsal.mturk_worker import End, ScriptedWorker
from surveys.rehearsal.rating_source import Person, RatingSource
from surveys.rehearsal.study import refuse_unready

TERMS = {
    "title": "Words in short texts (rehearsal)",
    "description": "Read short texts and answer two questions about each.",
    "assignment_seconds": 3600,
}
BONUS_REASON = "rehearsal of a bonus"


class Money(NamedTuple):
    """What a batch cost, in cents: by the ledger, by the account there, and by the calculator."""

    ledger: int
    simulator: int
    calculator: int

    @property
    def agrees(self) -> bool:
        """Whether all three are the same, to the cent."""
        return self.ledger == self.simulator == self.calculator


@dataclass(frozen=True)
class BatchRehearsal:
    """How a batch is rehearsed: on which site, for how much, and by which workers."""

    base_url: str
    ratings: RatingSource
    n_workers: int
    reward_cents: int
    bonus_cents: int = 0
    n_places: int | None = None  # of each questionnaire; all that are left
    seed: int = 0
    characters: Sequence[Character] = tuple(Character)
    n_at_once: int = 1
    tell: Callable[[str], None] = lambda line: None


@dataclass(frozen=True)
class BatchSummary:
    """What came of it. `ends` counts how workers ended; a fault is whatever went wrong."""

    batch: Batch
    n_hits: int
    n_places: int
    n_judgements: int
    seconds: float
    ends: Counter[End]
    faults: list[str]
    money: Money


class Played(NamedTuple):
    """What one worker did."""

    end: End
    n_judgements: int
    fault: str


def rehearse_batch(
    study: Study, user: User, rehearsal: BatchRehearsal, *, target: str = Provider.SIMULATOR
) -> BatchSummary:
    """Let scripted workers do places of a study for pay that nobody gets, up to the last cent.

    What they answer takes the places, and stays known as scripted. What goes wrong with one worker
    stops no other. Raises TargetRefused, RehearsalFailed, and what the steps raise.
    """
    refuse_earnest(target)
    refuse_unready(study, rehearsal.base_url)
    places = _choose_places(study, rehearsal)
    _refuse_silence(rehearsal)
    gateway = open_gateway(target)
    batch = plan_batch(study, target, places, reward_cents=rehearsal.reward_cents, **TERMS)
    _arm(batch, user, rehearsal)
    before = _read_account(gateway)
    faults = publish_batch(batch).errors
    begun = time.monotonic()
    played = _let_all_work(study, rehearsal, _find_groups(gateway, batch))
    seconds = time.monotonic() - begun
    ends = Counter(one.end for one in played)
    faults += [one.fault for one in played if one.fault]
    n_bonuses, outcome = _settle(batch, user, rehearsal)
    faults += outcome.errors
    return BatchSummary(
        batch=batch,
        n_hits=batch.hits.count(),
        n_places=sum(places.values()),
        n_judgements=sum(one.n_judgements for one in played),
        seconds=seconds,
        ends=ends,
        faults=faults,
        money=_compare(
            batch, rehearsal, before - _read_account(gateway), ends[End.HANDED_IN], n_bonuses
        ),
    )


def refuse_earnest(target: str) -> None:
    """Raise TargetRefused for whatever could pay people."""
    if target != Provider.SIMULATOR:
        raise TargetRefused(
            f"{Provider(target).label} is no stage: a rehearsal arms batches by itself, and does "
            f"so in the {Provider.SIMULATOR.label} alone."
        )


def _choose_places(study: Study, rehearsal: BatchRehearsal) -> dict[Questionnaire, int]:
    left = list_places_left(study)
    most = max(left.values(), default=0) if rehearsal.n_places is None else rehearsal.n_places
    wanted = Questionnaire.objects.filter(pk__in=left).order_by("pk")
    places = {one: n for one in wanted if (n := min(left[one.pk], most))}
    if not places:
        raise RehearsalFailed(
            f"Study {study.slug} has no places left to offer. Import its stimuli once more, under "
            "another name, to rehearse."
        )
    return places


def _refuse_silence(rehearsal: BatchRehearsal) -> None:
    """Raise RehearsalFailed unless the site and the simulator are there, before money is moved."""
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


def _arm(batch: Batch, user: User, rehearsal: BatchRehearsal) -> None:
    total = count_spent(batch).total_cents
    room = rehearsal.bonus_cents and rehearsal.bonus_cents + round_reserved(
        rates_of(batch.provider, timezone.now().date()).of_bonus(rehearsal.bonus_cents)
    )
    arm_batch(
        batch, user, typed_cents=total, ceiling_cents=total + room,
        until=timezone.now() + timedelta(days=1),
    )  # fmt: skip


def _read_account(gateway: Gateway) -> int:
    """All that the account holds there, in cents; with what is on hold, which is not spent."""
    account = gateway.call("get_account_balance")
    return sum(read_cents(account.get(f"{kind}Balance", "0")) for kind in ("Available", "OnHold"))


def _find_groups(gateway: Gateway, batch: Batch) -> set[str]:
    """The groups in which workers find the HITs of a batch: one for a block."""
    hits = batch.hits.exclude(hit_id="").order_by("hit_type_id", "pk").values_list(
        "hit_type_id", "hit_id"
    )  # fmt: skip
    of_type = dict(hits)
    return {gateway.call("get_hit", HITId=one)["HIT"]["HITGroupId"] for one in of_type.values()}


def _let_all_work(study: Study, rehearsal: BatchRehearsal, group_ids: set[str]) -> list[Played]:
    vocabulary = list_words(Context.objects.stimuli(study).values_list("text", flat=True))

    def work(number: int) -> Played:
        try:
            return _let_work(study, rehearsal, group_ids, number, vocabulary)
        finally:
            connection.close()  # this thread's own

    with ThreadPoolExecutor(rehearsal.n_at_once) as people:
        return list(people.map(work, range(1, rehearsal.n_workers + 1)))


def _let_work(
    study: Study, rehearsal: BatchRehearsal, group_ids: set[str], number: int, words: list[str]
) -> Played:
    n_before, of_them = divmod(number - 1, len(rehearsal.characters))
    character = rehearsal.characters[of_them]
    fault = ""
    with open_browser() as browser:
        annotator = ScriptedAnnotator(
            browser, Person.drawn(f"{rehearsal.seed} {number}"), words, rehearsal.ratings,
            invitation=number, character=character,
        )  # fmt: skip
        try:
            worker = CrowdWorker.join(settings.MTURK_SIMULATOR_URL, browser)
            end = ScriptedWorker(
                worker, annotator, rehearsal.base_url, just_leaves=n_before % 2 == 1
            ).work(study, group_ids)
        except (SurveyError, CrowdRefused, httpx.HTTPError) as error:
            end, fault = End.FAILED, f"worker {number}, {character}: {error}"
    rehearsal.tell(f"worker {number}, {character}: {annotator.n_rated} texts, {end}")
    return Played(end, annotator.n_rated, fault)


def _settle(batch: Batch, user: User, rehearsal: BatchRehearsal) -> tuple[int, Outcome]:
    """Fetch, approve, give a bonus, stop; how many bonuses were given, and what went wrong."""
    outcome = fetch_batch(batch) + pay_batch(batch)
    best = Visit.objects.filter(hit__batch=batch, standing=Standing.SETTLED).first()
    n_bonuses = int(best is not None and rehearsal.bonus_cents > 0)
    if best and n_bonuses:
        intend_bonus(
            best, f"rehearsal:{batch.pk}", rehearsal.bonus_cents, by=user, reason=BONUS_REASON
        )
        outcome += pay_batch(batch)
    return n_bonuses, outcome + stop_batch(batch) + fetch_batch(batch)


def _compare(
    batch: Batch, rehearsal: BatchRehearsal, spent_there: int, n_handed_in: int, n_bonuses: int
) -> Money:
    """By the calculator whoever handed in is paid: so says who played them, not the ledger."""
    rates = rates_of(batch.provider, timezone.now().date())
    wages = estimate_places(rates, batch.reward_cents, n_handed_in, places_a_hit=MOST_PLACES)
    bonus_fee = round_shown(rates.of_bonus(rehearsal.bonus_cents))
    return Money(
        ledger=Payment.objects.settled().filter(batch=batch).total_cents(),
        simulator=spent_there,
        calculator=wages.total_cents + n_bonuses * (rehearsal.bonus_cents + bonus_fee),
    )
