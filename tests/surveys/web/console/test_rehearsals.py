import pytest

from surveys.models import Assignment
from surveys.results.runs import request_results
from tests.factories.pages import page
from tests.factories.studies import QUICK


def rehearse(client, study, count, capture):
    with capture(execute=True):
        return client.post(page("rehearsal", study), {"count": count}, follow=True)


@pytest.mark.django_db
def test_a_study_is_rehearsed_and_its_rehearsal_deleted(
    study, owner, django_capture_on_commit_callbacks
):
    assert "Rehearsal:" not in owner.get(page("overview", study)).content.decode()

    answer = rehearse(owner, study, 3, django_capture_on_commit_callbacks)
    jobs = owner.get(page("jobs", study)).content.decode()
    asked = owner.get(page("delete_rehearsal", study)).content.decode()

    assert answer.redirect_chain == [(page("jobs", study), 302)]
    assert "A rehearsal by scripted annotators" in jobs
    assert "(3 annotators)" in jobs
    assert "Rehearsal: this study holds" in jobs
    assert "3 scripted annotators, 6 answers, 0 verdicts, 0 runs and 0 releases" in asked

    deleted = owner.post(page("delete_rehearsal", study), follow=True).content.decode()

    assert "Deleted: 3 scripted annotators" in deleted
    assert "Rehearsal: this study holds" not in deleted
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_a_deletion_that_is_refused_is_explained(study, owner, django_capture_on_commit_callbacks):
    rehearse(owner, study, 1, django_capture_on_commit_callbacks)
    request_results(study, QUICK, None)

    answer = owner.post(page("delete_rehearsal", study), follow=True)

    assert "Wait until it ends" in answer.content.decode()
    assert Assignment.objects.exists()
