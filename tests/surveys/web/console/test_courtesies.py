"""No file of another program is an error of the server, at any door of the console."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from surveys.models import Role
from tests.factories.imported import ratings_csv
from tests.factories.studies import numbered_stimuli
from tests.factories.written_tables import COURTESIES
from tests.surveys.web.console.test_audits import send as send_audit
from tests.surveys.web.console.test_comparisons import upload as send_collection
from tests.surveys.web.console.test_file_kinds import send as send_stimuli
from tests.surveys.web.console.test_recruitment import invite

pytestmark = pytest.mark.django_db
STIMULI = [line.split("\t") for line in numbered_stimuli(3).decode().splitlines()]
RATINGS = [line.split(",") for line in ratings_csv().decode().splitlines()]


@pytest.mark.parametrize("courtesy", COURTESIES)
def test_no_file_is_an_error_of_the_server(courtesy, sign_in, study):
    client = sign_in(Role.RESEARCHER)
    write = COURTESIES[courtesy][0]
    stimuli, ratings = write(STIMULI), write(RATINGS)

    def named(data, name="t.csv"):
        return SimpleUploadedFile(name, data)

    answers = [
        send_stimuli(client, stimuli, title="T", slug="t", language="en"),
        send_collection(client, study, file=named(ratings)),
        invite(client, study, file=named(stimuli, "list.txt")),
        send_audit(Client(), named(stimuli, "cosimlex_en.csv")),
        send_audit(Client(), named(stimuli, "data_en.tsv")),
        send_audit(Client(), [named(stimuli, "data_en.tsv"), named(ratings, "ratings_en.csv")]),
    ]

    assert {answer.status_code for answer in answers} <= {200, 302, 403, 422}
