"""A process is killed while the simulator answers: the next one pays nothing twice."""

import os
import signal
import time

import pytest

from mturk_simulator.tests.stage import Stage
from tests.end_to_end.commands import start_module
from tests.end_to_end.site import Site
from tests.machine import ROOT

pytestmark = pytest.mark.every_database  # locks of a killed process are freed

PLANNED = """
from tests.factories.studies import make_study
from tests.factories.batches import arm, plan
arm(plan(make_study(2, ratings_per_context=2), 2), more_cents=100)
"""
WORKED = """
from surveys.crowd.models import Batch
from mturk_simulator.client import open_browser
from mturk_simulator.tests.stage import Stage
from tests.factories.workers import do_task
do_task(Stage("{url}", open_browser()), Batch.objects.get())
"""
PROMISED = """
from django.contrib.auth.models import User
from surveys.models import Visit
from surveys.crowd.ledger import intend_bonus
intend_bonus(Visit.objects.get(), "careful", 40, by=User.objects.get(), reason="careful")
"""
DELAY_SECONDS = 60  # longer than it takes to kill
LEDGER = "SELECT kind, state, amount_cents + fee_cents FROM crowd_payment ORDER BY id"


def test_a_process_killed_after_a_call_leads_to_one(paid_site: Site, stage: Stage):
    run(paid_site, PLANNED)

    kill_during(paid_site, stage, "publish", "CreateHITWithHITType")
    assert paid_site.query("SELECT state FROM crowd_hit") == [("creating",)]
    paid_site.manage_all(["batch", "publish", "study", "1"], ["batch", "publish", "study", "1"])
    run(paid_site, WORKED.format(url=stage.url))
    paid_site.manage("batch", "fetch", "study", "1")
    kill_during(paid_site, stage, "pay", "ApproveAssignment")
    assert paid_site.query(LEDGER) == [("reward", "sending", 60)]
    paid_site.manage("batch", "pay", "study", "1")
    run(paid_site, PROMISED)
    kill_during(paid_site, stage, "pay", "SendBonus")
    assert paid_site.query(LEDGER)[1:] == [("bonus", "sending", 48)]
    paid_site.manage_all(["batch", "pay", "study", "1"], ["batch", "pay", "study", "1"])

    account = stage.client().get_account_balance()
    assert len(stage.client().list_hits()["HITs"]) == 1
    assert paid_site.query(LEDGER) == [("reward", "paid", 60), ("bonus", "paid", 48)]
    # the other place of the HIT is still on hold
    assert (account["AvailableBalance"], account["OnHoldBalance"]) == ("9998.32", "0.60")


def run(site: Site, script: str) -> None:
    site.manage("shell", "--no-imports", "-c", script)


def kill_during(site: Site, stage: Stage, step: str, operation: str) -> None:
    """Kill a step of a batch after its request was performed, before it gets the answer."""
    stage.control.clear_counts()
    stage.control.queue_fault(operation, "slow", seconds=DELAY_SECONDS)
    started = start_module(
        ["manage", "batch", step, "study", "1"], site.environment, ROOT, site.log
    )
    while operation not in stage.control.counts():
        assert started.is_alive(), f"{step} ended before it was killed"
        time.sleep(0.05)
    os.killpg(started.pid, signal.SIGKILL)
    started.join()
