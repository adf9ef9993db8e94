"""Who comes through an entrance, and what they hand back to whoever sent them."""

import pytest

from surveys.answering import record_engagement, record_unjudgeable
from surveys.arriving import is_full, lead_back, refuse_closed, return_visitor, start_through
from surveys.assigning import count_places_left, start_another_assignment
from surveys.completing import Completion, completion_of, earned_before, no_place_completion
from surveys.configuring import configure_study
from surveys.errors import ArrivalRefused, LinkRevoked, NoPlaceLeft, SurveyError
from surveys.leaving import return_assignment, withdraw_annotator
from surveys.models import (
    Annotator,
    Assignment,
    Entrance,
    Invitation,
    Provider,
    Visit,
    Worker,
)
from surveys.models.collection import make_token
from surveys.providers import Claims, completion_address, read_claims
from surveys.recruiting import close_entrance, open_entrance
from tests.factories import finish, make_study, start, stored, whereabouts

pytestmark = pytest.mark.django_db

CODES = {"completion_code": "DONE1", "no_place_code": "FULL1"}
DONE = Completion("DONE1", "https://app.prolific.com/submissions/complete?cc=DONE1")
FULL = Completion("FULL1", "https://app.prolific.com/submissions/complete?cc=FULL1")


@pytest.fixture
def prolific() -> Entrance:
    """The entrance of a study with a place in A and one in B."""
    return open_entrance(make_study(2, ratings_per_context=1), "prolific", **CODES)


@pytest.fixture
def link() -> Entrance:
    """The open link of a study with a place in A and one in B."""
    return open_entrance(make_study(2, ratings_per_context=1), "link")


def claims_of(worker_id: str, submission: str = "s1") -> Claims:
    claims = read_claims(
        "prolific", {"PROLIFIC_PID": worker_id, "STUDY_ID": "st1", "SESSION_ID": submission}
    )
    assert claims is not None
    return claims


def arrive(entrance: Entrance, worker_id: str = "w1", submission: str = "s1") -> Assignment:
    return start_through(entrance, make_token(), claims_of(worker_id, submission))


def counts() -> dict[str, int]:
    tables = (Worker, Annotator, Assignment, Invitation, Visit)
    return {table.__name__: table.objects.count() for table in tables}


NOTHING = {"Worker": 0, "Annotator": 0, "Assignment": 0, "Invitation": 0, "Visit": 0}


# Starting


def test_start_through_stores_who_came_and_where_from(prolific):
    assignment = arrive(prolific, "w1", "s1")

    annotator = Annotator.objects.get()
    assert (annotator.worker.provider, annotator.worker.worker_id) == ("prolific", "w1")
    assert annotator.invitation.entrance == prolific
    visit = Visit.objects.values_list(
        "entrance", "provider_study", "submission", "worker", "assignment", "completion_code"
    )
    assert list(visit) == [
        (prolific.pk, "st1", "s1", annotator.worker_id, assignment.pk, "DONE1"),
    ]  # fmt: skip


def test_start_through_the_open_link_makes_the_ticket_a_personal_link(link):
    ticket = make_token()

    assignment = start_through(link, ticket)

    assert Invitation.objects.values_list("token", "annotator", "entrance").get() == (
        ticket, assignment.annotator_id, link.pk,
    )  # fmt: skip
    assert counts() == {**NOTHING, "Annotator": 1, "Assignment": 1, "Invitation": 1}


def test_start_through_with_the_same_ticket_is_one_assignment(link):
    ticket = make_token()

    first, again = start_through(link, ticket), start_through(link, ticket)

    assert first == again
    assert Assignment.objects.count() == 1


def test_one_worker_is_one_annotator_in_a_study(prolific):
    first, again = arrive(prolific, "w1", "s1"), arrive(prolific, "w1", "s2")

    assert first == again
    assert counts() == {
        "Worker": 1, "Annotator": 1, "Assignment": 1, "Invitation": 1, "Visit": 2,
    }  # fmt: skip


def test_the_same_visit_again_is_kept_once(prolific):
    for _ in range(3):
        arrive(prolific, "w1", "s1")

    assert Visit.objects.count() == 1


def test_one_worker_is_another_annotator_in_another_study(prolific):
    other = open_entrance(make_study(2, slug="other"), "prolific")

    first, second = arrive(prolific, "w1"), arrive(other, "w1")

    assert first.annotator != second.annotator
    assert [a.annotator.study.slug for a in (first, second)] == ["study", "other"]
    assert Worker.objects.count() == 1


def test_different_workers_are_different_annotators(prolific):
    first, second = arrive(prolific, "w1"), arrive(prolific, "w2")

    assert first.annotator != second.annotator
    assert Worker.objects.count() == 2


