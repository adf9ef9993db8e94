from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from surveys.access.roles import grant_role
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Review,
    ReviewClaim,
    Role,
    Verdict,
    VerdictKind,
)
from surveys.review.adjudication import decide
from surveys.review.effects import is_effect_shown
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from tests.factories.adjudications import answer_apart
from tests.factories.programs import errors_of
from tests.factories.reviews import answers, submit, whole
from tests.factories.second_looks import list_annotators, look_again, look_of, looking_study
from tests.factories.studies import make_study, make_study_of

pytestmark = pytest.mark.study(of="answers_to_review")

PATH = "studies/study/reviews/"


@pytest.fixture
def answers_to_review(db):
    """A study with two answers to review; the first has evidence."""
    study = make_study(2, language="tlh", ratings_per_context=400, block_size=2)
    submit(study, [("fell", "salt")])
    file_answers(study)
    return study


def verdict(review):
    return f"{PATH}{review.pk}/verdict/"


def dispute(study, program):
    """An answer with two different verdicts, and the programs of both reviewers."""
    configure_review(study, sample_percent=100, double_percent=100)
    review = answers(study)[0]
    programs = [program(Role.REVIEWER, name=name) for name in ("ana", "eva")]
    for asking, kind in zip(programs, ("good", "unused"), strict=True):
        assert asking.post(verdict(review), {"kind": kind}).status_code == 200
    return review, programs


def multiply_questionnaires(study, n):
    """Add n whole questionnaires like the first to the queue."""
    one = Assignment.objects.get(study=study)
    others = Annotator.objects.bulk_create(Annotator(study=study) for _ in range(n))
    same = ("study", "questionnaire", "round", "state", "n_items", "started_at", "submitted_at",
            "filed_at")  # fmt: skip
    of_one = {name: getattr(one, name) for name in same}
    made = Assignment.objects.bulk_create(Assignment(**of_one, annotator=who) for who in others)
    Review.objects.bulk_create(Review(study=study, assignment=each, draw=0) for each in made)


@pytest.mark.every_database
def test_claims_return_the_riskiest_answers_with_their_evidence(study, program):
    answer = program(Role.REVIEWER).post(f"{PATH}claims/", {})

    (claimed,) = answer.json()["reviews"]
    response = answers(study)[0].response
    assert claimed["inspired_word2"] == response.written2 == "salt"
    assert claimed["text"] == response.context.text
    assert claimed["evidence"] == ["“fell” is copied from the text."]
    assert (claimed["state"], claimed["mine"], claimed["is_whole"]) == ("open", None, False)
    assert ReviewClaim.objects.get().reviewer.username == "ana"


def test_the_effect_of_an_answer_is_shown_on_request_and_logged(study, program):
    asking, review = program(Role.REVIEWER), answers(study)[0]
    ana = User.objects.get(username="ana")

    unasked = asking.get(f"{PATH}{review.pk}/").json()
    assert not is_effect_shown(review, ana)
    shown = asking.post(f"{PATH}{review.pk}/effect/", {})

    assert "effect" not in unasked
    assert shown.json()["effect"]
    assert is_effect_shown(review, ana)


@pytest.mark.every_database
def test_two_reviewers_are_given_different_answers(study, program):
    found = [
        program(Role.REVIEWER, name=name).post(f"{PATH}claims/", {"count": 1}).json()["reviews"]
        for name in ("ana", "eva")
    ]

    assert found[0][0]["id"] != found[1][0]["id"]


@pytest.mark.every_database
def test_new_answers_are_added_to_the_queue_by_claiming_not_by_listing(study, program):
    submit(study)
    asking = program(Role.REVIEWER)
    before = asking.get(PATH).json()["results"]
    n_unfiled = asking.get(f"{PATH}progress/").json()["n_unfiled"]
    asking.post(f"{PATH}claims/", {})

    page = asking.get(PATH, limit=4).json()
    rest = asking.client.get(page["next"]).json()["results"]

    assert (len(before), n_unfiled) == (3, 1)
    assert len(page["results"]) + len(rest) == Review.objects.count() == 6
    assert len(asking.get(PATH, of="questionnaires").json()["results"]) == 2
    assert len(asking.get(PATH, of="answers", state="open").json()["results"]) == 4
    assert asking.get(PATH, state="decided").json()["results"] == []


