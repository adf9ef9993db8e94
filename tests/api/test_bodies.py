"""What the API reads: as much as it says, and no deeper than it needs."""

import json

import pytest
from django.conf import settings

from surveys.models import Study
from surveys.query_params import MOST_NESTED
from tests.api.conftest import told
from tests.api.test_studies import NEW
from tests.factories import numbered_stimuli

DEEP = [
    "[" * 200_000,
    '{"a":' * 200_000,
    "[" * 200_000 + "]" * 200_000,
    "[" * (MOST_NESTED + 2) + "]" * (MOST_NESTED + 2),
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
    assert told(answer) == [
        (
            "parse_error",
            "The body cannot be read as JSON: more than 20 lists or objects within one another.",
        )
    ]


def test_json_is_taken_as_deep_as_the_bound(study, program):
    body = {**NEW, "title": nest(MOST_NESTED - 1)}

    answer = send(program, json.dumps(body))

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["title"]


def nest(depth):
    return [nest(depth - 1)] if depth else []


def body_of(n_bytes):
    """A new study in so many bytes, most of which are space that JSON passes over."""
    body = json.dumps({**NEW, "slug": "large", "stimuli": numbered_stimuli(4000).decode()})
    return body + " " * (n_bytes - len(body))


def test_a_body_of_the_largest_size_is_taken(study, program):
    answer = send(program, body_of(settings.API_LARGEST_REQUEST))

    assert (answer.status_code, answer.json()["n_pairs"]) == (201, 4000)


def test_a_larger_body_is_refused(study, program):
    answer = send(program, body_of(settings.API_LARGEST_REQUEST + 1))

    assert answer.status_code == 413
    assert not Study.objects.filter(slug="large").exists()


def test_stimuli_of_more_than_a_file_may_have_are_refused_by_their_size(study, program):
    answer = send(program, json.dumps({**NEW, "stimuli": "x" * 15_000_000}))

    assert answer.status_code == 409
    assert "4,000,000 bytes" in told(answer)[0][1]


def test_forms_of_annotators_and_the_console_stay_small(client, db):
    form = b"word=" + b"x" * 3_000_000

    for page in ("/console/sign-in/", "/join/nobody/"):
        answer = client.post(page, form, content_type="application/x-www-form-urlencoded")
        assert answer.status_code in (400, 404, 405, 413), page
