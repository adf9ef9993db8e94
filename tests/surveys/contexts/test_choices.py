"""Choices of experts: what is stored, when a pair is decided, and what is refused."""

import pytest
from django.contrib.auth.models import User

from surveys.contexts.choices import (
    ChoiceRefused,
    Chosen,
    configure_selection,
    record_choice,
    undo_choice,
)
from surveys.contexts.models import ContextChoice, ContextClaim
from surveys.models import AuditEntry, Study
from tests.factories.studies import stored

pytestmark = pytest.mark.every_database


@pytest.fixture
def cid(db) -> User:
    return User.objects.create_user("cid")


def marked(number: int, **changed: str) -> str:
    words = {"one": "<strong>alpha1</strong>", "two": "<strong>beta1</strong>", **changed}
    return f"Story {number} has an {words['one']} here. It rains. Then a {words['two']} comes."


def state_of(pair) -> str:
    (state,) = stored(pair, "state")
    return state


def test_record_choice_stores_both_candidates_in_order(pair, ana):
    choice = record_choice(pair, ana, Chosen(3, 1))

    assert (choice.candidate1.number, choice.candidate2.number) == (3, 1)
    assert (choice.opinion, choice.is_decisive, choice.reason) == (1, True, "")
    assert state_of(pair) == "chosen"
    entry = AuditEntry.objects.get(action="contexts.chosen")
    assert (entry.subject, entry.details) == (
        "alpha1 – beta1", {"opinion": 1, "window 1": "w1-3", "window 2": "w1-1"}
    )  # fmt: skip


def test_a_choice_sent_twice_is_stored_once(pair, ana):
    texts = {1: marked(1).replace("rains", "snows")}
    assert record_choice(pair, ana, Chosen(1, 2, texts=texts)) == record_choice(
        pair, ana, Chosen(1, 2, texts=texts)
    )
    assert ContextChoice.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [Chosen(1, 3), Chosen(2, 1), Chosen(reason="name"), Chosen(1, 2, texts={1: marked(9)})],
)
def test_a_choice_from_another_tab_does_not_replace_the_first(pair, ana, other):
    first = record_choice(pair, ana, Chosen(1, 2))

    with pytest.raises(ChoiceRefused, match="perhaps in another tab"):
        record_choice(pair, ana, other)

    assert list(ContextChoice.objects.all()) == [first]
    assert not first.edits.exists()


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        (Chosen(), "Choose two texts"),
        (Chosen(1), "Choose two texts"),
        (Chosen(2, 2), "two different texts"),
        (Chosen(1, 9), "have changed since you opened the pair"),
    ],
)
def test_record_choice_refuses_what_is_no_choice(pair, ana, chosen, reason):
    with pytest.raises(ChoiceRefused, match=reason):
        record_choice(pair, ana, chosen)

    assert not ContextChoice.objects.exists()


def test_skipping_a_pair_needs_a_reason_alone(pair, ana):
    choice = record_choice(pair, ana, Chosen(reason="sense"))

    assert (choice.candidate1, choice.reason) == (None, "sense")
    assert state_of(pair) == "skipped"
    assert AuditEntry.objects.get(action="contexts.skipped").details["reason"] == "wrong sense"


def test_an_edited_text_is_stored_beside_its_original(pair, ana):
    text = marked(1, two="<strong>betas</strong>").replace("rains", "snows  \r\n again")

    choice = record_choice(pair, ana, Chosen(1, 2, texts={1: text, 2: marked(2), 3: "ignored"}))

    (edit,) = choice.edits.all()
    assert edit.number == 1
    assert edit.marked.marked() == marked(1, two="<strong>betas</strong>").replace(
        "rains", "snows again"
    )
    assert (edit.form1, edit.form2) == ("alpha1", "betas")
    assert choice.candidate1.marked.marked() == marked(1)
    details = AuditEntry.objects.get(action="contexts.chosen").details
    assert details["text 1 before"] == marked(1)
    assert details["text 1 after"] == edit.marked.marked()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Alpha1 and <strong>beta1</strong>.", "Context 1: the word.*is not marked"),
        (marked(1) + " Again beta1.", "Context 1: the word.*occurs twice"),
        (marked(1) + " <strong>gamma</strong>", "Context 1: more marks than two"),
        (marked(2), "Context 2: the two contexts are equal"),
    ],
)
def test_an_edited_text_that_cannot_be_a_context_is_refused(pair, ana, text, reason):
    with pytest.raises(ChoiceRefused, match=reason):
        record_choice(pair, ana, Chosen(1, 2, texts={1: text}))

    assert not ContextChoice.objects.exists()


