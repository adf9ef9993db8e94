"""Requests for unknown or forbidden pages are refused before their body is read."""

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.django_db

REFUSED = {
    "/": 200,
    "/nowhere/": 404,
    "/mturk/enter/00000000-0000-4000-8000-000000000000/": 409 if "crowd" in settings.APPS else 404,
    "/invitation/unknown/": 404,
    "/join/unknown/": 404,
    "/join/unknown/abcdefghijklmnopqrstuv/": 404,
    "/survey/unknown/": 404,
    "/survey/unknown/1/words/": 404,
    "/survey/unknown/1/rating/": 404,
    "/survey/unknown/instructions/": 404,
    "/survey/unknown/practice/": 404,
    "/survey/unknown/check/": 404,
    "/survey/unknown/withdraw/": 404,
    "/console/": 403,
    "/console/sign-in/": 403,  # without the cookie of its form
    "/admin/": 403,
    "/api/v1/studies/": 401,
}


class Unread:
    """A body that fails the test when it is read."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("the body was read")

    readline = read


@pytest.mark.parametrize(("address", "status"), REFUSED.items())
def test_a_body_is_not_read_before_authentication(address, status):
    client = Client(enforce_csrf_checks=True)

    answer = client.post(
        address, data="a=1", content_type="application/x-www-form-urlencoded",
        **{"wsgi.input": Unread()},
    )  # fmt: skip

    assert answer.status_code == status
