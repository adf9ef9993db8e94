from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from surveys.access.audit_log import acting
from surveys.errors import SettingRefused, VerdictRefused
from surveys.models import AuditEntry, Review, ReviewState, Verdict, VerdictKind
from surveys.privacy.erasure import withdraw_annotator
from surveys.results.ratings_table import list_shortfalls, table_answers
from surveys.review import verdicts
from surveys.review.queue import file_answers
from surveys.review.verdicts import (
    claim_answers,
    configure_review,
    give_verdict,
    settle_dispute,
    undo_verdict,
)
from tests.factories.reviews import answers, reviewed_study, reviewer, submit, whole
from tests.factories.studies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and constraints
GOOD, UNUSED, REJECTED = VerdictKind
MARKS = [(GOOD, ""), (UNUSED, "rejected"), (REJECTED, "rejected")]


def state_of(review):
    return stored(review, "state", "outcome")


def double_study(**design):
    study = reviewed_study(**design)
    configure_review(study, sample_percent=100, double_percent=100)
    return study


def marks(study):
    return table_answers(study).ratings["mark"].tolist()


def test_give_verdict_decides():
    study = reviewed_study()
    rea = reviewer(study)
    with acting(rea):
        give_verdict(answers(study)[0], rea, GOOD)

    assert state_of(answers(study)[0]) == ("decided", "good")
    entry = AuditEntry.objects.get(action="verdict.given")
    assert (entry.user, entry.details) == (rea, {"kind": "good"})
    assert entry.subject.startswith("answer ")
    assert "sea" not in entry.subject


def test_give_verdict_twice_counts_once():
    study = reviewed_study()
    rea = reviewer(study)
    first = give_verdict(answers(study)[0], rea, UNUSED)

    assert give_verdict(answers(study)[0], rea, UNUSED) == first
    assert Verdict.objects.count() == AuditEntry.objects.filter(action="verdict.given").count() == 1


def test_give_verdict_replaces_the_reviewers_own():
    study = reviewed_study()
    rea = reviewer(study)
    first = give_verdict(answers(study)[0], rea, UNUSED)
    give_verdict(answers(study)[0], rea, GOOD)

    assert state_of(answers(study)[0]) == ("decided", "good")
    assert stored(first, "undone_at")[0] is not None
    assert Verdict.objects.standing().count() == 1


def test_give_verdict_refuses_a_rejection_without_a_reason():
    study = reviewed_study()
    rea = reviewer(study)

    with pytest.raises(VerdictRefused, match="Give a reason"):
        give_verdict(answers(study)[0], rea, REJECTED, "  ")
    assert not Verdict.objects.exists()

    give_verdict(answers(study)[0], rea, REJECTED, "gibberish")
    assert state_of(answers(study)[0]) == ("decided", "rejected")


def test_give_verdict_refuses_a_second_verdict_if_one_is_wanted():
    study = reviewed_study()
    review = answers(study)[0]
    give_verdict(review, reviewer(study), GOOD)

    with pytest.raises(VerdictRefused, match="judged this meanwhile"):
        give_verdict(review, reviewer(study, "leo"), UNUSED)
    assert Verdict.objects.count() == 1


