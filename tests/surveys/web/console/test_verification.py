"""Releases are verified when they are made, or later from their stored archive."""

import zipfile

import pytest
from django.core.files.base import ContentFile
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from postprocess.release import assembling
from postprocess.release.checksums import render_checksums, write_archive
from postprocess.release.verification.verifying import verify_release
from postprocess.steps.recipe import parse_recipe
from surveys.errors import ReleaseRefused, RunRefused
from surveys.models import AuditEntry, JobState, Release, Role, Run
from surveys.monitoring.checklist import outline_study
from surveys.results.inspection.public_page import open_page
from surveys.results.release import ReleaseOptions, release_dataset
from surveys.results.runs import request_release, request_verification
from tests.factories.jobs import perform_run
from tests.factories.pages import page, read
from tests.factories.studies import (
    EXPLORER,
    QUICK,
    finish,
    make_release,
    make_release_with_page,
    make_study,
    start,
    stored,
)
from tests.surveys.management.running import run as run_command

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("figures_rendered_once"),
    pytest.mark.study(of="four_ratings"),
]

UNVERIFIED = {"verified_at": None, "n_figures": None, "n_differences": None}
RESULT = ("n_figures", "n_differences")
UNKNOWN = "1 file that no release has, known only by checksum: <b>more.txt</b>"


@pytest.fixture
def four_ratings():
    study = make_study(2)
    for rating in (1, 5, 2, 4):
        finish(start(study), rating=rating)
    return study


@pytest.fixture
def old_run(study):
    """The finished run of a release that was made before releases were verified."""
    run = request_release(study, QUICK, {"has_report": False}, None)
    perform_run(run.pk)
    Release.objects.update(**UNVERIFIED)
    return Run.objects.get(pk=run.pk)


def verify(made):
    job = request_verification(made.release, None)
    perform_run(job.pk)
    job.refresh_from_db()
    made.release.refresh_from_db()
    return job


def falsify(made):
    """Change a score in the stored archive, as a fault of a disk or a person would."""
    with made.archive.open("rb") as file, zipfile.ZipFile(file) as packed:
        files = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    header, row, *rows = files["scores.tsv"].decode().split("\n")
    fields = row.split("\t")
    fields[header.split("\t").index("sim1")] = "9.99"
    files["scores.tsv"] = "\n".join([header, "\t".join(fields), *rows]).encode()
    made.archive.save("cosimlex_en_1.zip", ContentFile(write_archive(files, "cosimlex_en")))


@pytest.mark.every_database
def test_a_new_release_stores_how_many_figures_follow_from_its_ratings(study, tmp_path):
    release = release_dataset(study, tmp_path / "out", parse_recipe(QUICK.encode()))

    found = verify_release(tmp_path / "out")
    assert found.is_confirmed
    assert stored(release, *RESULT, "differences") == (found.n_figures, 0, [])
    assert release.verification == found.summary
    assert release.verified_at >= release.collected_at


def test_a_new_release_with_options_is_confirmed(study, tmp_path):
    options = ReleaseOptions(n_practice=1, has_report=True, has_log=True)

    release = release_dataset(study, tmp_path / "out", parse_recipe(QUICK.encode()), options)

    assert release.differences == []
    assert release.is_confirmed


def test_the_command_reports_files_that_differ_and_fails(study, tmp_path, monkeypatch):
    write = assembling.write_release

    def write_wrongly(release, folder):
        write(release, folder)
        (folder / "more.txt").write_text("of another hand")

    monkeypatch.setattr(assembling, "write_release", write_wrongly)

    with pytest.raises(CommandError, match="release 1 is stored, but its files must not be"):
        run_command("release_dataset", "study", tmp_path / "out", "--no-report", "--recipe", "raw")

    release = Release.objects.get()
    assert (release.verification, release.is_confirmed) == (
        "1 difference from what the ratings give.",
        False,
    )
    assert release.differences == [["SHA256SUMS", "more.txt", "not listed", "a file"]]
    assert not outline_study(study)[-1].is_done


