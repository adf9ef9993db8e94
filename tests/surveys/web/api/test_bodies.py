"""Limits of request bodies: size and nesting."""

import json

import pytest
from django.conf import settings

from surveys.models import Study
from surveys.query_params import MAX_NESTING
from tests.factories.programs import errors_of
from tests.factories.studies import numbered_stimuli
from tests.surveys.web.api.test_studies import NEW

DEEP = [
    "[" * 200_000,
    '{"a":' * 200_000,
    "[" * 200_000 + "]" * 200_000,
    "[" * (MAX_NESTING + 2) + "]" * (MAX_NESTING + 2),
    '{"slug": ' + "[" * 500 + "]" * 500 + "}",
]


def send(program, body, **headers):
    client = program(None).client
    return client.post("/api/v1/studies/", body, content_type="application/json", headers=headers)


@pytest.mark.parametrize("body", DEEP, ids=range(len(DEEP)))
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}], ids=["plain", "key"])
def test_json_that_is_nested_too_deeply_is_refused(study, program, body, headers):
    answer = send(program, body, **headers)

    assert answer.status_code == 400
    assert errors_of(answer) == [
        (
            "parse_error",
            "The body cannot be read as JSON: more than 20 lists or objects within one another.",
        )
    ]


def test_json_at_the_nesting_limit_is_accepted(study, program):
    body = {**NEW, "title": nest(MAX_NESTING - 1)}

    answer = send(program, json.dumps(body))

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["title"]


def nest(depth):
    return [nest(depth - 1)] if depth else []


def body_of(n_bytes):
    """Return a new study as a body of that many bytes, padded with JSON whitespace."""
    body = json.dumps({**NEW, "slug": "large", "stimuli": numbered_stimuli(4000).decode()})
    return body + " " * (n_bytes - len(body))


def test_a_body_at_the_size_limit_is_accepted(study, program):
    answer = send(program, body_of(settings.API_LARGEST_REQUEST))

    assert (answer.status_code, answer.json()["n_pairs"]) == (201, 4000)


def test_a_larger_body_is_refused(study, program):
    answer = send(program, body_of(settings.API_LARGEST_REQUEST + 1))

    assert answer.status_code == 413
    assert not Study.objects.filter(slug="large").exists()


def test_stimuli_over_the_file_size_limit_are_refused(study, program):
    answer = send(program, json.dumps({**NEW, "stimuli": "x" * 15_000_000}))

    assert answer.status_code == 409
    assert "4,000,000 bytes" in errors_of(answer)[0][1]


def test_forms_outside_the_api_have_a_lower_size_limit(client, db):
    form = b"word=" + b"x" * 3_000_000

    for page in ("/console/sign-in/", "/join/nobody/"):
        answer = client.post(page, form, content_type="application/x-www-form-urlencoded")
        assert answer.status_code in (400, 404, 405, 413), page
