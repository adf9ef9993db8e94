"""Pages of lists, of 0, 100 and 101 rows, in both modes."""

import pytest

from mturk_simulator.market.market import Market
from mturk_simulator.market.people import WorkerProfile, add_worker
from mturk_simulator.market.store import Store
from mturk_simulator.market.work import accept_hit, get_worker, submit
from mturk_simulator.tests.stage import hit_values, publish, refused, running_simulator


@pytest.fixture(scope="module")
def crowded():
    """Yield a simulator with HITs of 0, 100 and 101 submissions; tests only read it."""
    market = Market(Store())
    hits = [make_hit(market, n) for n in (0, 100, 101)]
    with running_simulator() as stage:
        stage.control.restore(market.snapshot())
        stage.control.stop_clock()
        yield stage, dict(zip((0, 100, 101), hits, strict=True))


def make_hit(market: Market, n_submitted: int) -> str:
    values = hit_values(MaxAssignments=200, Title=f"{n_submitted} submitted")
    hit = market.call("simulator", "CreateHIT", values)["HIT"]
    with market.moment() as moment:
        for number in range(n_submitted):
            worker_id = add_worker(moment, WorkerProfile(f"A{n_submitted}N{number}"))
            held = accept_hit(moment, get_worker(moment, worker_id), hit["HITGroupId"])
            submit(moment, held, [("n", str(number))], unseen_seconds=0)
    return hit["HITId"]


@pytest.mark.parametrize("mode", ["always", "when_more"])
@pytest.mark.parametrize(
    ("n_rows", "size", "sizes"),
    [
        (0, 100, {"always": [0], "when_more": [0]}),
        (100, 100, {"always": [100, 0], "when_more": [100]}),
        (101, 100, {"always": [100, 1, 0], "when_more": [100, 1]}),
        (100, 50, {"always": [50, 50, 0], "when_more": [50, 50]}),
    ],
)
def test_paginator_gets_every_row_once(crowded, mode, n_rows, size, sizes):
    stage, hits = crowded
    stage.control.change_settings(next_token=mode)
    paginator = stage.client().get_paginator("list_assignments_for_hit")
    pages = list(
        paginator.paginate(
            HITId=hits[n_rows],
            AssignmentStatuses=["Submitted", "Approved", "Rejected"],
            PaginationConfig={"PageSize": size},
        )
    )

    assert [page["NumResults"] for page in pages] == sizes[mode]
    assert [len(page["Assignments"]) for page in pages] == sizes[mode]
    ids = [found["AssignmentId"] for page in pages for found in page["Assignments"]]
    assert len(set(ids)) == len(ids) == n_rows


def test_page_has_ten_rows_by_default(crowded):
    stage, hits = crowded

    page = stage.client().list_assignments_for_hit(HITId=hits[101])

    assert (page["NumResults"], len(page["Assignments"])) == (10, 10)


def test_statuses_are_filtered(crowded):
    stage, hits = crowded
    requester = stage.client()
    approved = requester.list_assignments_for_hit(HITId=hits[101], AssignmentStatuses=["Approved"])

    assert approved["NumResults"] == 0
    assert (
        requester.list_assignments_for_hit(
            HITId=hits[100], AssignmentStatuses=["Submitted", "Rejected"], MaxResults=100
        )["NumResults"]
        == 100
    )


def test_tokens_of_other_lists_are_refused(requester):
    publish(requester)
    token = requester.list_hits()["NextToken"]

    for wrong in (token[:-1], "x", "ä"):
        with refused("ParameterValidationError"):
            requester.list_hits(NextToken=wrong)
    with refused("ParameterValidationError"):
        requester.list_reviewable_hits(NextToken=token)


def test_all_lists_can_be_paged(requester):
    """Each of the nine operations that botocore pages returns the number of rows."""
    made = requester.create_qualification_type(
        Name="q", Description="q", QualificationTypeStatus="Active"
    )["QualificationType"]
    hit_id = publish(requester)
    arguments = {
        "list_assignments_for_hit": {"HITId": hit_id},
        "list_bonus_payments": {"HITId": hit_id},
        "list_hits": {},
        "list_hits_for_qualification_type": {"QualificationTypeId": made["QualificationTypeId"]},
        "list_qualification_requests": {},
        "list_qualification_types": {"MustBeRequestable": True, "MustBeOwnedByCaller": True},
        "list_reviewable_hits": {},
        "list_worker_blocks": {},
        "list_workers_with_qualification_type": {
            "QualificationTypeId": made["QualificationTypeId"]
        },
    }
    n_rows = {
        name: sum(page["NumResults"] for page in requester.get_paginator(name).paginate(**given))
        for name, given in arguments.items()
    }

    assert {name for name, n in n_rows.items() if n} == {"list_hits", "list_qualification_types"}