@pytest.mark.parametrize("end", ["withdrawn", "returned"])
def test_a_worker_whose_assignment_was_ended_gets_no_other(prolific, end):
    first = arrive(prolific)
    if end == "withdrawn":
        withdraw_annotator(first.annotator)
    else:
        return_assignment(first, "tried")

    assert arrive(prolific) == first

    assert stored(first, "state") == (end,)
    assert Assignment.objects.count() == 1


def test_return_visitor_of_somebody_new_stores_nothing(prolific):
    assert return_visitor(prolific, claims_of("w1")) is None

    assert counts() == NOTHING


def test_return_visitor_gives_the_latest_assignment_of_the_worker(prolific):
    first = arrive(prolific, "w1", "s1")

    assert return_visitor(prolific, claims_of("w1", "s2")) == first
    assert return_visitor(prolific, claims_of("w2")) is None

    assert list(Visit.objects.values_list("submission", flat=True)) == ["s1", "s2"]


@pytest.mark.django_db(transaction=True)
def test_return_visitor_of_somebody_new_begins_no_transaction(django_assert_num_queries):
    """On SQLite each would wait for whoever writes, and let nobody else write."""
    entrance = open_entrance(make_study(2), "prolific")

    with django_assert_num_queries(1):  # a transaction would be counted, too
        return_visitor(entrance, claims_of("w1"))


# No more room


def test_start_through_refuses_when_no_place_is_left_and_stores_nothing(prolific):
    start(prolific.study), start(prolific.study)
    before = counts()

    with pytest.raises(NoPlaceLeft, match="as many annotators as it needs") as refused:
        arrive(prolific)

    assert refused.value.completion == FULL
    assert counts() == before


def test_start_through_takes_no_more_than_the_cap(link):
    entrance = open_entrance(link.study, "link", cap=1)
    ticket = make_token()
    first = start_through(entrance, ticket)
    assert is_full(entrance)

    with pytest.raises(NoPlaceLeft):
        start_through(entrance, make_token())

    assert start_through(entrance, ticket) == first
    assert (Assignment.objects.count(), count_places_left(entrance.study)) == (1, 1)


def test_a_cap_does_not_keep_a_worker_from_coming_back(prolific):
    entrance = open_entrance(prolific.study, "prolific", cap=1)
    first = arrive(entrance, "w1")

    assert arrive(entrance, "w1", "s2") == first
    with pytest.raises(NoPlaceLeft) as refused:
        arrive(entrance, "w2")

    assert refused.value.completion == FULL
    assert Worker.objects.count() == 1


@pytest.mark.parametrize(("cap", "expected"), [(None, False), (0, True), (1, False)])
def test_is_full_by_its_own_cap_alone(link, cap, expected):
    start(link.study), start(link.study)  # by personal links

    assert is_full(open_entrance(link.study, "link", cap=cap)) is expected


def test_a_closed_entrance_refuses_who_is_new_and_lets_who_has_begun_go_on(prolific):
    first = arrive(prolific, "w1")
    close_entrance(prolific)

    with pytest.raises(LinkRevoked, match="takes no more people"):
        refuse_closed(prolific)
    with pytest.raises(LinkRevoked):
        arrive(prolific, "w2")

    assert arrive(prolific, "w1") == first
    assert (Annotator.objects.count(), Worker.objects.count()) == (1, 1)


def test_an_entrance_closed_meanwhile_refuses(prolific):
    seen_open = Entrance.objects.get(pk=prolific.pk)
    close_entrance(prolific)

    with pytest.raises(LinkRevoked):
        arrive(seen_open)

    assert counts() == NOTHING


def test_a_ticket_that_is_somebody_elses_personal_link_leads_nowhere_else(link):
    personal = start(link.study).annotator.invitation
    before = counts()

    with pytest.raises(SurveyError):
        start_through(link, personal.token)

    assert counts() == before


# What a provider says


@pytest.mark.parametrize("value", ["5f1a", "A" * 64, "a_b-C9"])
def test_read_claims_takes_identifiers(value):
    claims = read_claims(
        "prolific", {"PROLIFIC_PID": value, "STUDY_ID": "st", "SESSION_ID": "se", "other": "x"}
    )

    assert claims == Claims(
        parameters={"STUDY_ID": "st", "SESSION_ID": "se", "PROLIFIC_PID": value},
        provider_study="st",
        submission="se",
        worker_id=value,
    )


@pytest.mark.parametrize(
    "value", ["", "A" * 65, "a b", "a\n", "a\0", "ž", "٣", "{{%PROLIFIC_PID%}}", "<b>", "a'--"]
)
def test_read_claims_refuses_what_is_no_identifier(value):
    with pytest.raises(ArrivalRefused, match="The address lacks PROLIFIC_PID"):
        read_claims("prolific", {"PROLIFIC_PID": value, "STUDY_ID": "st", "SESSION_ID": "se"})


def test_read_claims_names_everything_that_is_missing():
    with pytest.raises(ArrivalRefused, match="lacks STUDY_ID, SESSION_ID, PROLIFIC_PID"):
        read_claims("prolific", {})


