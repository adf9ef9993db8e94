"""Candidates of a draft: what is stored, and what the database refuses."""

import pytest
from django.db import IntegrityError, transaction

from surveys.access.roles import role_in
from surveys.contexts.candidates import (
    KEYS,
    LARGEST_FILE,
    CandidatesKept,
    CheckedCandidates,
    add_candidates,
    begin_study,
    check_candidates,
    import_candidates,
)
from surveys.contexts.models import (
    Candidate,
    CandidatePair,
    CandidateSet,
    ContextChoice,
    ContextEdit,
)
from surveys.errors import ImportRefused, StudyExists, StudyOpen
from surveys.models import AuditEntry, Role, Study
from tests.factories.candidates import candidate_rows, candidates_file, write_parquet
from tests.factories.selections import make_draft
from tests.factories.studies import make_study, numbered_stimuli

pytestmark = pytest.mark.every_database


def choose(draft: Study, expert, **changed) -> ContextChoice:
    pair = draft.candidate_pairs.first()
    first, second, *_ = pair.candidates.all()
    fields = {"candidate1": first, "candidate2": second, "opinion": 1, **changed}
    return ContextChoice.objects.create(pair=pair, expert=expert, **fields)


def test_begin_study_stores_a_draft_with_its_candidates(draft, ana):
    assert draft.is_draft
    assert role_in(draft, ana) == Role.OWNER
    assert not draft.pairs.exists()
    stored = draft.candidate_set
    assert (stored.file_name, stored.model_names, stored.n_wanted, stored.is_double) == (
        "candidates.parquet", ["e5"], 3, False
    )  # fmt: skip
    pairs = list(CandidatePair.objects.filter(study=draft))
    assert [(pair.number, str(pair), pair.n_candidates, pair.state) for pair in pairs] == [
        (1, "alpha1 – beta1", 3, "open"), (2, "alpha2 – beta2", 3, "open")
    ]  # fmt: skip
    candidate = pairs[1].candidates.get(number=2)
    assert candidate.marked.marked() == (
        "Story 2 has an <strong>alpha2</strong> here. It rains. Then a <strong>beta2</strong> "
        "comes."
    )
    assert (candidate.window, candidate.distance, candidate.scores, candidate.licence) == (
        "w2-2", 7, {"e5": 0.2}, "CC0-1.0"
    )  # fmt: skip
    entries = AuditEntry.objects.filter(study=draft).values_list("action", "details__n_candidates")
    assert ("candidates.imported", 6) in entries


def test_begin_study_refuses_a_name_that_is_taken_and_stores_nothing(draft, ana):
    with pytest.raises(StudyExists, match="another short name"):
        make_draft(ana)

    assert Study.objects.count() == 1


def test_begin_study_refuses_a_wrong_design(ana):
    design = Study(slug="no spaces", language="en", ratings_per_context=2)

    with pytest.raises(ImportRefused, match="letters, digits"):
        begin_study(check_candidates(candidates_file()), design, ana)

    assert not Study.objects.exists()


def test_errors_of_a_file_are_reported_by_row(draft):
    rows = candidate_rows(1, 2)
    rows[1]["text"] = ""

    with pytest.raises(ImportRefused) as raised:
        import_candidates(draft, check_candidates(write_parquet(rows)))

    assert raised.value.problems == [('"" is empty or not a text; fill it in', 2, "text")]
    assert Candidate.objects.count() == 6


def test_more_candidates_than_keys_are_refused():
    (error,) = check_candidates(candidates_file(1, len(KEYS) + 1)).errors

    assert error.what == f"alpha1 – beta1 has {len(KEYS) + 1} candidates, more than {len(KEYS)}"
    assert not check_candidates(candidates_file(1, len(KEYS))).errors


def test_a_file_that_is_too_large_is_not_read():
    (error,) = check_candidates(bytes(LARGEST_FILE + 1)).errors

    assert error.what.startswith("the file has 20,000,001 bytes")


def test_the_same_file_changes_nothing(draft):
    before = draft.candidate_set

    assert import_candidates(draft, check_candidates(candidates_file(2, 3))) == before
    assert AuditEntry.objects.filter(action="candidates.imported").count() == 1


