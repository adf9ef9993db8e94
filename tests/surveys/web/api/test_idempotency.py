import json
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone

from surveys.models import IdempotencyRecord, Invitation
from tests.factories.programs import errors_of

PATH = "studies/study/invitations/"


@pytest.mark.every_database
def test_a_repeated_request_is_executed_once(study, program):
    asking = program()

    answers = [asking.post(PATH, {"count": 2}, **{"Idempotency-Key": "k"}) for _ in range(2)]

    assert answers[0].json() == answers[1].json()
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [answer.get("Idempotent-Replayed") for answer in answers] == [None, "true"]
    assert Invitation.objects.count() == 2


def test_another_request_under_the_same_key_is_refused(study, program):
    asking = program()
    asking.post(PATH, {"count": 2}, **{"Idempotency-Key": "k"})

    answer = asking.post(PATH, {"count": 3}, **{"Idempotency-Key": "k"})

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "KeyReused")
    assert Invitation.objects.count() == 2


def test_the_same_key_of_two_users_is_two_keys(study, program):
    for name in ("ana", "eva"):
        answer = program(name=name).post(PATH, {"count": 1}, **{"Idempotency-Key": "k"})
        assert answer.status_code == 201

    assert Invitation.objects.count() == 2


@pytest.mark.every_database
def test_a_refused_request_may_be_repeated_with_its_key(study, program):
    asking, key = program(), {"Idempotency-Key": "k"}

    refused = asking.post(PATH, {"notes": ["a", "a"]}, **key)
    done = asking.post(PATH, {"notes": ["a", "b"]}, **key)

    assert (refused.status_code, done.status_code) == (409, 201)


def test_a_key_expires_after_a_day(study, program):
    asking, key = program(), {"Idempotency-Key": "k"}
    asking.post(PATH, {"count": 1}, **key)
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))

    assert asking.post(PATH, {"count": 2}, **key).status_code == 201
    assert Invitation.objects.count() == 3


@pytest.mark.parametrize("key", ["", "x" * 256, "ž", "a b", "a\n"])
def test_an_invalid_key_is_refused(study, program, key):
    answer = program().post(PATH, {"count": 1}, **{"Idempotency-Key": key})

    assert answer.status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.every_database
@pytest.mark.skipif(
    connection.vendor == "sqlite", reason="the tests' database in memory has one writer at a time"
)
@pytest.mark.django_db(transaction=True)
def test_one_of_simultaneous_requests_is_executed(study, program):
    asking, barrier, answers = program(), Barrier(4), []

    def ask():
        barrier.wait()
        try:
            answer = asking.post(PATH, {"count": 1}, **{"Idempotency-Key": "k"})
            answers.append((answer.status_code, json.dumps(answer.json(), sort_keys=True)))
        finally:
            connection.close()

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Invitation.objects.count() == 1
    assert {status for status, _ in answers} == {201}
    assert len(set(answers)) == 1
