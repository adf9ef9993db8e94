"""Stimuli of the contexts that were chosen."""

import pytest

from surveys.contexts.candidates import check_candidates, import_candidates
from surveys.contexts.choices import Chosen, record_choice, undo_choice
from surveys.contexts.stimuli import preview_stimuli, use_as_stimuli
from surveys.errors import ImportRefused, StudyOpen
from surveys.models import AuditEntry, Block, Pair, StimuliOrigin, Study
from surveys.study.stimuli.load import read_stored_stimuli
from surveys.study.stimuli.sources import list_doubtful, read_sources
from tests.factories.candidates import candidates_file
from tests.factories.selections import make_draft
from tests.factories.studies import open_draft

pytestmark = pytest.mark.every_database


def choose(draft, expert, number, *chosen, **more):
    pair = draft.candidate_pairs.get(number=number)
    return record_choice(pair, expert, Chosen(*chosen, **more))


def sources_of(draft) -> list[tuple[int, int, str]]:
    return [source[:3] for source in read_sources(draft)]


def test_chosen_contexts_become_the_stimuli_with_their_sources(draft, ana):
    edited = "Story 3 had an <strong>alpha2</strong> here. Then a <strong>beta2</strong> came."
    choose(draft, ana, 2, 3, 1, texts={3: edited})
    choose(draft, ana, 1, 2, 3)

    study = use_as_stimuli(draft)

    (first, second) = read_stored_stimuli(study).pairs
    assert (first.word1, second.word1) == ("alpha1", "alpha2")
    assert second.context1.marked() == edited
    assert second.context2.text.startswith("Story 1 has")
    assert sources_of(study) == [
        (1, 1, "w1-2"), (1, 2, "w1-3"), (2, 1, "w2-3"), (2, 2, "w2-1")
    ]  # fmt: skip
    assert Block.objects.filter(study=study).count() == 1


def test_using_them_twice_writes_nothing(draft, ana):
    choose(draft, ana, 1, 1, 2)
    use_as_stimuli(draft)
    before = StimuliOrigin.objects.values().get()
    n_entries = AuditEntry.objects.count()

    use_as_stimuli(draft)

    assert StimuliOrigin.objects.values().get() == before
    assert AuditEntry.objects.count() == n_entries


def test_later_choices_replace_the_stimuli(draft, ana):
    choose(draft, ana, 1, 1, 2)
    use_as_stimuli(draft)
    undo_choice(draft.candidate_pairs.first(), ana)
    choose(draft, ana, 1, 2, 1)
    choose(draft, ana, 2, reason="name")

    assert preview_stimuli(draft) == (1, 1, 0, 1, ())
    use_as_stimuli(draft)

    assert sources_of(draft) == [(1, 1, "w1-2"), (1, 2, "w1-1")]
    assert Pair.objects.stimuli(draft).count() == 1


def test_contexts_with_a_sentence_in_common_are_named(draft, ana):
    choose(draft, ana, 1, 1, 3)
    choose(draft, ana, 2, 3, 1)
    assert preview_stimuli(draft).overlapping == ()

    same = draft.candidate_pairs.get(number=2).candidates
    same.update(document="story", first_sentence=1, last_sentence=3)
    same.filter(number=3).update(first_sentence=3, last_sentence=5)

    assert preview_stimuli(draft).overlapping == ("alpha2 – beta2",)


def test_the_same_contexts_chosen_again_are_linked_with_the_new_choice(draft, ana):
    choose(draft, ana, 1, 1, 2)
    use_as_stimuli(draft)
    undo_choice(draft.candidate_pairs.first(), ana)
    again = choose(draft, ana, 1, 1, 2)

    use_as_stimuli(draft)

    sources = StimuliOrigin.objects.get().sources.values()
    assert {source["choice"] for source in sources} == {again.pk}


def test_nothing_chosen_makes_no_stimuli(draft, ana):
    choose(draft, ana, 1, reason="name")

    with pytest.raises(ImportRefused, match="No contexts are chosen yet"):
        use_as_stimuli(draft)


def test_an_open_study_keeps_its_stimuli(draft, ana):
    choose(draft, ana, 1, 1, 2)
    open_draft(use_as_stimuli(draft))

    with pytest.raises(StudyOpen):
        use_as_stimuli(draft)
    assert Study.objects.get().opened_at


def test_discarded_choices_leave_the_stimuli_without_sources(draft, ana):
    choose(draft, ana, 1, 1, 2)
    use_as_stimuli(draft)

    import_candidates(draft, check_candidates(candidates_file(1, 2)), discards_choices=True)

    assert Pair.objects.stimuli(draft).count() == 1
    assert not StimuliOrigin.objects.exists()


def test_licences_that_do_not_clearly_allow_publishing_are_counted(ana):
    draft = make_draft(ana, 1, 3, licence="CC BY-ND 4.0")
    draft.candidate_pairs.get().candidates.filter(number=1).update(licence="CC0-1.0")
    choose(draft, ana, 1, 1, 2)
    assert list_doubtful(draft) == []

    use_as_stimuli(draft)

    assert list_doubtful(draft) == [("CC BY-ND 4.0", 1, "forbidden")]