def test_read_claims_of_the_open_link_are_none():
    assert read_claims(Provider.LINK, {"PROLIFIC_PID": "w1"}) is None


@pytest.mark.parametrize(
    ("provider", "code", "address"),
    [
        ("prolific", "C1", "https://app.prolific.com/submissions/complete?cc=C1"),
        ("prolific", "", ""),
        ("link", "C1", ""),
    ],
)
def test_completion_address_is_where_the_provider_takes_a_code(provider, code, address):
    assert completion_address(provider, code) == address


# What is handed back


def test_completion_of_a_finished_assignment_is_the_code(prolific):
    assignment = arrive(prolific)
    finish(start(prolific.study, assignment.annotator.invitation))

    assert completion_of(Annotator.objects.get()) == DONE


def test_completion_counts_texts_that_could_not_be_judged(prolific):
    configure_study(prolific.study, allows_unjudgeable=True)
    assignment = start(prolific.study, arrive(prolific).annotator.invitation)
    finish_without_judging(assignment)

    assert completion_of(Annotator.objects.get()) == DONE


def finish_without_judging(assignment: Assignment) -> None:
    for _ in range(assignment.n_items):
        record_engagement(whereabouts(assignment), "sea", "salt")
        record_unjudgeable(whereabouts(assignment), "")


def test_completion_of_who_was_screened_out_is_the_other_code(prolific):
    assignment = return_assignment(arrive(prolific), "comprehension check not passed")

    assert completion_of(assignment.annotator) == FULL


def test_completion_is_the_code_that_was_current_when_the_annotator_came(prolific):
    assignment = arrive(prolific, "w1", "s1")
    open_entrance(prolific.study, "prolific", completion_code="DONE2")
    finish(start(prolific.study, assignment.annotator.invitation))

    assert completion_of(Annotator.objects.get()) == DONE


def test_completion_is_the_code_of_the_last_visit(prolific):
    assignment = arrive(prolific, "w1", "s1")
    finish(start(prolific.study, assignment.annotator.invitation))
    entrance = open_entrance(prolific.study, "prolific", completion_code="DONE2")

    return_visitor(entrance, claims_of("w1", "s2"))

    assert completion_of(Annotator.objects.get()).code == "DONE2"


def test_completion_is_todays_code_where_none_was_there_at_the_visit(prolific):
    Entrance.objects.update(completion_code="")
    assignment = arrive(Entrance.objects.get())
    finish(start(prolific.study, assignment.annotator.invitation))
    open_entrance(prolific.study, "prolific", completion_code="DONE2")

    assert completion_of(Annotator.objects.get()).code == "DONE2"


@pytest.fixture
def at_second_block() -> Assignment:
    """Somebody from Prolific who has done a block and is at another."""
    study = make_study(4, block_size=2, ratings_per_context=1)
    entrance = open_entrance(configure_study(study, allows_more_blocks=True), "prolific", **CODES)
    first = start(study, arrive(entrance).annotator.invitation)
    finish(first)
    return start_another_assignment(Assignment.objects.get(pk=first.pk))


@pytest.mark.parametrize("end", ["withdrawn", "returned", None])
def test_completion_of_who_has_done_a_block_stays_whatever_becomes_of_the_next(
    at_second_block, end
):
    if end == "withdrawn":
        withdraw_annotator(at_second_block.annotator)
    elif end == "returned":
        return_assignment(at_second_block, "asked by mail")

    assert completion_of(at_second_block.annotator) == DONE


def test_earned_before_is_there_for_who_is_at_a_further_block(at_second_block):
    first = Assignment.objects.earliest("pk")

    assert earned_before(at_second_block) == DONE
    assert earned_before(first) is None  # its page has it


def test_earned_before_is_nothing_at_the_first_block(prolific):
    configure_study(prolific.study, allows_more_blocks=True)

    assert earned_before(return_of(arrive(prolific))) is None


def return_of(assignment: Assignment) -> Assignment:
    return Assignment.objects.with_study().get(pk=assignment.pk)


def test_lead_back_shows_the_block_that_is_done_while_another_is_under_way(at_second_block):
    first = Assignment.objects.earliest("pk")

    assert lead_back(at_second_block) == first
    finish(at_second_block)
    assert lead_back(return_of(at_second_block)) == at_second_block


def test_completion_of_a_personal_link_is_none(prolific):
    assignment = start(prolific.study)
    finish(assignment)

    assert completion_of(Annotator.objects.get()) is None


def test_completion_of_an_open_link_has_a_code_and_no_address(link):
    entrance = open_entrance(link.study, "link", completion_code="THANKS")
    ticket = make_token()
    start_through(entrance, ticket)
    finish(start(link.study, Invitation.objects.get()))

    assert completion_of(Annotator.objects.get()) == Completion("THANKS", "")


def test_no_code_is_nothing_to_hand_back(link):
    assert no_place_completion(link) is None