@pytest.mark.every_database
def test_an_earlier_release_is_verified_from_its_archive(old_run):
    job = verify(old_run)

    assert (job.state, job.report["n_differences"]) == (JobState.DONE, 0)
    assert stored(old_run.release, *RESULT) == (job.report["n_figures"], 0)
    assert old_run.release.is_confirmed
    assert AuditEntry.objects.filter(action="verify.made").count() == 1


def test_the_page_of_an_unverified_release_is_not_opened_but_an_open_one_stays(study):
    release = make_release_with_page(study)
    Release.objects.update(**UNVERIFIED)

    with pytest.raises(ReleaseRefused, match="Release 1 is not verified yet"):
        open_page(release)

    assert stored(release, "page_opened_at") == (None,)
    Release.objects.update(page_opened_at=release.created_at)
    assert Client().get(reverse("public:release", args=["study", 1])).status_code == 200


def open_page_of(made):
    """Open the public page of a release, to whose archive an explorer is added."""
    with made.archive.open("rb") as file, zipfile.ZipFile(file) as packed:
        files = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    if "explorer.html" not in files:
        files["explorer.html"] = EXPLORER
        made.archive.save("cosimlex_en_1.zip", ContentFile(write_archive(files, "cosimlex_en")))
    open_page(Release.objects.get(pk=made.release_id))


def test_a_release_that_differs_is_closed_and_marked(old_run, researcher):
    Release.objects.update(verified_at=old_run.release.created_at, n_figures=9, n_differences=0)
    open_page_of(old_run)
    falsify(old_run)

    verify(old_run)

    differing = {(file, place) for file, place, *_ in old_run.release.differences}
    assert ("scores.tsv", "row 1, sim1") in differing
    assert old_run.release.page_opened_at is None
    address = reverse("public:release", args=["study", 1])
    assert Client().get(address).status_code == 404
    with pytest.raises(ReleaseRefused, match="from what the ratings give, which its page lists"):
        open_page(old_run.release)
    listed = read(researcher, "release", old_run.study)
    assert old_run.release.verification in listed
    assert "Closed: figures differ" in listed
    shown = read(researcher, "run", old_run.study, old_run.pk)
    assert '<th scope="row">scores.tsv</th> <td>row 1, sim1</td> <td>9.99</td>' in shown
    assert "Download all files, which differ" in shown
    files = researcher.get(page("download", old_run.study, old_run.pk))
    assert 'filename="DIFFERS_cosimlex_en_1' in files["Content-Disposition"]
    table = researcher.get(page("differences", old_run.study, 1))
    assert 'filename="differences_study_1.tsv"' in table["Content-Disposition"]
    lines = table.content.decode().splitlines()
    assert lines[0] == "file\tplace\tpublished\tcomputed"
    assert len(lines) == 1 + old_run.release.n_differences


def test_the_button_verifies_a_release(old_run, researcher, django_capture_on_commit_callbacks):
    before = read(researcher, "run", old_run.study, old_run.pk)
    assert "Not verified yet." in before

    with django_capture_on_commit_callbacks(execute=True):
        answer = researcher.post(page("verify_release", old_run.study, 1))

    assert answer.url == page("run", old_run.study, old_run.pk)
    old_run.release.refresh_from_db()
    sentence = f"All {old_run.release.n_figures:,} different figures follow from the ratings."
    for name, *arguments in (("run", old_run.pk), ("release",)):
        assert sentence in read(researcher, name, old_run.study, *arguments)
    assert "Verify again" in read(researcher, "run", old_run.study, old_run.pk)
    assert f"({old_run.release.n_figures:,} figures, 0 differences)" in read(
        researcher, "jobs", old_run.study
    )


def add_file(made, name):
    """Add a file to the stored archive, listed with its checksum."""
    with made.archive.open("rb") as file, zipfile.ZipFile(file) as packed:
        files = {path.partition("/")[2]: packed.read(path) for path in packed.namelist()}
    del files["SHA256SUMS"]
    files[name] = b"of another hand"
    files["SHA256SUMS"] = render_checksums(files)
    made.archive.save("cosimlex_en_1.zip", ContentFile(write_archive(files, "cosimlex_en")))


