"""The public page of a release, and the switch that opens it."""

from base64 import b64encode
from hashlib import sha256

import pytest
from django.test import Client
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.models import AuditEntry, Release, Role
from surveys.privacy.erasure import erase_annotator
from surveys.results.inspection.public_page import open_page
from tests.factories.studies import (
    EXPLORER,
    finish,
    make_release,
    make_release_with_page,
    make_study,
    start,
    stored,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def page_release():
    return make_release_with_page(make_study(1))


@pytest.fixture
def insider(page_release, django_user_model):
    user = django_user_model.objects.create_user("ana")
    grant_role(page_release.study, user, Role.RESEARCHER)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def address(release):
    return reverse("public:release", args=[release.study.slug, release.number])


def switch(client, release, is_open):
    where = reverse("console:release_page", args=[release.study.slug, release.number])
    return client.post(where, {"is_open": is_open})


def test_the_page_is_not_found_until_it_is_opened_and_after_it_is_closed(page_release, insider):
    assert Client().get(address(page_release)).status_code == 404

    assert switch(insider, page_release, "yes").status_code == 302
    assert Client().get(address(page_release)).content == EXPLORER
    listed = insider.get(reverse("console:release", args=["study"])).content.decode()
    assert address(page_release) in listed

    assert switch(insider, page_release, "no").status_code == 302
    assert Client().get(address(page_release)).status_code == 404
    actions = AuditEntry.objects.order_by("pk").values_list("action", "actor", "subject")
    assert list(actions)[-2:] == [
        ("release.page_opened", "ana", "release 1"),
        ("release.page_closed", "ana", "release 1"),
    ]


def test_publishing_asks_first_and_says_what_is_not_ready(page_release, insider):
    where = reverse("console:release_page", args=[page_release.study.slug, page_release.number])

    asked = insider.get(where).content.decode()

    assert f"http://testserver{address(page_release)}" in asked
    assert "Publish the page" in asked
    assert Client().get(address(page_release)).status_code == 404
    listed = insider.get(reverse("console:release", args=["study"])).content.decode()
    assert f'href="{where}"' in listed


def test_the_page_is_sandboxed_and_runs_its_own_script_only(page_release):
    open_page(page_release)

    answer = Client().get(address(page_release))

    def hashed(text):
        return f"'sha256-{b64encode(sha256(text).digest()).decode()}'"

    policy = dict(part.strip().partition(" ")[::2] for part in
                  answer["Content-Security-Policy"].split(";"))  # fmt: skip
    assert policy == {
        "default-src": "'none'", "img-src": "data:", "style-src": hashed(b"p {}"),
        "script-src": hashed(b"1"), "sandbox": "allow-scripts", "frame-ancestors": "'none'",
        "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    assert answer["Cache-Control"] == "no-cache"
    assert not answer.cookies


def test_opening_and_closing_twice_is_logged_once(page_release, insider):
    for is_open in ("yes", "yes", "no", "no"):
        switch(insider, page_release, is_open)

    assert AuditEntry.objects.filter(action__startswith="release.page").count() == 2


def test_another_release_and_another_study_stay_closed(page_release):
    other = make_release_with_page(page_release.study)
    elsewhere = make_release_with_page(make_study(1, slug="other"))
    open_page(page_release)

    assert Client().get(address(page_release)).status_code == 200
    for closed in (other, elsewhere):
        assert Client().get(address(closed)).status_code == 404
    for wrong in ("/published/study/0/", f"/published/study/{2**70}/", "/published/nobody/1/"):
        assert Client().get(wrong).status_code == 404


def test_a_release_without_explorer_is_refused(page_release, insider):
    elsewhere = make_release(page_release.study, report={"counts": {}})

    answer = switch(insider, elsewhere, "yes")

    assert answer.status_code == 409
    assert "has no explorer" in answer.content.decode()
    assert stored(elsewhere, "page_opened_at") == (None,)


def test_a_release_with_ratings_of_erased_annotators_is_refused(insider):
    study = Release.objects.get().study
    assignment = start(study)
    finish(assignment)
    release = make_release_with_page(study)
    erase_annotator(assignment.annotator, "asked by mail")

    answer = switch(insider, release, "yes")

    assert answer.status_code == 409
    assert "withdrew or were erased" in answer.content.decode()
    assert Client().get(address(release)).status_code == 404


def test_an_open_page_closes_when_an_annotator_whose_ratings_it_shows_is_erased(insider):
    study = Release.objects.get().study
    assignment = start(study)
    finish(assignment)
    release = make_release_with_page(study)
    open_page(release)
    assert Client().get(address(release)).status_code == 200

    erase_annotator(assignment.annotator, "asked by mail")

    assert Client().get(address(release)).status_code == 404
    listed = insider.get(reverse("console:release", args=["study"])).content.decode()
    assert "Closed since the withdrawal" in listed
    assert address(release) not in listed


@pytest.mark.parametrize("is_open", ["", "maybe"])
def test_any_other_value_is_refused(is_open, page_release, insider):
    assert switch(insider, page_release, is_open).status_code == 400
    assert stored(page_release, "page_opened_at") == (None,)


def test_the_page_only_reads(page_release):
    open_page(page_release)

    assert Client().post(address(page_release)).status_code == 405
    assert Client().head(address(page_release)).status_code == 200


def test_the_page_takes_one_query(page_release, django_assert_num_queries):
    open_page(page_release)

    with django_assert_num_queries(1):
        Client().get(address(page_release))