def test_the_database_refuses_a_duplicate_opinion():
    study = reviewed_study()
    rea, leo = reviewer(study), reviewer(study, "leo")
    review = answers(study)[0]
    give_verdict(review, rea, GOOD)

    for user, opinion in ((leo, 1), (rea, 2)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Verdict.objects.create(review=review, reviewer=user, opinion=opinion, kind=GOOD)


def test_undo_verdict_marks_the_verdict_and_keeps_it():
    study = reviewed_study()
    rea = reviewer(study)
    review = answers(study)[0]
    give_verdict(review, rea, GOOD)

    undo_verdict(review, rea)
    undo_verdict(review, rea)

    assert state_of(review) == ("open", "")
    assert Verdict.objects.get().undone_at
    assert AuditEntry.objects.filter(action="verdict.undone").count() == 1


def test_undo_verdict_keeps_those_of_others():
    study = reviewed_study()
    review = answers(study)[0]
    give_verdict(review, reviewer(study), GOOD)

    undo_verdict(review, reviewer(study, "leo"))

    assert state_of(review) == ("decided", "good")


@pytest.mark.parametrize(
    ("kind", "mark"), [(GOOD, ""), (UNUSED, "rejected"), (REJECTED, "rejected")]
)
def test_verdicts_on_answers_mark_their_ratings(kind, mark):
    study = reviewed_study()
    rea = reviewer(study)
    review = answers(study)[0]
    give_verdict(review, rea, kind, "because")

    assert sorted(marks(study)) == sorted(["", mark])
    shortfall = "ratings marked in review, left out unless the recipe says otherwise: 1"
    assert (shortfall in list_shortfalls(study)) == bool(mark)

    undo_verdict(review, rea)
    assert marks(study) == ["", ""]


@pytest.mark.parametrize(
    ("kind", "mark"), [(GOOD, ""), (UNUSED, "rejected"), (REJECTED, "rejected")]
)
def test_verdicts_on_assignments_mark_all_their_ratings(kind, mark):
    study = reviewed_study()
    rea = reviewer(study)
    give_verdict(whole(study), rea, kind, "because")

    assert marks(study) == [mark, mark]
    assert {r.state for r in answers(study)} == {ReviewState.COVERED}

    undo_verdict(whole(study), rea)
    assert marks(study) == ["", ""]
    assert {r.state for r in answers(study)} == {ReviewState.OPEN}


def test_an_answer_of_a_good_assignment_can_be_excluded():
    study = reviewed_study()
    rea = reviewer(study)
    give_verdict(whole(study), rea, GOOD)
    give_verdict(answers(study)[0], rea, UNUSED)

    assert sorted(marks(study)) == ["", "rejected"]

    undo_verdict(answers(study)[0], rea)
    assert {r.state for r in answers(study)} == {ReviewState.COVERED}


def test_an_answer_judged_before_its_assignment_keeps_its_verdict():
    study = reviewed_study()
    rea = reviewer(study)
    review = answers(study)[0]
    give_verdict(review, rea, GOOD)
    give_verdict(whole(study), rea, UNUSED)
    assert marks(study) == ["rejected", "rejected"]

    undo_verdict(whole(study), rea)

    assert state_of(review) == ("decided", "good")


def test_two_blind_reviewers_who_agree_decide():
    study = double_study()
    rea, leo = reviewer(study), reviewer(study, "leo")
    review = answers(study)[0]

    give_verdict(review, rea, UNUSED)
    assert state_of(review) == ("open", "")
    give_verdict(review, leo, UNUSED)

    assert state_of(review) == ("decided", "unused")


def test_a_third_reviewer_settles_a_dispute():
    study = double_study()
    rea, leo, mia = (reviewer(study, name) for name in ("rea", "leo", "mia"))
    review = answers(study)[0]
    give_verdict(review, rea, UNUSED)
    give_verdict(review, leo, GOOD)
    assert state_of(review) == ("disputed", "")
    assert marks(study) == ["", ""]

    with pytest.raises(VerdictRefused, match="one of the two"):
        settle_dispute(review, rea, UNUSED)
    with pytest.raises(VerdictRefused, match="Give a reason"):
        settle_dispute(review, mia, REJECTED)
    settled = settle_dispute(review, mia, UNUSED)
    assert settle_dispute(review, mia, UNUSED) == settled

    assert state_of(review) == ("decided", "unused")
    with pytest.raises(VerdictRefused, match="settled"):
        settle_dispute(review, reviewer(study, "tom"), GOOD)

    undo_verdict(review, mia)
    assert state_of(review) == ("disputed", "")


def test_answers_of_withdrawn_annotators_cannot_be_judged():
    study = reviewed_study()
    review = answers(study)[0]
    withdraw_annotator(review.assignment.annotator)

    with pytest.raises(VerdictRefused, match="withdrawn"):
        give_verdict(review, reviewer(study), GOOD)


def test_claim_answers_returns_the_riskiest_first_and_others_to_others():
    study = reviewed_study(3)
    submit(study, has_pasted_word2=True)
    file_answers(study)
    rea, leo = reviewer(study), reviewer(study, "leo")

    mine = claim_answers(study, rea, 3)
    theirs = claim_answers(study, leo, 10)

    assert {r.risk for r in mine} == {2}
    assert {r.pk for r in mine}.isdisjoint(r.pk for r in theirs)
    assert len(theirs) == 3
    assert claim_answers(study, rea, 3) == mine  # they stay with their reviewer
    assert claim_answers(study, rea, 3, exclude=frozenset(r.pk for r in mine)) == []


def test_a_claim_expires(monkeypatch):
    study = reviewed_study()
    monkeypatch.setattr(verdicts, "CLAIM_PERIOD", timedelta(minutes=-1))
    claim_answers(study, reviewer(study), 2)

    assert len(claim_answers(study, reviewer(study, "leo"), 2)) == 2


def test_two_reviewers_claim_the_same_answer_if_two_are_wanted():
    study = double_study()
    rea, leo, mia = (reviewer(study, name) for name in ("rea", "leo", "mia"))

    assert claim_answers(study, rea, 2) == claim_answers(study, leo, 2)
    assert claim_answers(study, mia, 2) == []

    give_verdict(answers(study)[0], rea, GOOD)
    assert len(claim_answers(study, rea, 2)) == 1
    assert len(claim_answers(study, leo, 2)) == 2


def test_configure_review_redraws_unjudged_answers():
    study = reviewed_study(20, block_size=20)
    rea = reviewer(study)
    give_verdict(answers(study)[0], rea, GOOD)

    configure_review(study, sample_percent=0, double_percent=100)
    states = Review.objects.count_states(study)
    assert (states["open"], states["not drawn"], states["decided"]) == (0, 19, 1)
    assert answers(study)[0].n_wanted == 1

    configure_review(study, sample_percent=100, double_percent=100)
    states = Review.objects.count_states(study)
    assert (states["open"], states["decided"]) == (19, 1)
    assert AuditEntry.objects.filter(action="review.configured").count() == 2


@pytest.mark.parametrize("shares", [(-1, 0), (0, 101)])
def test_configure_review_refuses_an_invalid_share(shares):
    study = reviewed_study()

    with pytest.raises(SettingRefused, match="0 to 100"):
        configure_review(study, sample_percent=shares[0], double_percent=shares[1])
