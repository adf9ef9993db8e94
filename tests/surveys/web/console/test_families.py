"""Families: who sees them, and the comparison of their studies' releases."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import TestCase
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.errors import RunRefused
from surveys.models import Annotator, AuditEntry, Family, JobState, Role, Run, RunKind
from surveys.rehearsal.deletion import delete_scripted
from surveys.results.comparisons.candidates import count_withdrawn
from surveys.results.comparisons.families import delete_family, request_family, save_family
from surveys.results.runs import request_release
from tests.factories.clients import client_of
from tests.factories.imported import rated_study
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, finish, make_study, make_study_of, start

pytestmark = pytest.mark.django_db
HEADER = "id\tsl_word1\tsl_word2\tfi_word1\tfi_word2\n"
KEY = HEADER + "".join(f"p{n}\talpha{n}\tbeta{n}\tbeta{n}\talpha{n}\n" for n in range(1, 4))


def release(study):
    run = request_release(study, QUICK, {"has_report": False}, None)
    perform_run(run.pk)
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def studies():
    made = [rated_study(slug=slug, language=slug, title=f"In {slug}") for slug in ("sl", "fi")]
    for study in made:
        for rating in (2, 4):
            finish(start(study), rating=rating)
    return made


@pytest.fixture
def editor(studies):
    user = User.objects.create_user("ana")
    for study in studies:
        grant_role(study, user, Role.RESEARCHER)
    return client_of(user)


@pytest.fixture
def family(studies):
    return save_family(Family(), studies, slug="both", title="Both languages", text="Of a list.")


def address(name, *more):
    return reverse(f"console:{name}", args=more)


def compare(client, key=b""):
    sent = {"file": SimpleUploadedFile("key.tsv", key)} if key else {}
    return client.post(address("family", "both"), sent, follow=True)


def test_a_family_is_made_of_studies_of_two_contexts_in_which_one_works(studies, editor):
    hidden, words = make_study(slug="hidden"), make_study_of("simlex", slug="words")
    reviewed = make_study(slug="reviewed")
    grant_role(words, User.objects.get(username="ana"), Role.OWNER)
    grant_role(reviewed, User.objects.get(username="ana"), Role.REVIEWER)
    offered = editor.get(address("new_family")).content.decode()
    assert "sl: In sl (sl)" in offered
    assert not any(f"{study.slug}: " in offered for study in (hidden, words, reviewed))
    sent = {"slug": "both", "title": "Both languages", "text": "Of a list."}

    for other in (hidden, words, reviewed):
        slugs = [studies[0].slug, other.slug]
        assert editor.post(address("new_family"), {**sent, "studies": slugs}).status_code == 422
    assert not Family.objects.exists()
    slugs = [study.slug for study in studies]
    answer = editor.post(address("new_family"), {**sent, "studies": slugs}, follow=True)

    assert answer.redirect_chain == [(address("family", "both"), 302)]
    assert "Of a list." in answer.content.decode()
    assert "Both languages" in editor.get(address("families")).content.decode()
    entries = AuditEntry.objects.filter(action="family.joined", subject="both", actor="ana")
    assert {entry.study for entry in entries} == {*studies}


@pytest.mark.every_database
def test_a_family_is_changed_and_its_short_name_is_its_own(studies, editor, family):
    save_family(Family(), studies[:1], slug="other", title="Other", text="")
    sent = {"slug": "other", "title": "Changed", "text": "", "studies": [studies[0].slug]}

    refused = editor.post(address("edit_family", "both"), sent)
    assert refused.status_code == 422
    assert "There is a family other already" in refused.content.decode()
    editor.post(address("edit_family", "both"), {**sent, "slug": "first"})

    family.refresh_from_db()
    assert (family.slug, family.title, *family.studies.all()) == ("first", "Changed", studies[0])
    logged = AuditEntry.objects.filter(action__startswith="family.", actor="ana")
    assert {(entry.study, entry.action) for entry in logged} == {
        (studies[0], "family.changed"), (studies[1], "family.left")
    }  # fmt: skip


def test_a_family_has_one_study_a_language(studies):
    again = make_study(1, slug="again", language="sl")

    with pytest.raises(RunRefused, match="the same language"):
        save_family(Family(), [*studies, again], slug="all", title="All", text="")

    assert not Family.objects.exists()


@pytest.mark.every_database
def test_who_lacks_a_role_in_one_study_finds_no_family(studies, family):
    user = User.objects.create_user("eva")
    grant_role(studies[0], user, Role.OWNER)
    grant_role(studies[1], user, Role.REVIEWER)  # who may not see results
    client = client_of(user)

    assert "Both languages" not in client.get(address("families")).content.decode()
    for name in ("family", "edit_family"):
        assert client.get(address(name, "both")).status_code == 404
        assert client.post(address(name, "both")).status_code == 404
    assert not Run.objects.filter(kind=RunKind.FAMILY).exists()


def test_studies_without_a_release_are_named(studies, editor, family):
    release(studies[0])

    refused = compare(editor)

    assert refused.status_code == 422
    assert "No release yet: fi. Make one of each study first." in refused.content.decode()
    assert not Run.objects.filter(kind=RunKind.FAMILY).exists()


@pytest.mark.every_database
def test_the_latest_releases_are_compared_by_a_job(studies, editor, family):
    release(studies[0])
    latest = [release(study) for study in studies]

    assert "The comparison has started" in compare(editor, KEY.encode()).content.decode()
    run = Run.objects.get(kind=RunKind.FAMILY)
    assert set(run.request["releases"].values()) == {made.pk for made in latest}
    perform_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.error, "key" in run.request) == (JobState.DONE, "", False)
    assert [*run.report["table1"]] == ["fi", "sl"]
    assert run.report["overlap"] == {"2": 3}
    shown = editor.get(address("family", "both")).content.decode()
    assert "<dt>Pairs in 2 languages</dt><dd>3</dd>" in shown
    answer = editor.get(address("family_files", "both", run.pk))
    content = b"".join(answer.streaming_content)
    assert hashlib.sha256(content).hexdigest() in shown
    assert 'filename="both_family_1.zip"' in answer["Content-Disposition"]
    report = editor.get(address("family_report", "both", run.pk))
    assert b"<h1>One data set in 2 languages: fi, sl</h1>" in report.content
    figure = editor.get(address("family_figure", "both", run.pk, "changes", "svg"))
    assert figure["Content-Type"] == "image/svg+xml"
    assert editor.get(address("family_figure", "both", run.pk, "other", "svg")).status_code == 404
    for study in studies:
        assert AuditEntry.objects.filter(study=study, action="family.requested").exists()


def test_a_wrong_key_is_refused_by_row_and_column(studies, editor, family):
    for study in studies:
        release(study)

    for row, place in (
        ("p1\ta\tb\tc\td\np1\ta\tb\tc\td\n", "row 2 (line 3), id: the id is empty or repeated"),
        ("p1\ta\t\tc\td\n", "row 1 (line 2), sl_word1: one of the words is missing"),
    ):
        refused = compare(editor, (HEADER + row).encode())
        assert refused.status_code == 422
        assert place in refused.content.decode()
    assert not Run.objects.filter(kind=RunKind.FAMILY).exists()
    compare(editor, (HEADER + "p1\talpha1\tbeta1\talpha1\tbeta1\n").encode())
    perform_run(Run.objects.get(kind=RunKind.FAMILY).pk)

    shown = editor.get(address("family", "both")).content.decode()
    assert "the key lacks pairs of fi: row 2 (alpha2, beta2)" in shown


def test_a_comparison_is_shown_with_exactly_its_studies_alone(studies, editor, family):
    for study in studies:
        release(study)
    compare(editor)
    run = Run.objects.get(kind=RunKind.FAMILY)
    perform_run(run.pk)
    alone = User.objects.create_user("eva")
    grant_role(studies[1], alone, Role.OWNER)
    save_family(family, studies[1:], slug="both", title="One", text="")

    client = client_of(alone)
    assert client.get(address("family", "both")).status_code == 200
    for name in ("family_report", "family_files"):
        assert client.get(address(name, "both", run.pk)).status_code == 404
    for name in ("download", "run", "report"):
        assert client.get(address(name, studies[1].slug, run.pk)).status_code == 404
    assert "amily" not in client.get(address("jobs", studies[1].slug)).content.decode()


@pytest.mark.every_database
def test_deleting_a_rehearsal_deletes_comparisons_of_its_release(studies, editor, family):
    for study in studies:
        release(study)
    compare(editor)
    run = Run.objects.get(kind=RunKind.FAMILY)
    perform_run(run.pk)
    Run.objects.filter(pk=run.pk).update(report={"counts": {"ratings_scripted": 1}})

    delete_scripted(make_study(slug="another"))
    assert Run.objects.filter(pk=run.pk).exists()
    delete_scripted(studies[0])

    assert not Run.objects.filter(pk=run.pk).exists()


@pytest.mark.every_database
def test_a_family_is_deleted_with_its_comparisons(studies, editor, family):
    for study in studies:
        release(study)
    compare(editor)
    run = Run.objects.get(kind=RunKind.FAMILY)
    act, change = address("delete_family", "both"), address("edit_family", "both")
    assert act in editor.get(change).content.decode()
    refused = editor.post(act)
    assert (refused.status_code, Family.objects.count()) == (409, 1)
    assert "The releases are being compared." in refused.content.decode()
    perform_run(run.pk)
    archive = Run.objects.get(pk=run.pk).archive
    assert change in editor.get(act).content.decode()
    assert archive.storage.exists(str(archive))

    alone = User.objects.create_user("eva")
    grant_role(studies[1], alone, Role.OWNER)
    assert client_of(alone).post(act).status_code == 404
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = editor.post(act, follow=True)

    assert "The family Both languages is deleted." in answer.content.decode()
    assert not archive.storage.exists(str(archive))
    assert (Family.objects.count(), list(Run.objects.values_list("kind", flat=True))) == (
        0, [RunKind.RELEASE] * 2,
    )  # fmt: skip
    entries = AuditEntry.objects.filter(action="family.deleted", actor="ana")
    assert sorted(entries.values_list("study__slug", "subject")) == [("fi", "both"), ("sl", "both")]
    delete_family(family)
    assert entries.count() == 2


def test_withdrawals_count_since_each_release_read_its_ratings(studies, family):
    noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    runs = [release(study) for study in studies]
    for days, run in zip((0, 10), runs, strict=True):
        Run.objects.filter(pk=run.pk).update(collected_at=noon + timedelta(days=days))
    perform_run(request_family(family, b"", None).pk)
    made = Run.objects.get(kind=RunKind.FAMILY)
    counts = []
    for days in (5, 15):  # before and after the later release read its ratings
        Annotator.objects.filter(study=studies[1]).update(
            first_rated_at=noon + timedelta(days=1), withdrawn_at=noon + timedelta(days=days)
        )
        counts.append(count_withdrawn(made))

    assert counts == [0, studies[1].annotators.count()]
