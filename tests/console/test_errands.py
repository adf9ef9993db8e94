import pytest
from django.urls import reverse

from surveys.models import Invitation, Role, Run
from surveys.results.runs import request_export
from tests.factories import finish, make_study, start


@pytest.fixture
def study(db):
    return make_study(2)


@pytest.fixture
def at_once(django_capture_on_commit_callbacks):
    """What waits for the end of a transaction is done at the end of the block."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def page(name, study, *more):
    return reverse(f"console:{name}", args=[study.slug, *more])


def text_of(answer):
    return answer.content.decode()


def test_a_file_of_answers_is_asked_for_and_downloaded(study, sign_in, at_once):
    finish(start(study))
    client = sign_in(Role.RESEARCHER)

    with at_once():
        asked = client.post(page("errands", study), {"form": "csv"})
    text = text_of(client.get(asked.url))

    run = Run.objects.get()
    assert "A file of the answers" in text
    assert "(2 answers)" in text
    assert "data-busy" not in text
    file = client.get(page("download", study, run.pk))
    assert b"inspired_word1" in file.getvalue()
    assert f"responses_study_{run.number}" in file["Content-Disposition"]


def test_what_is_under_way_is_told_again(study, sign_in):
    run = request_export(study, "csv", None)
    Run.objects.update(state="running", stage="writing answers", share_done=40)

    text = text_of(sign_in(Role.OWNER).get(page("errands", study)))

    assert "writing answers, 40 %" in text
    assert "data-live data-busy" in text
    assert "http-equiv" not in text
    assert page("retry", study, run.pk) not in text


def test_what_failed_says_why_and_is_tried_again(study, sign_in, at_once):
    run = request_export(study, "csv", None)
    Run.objects.update(state="failed", error="The disk is full.")
    client = sign_in(Role.OWNER)

    text = text_of(client.get(page("errands", study)))
    with at_once():
        again = client.post(page("retry", study, run.pk))

    assert "The disk is full." in text
    assert page("retry", study, run.pk) in text
    assert again.url == page("errands", study)
    run.refresh_from_db()
    assert run.state == "done"


def test_many_links_are_made_in_the_background(study, sign_in, at_once, monkeypatch):
    monkeypatch.setattr("surveys.web.console.recruitment.LINKS_AT_ONCE", 3)
    client = sign_in(Role.OWNER)

    with at_once():
        few = client.post(page("invite", study), {"n_before": 0, "count": 3})
        many = client.post(page("invite", study), {"n_before": 3, "listed": "a\nb\nc\nd"})
    again = client.post(page("invite", study), {"n_before": 3, "count": 9})

    assert (few.url, many.url) == (page("recruitment", study), page("errands", study))
    assert again.status_code == 422
    assert Invitation.objects.count() == 7
    assert "4 new" in text_of(client.get(many.url))


def test_an_unknown_form_of_file_is_refused(study, sign_in):
    assert sign_in(Role.OWNER).post(page("errands", study), {"form": "x"}).status_code == 422
    assert not Run.objects.exists()


def test_errands_are_no_runs_to_look_into(study, sign_in):
    run = request_export(study, "csv", None)
    client = sign_in(Role.OWNER)

    assert client.get(page("run", study, run.pk)).status_code == 404
    assert client.get(page("download", study, run.pk)).status_code == 404


def test_errands_are_not_for_reviewers(study, sign_in):
    assert sign_in(Role.REVIEWER).get(page("errands", study)).status_code == 403


@pytest.mark.parametrize("n", [1, 3, 20])
def test_errands_ask_as_often_for_many(study, sign_in, n, django_assert_max_num_queries):
    client = sign_in(Role.OWNER)
    for _ in range(n):
        request_export(study, "csv", None)

    with django_assert_max_num_queries(7):
        client.get(page("errands", study))
