"""Qualifications: private tasks, and the exclusion of workers from a block they had."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from mturk_simulator.client import CrowdRefused
from mturk_simulator.tests.stage import group_of as group_of_hit
from surveys.crowd.errors import BatchRefused
from surveys.crowd.models import Batch, Grant, Qualification
from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.qualifications import (
    compare_qualifications,
    ensure_type,
    grant_qualification,
    quality_annotators,
    send_grants,
    write_requirements,
)
from surveys.errors import GatewayDown
from surveys.models import Worker
from tests.factories.batches import arm, plan
from tests.factories.workers import arrive, do_task, group_of

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=4)]


@pytest.fixture
def two_by_two(platform, study) -> Batch:
    batch = arm(plan(study, 2, 2))
    publish_batch(batch)
    return batch


def test_beginning_a_block_grants_its_exclusion(platform, two_by_two):
    worker = platform.worker()
    do_task(platform, two_by_two, worker)

    with pytest.raises(CrowdRefused, match="do not have the qualifications"):
        worker.accept(group_of(platform, two_by_two))

    grant = Grant.objects.get()
    assert (grant.reason, grant.by, grant.told_at is None) == ("has begun the block", None, False)
    assert platform.control.outbox() == []  # no mail to workers


def test_one_type_serves_all_hits_and_batches_of_a_block(platform, two_by_two, study):
    publish_batch(arm(plan(study, 2)))

    assert Qualification.objects.count() == 1
    assert platform.control.counts()["CreateQualificationType"] == 1


def test_an_existing_type_is_found_by_its_name(platform, study):
    ours = quality_annotators(study, "simulator")
    there = platform.client().create_qualification_type(
        Name=ours.name, Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]

    ensure_type(open_gateway("simulator"), ours)

    assert ours.qualification_type_id == there


@pytest.mark.every_database
def test_private_tasks_are_for_chosen_workers(platform, study):
    ours = quality_annotators(study, "simulator")
    ensure_type(open_gateway("simulator"), ours)
    ana = User.objects.create(username="ana")
    good, unknown = platform.worker(), platform.worker()
    worker = Worker.objects.create(provider="simulator", worker_id=good.worker_id)
    batch = arm(plan(study, 2, requirements=write_requirements(private_task=ours)))
    publish_batch(batch)
    hit = batch.hits.get()
    assert (good.list_groups(), unknown.list_groups()) == ([], [])

    grant = grant_qualification(ours, worker, by=ana, reason="good")
    assert grant_qualification(ours, worker, by=ana, reason="good") == grant
    assert send_grants("simulator").counts == {"granted": 1}
    assert send_grants("simulator").counts == {}

    assert (len(good.list_groups()), unknown.list_groups()) == (1, [])
    arrive(good.accept(group_of_hit(platform.client(), hit.hit_id)))
    assert compare_qualifications(study, "simulator") == []


@pytest.mark.parametrize("fault", ["fail", "done_then_cut"])
def test_a_lost_grant_is_sent_in_the_end(platform, two_by_two, fault):
    platform.control.queue_fault("AssociateQualificationWithWorker", fault, n_calls=3)
    held = platform.worker().accept(group_of(platform, two_by_two))

    if fault == "fail":
        with pytest.raises(GatewayDown):
            arrive(held)
    else:
        arrive(held)
    send_grants("simulator")

    assert Grant.objects.get().told_at is not None
    assert compare_qualifications(two_by_two.study, "simulator") == []


def test_compare_qualifications_reports_differences_without_workers(platform, two_by_two, study):
    do_task(platform, two_by_two)
    do_task(platform, two_by_two)
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
    with pytest.raises(CommandError, match="1 only here, 1 only there, 1 with a") as error:
        call_command("compare_qualifications", "study")
    assert two.worker_id not in str(error.value)


def test_a_worker_has_qualifications_of_their_own_target_only(study):
    worker = Worker.objects.create(provider="sandbox", worker_id="A1PLANTEDWORKER")

    with pytest.raises(BatchRefused, match="same target"):
        grant_qualification(quality_annotators(study, "simulator"), worker, reason="good")


def test_a_batch_with_too_many_requirements_is_refused_and_creates_nothing(platform, study):
    adult = {
        "QualificationTypeId": "00000000000000000060", "Comparator": "EqualTo",
        "IntegerValues": [1],
    }  # fmt: skip
    batch = arm(plan(study, 2, requirements=[adult] * 10))

    assert "at most 9 requirements" in publish_batch(batch).errors[0]
    assert batch.hits.get().state == "planned"
