"""The pages of a batch with visits of all statuses."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from surveys.crowd.ledger import intend_reward
from surveys.crowd.models import Hit, HitState
from surveys.models import Assignment, Job, ReconciliationResult, Role, Run, Visit
from surveys.study.planning.durations import introduction_seconds
from surveys.templatetags.figures import number
from surveys.web.console.urls import urlpatterns
from tests.factories.batch_states import WORKERS, send, text_of, visit_of
from tests.factories.pages import page, read
from tests.factories.studies import stored

pytestmark = pytest.mark.study(of="crowd")


def test_researchers_withdraw_approvals_but_do_not_give_them(owner, study, sign_in, batch):
    researcher = sign_in(Role.RESEARCHER, "rob")

    assert "Change the approval" not in read(researcher, "batch", study, batch.pk)
    assert send(researcher, "disarm_batch", study, batch.pk).status_code == 302
    assert stored(batch, "armed_by") == (None,)


@pytest.mark.parametrize("what", ["publish", "pay", "fetch", "stop"])
def test_work_is_queued_once_under_the_name_of_the_user(owner, study, batch, what):
    answer = send(owner, "work_batch", study, batch.pk, what=what)
    again = send(owner, "work_batch", study, batch.pk, what=what)

    assert answer.status_code == 302
    assert stored(Run.objects.get(), "kind", "job__requested_by__username", "request") == (
        what, "ana", {"batch": batch.pk},
    )  # fmt: skip
    assert again.status_code == 409
    assert "already in progress" in text_of(again)
    assert "data-live data-busy" in owner.get(page("batch", study, batch.pk)).content.decode()
    Job.objects.update(state="failed")
    assert "data-live>" in owner.get(page("batch", study, batch.pk)).content.decode()


@pytest.mark.parametrize("what", ["publish", "pay", "fetch", "stop"])
def test_work_waits_for_a_provider_that_does_not_answer(
    owner, study, batch, django_capture_on_commit_callbacks, what
):
    plan_more = {"state": HitState.PLANNED, "hit_id": ""}
    batch.hits.update(**plan_more if what == "publish" else {})

    with django_capture_on_commit_callbacks(execute=True):
        answer = send(owner, "work_batch", study, batch.pk, what=what)

    assert answer.status_code == 302
    assert stored(Run.objects.get(), "state") == ("waiting",)
    assert "cannot be reached" in Run.objects.get().error


def test_the_batch_page_shows_money_and_statuses(owner, study, batch):
    text = " ".join(read(owner, "batch", study, batch.pk).split())

    assert "<dt>Paid so far</dt><dd>$0.60</dd>" in text
    assert "<dt>Reserved</dt><dd>$3.60</dd>" in text
    assert "<dt>Forecast</dt><dd>$4.20</dd>" in text
    assert "<dt>Left for bonuses</dt><dd>$10.00</dd>" in text
    assert "Pay 2 payable" in text
    assert "flagged: 1 with a wrong code" in text
    assert "1 finished and cannot be paid by its HIT." in text
    for standing in ("payable", "held", "settled", "unpaid", "expired", "none"):
        assert f"?standing={standing}" in text


def test_no_page_shows_worker_ids(owner, study, batch):
    Hit.objects.update(error=f"worker {WORKERS[0]} is blocked")
    visit = visit_of(batch, ReconciliationResult.HELD)
    pages = [
        pattern for pattern in urlpatterns if "batch" in pattern.name or "visit" in pattern.name
    ]

    read_pages = 0
    for pattern in pages:
        named = {"slug": study.slug, "batch_id": batch.pk, "visit_id": visit.pk}
        kwargs = {name: named[name] for name in pattern.pattern.converters}
        answer = owner.get(reverse(f"console:{pattern.name}", kwargs=kwargs))
        read_pages += answer.status_code == 200
        text = answer.content.decode()
        ids = [*WORKERS, *Visit.objects.values_list("submission", flat=True), "3HIT"]
        assert [one for one in ids if one in text] == [], pattern.name

    assert read_pages == 9


def test_the_ledger_shows_user_and_reason_of_a_payment(owner, study, batch):
    visit = visit_of(batch, ReconciliationResult.HELD)
    intend_reward(visit, by=User.objects.get(username="ana"), reason="they wrote to us")

    text = " ".join(read(owner, "batch_ledger", study, batch.pk).split())

    assert "<dt>Rewards paid</dt><dd>$0.50</dd>" in text
    assert "<dt>Fees</dt><dd>$0.10</dd>" in text
    assert visit.assignment.annotator.code in text
    assert "by ana" in text
    assert "they wrote to us" in text


@pytest.mark.parametrize("target", ["sandbox", "production"])
def test_every_page_shows_the_provider_in_words_and_colour(owner, study, batch, target):
    batch.entrance.provider = target
    batch.entrance.save()
    words = {"sandbox": "play money", "production": "real people, real money"}[target]
    visit = visit_of(batch, ReconciliationResult.HELD)

    for name, *ids in (("batch",), ("batch_people",), ("batch_ledger",), ("visit", visit.pk)):
        text = read(owner, name, study, batch.pk, *ids)
        assert words in text
        assert f'class="target {target}"' in text


def test_the_pace_ignores_scripted_annotators(owner, study, batch):
    text = read(owner, "batch", study, batch.pk)
    introduction = introduction_seconds(study) / 60
    assert f"at {number(1 + introduction, 1)} min: the study’s estimate" in text

    now = timezone.now()
    taken = {"started_at": now - timedelta(minutes=3), "submitted_at": now}
    Assignment.objects.filter(state="submitted").update(**taken)

    text = read(owner, "batch", study, batch.pk)
    assert f"at {number(3 + introduction, 1)} min: the median so far" in text
