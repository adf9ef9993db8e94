import pytest
from django.db import connection

pytestmark = pytest.mark.every_database  # what is committed is safe

SAFE = {"sqlite": ("PRAGMA synchronous", 2), "postgresql": ("SHOW synchronous_commit", "on")}


@pytest.mark.django_db
def test_a_commit_is_on_disk_when_it_returns():
    question, answer = SAFE[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(question)

        assert cursor.fetchone() == (answer,)