def test_another_file_replaces_the_candidates_and_keeps_the_settings(draft):
    CandidateSet.objects.update(is_double=True)

    import_candidates(draft, check_candidates(candidates_file(4, 2)))

    assert (draft.candidate_pairs.count(), Candidate.objects.count()) == (4, 8)
    assert CandidateSet.objects.get(study=draft).is_double


def test_choices_are_discarded_only_on_request(draft, ana):
    choose(draft, ana)
    other = check_candidates(candidates_file(1, 2))

    with pytest.raises(CandidatesKept, match="1 choice was made"):
        import_candidates(draft, other)
    assert Candidate.objects.count() == 6

    import_candidates(draft, other, discards_choices=True)
    assert (Candidate.objects.count(), ContextChoice.objects.count()) == (2, 0)
    assert AuditEntry.objects.filter(details__n_discarded=1).exists()


def test_candidates_of_an_open_study_stay(ana):
    study = make_study(stimuli=numbered_stimuli(2))

    with pytest.raises(StudyOpen):
        import_candidates(study, check_candidates(candidates_file()))


def refused(make) -> bool:
    try:
        with transaction.atomic():
            make()
    except IntegrityError:
        return True
    return False


def test_the_database_refuses_choices_that_say_nothing_or_too_much(draft, ana, django_user_model):
    first = draft.candidate_pairs.first().candidates.first()
    bea = django_user_model.objects.create_user("bea")

    assert refused(lambda: choose(draft, ana, candidate2=None))
    assert refused(lambda: choose(draft, ana, candidate1=None, candidate2=None))
    assert refused(lambda: choose(draft, ana, reason="name"))
    assert refused(lambda: choose(draft, ana, candidate2=first))
    choose(draft, ana, is_decisive=True)
    assert refused(lambda: choose(draft, bea))
    assert refused(lambda: choose(draft, ana, opinion=2))
    assert refused(lambda: choose(draft, bea, opinion=2, is_decisive=True))
    assert not refused(lambda: choose(draft, bea, opinion=2))


def test_the_database_refuses_two_edits_of_a_context(draft, ana):
    choice = choose(draft, ana)
    edit = {"choice": choice, "number": 1, "text": "a b", "word1_start": 0, "word1_end": 1,
            "word2_start": 2, "word2_end": 3}  # fmt: skip
    ContextEdit.objects.create(**edit)

    assert refused(lambda: ContextEdit.objects.create(**edit))
    assert refused(lambda: ContextEdit.objects.create(**{**edit, "number": 3}))


# Further candidates of a pair


def more(n: int, **changed) -> CheckedCandidates:
    rows = candidate_rows(1, n, **changed)
    return check_candidates(write_parquet(rows))


def test_added_candidates_come_after_the_others_and_are_logged(draft):
    pair = draft.candidate_pairs.first()

    assert add_candidates(pair, more(5)._replace(origin={"seed": 7})) == 2

    assert list(pair.candidates.values_list("number", "window")) == [
        (1, "w1-1"), (2, "w1-2"), (3, "w1-3"), (4, "w1-4"), (5, "w1-5")
    ]  # fmt: skip
    assert CandidatePair.objects.get(pk=pair.pk).n_candidates == 5
    assert CandidateSet.objects.get().origin == {"more": [{"pair": ["alpha1", "beta1"], "seed": 7}]}
    entry = AuditEntry.objects.get(action="candidates.added")
    assert (entry.subject, entry.details["n_candidates"]) == ("alpha1 – beta1", 2)


def test_adding_the_same_again_changes_nothing(draft):
    pair = draft.candidate_pairs.first()

    assert add_candidates(pair, more(3)) == 0

    assert pair.candidates.count() == 3
    assert not AuditEntry.objects.filter(action="candidates.added").exists()


def test_adding_more_than_there_are_keys_is_refused(draft):
    pair = draft.candidate_pairs.first()

    with pytest.raises(ImportRefused, match=f"more than {len(KEYS)} candidates"):
        add_candidates(pair, more(len(KEYS) + 1))

    assert pair.candidates.count() == 3


def test_nothing_is_added_to_an_open_study(draft):
    pair = draft.candidate_pairs.first()
    Study.objects.update(opened_at="2026-01-01T00:00:00Z")

    with pytest.raises(StudyOpen):
        add_candidates(pair, more(5))
