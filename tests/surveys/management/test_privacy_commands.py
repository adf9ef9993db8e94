import json

import pytest

from surveys.models import Annotator, AuditEntry, Study
from surveys.privacy.retention import count_kept, mark_paid
from surveys.recruitment.links import open_entrance
from tests.factories.newcomers import CODES, arrive
from tests.factories.studies import finish, make_study, start
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="collection_of_two_sorts")]

WORKER = "5f0c0ffee0000000000000aa"


@pytest.fixture
def collection_of_two_sorts() -> Study:
    """Return a study with a paid annotator from Prolific, and one without any id."""
    study = make_study(2)
    finish(start(study))
    arrive(open_entrance(study, "prolific", **CODES), WORKER)
    Annotator.objects.update(created_at="2020-01-01T00:00Z")
    study.assignments.update(state="submitted", submitted_at="2020-01-01T00:00Z",
                             started_at="2020-01-01T00:00Z")  # fmt: skip
    mark_paid(study)
    return study


def test_personal_data_is_dropped_once_and_only_where_due(study):
    make_study(1, slug="other")
    assert run("drop_personal_data")[0] == ""
    run("set_retention", "study", "0")

    preview = run("drop_personal_data", "--dry-run")[0]
    kept = count_kept(Study.objects.get(slug="study")).n_people
    done, again = (run("drop_personal_data")[0] for _ in range(2))

    assert preview == "study: to be dropped: annotators 1, unused links 0\n"
    assert kept == 1
    assert done == "study: dropped: annotators 1, unused links 0\n"
    assert again == "study: dropped: annotators 0, unused links 0\n"
    entry = AuditEntry.objects.get(action="personal_data.dropped")
    assert entry.actor == "the command line"


def test_dropping_reports_a_named_study_without_retention(study):
    assert "kept without limit" in run("drop_personal_data", "study")[0]


def test_set_retention_prints_the_setting(study):
    assert run("set_retention", "study", "30")[0].endswith("kept 30 days after payment.\n")
    assert run("set_retention", "study", "never")[0].endswith("kept without limit after payment.\n")


def test_export_person_writes_all_that_is_stored(study, tmp_path):
    annotator = Annotator.objects.get(worker__isnull=False)

    run("export", "person", "study", annotator.code, "--out", tmp_path / "person.json")

    data = json.loads((tmp_path / "person.json").read_text(encoding="utf-8"))
    assert data["known_as"]["provider_id"] == WORKER
