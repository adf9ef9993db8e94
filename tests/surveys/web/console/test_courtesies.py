"""No file of another program is an error of the server, at any door of a site."""

from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from surveys.access.api_tokens import all_scopes, make_token
from surveys.models import Study
from tests.factories.checkpoints import HEADER, row
from tests.factories.imported import ratings_csv
from tests.factories.studies import draft_study, numbered_stimuli
from tests.factories.written_tables import COURTESIES
from tests.surveys.web.console.test_audits import send as send_audit
from tests.surveys.web.console.test_comparisons import upload as send_collection
from tests.surveys.web.console.test_file_kinds import send as send_stimuli
from tests.surveys.web.console.test_recruitment import invite

pytestmark = pytest.mark.django_db
STIMULI = [line.split("\t") for line in numbered_stimuli(3).decode().splitlines()]
CHECKPOINTS = [HEADER.split("\t"), row().split("\t")]
EXPORT = [
    ["Submission id", "Participant id", "Status", "Started at", "Completed at", "Completion code"],
    ["5f01", "5f02", "AWAITING REVIEW", "2027-01-01T10:00:00Z", "2027-01-01T10:20:00Z", "ABC"],
]
RATINGS = [line.split(",") for line in ratings_csv().decode().splitlines()]


@pytest.mark.parametrize("courtesy", COURTESIES)
def test_no_file_is_an_error_of_the_server(courtesy, researcher, study):
    write = COURTESIES[courtesy][0]
    stimuli, ratings = write(STIMULI), write(RATINGS)

    def named(data, name="t.csv"):
        return SimpleUploadedFile(name, data)

    answers = [
        send_stimuli(researcher, stimuli, title="T", slug="t", language="en"),
        send_collection(researcher, study, file=named(ratings)),
        invite(researcher, study, file=named(stimuli, "list.txt")),
        send_audit(Client(), named(stimuli, "cosimlex_en.csv")),
        send_audit(Client(), named(stimuli, "data_en.tsv")),
        send_audit(Client(), [named(stimuli, "data_en.tsv"), named(ratings, "ratings_en.csv")]),
    ]

    assert {answer.status_code for answer in answers} <= {200, 302, 403, 422}


@pytest.fixture
def superusers_draft(db):
    owner = User.objects.create_user("owner", is_superuser=True)
    design = Study(slug="draft", language="en", ratings_per_context=2)
    return draft_study(numbered_stimuli(3), design, owner)


@pytest.mark.parametrize("courtesy", COURTESIES)
def test_no_file_is_an_error_at_the_doors_of_programs(courtesy, superusers_draft, tmp_path):
    write, path = COURTESIES[courtesy][0], tmp_path / "t.csv"
    owner = User.objects.get(username="owner")
    browser, key = Client(), make_token(owner, "program", list(all_scopes()))[1]
    browser.force_login(owner)
    program = Client(headers={"Authorization": f"Bearer {key}"})

    def send(method, address, rows):
        form = encode_multipart(BOUNDARY, {
            "stimuli" if method == "put" else "file": SimpleUploadedFile("t.csv", write(rows)),
            **({} if method == "put" else {"per_assignment": "1"}),
        })  # fmt: skip
        client = program if method == "put" else browser
        return client.generic(method, address, form, content_type=MULTIPART_CONTENT).status_code

    codes = {
        send("put", "/api/v1/studies/draft/stimuli/", STIMULI),
        send("post", reverse("console:checkpoints", args=["draft"]), CHECKPOINTS),
    }
    run(
        path, write,
        (STIMULI, "import_stimuli", path, "--study", "s", "--language", "en", "--dry-run"),
        (CHECKPOINTS, "import_checkpoints", "draft", path, "--per-assignment", "1", "--dry-run"),
        (RATINGS, "import_collection", "draft", path, "--name", "x"),
        (STIMULI, "describe_study", "draft", "--description", path),
    )  # fmt: skip

    assert codes <= {200, 302, 409, 422}


@pytest.mark.needs("crowd")
@pytest.mark.parametrize("courtesy", COURTESIES)
def test_no_file_is_an_error_as_an_export_of_prolific(courtesy, prolific, tmp_path):
    write, path = COURTESIES[courtesy][0], tmp_path / "t.csv"
    address = reverse("console:prolific_export", args=[prolific.study.slug])
    client = Client()
    client.force_login(User.objects.create_superuser("op"))

    answer = client.post(address, {"file": SimpleUploadedFile("t.csv", write(EXPORT))})
    run(path, write, (EXPORT, "reconcile_prolific", prolific.study.slug, str(path)))

    assert answer.status_code in {200, 302, 422}


def run(path, write, *commands):
    """Run commands on files of their rows, each of which may refuse its file."""
    for rows, command, *options in commands:
        path.write_bytes(write(rows))
        with suppress(CommandError):
            call_command(command, *options)
