"""Addresses of paid crowds in the console, by the name of the page after which they come."""

from surveys.crowd.web.console import batches, people, prolific, visits
from surveys.web.console.access import Page

BATCH = "recruitment/batches/<int:batch_id>"
VISIT = f"{BATCH}/people/<int:visit_id>"
PAGES: dict[str, dict[str, tuple[str, Page]]] = {
    "forget": {
        "prolific_export": ("recruitment/prolific/export/", prolific.prolific_export),
    },
    "close_entrance": {
        "batches": ("recruitment/batches/", batches.batches),
        "plan_batch": ("recruitment/batches/new/", batches.plan),
        "batch_cost": ("recruitment/batches/workload/", batches.calculate),
        "batch": (f"{BATCH}/", batches.batch),
        "arm_batch": (f"{BATCH}/arm/", batches.arm),
        "disarm_batch": (f"{BATCH}/disarm/", batches.disarm),
        "drop_batch": (f"{BATCH}/drop/", batches.drop),
        "stop_batch": (f"{BATCH}/stop/", batches.stop),
        "work_batch": (f"{BATCH}/work/", batches.work),
        "batch_ledger": (f"{BATCH}/ledger/", batches.ledger),
        "batch_people": (f"{BATCH}/people/", people.people),
        "batch_bonus": (f"{BATCH}/people/bonus/", people.bonus),
        "batch_choose": (f"{BATCH}/people/chosen/", people.choose),
        "visit": (f"{VISIT}/", visits.visit),
        **{
            f"{name}_visit": (f"{VISIT}/{name}/", visits.decision_page(name))
            for name in visits.DECISIONS
        },
    },
}
