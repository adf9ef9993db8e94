"""Erasure and withdrawal, and their marks on earlier runs and releases."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.db.models import F

from surveys.errors import ErasureRefused, InvitationRefused
from surveys.models import Annotator, Assignment, AuditEntry, Release, Response, Run, RunKind, Study
from surveys.participation.assignments import begin_assignment
from surveys.participation.withdrawal import revoke_invitation
from surveys.privacy.erasure import (
    erase_annotator,
    find_holding,
    forget_invitation,
    withdraw_annotator,
)
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.results.ratings_table import withdrawal_cutoff
from surveys.results.runs import request_release, request_results
from surveys.study.design import configure_study
from tests.factories.jobs import perform_run
from tests.factories.newcomers import CODES, arrive
from tests.factories.studies import (
    QUICK,
    count_places_left,
    counted_ratings,
    finish,
    make_run,
    make_study,
    start,
    stored,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # searched for and overwritten
    pytest.mark.usefixtures("figures_rendered_once"),
    pytest.mark.study(of="four_annotators"),
]

WORKER = "5f0c0ffee0000000000000aa"


@pytest.fixture
def four_annotators() -> Study:
    """Return a study of two pairs with one place more than annotators in each questionnaire."""
    study = make_study(2, ratings_per_context=3)
    for _ in range(4):
        finish(start(study))
    return study


@pytest.fixture
def annotator(study) -> Annotator:
    return Annotator.objects.earliest("pk")


def make_results(study: Study) -> Run:
    """Store a finished run without figures."""
    collected_at = withdrawal_cutoff(study)
    return make_run(study, RunKind.RESULTS, state="done", report={}, collected_at=collected_at)


def counts(model: type[Run] | type[Release]) -> list[int]:
    """Return the number of annotators withdrawn since, for each row in order."""
    found = model.objects.with_withdrawn_since().order_by("pk")
    return [made.n_withdrawn_since for made in found]


# Erased


def test_erase_annotator_erases_answers_and_frees_the_places(study, annotator):
    before = count_places_left(study), len(counted_ratings(study))

    erase_annotator(annotator, "asked by mail")

    assert not Response.objects.filter(annotator=annotator, is_erased=False).exists()
    assert not Response.objects.filter(annotator=annotator).rated().exists()
    assert (count_places_left(study), len(counted_ratings(study))) == (before[0] + 1, before[1] - 2)
    assignment = annotator.assignments.get()
    assert (assignment.state, assignment.ended_because) == (
        "withdrawn", "erased at the wish of the annotator",
    )  # fmt: skip


def test_erase_annotator_does_not_depend_on_consent():
    study = make_study(2)
    configure_study(study, erases_withdrawn=False)
    finish(start(study))
    annotator = withdraw_annotator(Annotator.objects.get())
    assert Response.objects.rated().count() == 2

    erase_annotator(annotator, "asked by mail")

    assert Response.objects.rated().count() == 0
    assert stored(annotator, "withdrawn_at") == (annotator.withdrawn_at,)


def test_erase_annotator_drops_id_and_note(study):
    prolific = open_entrance(study, "prolific", **CODES)
    assignment = begin_assignment(arrive(prolific, WORKER))
    (link,) = invite_listed(study, ["ana@example.org"]).new
    other = start(study, link)

    for one in (assignment, other):
        erase_annotator(one.annotator, f"asked by ana@example.org, {WORKER}")

    assignment.annotator.refresh_from_db()
    assert assignment.annotator.worker.is_digest
    assert stored(link, "note") == ("",)
    assert arrive(prolific, WORKER) == assignment
    log = str(list(AuditEntry.objects.values()))
    assert WORKER not in log
    assert "ana@" not in log


def test_erase_annotator_again_changes_nothing(study, annotator):
    erase_annotator(annotator, "asked by mail")
    before = stored(annotator, "erased_at", "withdrawn_at")

    erase_annotator(annotator, "once more")

    assert stored(annotator, "erased_at", "withdrawn_at") == before
    assert AuditEntry.objects.filter(action="annotator.erased").count() == 1


def test_erase_annotator_requires_a_reason(study, annotator):
    with pytest.raises(ErasureRefused, match="Give a reason"):
        erase_annotator(annotator, "  ")

    assert stored(annotator, "erased_at") == (None,)


def test_withdrawal_and_erasure_are_logged(study, annotator):
    other = Annotator.objects.latest("pk")
    withdraw_annotator(annotator)
    erase_annotator(other, "asked by mail")

    entries = AuditEntry.objects.filter(action__startswith="annotator.").order_by("pk")
    assert list(entries.values_list("action", "subject", "details")) == [
        ("annotator.withdrew", f"annotator {annotator.code}", {"answers": "erased"}),
        ("annotator.erased", f"annotator {other.code}",
         {"reason": "asked by mail", "answers": 2, "in_releases": []}),
    ]  # fmt: skip


def test_reasons_are_masked(study):
    (link,) = invite_listed(study, ["ana@example.org"]).new

    revoke_invitation(link, "ana@example.org moved")

    assert stored(link, "revoked_because") == ("a…@… moved",)
    assert AuditEntry.objects.get(action="invitation.revoked").details == {"reason": "a…@… moved"}


# Notes of unused links


def test_forget_invitation_drops_the_note_and_revokes(study):
    (link,) = invite_listed(study, ["ana@example.org"]).new

    forget_invitation(link, "wants no mail")
    forget_invitation(link, "again")

    assert stored(link, "note", "revoked_because") == ("", "wants no mail")
    assert AuditEntry.objects.filter(action="invitation.forgotten").count() == 1


def test_forget_invitation_refuses_a_used_link(study):
    (link,) = invite_listed(study, ["ana@example.org"]).new
    start(study, link)

    with pytest.raises(ErasureRefused, match="This link has been used"):
        forget_invitation(link, "wants no mail")

    assert stored(link, "note", "revoked_at") == ("ana@example.org", None)


def test_forget_invitation_requires_a_reason(study):
    (link,) = invite_listed(study, ["ana@example.org"]).new

    with pytest.raises(InvitationRefused):
        forget_invitation(link, "")

    assert stored(link, "note") == ("ana@example.org",)


# Earlier runs and releases


def test_results_count_annotators_withdrawn_or_erased_since(study, annotator):
    others = list(Annotator.objects.order_by("pk"))
    first = make_results(study)
    withdraw_annotator(annotator)
    second = make_results(study)
    erase_annotator(others[1], "asked by mail")

    assert counts(Run) == [2, 1]
    for one in (annotator, others[1]):
        one.refresh_from_db()
    assert list(find_holding(annotator, Run.objects.all())) == [first]
    assert list(find_holding(others[1], Run.objects.order_by("pk"))) == [first, second]


def test_an_annotator_without_ratings_by_then_is_not_counted(study):
    nothing_yet, later = start(study), start(study)
    make_results(study)
    finish(later)

    for assignment in (nothing_yet, later):
        withdraw_annotator(assignment.annotator)

    assert counts(Run) == [0]


def test_withdrawal_during_a_run_is_counted(study, annotator, monkeypatch):
    """The run has read their ratings already, so its results contain them."""

    def withdraw_meanwhile(study: Study) -> list[str]:
        withdraw_annotator(annotator)
        return []

    monkeypatch.setattr("surveys.results.runs.list_shortfalls", withdraw_meanwhile)

    run = request_results(study, QUICK, None)
    perform_run(run.pk)

    run.refresh_from_db()
    assert run.report["counts"]["ratings_used"] == 8
    assert counts(Run) == [1]


def test_withdrawal_that_keeps_answers_is_counted():
    study = make_study(2, ratings_per_context=2)
    configure_study(study, erases_withdrawn=False)
    for _ in range(4):
        finish(start(study))
    wishes = {"description": "", "has_log": True}
    run = request_release(study, QUICK, wishes, None)
    perform_run(run.pk)

    erase_annotator(withdraw_annotator(Annotator.objects.earliest("pk")), "asked by mail")

    assert (counts(Release), counts(Run)) == ([1], [1])
    entry = AuditEntry.objects.get(action="annotator.erased")
    assert entry.details["in_releases"] == [Release.objects.get().number]
    run.refresh_from_db()
    with zipfile.ZipFile(io.BytesIO(run.archive.read())) as files:
        assert "study_en/log.tsv" in files.namelist()
        assert b"log.tsv" in files.read("study_en/SHA256SUMS")


def test_annotators_of_other_studies_are_not_counted(study):
    other = make_study(2, slug="other", ratings_per_context=1)
    finish(start(other))
    make_results(study)

    withdraw_annotator(Annotator.objects.get(study=other))

    assert counts(Run) == [0]


def test_results_before_the_first_rating_are_not_marked(study, annotator):
    make_results(study)
    Run.objects.update(collected_at=F("collected_at") - timedelta(hours=1))

    withdraw_annotator(annotator)

    assert counts(Run) == [0]
    assert Assignment.objects.filter(state="withdrawn").count() == 1