def test_a_file_of_another_hand_is_a_reservation_on_every_page(old_run, researcher):
    add_file(old_run, "more.txt")

    job = verify(old_run)

    (reservation,) = old_run.release.reservations
    assert reservation == "1 file that no release has, known only by checksum: more.txt"
    assert job.report == {"n_figures": old_run.release.n_figures, "n_differences": 0,
                          "n_reservations": 1}  # fmt: skip
    assert not old_run.release.is_confirmed
    assert old_run.release.verification.startswith("Confirmed with reservations: ")
    shown = read(researcher, "run", old_run.study, old_run.pk)
    assert reservation in shown
    assert "Find out about the rest" in shown
    assert "0 differences, with reservations)" in read(researcher, "jobs", old_run.study)
    listed = read(researcher, "release", old_run.study)
    assert '<strong class="warning">Confirmed with reservations</strong>, see' in listed
    assert reservation not in listed


def test_reservations_are_shown_before_and_after_publishing(study, sign_in):
    release = make_release_with_page(study)
    page_of_release = {"explorer.html": b'<header><form class="controls"></form></header>'}
    release.run.archive.save("made.zip", ContentFile(write_archive(page_of_release, "made")))
    Release.objects.update(reservations=[UNKNOWN])
    client = sign_in(Role.RESEARCHER)

    asked = read(client, "release_page", study, 1)
    open_page(Release.objects.get(pk=release.pk))
    public = Client().get(reverse("public:release", args=["study", 1])).content.decode()

    for shown in (asked, public):
        assert "Confirmed with reservations: 4,213 different figures follow" in shown
        assert "checksum: &lt;b&gt;more.txt&lt;/b&gt;." in shown


def test_a_release_is_verified_by_one_job_at_a_time(old_run):
    request_verification(old_run.release, None)

    with pytest.raises(RunRefused, match="already being verified"), transaction.atomic():
        request_verification(old_run.release, None)

    assert Run.objects.filter(kind="verify").count() == 1


def test_a_release_of_the_command_line_is_verified_elsewhere(study):
    with pytest.raises(RunRefused, match="python -m postprocess verify"):
        request_verification(make_release(study, report={}), None)


def test_files_that_cannot_be_verified_are_reported_and_change_nothing(study, sign_in):
    release = make_release_with_page(study)
    Release.objects.update(**UNVERIFIED)

    job = verify(release.run)

    assert job.state == JobState.FAILED
    assert "The files cannot be verified: the folder of a release has one file" in job.error
    assert stored(release, *RESULT) == (None, None)
    Run.objects.update(report={"counts": {}, "table1": {"text": {}}})
    assert "The files cannot be verified" in read(sign_in(Role.OWNER), "run", study, release.run.pk)


def test_a_deleted_release_is_not_verified(old_run):
    job = request_verification(old_run.release, None)
    Run.objects.filter(pk=old_run.pk).update(release=None)
    old_run.release.delete()

    perform_run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.FAILED, "The release has been deleted.")


@pytest.mark.every_database
def test_a_result_without_an_instant_is_not_stored(study):
    with pytest.raises(IntegrityError), transaction.atomic():
        make_release(study, report={}, n_figures=3, n_differences=0)


def test_the_public_page_begins_with_the_result(study):
    release = make_release_with_page(study)
    explorer = b'<header><p>3 pairs</p><form class="controls" id="controls"></form></header>'
    packed = write_archive({"explorer.html": explorer}, "made")
    release.run.archive.save("made.zip", ContentFile(packed))
    open_page(Release.objects.get())

    shown = Client().get(reverse("public:release", args=["study", 1])).content.decode()

    assert shown.startswith(
        '<header><p>3 pairs</p><p class="lead">All 4,213 different figures follow from the '
    )
