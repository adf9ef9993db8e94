import pytest
from django.contrib.auth.models import User

from surveys.access.roles import grant_role
from surveys.models import Context, Invitation, Response, Role
from surveys.privacy.erasure import withdraw_annotator
from tests.factories.answers import answer
from tests.factories.pages import page, read
from tests.factories.studies import make_study, start


@pytest.mark.every_database
def test_annotators_are_listed_by_state_and_code(study, reviewer):
    done, live = answer(start(study)), start(study)

    assert done.annotator.code in read(reviewer, "annotators", study)
    found = reviewer.get(page("annotators", study), {"state": "started"}).content.decode()
    assert live.annotator.code in found
    assert done.annotator.code not in found
    code = done.annotator.code
    found = reviewer.get(page("annotators", study), {"code": code[:8]}).content.decode()
    assert code in found
    assert live.annotator.code not in found


def test_annotators_are_sorted_and_filtered_with_agreement(db, reviewer):
    study = make_study(6, slug="longer", ratings_per_context=4)
    grant_role(study, User.objects.get(), Role.REVIEWER)
    constant = answer(start(study), [3] * 6)
    others = [answer(start(study)) for _ in range(3)]
    Invitation.objects.filter(annotator=others[0].annotator).update(is_rehearsal=True)
    query = {"look": "grave", "order": "-agreement"}
    before = read(reviewer, "annotators", study)

    done = reviewer.post(f"{page('gauge_annotators', study)}?look=grave&order=-agreement")

    assert "warnings of 1 block lack the latest answers" in before
    assert done.url == f"{page('annotators', study)}?look=grave&order=-agreement"
    found = reviewer.get(page("annotators", study), query).content.decode()
    assert constant.annotator.code in found
    assert others[0].annotator.code not in found
    assert '<strong class="warning">Constant ratings</strong>' in found
    assert 'aria-sort="descending"' in found
    assert "?look=grave&amp;order=agreement" in found
    text = read(reviewer, "annotators", study)
    assert text.count('<span class="mark">scripted</span>') == 1
    assert "lack the latest answers" not in text
    assert "Very fast" in text
    assert '<strong class="warning">Very fast' not in text
    block = reviewer.get(page("block", study, 1), query).content.decode()
    assert constant.annotator.code in block
    assert others[0].annotator.code not in block


def test_an_annotator_is_shown_with_flags_and_answers(db, reviewer, study):
    study = make_study(6, slug="longer")
    grant_role(study, User.objects.get(), Role.REVIEWER)
    assignment = answer(start(study), [3, 3, 3, 3])

    text = read(reviewer, "annotator", study, assignment.annotator.code)

    assert "Constant ratings: all 4 are the same." in text
    assert "sea0, salt" in text
    assert "Undefined so far" in text


def test_an_annotator_is_shown_with_agreement(study, reviewer):
    study = make_study(6, slug="longer", ratings_per_context=4)
    grant_role(study, User.objects.get(), Role.REVIEWER)
    assignments = [answer(start(study)) for _ in range(4)]

    text = read(reviewer, "annotator", study, assignments[0].annotator.code)

    assert 'aria-label="Agreement 1.00, from 1.00 to 1.00"' in text


def test_agreement_without_an_interval_says_why(db, reviewer):
    study = make_study(3, slug="short", ratings_per_context=4)
    grant_role(study, User.objects.get(), Role.REVIEWER)
    assignments = [answer(start(study), ratings) for ratings in [[1, 2, 6], [2, 1, 6]] * 2]
    reviewer.post(page("gauge", study))
    reason = "(no interval: too few items with different ratings)"

    assert reason in read(reviewer, "annotator", study, assignments[0].annotator.code)
    assert reason in read(reviewer, "annotators", study)
    assert reason in read(reviewer, "collection", study)
    assert reason in read(reviewer, "block", study, 1)


def test_an_annotator_who_withdrew_is_marked(study, reviewer):
    assignment = answer(start(study))
    withdraw_annotator(assignment.annotator)

    assert "Withdrew on" in read(reviewer, "annotator", study, assignment.annotator.code)


@pytest.mark.parametrize("code", ["a%00b", "a-b", "x" * 17, "%C5%BE", "a%0A", "%D9%A3"])
def test_an_impossible_code_is_not_found_without_a_query(
    code, study, reviewer, django_assert_num_queries
):
    known = page("annotator", study, "c0de")

    with django_assert_num_queries(0):
        for under in ("", "person/", "person/data/", "person/paid/", "person/erase/"):
            address = known.replace("c0de", code) + under
            assert reviewer.get(address).status_code == 404
            assert reviewer.post(address).status_code == 404


@pytest.mark.parametrize("asked", ["0", "x", "9" * 40])
def test_an_assignment_of_another_annotator_is_not_found(asked, study, reviewer):
    assignment = start(study)
    address = page("annotator", study, assignment.annotator.code)

    assert reviewer.get(address, {"assignment": assignment.pk}).status_code == 200
    assert reviewer.get(address, {"assignment": asked}).status_code == 404


@pytest.mark.every_database
def test_a_context_is_shown_with_ratings_and_words(study, reviewer):
    for _ in range(4):
        answer(start(study))
    context = Context.objects.get(pair__position=1, number=1)
    Response.objects.filter(context=context).update(written1="<i>Sea</i>", rating=6)

    text = read(reviewer, "context", study, 1, 1)

    assert "&lt;i&gt;sea&lt;/i&gt;" in text
    assert "<dt>Mean</dt><dd>6.00</dd>" in text


@pytest.mark.parametrize("address", [(3, 1), (1, 3), (10**30, 1)])
def test_an_unknown_context_is_not_found(address, study, reviewer):
    assert reviewer.get(page("context", study, *address)).status_code == 404
