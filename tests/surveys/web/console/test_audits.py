"""The page *Audit a dataset*: uploads, findings, refusals."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from lxml import html

from surveys.models import AuditEntry
from surveys.web.console.study.audits import AuditForm
from tests.postprocess.auditing.corrupting import DATA, DATASET, GOLD, put, write_dataset

pytestmark = pytest.mark.django_db
AUDIT = reverse("console:audit")


@pytest.fixture
def faulty(tmp_path):
    folder = write_dataset(tmp_path)
    put(folder / DATASET, 3, sim1="11")
    return folder


def send(client, files, **changes):
    """Upload files with the choices that the form shows first, as changed."""
    initial = {name: field.initial for name, field in AuditForm.base_fields.items()}
    sent = {name: value for name, value in initial.items() if value is not None}
    return client.post(AUDIT, {**sent, "dataset": files, **changes})


def upload(path):
    return SimpleUploadedFile(path.name, path.read_bytes())


def text_of(answer):
    page = html.document_fromstring(answer.content).get_element_by_id("content")
    return " ".join(page.text_content().split())


def test_the_list_of_studies_leads_to_the_audit(as_ana):
    assert f'href="{AUDIT}"' in as_ana.get(reverse("console:studies")).content.decode()
    assert as_ana.get(AUDIT).status_code == 200


def test_findings_of_several_files_are_shown_and_nothing_is_stored(as_ana, faulty, settings):
    n_entries, stored = AuditEntry.objects.count(), [*settings.MEDIA_ROOT.rglob("*")]

    answer = send(
        as_ana, [upload(faulty / name) for name in (DATASET, DATA, GOLD)], least=10, most=10
    )

    text = text_of(answer)
    assert answer.status_code == 200
    assert "2 errors, 0 warnings" in text
    assert "Error cosimlex_xx.csv, row 3 (line 4), sim1: the mean 11 is impossible" in text
    assert "data_xx.tsv12 of 12 rows agree" in text
    assert AuditEntry.objects.count() == n_entries
    assert [*settings.MEDIA_ROOT.rglob("*")] == stored


def test_an_archive_is_audited_with_details(as_ana, faulty):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.write(faulty / DATASET, f"words/{DATASET}")
        archive.writestr("words/README.md", "x")

    answer = send(as_ana, SimpleUploadedFile("w.zip", out.getvalue()), with_details="on")

    assert "row 1, context 1: " in text_of(answer)
    assert "Not read: README.md" in text_of(answer)


@pytest.mark.parametrize(
    ("name", "data", "changes", "reason"),
    [
        ("", b"", {}, "This field is required."),
        ("cosimlex_xx.csv", b"a\tb\n", {}, "missing columns: word1"),
        ("cosimlex_xx.csv", b"", {}, "The submitted file is empty."),
        ("cosimlex_xx.csv", b"x" * 2_000_001, {}, "2,000,001 bytes, more than 2,000,000"),
        ("cosimlex_xx.csv", b"a\n", {"least": 12, "most": 10}, "It is higher than the most"),
        ("cosimlex_xx.csv", b"a\n", {"most": 101}, "less than or equal to 100"),
        ("cosimlex_xx.csv", b"a\n", {"minimum": 7}, "must be below its maximum"),
        ("cosimlex_xx.csv", b"a\n", {"step": "nan"}, "Enter a number."),
    ],
)
def test_what_cannot_be_audited_is_explained(as_ana, name, data, changes, reason):
    files = [SimpleUploadedFile(name, data)] if name else []

    answer = send(as_ana, files, **changes)

    assert answer.status_code == 422
    assert reason in text_of(answer)
    assert "Audit other files" not in text_of(answer)
