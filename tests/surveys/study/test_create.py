"""Creation of studies: owners, repetition, names that are taken."""

import pytest
from django.contrib.auth.models import User

from surveys.errors import ImportRefused, StudyExists
from surveys.models import AuditEntry, Membership, Study
from surveys.study import create as creation
from surveys.study.create import create_study, preview_study
from surveys.study.stimuli.load import ImportSummary, read_stimuli
from tests.factories.studies import draft_study, numbered_stimuli
from tests.surveys.study.stimuli.test_load import n_stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # answers of constraints

DESIGN = Study(slug="study", language="en", ratings_per_context=11)


def make(owner, data=None):
    design = Study(slug="draft", language="en", ratings_per_context=2)
    return draft_study(data or numbered_stimuli(3), design, owner)


def create(data: bytes, design: Study) -> ImportSummary:
    return create_study(read_stimuli(data, design))


def test_create_study_grants_the_owner_role(ana):
    study = make(ana)

    assert study.is_draft
    assert Membership.objects.values_list("user", "role").get() == (ana.pk, "owner")
    assert set(AuditEntry.objects.values_list("action", flat=True)) == {
        "study.drafted", "member.granted",
    }  # fmt: skip


def test_create_study_twice_creates_one(ana):
    assert make(ana) == make(ana)
    assert Study.objects.count() == 1


def test_create_study_refuses_a_taken_name(ana):
    make(ana)
    for maker, data in ((User.objects.create_user("eve"), None), (ana, numbered_stimuli(1))):
        with pytest.raises(StudyExists, match="another short name"):
            make(maker, data)
    assert Membership.objects.count() == 1


@pytest.mark.parametrize("data", [b"word1\tword2\n", b"PK\x03\x04", b"", b"\xff\xfe"])
def test_create_study_stores_nothing_of_a_faulty_file(ana, data):
    with pytest.raises(ImportRefused):
        draft_study(data, Study(slug="x", language="en", ratings_per_context=1), ana)
    assert not Study.objects.exists()


def test_preview_study_stores_nothing():
    summary = preview_study(read_stimuli(numbered_stimuli(21), DESIGN))

    assert (summary.n_pairs, summary.n_blocks, summary.n_assignments) == (21, 2, 44)
    assert n_stored() == (0, 0, 0, 0, 0, 0)


def test_create_study_twice_changes_nothing():
    create(numbered_stimuli(3), DESIGN)
    before = n_stored()

    summary = create(numbered_stimuli(3), DESIGN)

    assert not summary.is_new
    assert n_stored() == before


def test_create_study_refuses_other_stimuli_for_a_study():
    create(numbered_stimuli(3), DESIGN)
    before = n_stored()

    with pytest.raises(StudyExists, match="other stimuli"):
        create(numbered_stimuli(4), DESIGN)

    assert n_stored() == before


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ratings_per_context": 5}, "Ratings per context: 11, not 5"),
        ({"layout": "simlex"}, "Layout of published files: cosimlex, not simlex"),
    ],
)
def test_create_study_refuses_another_design_for_a_study(changed, said):
    create(numbered_stimuli(3), DESIGN)

    design = {"slug": "study", "language": "en", "ratings_per_context": 11, **changed}
    with pytest.raises(StudyExists, match=said):
        create(numbered_stimuli(3), Study(**design))


def test_create_study_after_a_simultaneous_one_changes_nothing(monkeypatch):
    stimuli = read_stimuli(numbered_stimuli(3), DESIGN)
    create_study(stimuli)
    before = n_stored()
    outdated = iter([stimuli.summarise(is_new=True)])
    monkeypatch.setattr(
        creation, "preview_study", lambda *given: next(outdated, None) or preview_study(*given)
    )

    assert not create_study(stimuli).is_new
    assert n_stored() == before


def test_create_study_with_a_role_returns_the_existing_study(ana):
    stimuli = read_stimuli(numbered_stimuli(3), DESIGN)

    assert [create_study(stimuli, ana).is_new for _ in range(2)] == [True, False]
    assert Membership.objects.count() == 1
