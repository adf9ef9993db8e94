"""Files are parsed before a transaction begins: on SQLite all other writers would wait."""

import sys
from contextlib import contextmanager

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from postprocess.formats.marks import read_context
from surveys.access.api_tokens import all_scopes, make_token
from surveys.access.roles import grant_role
from surveys.errors import ImportRefused
from surveys.models import Role, Study
from surveys.study.stimuli.checkpoints import import_checkpoints, replace_checkpoints
from tests.factories.checkpoints import file, row
from tests.factories.clients import client_of
from tests.factories.programs import Program
from tests.factories.studies import draft_study, numbered_stimuli
from tests.surveys.management.running import run
from tests.surveys.web.api.test_studies import NEW

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def watched_contexts():
    """Record for each parsed context whether a transaction was open."""
    found = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code is read_context.__code__:
            found.append(connection.in_atomic_block)

    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(None)


@pytest.fixture
def readable_draft(ana):
    design = Study(slug="draft", language="en", ratings_per_context=2)
    study = draft_study(numbered_stimuli(3), design, ana)
    grant_role(study, ana, Role.OWNER)
    return study


@pytest.fixture
def anas_program(readable_draft, ana):
    _, key = make_token(ana, "program", list(all_scopes()))
    return Program(key)


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_study_by_the_api(anas_program, dry_run):
    with watched_contexts() as found:
        asked = {**NEW, "dry_run": dry_run}
        answer = anas_program.post("studies/", asked, **{"Idempotency-Key": "k"})

    assert answer.status_code == (200 if dry_run else 201)
    assert found == [False] * 6


def test_other_stimuli_by_the_api(anas_program):
    with watched_contexts() as found:
        asked = {"stimuli": numbered_stimuli(4).decode()}
        answer = anas_program.send("put", "studies/draft/stimuli/", asked)

    assert answer.status_code == 200
    assert found == [False] * 8


def test_a_file_in_the_console_is_parsed_once(ana):
    browser = client_of(ana)

    with watched_contexts() as found:
        sent = {"title": "New", "language": "en", "slug": "new"}
        sent["file"] = SimpleUploadedFile("data.tsv", numbered_stimuli(5))
        answer = browser.post(reverse("console:new_study"), sent)

    assert (answer.status_code, Study.objects.filter(slug="new").count()) == (302, 1)
    assert found == [False] * 10


def test_a_study_by_the_command(tmp_path):
    path = tmp_path / "data.tsv"
    path.write_bytes(numbered_stimuli(2))

    with watched_contexts() as found:
        options = ("--study", "new", "--language", "en", "--ratings-per-context", "2")
        run("import_stimuli", path, *options)

    assert found == [False] * 4


@pytest.mark.parametrize("store", [import_checkpoints, replace_checkpoints])
def test_checkpoint_items(readable_draft, store):
    with watched_contexts() as found:
        store(readable_draft, file(row()), per_assignment=1)

    assert found == [False]


def test_checkpoint_items_that_were_read_for_another_scale_are_refused(readable_draft):
    Study.objects.update(scale_maximum=4)

    with pytest.raises(ImportRefused, match="scale of the study was changed meanwhile"):
        import_checkpoints(readable_draft, file(row()), per_assignment=1)