@pytest.mark.parametrize("wrong", [{"of": "words"}, {"state": "gone"}, {"reviewer": "ana"}])
def test_invalid_filters_are_named(study, program, wrong):
    answer = program().get(PATH, **wrong)

    assert (answer.status_code, errors_of(answer)[0][2]) == (422, *wrong)


def test_a_verdict_is_given_changed_and_withdrawn(study, program):
    asking, review = program(Role.REVIEWER), answers(study)[0]

    given = asking.post(verdict(review), {"kind": "good"}).json()
    changed = asking.post(verdict(review), {"kind": "rejected", "reason": "no words"}).json()
    undone = [asking.send("delete", verdict(review)).status_code for _ in range(2)]

    assert (given["state"], given["outcome"], given["mine"]["kind"]) == ("decided", "good", "good")
    assert (changed["outcome"], changed["mine"]["reason"]) == ("rejected", "no words")
    assert undone == [204, 204]
    shown = asking.get(f"{PATH}{review.pk}/").json()
    assert (shown["state"], shown["outcome"], shown["mine"]) == ("open", "", None)
    actions = AuditEntry.objects.filter(action__startswith="verdict").order_by("pk")
    assert list(actions.values_list("action", "actor")) == [
        ("verdict.given", "ana"), ("verdict.given", "ana"), ("verdict.undone", "ana"),
    ]  # fmt: skip


def test_a_whole_questionnaire_is_judged(study, program):
    answer = program(Role.REVIEWER).post(verdict(whole(study)), {"kind": "unused"})

    assert (answer.json()["is_whole"], answer.json()["text"]) == (True, None)
    assert {review.state for review in answers(study)} == {"covered"}


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 422), ({"kind": "bad"}, 422), ({"kind": "good", "reason": "x" * 501}, 422),
     ({"kind": "rejected"}, 409), ({"kind": "rejected", "reason": " "}, 409)],
)  # fmt: skip
def test_an_invalid_verdict_is_refused(study, program, body, status):
    answer = program().post(verdict(answers(study)[0]), body)

    assert answer.status_code == status
    assert errors_of(answer)
    assert not Verdict.objects.exists()


def test_an_answer_with_enough_verdicts_is_refused(study, program):
    review = answers(study)[0]
    program(Role.REVIEWER, name="eva").post(verdict(review), {"kind": "good"})

    answer = program(Role.REVIEWER).post(verdict(review), {"kind": "unused"})

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "VerdictRefused")


def test_a_verdict_with_an_idempotency_key_is_given_once(study, program):
    asking, review, key = program(), answers(study)[0], {"Idempotency-Key": "k"}
    asking.post(verdict(review), {"kind": "good"}, **key)
    asking.send("delete", verdict(review))

    again = asking.post(verdict(review), {"kind": "good"}, **key)

    assert again["Idempotent-Replayed"] == "true"
    assert not Verdict.objects.standing().exists()


def test_two_reviewers_are_blind_to_each_other(study, program):
    configure_review(study, sample_percent=100, double_percent=100)
    review = answers(study)[0]
    program(Role.REVIEWER, name="eva").post(verdict(review), {"kind": "unused"})
    asking = program(Role.REVIEWER)

    shown = asking.get(f"{PATH}{review.pk}/")
    listed = asking.get(PATH)

    assert (shown.json()["mine"], shown.json()["outcome"]) == (None, "")
    for answer in (shown, listed):
        assert "unused" not in answer.content.decode()
        assert "eva" not in answer.content.decode()


def test_a_third_reviewer_settles_a_dispute(study, program):
    review, (first, _) = dispute(study, program)
    third = program(Role.REVIEWER, name="oto")

    (row,) = third.get(f"{PATH}disputes/").json()["results"]
    refused = first.post(f"{PATH}{review.pk}/settlement/", {"kind": "good"})
    settled = third.post(f"{PATH}{review.pk}/settlement/", {"kind": "good"})

    assert [(one["reviewer"], one["kind"]) for one in row["verdicts"]] == [
        ("ana", "good"), ("eva", "unused"),
    ]  # fmt: skip
    assert first.get(f"{PATH}disputes/").json()["results"] == []
    assert (refused.status_code, settled.status_code) == (409, 200)
    assert (settled.json()["state"], settled.json()["outcome"]) == ("decided", "good")


