"""Actions of people on a paid batch, between the commands, run inside the site.

plan STUDY              plan a batch of all places and approve its budget
work STUDY URL COUNT    let scripted workers do it
promise STUDY           grant a bonus for each settled or payable visit
tally STUDY             print HITs and payments, here and in the simulator, as JSON
"""

import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path.cwd()))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.utils import timezone  # noqa: E402

from mturk_simulator.client import CrowdWorker, open_browser  # noqa: E402
from surveys.crowd.budget import approve_budget, count_spent  # noqa: E402
from surveys.crowd.ledger import intend_bonus  # noqa: E402
from surveys.crowd.mturk.gateway import Gateway, open_gateway  # noqa: E402
from surveys.crowd.mturk.hits import plan_batch  # noqa: E402
from surveys.models import (  # noqa: E402
    Batch,
    Context,
    Payment,
    Provider,
    Questionnaire,
    Study,
    Visit,
)
from surveys.money import read_cents  # noqa: E402
from surveys.participation.assignments import list_places_left  # noqa: E402
from surveys.rehearsal.annotator import ScriptedAnnotator  # noqa: E402
from surveys.rehearsal.demo import RESEARCHER  # noqa: E402
from surveys.rehearsal.mturk_worker import End, ScriptedWorker  # noqa: E402
from surveys.rehearsal.rating_source import ModelledRatings, Person  # noqa: E402
from surveys.rehearsal.vocabulary import list_words  # noqa: E402

BONUS_CENTS = 20
STARTING_CENTS = 1_000_000  # of an account in the simulator
TERMS = {
    "title": "Words in short texts",
    "description": "Read short texts and answer two questions about each.",
    "reward_cents": 50,
    "assignment_seconds": 3600,
}


def plan(study: Study) -> None:
    """Plan a batch of all free places and approve its budget with room for bonuses."""
    left = list_places_left(study)
    places = {one: left[one.pk] for one in Questionnaire.objects.filter(pk__in=left).order_by("pk")}
    batch = plan_batch(study, Provider.SIMULATOR, places, **TERMS)
    total = count_spent(batch).total_cents
    n_places = sum(hit.n_places for hit in batch.hits.all())
    approve_budget(
        batch, User.objects.get(username=RESEARCHER), typed_cents=total,
        ceiling_cents=total + 2 * n_places * BONUS_CENTS,
        until=timezone.now() + timedelta(days=1),
    )  # fmt: skip


def work(study: Study, url: str, count: int) -> None:
    """Let scripted workers do the batch, one after another."""
    gateway, ratings = open_gateway(Provider.SIMULATOR), ModelledRatings(study.scale_points, 0)
    words = list_words(Context.objects.stimuli(study).values_list("text", flat=True))
    groups = {
        gateway.call("get_hit", HITId=hit_id)["HIT"]["HITGroupId"]
        for hit_id in Batch.objects.get().hits.values_list("hit_id", flat=True)
    }
    for number in range(1, count + 1):
        with open_browser() as browser:
            worker = CrowdWorker.join(os.environ["MTURK_SIMULATOR_URL"], browser)
            person = Person.drawn(f"0 {number}")
            annotator = ScriptedAnnotator(browser, person, words, ratings, invitation=number)
            end = ScriptedWorker(worker, annotator, url).work(study, groups)
            if end != End.HANDED_IN:
                raise SystemExit(f"Worker {number} {end}.")


def promise(study: Study) -> None:
    """Grant each worker a bonus."""
    user = User.objects.get(username=RESEARCHER)
    for visit in Visit.objects.filter(entrance__study=study).order_by("pk"):
        intend_bonus(visit, f"bonus {visit.pk}", BONUS_CENTS, by=user, reason="careful answers")


def tally() -> dict[str, int]:
    """Count HITs and payments, and compare the account with the ledger, in cents."""
    gateway = open_gateway(Provider.SIMULATOR)
    settled = Payment.objects.settled()
    return {
        "n_hits": Batch.objects.get().hits.count(),
        "n_hits_there": gateway.call("list_hits", MaxResults=100)["NumResults"],
        "n_rewards": settled.filter(kind="reward").count(),
        "n_bonuses": settled.filter(kind="bonus").count(),
        "ledger": settled.total_cents(),
        "account": STARTING_CENTS - _read_account(gateway),
    }


def _read_account(gateway: Gateway) -> int:
    account = gateway.call("get_account_balance")
    return sum(read_cents(account.get(f"{kind}Balance", "0")) for kind in ("Available", "OnHold"))


def main(action: str, slug: str, *arguments: Any) -> None:
    """Perform an action."""
    study = Study.objects.get(slug=slug)
    if action == "plan":
        plan(study)
    elif action == "work":
        work(study, arguments[0], int(arguments[1]))
    elif action == "promise":
        promise(study)
    elif action == "tally":
        sys.stdout.write(json.dumps(tally()))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
