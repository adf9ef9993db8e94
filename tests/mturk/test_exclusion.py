"""Private tasks, and workers who are spared a block that they had: here and at the target."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.publishing import publish_batch
from surveys.crowd.mturk.qualifications import (
    compare_qualifications,
    grant_qualification,
    quality_annotators,
    requirement_of,
    revoke_grant,
    tell_grants,
)
from surveys.errors import BatchRefused, GatewayDown
from surveys.models import Batch, Grant, Qualification, Worker
from surveys.rehearsal.mturk_site import CrowdRefused
from tests.factories import make_study
from tests.mturk.offered import arm, plan
from tests.mturk.stage import group_of as group_of_hit
from tests.mturk.working import arrive, do_task, group_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    return make_study(2, ratings_per_context=4)


@pytest.fixture
def live(platform, study) -> Batch:
    batch = arm(plan(study, 2, 2))
    publish_batch(batch)
    return batch


def test_who_begins_a_block_is_granted_what_keeps_them_from_it(platform, live):
    worker = platform.worker()
    do_task(platform, live, worker)

    with pytest.raises(CrowdRefused, match="do not have the qualifications"):
        worker.accept(group_of(platform, live))

    grant = Grant.objects.get()
    assert (grant.reason, grant.by, grant.told_at is None) == ("has begun the block", None, False)
    assert platform.control.outbox() == []  # no mail to workers


def test_one_type_serves_all_hits_and_batches_of_a_block(platform, live, study):
    publish_batch(arm(plan(study, 2)))

    assert Qualification.objects.count() == 1
    assert platform.control.counts()["CreateQualificationType"] == 1


def test_a_type_that_is_there_already_is_found_by_its_name(platform, study):
    ours = quality_annotators(study, "simulator")
    there = platform.client().create_qualification_type(
        Name=ours.name, Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]

    assert requirement_of(ours)["QualificationTypeId"] == there


def test_private_tasks_are_for_whom_a_person_named(platform, study):
    ours = quality_annotators(study, "simulator")
    ana = User.objects.create(username="ana")
    good, unknown = platform.worker(), platform.worker()
    worker = Worker.objects.create(provider="simulator", worker_id=good.worker_id)
    batch = arm(plan(study, 2, requirements=[requirement_of(ours, at_least=80)]))
    publish_batch(batch)
    hit = batch.hits.get()
    grant_qualification(ours, worker, amount=79, by=ana, reason="good")
    tell_grants("simulator")
    assert (good.list_groups(), unknown.list_groups()) == ([], [])

    grant = grant_qualification(ours, worker, amount=90, by=ana, reason="very good")
    assert grant_qualification(ours, worker, amount=90, by=ana, reason="very good") == grant
    assert tell_grants("simulator").counts == {"granted": 1}
    assert tell_grants("simulator").counts == {}

    assert len(good.list_groups()) == 1
    arrive(good.accept(group_of_hit(platform.client(), hit.hit_id)))
    revoke_grant(grant, by=ana, reason="no more")
    assert tell_grants("simulator").counts["revoked"] == 1
    assert compare_qualifications(study, "simulator") == []


@pytest.mark.parametrize("fault", ["fail", "done_then_cut"])
def test_a_grant_that_is_lost_on_the_way_is_told_in_the_end(platform, live, fault):
    platform.control.queue_fault("AssociateQualificationWithWorker", fault, n_calls=3)
    held = platform.worker().accept(group_of(platform, live))

    if fault == "fail":
        with pytest.raises(GatewayDown):
            arrive(held)
    else:
        arrive(held)
    tell_grants("simulator")

    assert Grant.objects.get().told_at is not None
    assert compare_qualifications(live.study, "simulator") == []


def test_compare_qualifications_tells_how_both_sides_differ_and_names_nobody(platform, live, study):
    do_task(platform, live)
    do_task(platform, live)
    gateway, exclusion = open_gateway("simulator"), Qualification.objects.get()
    one, two = Worker.objects.all()
    ours = {"QualificationTypeId": exclusion.qualification_type_id}
    gateway.call("disassociate_qualification_from_worker", **ours, WorkerId=one.worker_id)
    for worker_id, value in ((two.worker_id, 5), (platform.worker().worker_id, 1)):
        gateway.call(
            "associate_qualification_with_worker", **ours, WorkerId=worker_id, IntegerValue=value,
            SendNotification=False,
        )  # fmt: skip

    (difference,) = compare_qualifications(study, "simulator")

    assert difference[1:] == (1, 1, 1)
    with pytest.raises(CommandError, match="1 only here, 1 only there, 1 of another") as error:
        call_command("compare_qualifications", "study")
    assert two.worker_id not in str(error.value)


def test_a_worker_has_qualifications_of_their_own_target_alone(study):
    worker = Worker.objects.create(provider="sandbox", worker_id="A1PLANTEDWORKER")

    with pytest.raises(BatchRefused, match="own target"):
        grant_qualification(quality_annotators(study, "simulator"), worker, reason="good")


def test_a_batch_with_too_many_requirements_is_refused_and_creates_nothing(platform, study):
    adult = {
        "QualificationTypeId": "00000000000000000060", "Comparator": "EqualTo",
        "IntegerValues": [1],
    }  # fmt: skip
    batch = arm(plan(study, 2, requirements=[adult] * 10))

    assert "at most 9 requirements" in publish_batch(batch).errors[0]
    assert batch.hits.get().state == "planned"
