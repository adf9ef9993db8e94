"""Closing, reopening, archiving and duplicating a study."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from surveys.errors import ClosingRefused, ImportRefused, NoPlaceLeft, StudyExists
from surveys.models import Assignment, Membership, Questionnaire, Role, Study, TextKind
from surveys.monitoring.checklist import find_next_step, outline_study
from surveys.participation.assignments import has_place_left, list_places_left, start_assignment
from surveys.recruitment.links import invite_annotators
from surveys.study.create import duplicate_study
from surveys.study.design import configure_study
from surveys.study.lifecycle import archive_study, close_study, reopen_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from surveys.study.stimuli.load import read_stored_stimuli
from surveys.study.texts import read_text, set_text
from tests.factories.checkpoints import file as checkpoint_file
from tests.factories.checkpoints import row as checkpoint_row
from tests.factories.studies import finish, make_study, start

pytestmark = pytest.mark.django_db


def test_nobody_begins_in_a_closed_study_and_who_began_finishes():
    study = make_study(2)
    begun = start(study)
    link = invite_annotators(study, 1)[0]

    study = close_study(study)

    assert not has_place_left(study)
    assert not list_places_left(study)
    with pytest.raises(NoPlaceLeft):
        start_assignment(link)
    finish(begun)
    assert Assignment.objects.for_study(study).submitted().count() == 1


def test_a_reopened_study_takes_annotators_again():
    study = make_study(2)
    close_study(study)

    reopen_study(study)

    assert start_assignment(invite_annotators(study, 1)[0]).pk


def test_each_change_is_logged_once():
    study = make_study(2)
    for action in (close_study, close_study, archive_study, archive_study, reopen_study):
        action(study)
    archived = archive_study(close_study(study))
    archive_study(archived, is_archived=False)

    names = study.audit_entries.order_by("pk").values_list("action", flat=True)

    assert [name for name in names if name.startswith("study.")][-6:] == [
        "study.closed", "study.archived", "study.reopened",
        "study.closed", "study.archived", "study.restored",
    ]  # fmt: skip
    study.refresh_from_db()
    assert (study.is_closed, study.archived_at) == (True, None)


def test_what_still_collects_is_neither_archived_nor_closed_under_a_reservation():
    study = make_study(2)
    with pytest.raises(ClosingRefused, match="Close it first"):
        archive_study(study)
    study.reservations.create(questionnaire=Questionnaire.objects.first())

    with pytest.raises(ClosingRefused, match="Stop it first"):
        close_study(study)


def test_drafts_have_nothing_to_close():
    study = make_study(2)
    Study.objects.update(opened_at=None)

    with pytest.raises(ClosingRefused, match="nothing to close"):
        close_study(study)

    assert archive_study(study).archived_at


@pytest.mark.parametrize("changed", [{"opened_at": None}, {"archived_at": "2026-01-01T00:00Z"}])
def test_the_database_refuses_other_states(changed):
    study = close_study(make_study(2))
    before = {"closed_at": study.closed_at} if "opened_at" in changed else {"closed_at": None}

    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.update(**before, **changed)


def test_after_closing_the_collection_is_done():
    study = close_study(make_study(2))

    following = find_next_step(outline_study(study))

    assert following is not None
    assert following.page == "results"


def test_a_copy_has_stimuli_design_texts_and_checkpoints_but_no_answers():
    study = make_study(3, block_size=2, layout="simlex")
    import_checkpoints(study, checkpoint_file(checkpoint_row()), per_assignment=1)
    configure_study(study, organisation="University", erases_withdrawn=False, contact="a@b.org")
    set_text(study, TextKind.CONSENT, "Please take part.")
    set_text(study, TextKind.PRACTICE, "")
    finish(start(study))
    owner = User.objects.create_user("ana")
    study.refresh_from_db()

    copy = duplicate_study(study, owner, slug="again", title="Again")

    copy.refresh_from_db()
    assert (copy.title, copy.is_draft, copy.block_size, copy.n_checkpoints) == ("Again", True, 2, 1)
    assert (copy.organisation, copy.erases_withdrawn, copy.layout) == (
        "University",
        False,
        "simlex",
    )
    assert read_stored_stimuli(copy) == read_stored_stimuli(study)
    assert read_text(copy, TextKind.CONSENT).body == "Please take part."
    assert read_text(copy, TextKind.CONSENT).reviewed_at is None
    assert read_text(copy, TextKind.PRACTICE).body == ""
    assert copy.pairs.filter(is_checkpoint=True).count() == 1
    assert not Assignment.objects.for_study(copy).exists()
    assert Membership.objects.get(study=copy).role == Role.OWNER


@pytest.mark.parametrize(("slug", "error"), [("study", StudyExists), ("no slug", ImportRefused)])
def test_a_copy_needs_a_name_of_its_own(slug, error):
    study = make_study(2)

    with pytest.raises(error):
        duplicate_study(study, User.objects.create_user("ana"), slug=slug, title="")

    assert Study.objects.count() == 1