def test_review_progress_has_the_agreement_of_reviewers(study, program):
    dispute(study, program)

    progress = program(Role.REVIEWER).get(f"{PATH}progress/").json()

    assert progress["answers"]["disputed"] == 1
    assert progress["n_unfiled"] == 0
    (pair,) = progress["agreement"]
    assert (pair["reviewers"], pair["n"], pair["n_equal"]) == (["ana", "eva"], 1, 0)
    assert pair["kappa"] in (None, 0.0)


def test_review_settings_are_shown_and_changed(study, program):
    asking = program(Role.RESEARCHER)

    changed = asking.send("patch", f"{PATH}settings/", {"double_percent": 50})
    wrong = asking.send("patch", f"{PATH}settings/", {"double_percent": 101})

    assert changed.json() == {"sample_percent": 100, "double_percent": 50}
    assert asking.get(f"{PATH}settings/").json() == changed.json()
    assert wrong.status_code == 422


def test_a_review_of_another_study_is_not_found(study, program):
    other = make_study(2, slug="other", language="tlh", ratings_per_context=10)
    submit(other)
    file_answers(other)

    answer = program().post(verdict(answers(other)[0]), {"kind": "good"})

    assert answer.status_code == 404
    assert not Verdict.objects.exists()


@pytest.mark.every_database
@pytest.mark.parametrize("n", [1, 3, 300])
def test_review_lists_make_constant_queries(study, program, n, django_assert_num_queries):
    asking = program()
    first = Review.objects.answers(study).first()
    give_verdict(first, User.objects.get(username="ana"), VerdictKind.GOOD)
    multiply_questionnaires(study, n)
    asking.get("studies/")

    with django_assert_num_queries(5):  # token, study, role, reviews, verdicts
        assert len(asking.get(PATH, limit=1000).json()["results"]) == 3 + n


def test_decisions_on_items_without_a_majority_are_listed(program):
    asking = program()
    tied, ana = answer_apart(make_study_of("mclwic", 2, slug="tied")), User.objects.get()
    grant_role(tied, ana, Role.REVIEWER)
    item = tied.pairs.get(position=2).contexts.get()
    taken = item.responses.get(rating=0)
    first = decide(item, ana, Decimal(1), "clear", replaces=None)
    decide(item, ana, taken.pk, "a slip", replaces=first.pk)

    rows = asking.get("studies/tied/reviews/adjudications/").json()["results"]

    assert [row.pop("id") for row in rows] == [first.pk, first.pk + 1]
    assert all(row.pop("at") for row in rows)
    both = {"item": "p2", "author": "ana"}
    assert rows == [
        {**both, "annotator": None, "rating": 1, "written1": "", "written2": "",
         "reason": "clear", "is_standing": False},
        {**both, "annotator": taken.annotator.code, "rating": 0, "written1": "lake",
         "written2": "salt", "reason": "a slip", "is_standing": True},
    ]  # fmt: skip


def test_a_rating_after_a_second_look_is_beside_the_rating_before(program):
    study = looking_study(slug="looking")
    third = list_annotators(study)[2]
    for pair, rating in ((4, "0.5"), (1, "2.25")):
        look_again(third, pair, rating)
    file_answers(study)
    asking = program()
    grant_role(study, User.objects.get(username="ana"), Role.REVIEWER)

    listed = asking.get("studies/looking/reviews/?of=answers").json()["results"]

    ratings = {review["id"]: review for review in listed}
    told = [
        (review["rating"], review["rating_before_second_look"])
        for pair in (4, 1)
        for review in [ratings[look_of(third, pair).response.review.pk]]
    ]
    assert told == [(0.5, 4), (2.25, None)]
    assert len([review for review in listed if review["rating_before_second_look"]]) == 1
