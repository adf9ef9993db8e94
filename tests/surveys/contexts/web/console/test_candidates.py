"""The expert's page of one pair: what is hidden, what is stored, and what comes next."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.contexts.choices import Chosen, configure_selection, record_choice
from surveys.contexts.models import CandidateSet, ContextChoice
from surveys.contexts.queue import order_candidates
from surveys.models import Role, Study
from tests.factories.clients import client_of

pytestmark = pytest.mark.django_db
HIDDEN = ("Distance", "e5", "Picked", "random", "example.org", "CC0")


def join(draft: Study, name: str) -> User:
    user = User.objects.create_user(name)
    grant_role(draft, user, Role.RESEARCHER)
    return user


def page(draft: Study, number: int, name: str = "candidates") -> str:
    return reverse(f"console:{name}", args=[draft.slug, number])


def main_of(answer) -> str:
    return answer.content.decode().split("<main", 1)[1]


def text_of(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main_of(answer))).split())


def list_revealed(shown: str) -> list[str]:
    """Return what a page says although it is to be hidden; values are tokens and numbers."""
    without_values = re.sub(r'value="[^"]*"', "", shown)
    return [word for word in HIDDEN if word in without_values]


def test_candidates_are_shown_blind_in_the_order_of_the_expert(as_ana, ana, draft, pair):
    shown = main_of(as_ana.get(page(draft, 1)))

    numbers = [str(one.candidate.number) for one in order_candidates(pair, ana)]
    assert re.findall(r"Story (\d) has an <strong>alpha1</strong>", shown) == numbers
    assert re.findall(r'name="first" value="(\d)"', shown) == numbers
    assert list_revealed(shown) == []


def test_scores_are_shown_before_the_choice_if_the_study_wants_it(as_ana, draft):
    CandidateSet.objects.update(shows_scores=True)

    assert "Distance 6 words e5 0.100 Picked random" in text_of(as_ana.get(page(draft, 1)))


def test_a_choice_opens_the_next_pair_and_shows_what_was_hidden(as_ana, draft, pair):
    answer = as_ana.post(page(draft, 1), {"first": "3", "second": "1"})

    assert answer["Location"] == page(draft, 2)
    (choice,) = ContextChoice.objects.all()
    assert (choice.candidate1.number, choice.candidate2.number) == (3, 1)
    shown = text_of(as_ana.get(page(draft, 2)))
    assert "Saved: alpha1 – beta1 Undo Z" in shown
    assert "Context 1 Distance 8 words e5 0.300 Picked random" in shown
    assert "Context 2 Distance 6 words e5 0.100 Picked random" in shown


def test_the_last_choice_leads_to_the_overview(as_ana, draft):
    as_ana.post(page(draft, 1), {"reason": "broken"})

    answer = as_ana.post(page(draft, 2), {"reason": "no_text"})

    assert answer["Location"] == reverse("console:contexts", args=[draft.slug])
    assert "Saved: alpha2 – beta2 , skipped" not in text_of(as_ana.get(page(draft, 2)))
    assert "Skipped: no good text" in text_of(as_ana.get(page(draft, 2)))


def test_an_edit_is_stored_with_the_choice_and_shown_beside_the_original(as_ana, draft):
    text = "Story 1 had an <strong>alpha1</strong> here. Then a <strong>beta1</strong> came."

    as_ana.post(page(draft, 1), {"first": "1", "second": "2", "text1": text, "text3": "ignored"})

    shown = text_of(as_ana.get(page(draft, 1)))
    assert "Context 1 edited Story 1 had an alpha1 here." in shown
    assert "Original Story 1 has an alpha1 here." in shown
    assert shown.count("edited") == 1


def test_only_the_address_of_a_page_becomes_a_link(as_ana, draft, pair):
    pair.candidates.filter(number=1).update(url="javascript:alert(1)")

    as_ana.post(page(draft, 1), {"first": "1", "second": "2"})

    shown = main_of(as_ana.get(page(draft, 1)))
    assert "javascript:" not in shown
    assert '<a href="https://example.org/2"' in shown


def test_a_faulty_edit_is_shown_again_with_what_was_chosen(as_ana, draft):
    answer = as_ana.post(page(draft, 1), {"first": "1", "second": "2", "text1": "No words."})

    assert answer.status_code == 422
    shown = main_of(answer)
    assert "Context 1: the words" in html.unescape(shown)
    assert ">\nNo words.</textarea>" in shown
    checked = re.findall(r'name="(\w+)" value="(\d)"\s+data-fleeting checked', shown)
    assert sorted(checked) == [("first", "1"), ("second", "2")]
    assert shown.count("<details open>") == 1
    assert not ContextChoice.objects.exists()


@pytest.mark.parametrize(
    "sent", [{}, {"first": "1"}, {"first": "2", "second": "2"}, {"first": "x", "second": "1"}]
)
def test_what_is_no_choice_is_refused(as_ana, draft, sent):
    answer = as_ana.post(page(draft, 1), sent)

    assert answer.status_code == 422
    assert 'role="alert"' in main_of(answer)
    assert not ContextChoice.objects.exists()


def test_a_stale_page_does_not_overwrite_the_choice_of_another_tab(as_ana, draft):
    as_ana.post(page(draft, 1), {"first": "1", "second": "2"})

    answer = as_ana.post(page(draft, 1), {"first": "3", "second": "2"})

    assert answer.status_code == 422
    assert "perhaps in another tab" in text_of(answer)
    assert ContextChoice.objects.get().candidate1.number == 1


def test_the_choice_of_another_expert_is_not_overwritten(draft, as_ana, ana):
    record_choice(draft.candidate_pairs.first(), join(draft, "bea"), Chosen(1, 2))

    answer = as_ana.post(page(draft, 1), {"first": "3", "second": "2"})

    assert answer.status_code == 422
    assert "bea chose for this pair in the meantime" in text_of(answer)


def test_undo_shows_the_candidates_again(as_ana, draft):
    as_ana.post(page(draft, 1), {"first": "1", "second": "2"})

    answer = as_ana.post(page(draft, 1, "undo_choice"))

    assert answer["Location"] == page(draft, 1)
    assert "3 candidates" in text_of(as_ana.get(page(draft, 1)))
    assert not ContextChoice.objects.standing().exists()


def test_two_experts_do_not_see_each_others_choice_until_the_pair_is_decided(as_ana, ana, draft):
    configure_selection(draft, is_double=True, shows_scores=False)
    bea = join(draft, "bea")
    record_choice(draft.candidate_pairs.first(), bea, Chosen(1, 2))

    before = main_of(as_ana.get(page(draft, 1)))
    assert "bea" not in before
    assert list_revealed(before) == []
    as_ana.post(page(draft, 1), {"reason": "name"})
    own = text_of(as_ana.get(page(draft, 1)))
    assert "This is your own choice" in own
    assert "bea" not in own

    record_choice(draft.candidate_pairs.first(), join(draft, "cid"), Chosen(2, 1))
    shown = text_of(as_ana.get(page(draft, 1)))
    assert "First choice: bea" in shown
    assert "Second choice: ana" in shown
    assert re.search(r"Deciding choice: cid, .* \(UTC\) used", shown)


def test_a_third_expert_is_told_that_their_choice_decides(draft, ana):
    configure_selection(draft, is_double=True, shows_scores=False)
    record_choice(draft.candidate_pairs.first(), ana, Chosen(1, 2))
    record_choice(draft.candidate_pairs.first(), join(draft, "bea"), Chosen(1, 3))

    shown = text_of(client_of(join(draft, "cid")).get(page(draft, 1)))

    assert "Two experts chose differently. Your choice decides." in shown
    assert "bea" not in shown


def test_an_open_study_shows_what_was_chosen_and_changes_nothing(as_ana, ana, draft):
    record_choice(draft.candidate_pairs.first(), ana, Chosen(1, 2))
    Study.objects.update(opened_at=draft.created_at)

    shown = text_of(as_ana.get(page(draft, 1)))
    assert "Context 1 Story 1 has an alpha1 here." in shown
    assert "Undo" not in shown
    assert as_ana.post(page(draft, 1, "undo_choice")).status_code == 409
    assert "No contexts were chosen" in text_of(as_ana.get(page(draft, 2)))
    refused = as_ana.post(page(draft, 2), {"first": "1", "second": "2"})
    assert refused.status_code == 422
    assert "The study is open" in text_of(refused)
    assert ContextChoice.objects.standing().count() == 1


def test_an_unknown_pair_is_not_found(as_ana, draft):
    assert as_ana.get(page(draft, 3)).status_code == 404