def test_one_expert_decides_alone(pair, ana, bea):
    record_choice(pair, ana, Chosen(1, 2))

    with pytest.raises(ChoiceRefused, match="ana chose for this pair in the meantime"):
        record_choice(pair, bea, Chosen(1, 3))


def test_two_experts_agree_on_two_texts_in_any_order(draft, pair, ana, bea):
    configure_selection(draft, is_double=True, shows_scores=False)
    first = record_choice(pair, ana, Chosen(1, 2))
    assert state_of(pair) == "open"

    record_choice(pair, bea, Chosen(2, 1))

    assert state_of(pair) == "chosen"
    assert ContextChoice.objects.get(is_decisive=True) == first


def test_a_third_expert_decides_where_two_differ(draft, pair, ana, bea, cid):
    configure_selection(draft, is_double=True, shows_scores=False)
    record_choice(pair, ana, Chosen(1, 2))
    record_choice(pair, bea, Chosen(reason="broken"))
    assert state_of(pair) == "disputed"
    assert not ContextChoice.objects.filter(is_decisive=True).exists()

    third = record_choice(pair, cid, Chosen(2, 3))

    assert (third.opinion, state_of(pair)) == (3, "chosen")
    assert ContextChoice.objects.get(is_decisive=True) == third
    with pytest.raises(ChoiceRefused):
        record_choice(pair, User.objects.create_user("dan"), Chosen(1, 3))


def test_undo_opens_the_pair_again_and_keeps_the_choice(pair, ana):
    choice = record_choice(pair, ana, Chosen(1, 2))

    undo_choice(pair, ana)
    undo_choice(pair, ana)

    assert state_of(pair) == "open"
    undone_at, is_decisive = stored(choice, "undone_at", "is_decisive")
    assert (undone_at is not None, is_decisive) == (True, False)
    assert AuditEntry.objects.filter(action="contexts.undone").count() == 1
    assert record_choice(pair, ana, Chosen(3, 2)).opinion == 1


def test_undoing_one_of_two_opinions_leaves_the_other(draft, pair, ana, bea, cid):
    configure_selection(draft, is_double=True, shows_scores=False)
    record_choice(pair, ana, Chosen(1, 2))
    record_choice(pair, bea, Chosen(1, 2))

    undo_choice(pair, ana)

    assert state_of(pair) == "open"
    assert record_choice(pair, cid, Chosen(1, 2)).opinion == 1
    assert state_of(pair) == "chosen"


def test_undo_of_another_expert_changes_nothing(pair, ana, bea):
    record_choice(pair, ana, Chosen(1, 2))

    undo_choice(pair, bea)

    assert state_of(pair) == "chosen"


def test_choices_of_an_open_study_stay(draft, pair, ana):
    record_choice(pair, ana, Chosen(1, 2))
    Study.objects.filter(pk=draft.pk).update(opened_at=draft.created_at)

    with pytest.raises(ChoiceRefused, match="The study is open"):
        undo_choice(pair, ana)
    with pytest.raises(ChoiceRefused, match="The study is open"):
        record_choice(draft.candidate_pairs.last(), ana, Chosen(1, 2))
    assert state_of(pair) == "chosen"
    assert not ContextClaim.objects.exists()
