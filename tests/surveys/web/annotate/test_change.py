"""The page that changes the last rating."""

import pytest

from surveys.participation.answers import record_engagement
from tests.factories.arrivals import page, squeeze
from tests.factories.studies import progress_of, start, stored

pytestmark = pytest.mark.django_db


def read(assignment):
    return stored(assignment.responses.get(position=1), "rating", "first_rating")


@pytest.mark.usefixtures("kept_contexts")
def test_the_next_text_leads_back_to_the_rating_without_naming_it(client, rated_one):
    words = squeeze(client.get(page("engage", rated_one, 2)))
    change = client.get(page("change", rated_one, 1))

    header = words.partition("<header")[2].partition("</header>")[0]
    assert '<a href="../../1/change/">Change the last answer</a>' in header
    assert ("You chose" in words, b"/change/" in change.content) == (False, False)
    assert change.context["form"]["rating"].value() == "2"
    assert change.content.count(b"checked") == 1
    assert b"<strong>" in change.content
    assert b"Keep 2" in change.content


def test_no_rating_can_be_changed_on_other_pages(client, rated_one):
    record_engagement(progress_of(rated_one), "sea", "salt")
    second = client.get(page("rate", rated_one, 2)).content
    first = client.get(page("engage", start(rated_one.study), 1)).content

    assert b"/change/" not in first + second


def test_a_new_rating_is_stored_and_chosen_on_the_page_of_changes(client, rated_one):
    answer = client.post(page("change", rated_one, 1), {"rating": "5"})

    assert answer.url == page("engage", rated_one, 2)
    assert read(rated_one) == (5, 2)
    assert b"Keep 5" in client.get(page("change", rated_one, 1)).content


def test_what_could_not_be_judged_can_be_changed(client, rated_one):
    client.post(page("change", rated_one, 1), {"rating": "cannot", "comment": "cut"})

    change = squeeze(client.get(page("change", rated_one, 1)))
    assert "Leave it" in change
    assert 'value="cannot" checked' in change


@pytest.mark.parametrize("rating", ["", "7", "three"])
def test_an_invalid_change_is_refused(client, rated_one, rating):
    answer = client.post(page("change", rated_one, 1), {"rating": rating})

    assert (answer.status_code, read(rated_one)) == (422, (2, None))
    assert b'role="alert"' in answer.content


def test_the_page_leads_to_the_due_one_when_nothing_can_be_changed(client, rated_one):
    due = page("engage", rated_one, 2)
    assert [client.get(page("change", rated_one, n)).url for n in (0, 2, 3)] == [due] * 3
    client.post(due, {"inspired_word1": "sea", "inspired_word2": "salt"})

    looked = client.get(page("change", rated_one, 1))
    posted = client.post(page("change", rated_one, 1), {"rating": "5"})

    assert looked.url == page("rate", rated_one, 2)
    assert posted.status_code == 409
    assert "can no longer be changed: \u20682\u2069" in posted.content.decode()
    assert read(rated_one) == (2, None)
    same = client.post(page("change", rated_one, 1), {"rating": "2"})
    assert same.url == page("rate", rated_one, 2)
