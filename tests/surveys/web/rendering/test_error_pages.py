"""Error pages; no page has inline scripts or styles."""

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.web.rendering.error_pages import answer_failed
from tests.factories.studies import make_study
from tests.inline import find_inline

pytestmark = pytest.mark.django_db

BACK = '<a href="/console/">Your studies</a>'
UNREADABLE = "multipart/form-data; boundary=b; charset=hex"


@pytest.fixture
def strict_reviewer():
    user = User.objects.create_user("rea")
    grant_role(make_study(1), user, Role.REVIEWER)
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/console/nothing/", 404, "This page does not exist"),
        ("/console/studies/nobody/", 404, "This page does not exist"),
        ("/console/studies/study/people/", 403, "An owner of the study can change your role"),
    ],
)
def test_the_console_leads_back(strict_reviewer, path, status, said):
    answer = strict_reviewer.get(path, headers={"Accept-Language": "hr"})

    text = " ".join(answer.content.decode().split())
    assert answer.status_code == status
    assert said in text
    assert BACK in text
    assert '<html lang="en"' in text


def test_a_failed_csrf_check_links_back_to_the_console(strict_reviewer):
    stale = strict_reviewer.post("/console/new/", {"title": "x"})
    unreadable = strict_reviewer.generic("POST", "/console/new/", b"--b--", UNREADABLE)

    for answer, status, said in (
        (stale, 403, "open for too long"),
        (unreadable, 400, "not be rea"),
    ):
        assert answer.status_code == status
        assert said in answer.content.decode()
        assert BACK in answer.content.decode()


@pytest.mark.parametrize(
    ("asked_for", "spoken"), [("hr,en;q=0.5", "hr"), ("ar", "ar"), ("xx", "en"), ("", "en")]
)
def test_annotators_see_error_pages_in_their_browsers_language(asked_for, spoken):
    answer = Client().get("/invitation/nobody/", headers={"Accept-Language": asked_for})

    assert answer.status_code == 404
    assert f'<html lang="{spoken}"' in answer.content.decode()
    assert "Accept-Language" in answer["Vary"]
    assert "/console/" not in answer.content.decode()


@pytest.mark.parametrize(("path", "leads_back"), [("/console/new/", True), ("/survey/x/", False)])
def test_a_server_error_page_makes_no_query(path, leads_back, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = answer_failed(RequestFactory().get(path))

    assert answer.status_code == 500
    assert (BACK in answer.content.decode()) is leads_back


@pytest.mark.parametrize(
    "path",
    [
        "/", "/invitation/nobody/", "/console/nothing/", "/api/v1/", "/api/v1/schema/",
        "/api/v1/nothing/", "/admin/", "/admin/auth/user/add/", "/admin/surveys/study/",
        "/admin/surveys/assignment/?state__exact=submitted", "/admin/password_change/",
    ],
)  # fmt: skip
def test_pages_hold_nothing_inline(path, admin_client):
    make_study(1)

    assert find_inline(admin_client.get(path)) == []
    assert find_inline(Client().get(path, follow=True)) == []
