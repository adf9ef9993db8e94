from surveys.models import Invitation, Job, Role, Run
from surveys.results.runs import request_export
from tests.factories.pages import page
from tests.factories.studies import finish, start


def text_of(answer):
    return answer.content.decode()


def test_answers_are_exported_and_downloaded(study, sign_in, performed):
    finish(start(study))
    client = sign_in(Role.RESEARCHER)

    with performed():
        asked = client.post(page("jobs", study), {"form": "csv"})
    text = text_of(client.get(asked.url))

    run = Run.objects.get()
    assert "A file of the answers" in text
    assert "(2 answers)" in text
    assert "data-busy" not in text
    file = client.get(page("download", study, run.pk))
    assert b"inspired_word1" in file.getvalue()
    assert f"responses_study_{run.number}" in file["Content-Disposition"]


def test_a_running_job_is_refreshed(study, sign_in):
    run = request_export(study, "csv", None)
    Job.objects.update(state="running", stage="writing answers", share_done=40)

    text = text_of(sign_in(Role.OWNER).get(page("jobs", study)))

    assert "writing answers, 40 %" in text
    assert "data-live data-busy" in text
    assert "http-equiv" not in text
    assert page("retry", study, run.pk) not in text


def test_a_failed_job_shows_its_error_and_is_retried(study, sign_in, performed):
    run = request_export(study, "csv", None)
    Job.objects.update(state="failed", error="The disk is full.")
    client = sign_in(Role.OWNER)

    text = text_of(client.get(page("jobs", study)))
    with performed():
        again = client.post(page("retry", study, run.pk))

    assert "The disk is full." in text
    assert page("retry", study, run.pk) in text
    assert again.url == page("jobs", study)
    run.refresh_from_db()
    assert run.state == "done"


def test_many_links_are_created_in_the_background(study, sign_in, performed, monkeypatch):
    monkeypatch.setattr("surveys.web.console.recruitment.links.LINKS_AT_ONCE", 3)
    client = sign_in(Role.OWNER)

    with performed():
        few = client.post(page("invite", study), {"n_before": 0, "count": 3})
        many = client.post(page("invite", study), {"n_before": 3, "listed": "a\nb\nc\nd"})
    again = client.post(page("invite", study), {"n_before": 3, "count": 9})

    assert (few.url, many.url) == (page("recruitment", study), page("jobs", study))
    assert again.status_code == 422
    assert Invitation.objects.count() == 7
    assert "4 new" in text_of(client.get(many.url))


def test_background_jobs_have_no_run_page(study, sign_in):
    run = request_export(study, "csv", None)
    client = sign_in(Role.OWNER)

    assert client.get(page("run", study, run.pk)).status_code == 404
    assert client.get(page("download", study, run.pk)).status_code == 404


def test_background_jobs_are_not_for_reviewers(study, sign_in):
    assert sign_in(Role.REVIEWER).get(page("jobs", study)).status_code == 403
