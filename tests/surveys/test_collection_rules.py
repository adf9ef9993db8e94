"""The promises of a collection, tested by random walks.

A seed that names database and walk draws events: arrivals by every kind of link, answers on the
pages themselves, late answers, pauses longer than the lease, returns, withdrawals, repeats, new
quotas. After each event the rules of `docs/survey.md` must hold. For a longer search, set the
number of walks: `COLLECTION_WALKS=50`.
"""

import os
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import Count, F, Q
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve, reverse

from surveys.errors import AssignmentEnded, LinkRevoked, NoPlaceLeft, OwnLinkNeeded, RepeatRefused
from surveys.models import (
    AssigningPolicy,
    Assignment,
    AssignmentState,
    Checkpoint,
    Context,
    Pair,
    Place,
    Response,
)
from surveys.models.participation import make_token
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.arrivals import start_through
from surveys.participation.assignments import (
    has_place_left,
    start_another_assignment,
    start_assignment,
)
from surveys.participation.due_item import AssignmentProgress
from surveys.participation.withdrawal import return_assignment, revoke_invitation
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.recruitment.providers import read_claims
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from tests.factories.arrivals import hidden_fields
from tests.factories.studies import count_places_left, counted_ratings, make_study, progress_of

pytestmark = pytest.mark.every_database  # all actions in random order

UNFINISHED = (*AssignmentState.leased(), AssignmentState.EXPIRED)
LIVE = (*AssignmentState.leased(), AssignmentState.SUBMITTED)
RIGHT = {"question0": "1", "question1": "2", "question2": "0"}
PAGE_1, PAGE_2 = ("written1", "written2"), ("rating", "is_unjudgeable", "comment")


class Collection:
    """A study with two blocks of two pairs. Each method from `arrive` on is an event."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.client = Client()
        study = make_study(
            4, block_size=2, ratings_per_context=chance.randint(1, 2), lease_hours=10,
            assigning_policy=chance.choice(AssigningPolicy.values),
        )  # fmt: skip
        self.study = configure_study(study, n_check_tries=2, allows_more_blocks=True)
        for position in (1, 2):
            self.add_checkpoint(position)
        self.study = configure_study(study, n_checkpoints=1)
        self.invitations = invite_annotators(study, 8)
        self.tickets = [make_token() for _ in range(2)]
        self.open_link = open_entrance(study, "link")
        self.prolific = open_entrance(study, "prolific", completion_code="DONE")
        self.largest_quota = study.ratings_per_context
        self.answered: dict[int, tuple[object, ...]] = {}
        self.under_way: list[tuple[AssignmentProgress, int]] = []

    def add_checkpoint(self, position: int) -> None:
        pair = Pair.objects.create(
            study=self.study, is_checkpoint=True, position=position, word1="near", word2="close"
        )
        context = Context.objects.create(
            pair=pair, number=1, text="near and close", word1_start=0, word1_end=4,
            word2_start=9, word2_end=14,
        )  # fmt: skip
        Checkpoint.objects.create(context=context, lowest=5, highest=6)

    def pick(self, states: Sequence[str] = AssignmentState.values) -> Assignment | None:
        """Return any assignment in one of these states, or None."""
        found = Assignment.objects.with_study().filter(state__in=states).order_by("pk")
        return self.chance.choice(found) if found else None

    # People

    def arrive(self) -> None:
        """Arrive by a personal link, the open one, or from Prolific, sometimes again."""
        worker, submission = self.chance.choice(["w1", "w2"]), self.chance.choice(["s1", "s2"])
        claims = read_claims(
            "prolific", {"PROLIFIC_PID": worker, "STUDY_ID": "st", "SESSION_ID": submission}
        )
        ways: list[Callable[[], Assignment]] = [
            lambda: start_assignment(self.chance.choice(self.invitations)),
            lambda: start_through(self.open_link, self.chance.choice(self.tickets)),
            lambda: start_through(self.prolific, make_token(), claims),
        ]
        is_promised = has_place_left(self.study)
        is_refused = not self.begin(self.chance.choice(ways))
        assert not (is_promised and is_refused)

    def begin(self, way: Callable[[], Assignment]) -> bool:
        """Check that a new annotator gets an open place within the quota, if there is one."""
        n_before = Assignment.objects.count()
        try:
            assignment = way()
        except LinkRevoked:
            return True
        except NoPlaceLeft:
            return False
        except OwnLinkNeeded:  # a known worker on another submission
            assert Assignment.objects.count() == n_before
            return True
        if Assignment.objects.count() > n_before:
            place = assignment.place
            assert place.is_open
            assert place.round.is_current
            held = Place.objects.filter(round=place.round, questionnaire=place.questionnaire)
            n_held = held.filter(assignment__isnull=False).count()
            assert n_held <= self.study.ratings_per_context
        return True

    def go_on(self) -> None:
        """Open the link and answer the next pages."""
        if not (assignment := self.pick(UNFINISHED)):
            return
        check = self.chance.choice([RIGHT, RIGHT, {**RIGHT, "question0": "0"}])
        rating = self.chance.randint(0, 6)
        answers = {"inspired_word1": "sea", "inspired_word2": "salt", "rating": rating, **check}
        page = self.follow(assignment)
        for _ in range(self.chance.choice([1, 2, 7, 20])):
            if resolve(page.partition("?")[0]).url_name in {"next", "thanks", "ended"}:
                return
            answer = self.client.post(page, {**hidden_fields(self.client.get(page)), **answers})
            if self.is_displaced(assignment, answer):
                return
            assert answer.status_code in {302, 422}
            page = answer.url if answer.status_code == 302 else page

    def begin_to_send(self) -> None:
        """Send an answer that is stored only later."""
        if assignment := self.pick(UNFINISHED):
            self.under_way.append((progress_of(assignment), self.chance.randint(0, 6)))

    def arrive_late(self) -> None:
        if not self.under_way:
            return
        where, rating = self.chance.choice(self.under_way)
        with suppress(AssignmentEnded, NoPlaceLeft):
            if where.due and not where.due.is_engaged:
                record_engagement(where, "late", "words")
            else:
                record_rating(where, Decimal(rating))

    def ask_for_another_block(self) -> None:
        if assignment := self.pick([AssignmentState.SUBMITTED]):
            self.begin(lambda: start_another_assignment(assignment))

    def leave(self) -> None:
        if not (assignment := self.pick()):
            return
        way = self.chance.choice(["withdraw", "return", "revoke"])
        if way == "withdraw":
            withdraw_annotator(assignment.annotator)
        elif way == "return":
            return_assignment(assignment, "asked by mail")
        else:
            revoke_invitation(assignment.annotator.invitation, "passed on")

    # Time and researchers

    def let_pass(self) -> None:
        """Let time pass, less or more than the lease."""
        span = timedelta(hours=self.chance.choice([4, 11]))
        Assignment.objects.update(active_at=F("active_at") - span)
        Response.objects.update(engaged_at=F("engaged_at") - span, rated_at=F("rated_at") - span)

    def repeat(self) -> None:
        block = self.study.blocks.get(number=self.chance.randint(1, 2))
        with suppress(RepeatRefused):
            repeat_block(block, reason="ratings all alike", author="researcher")

    def change_study(self) -> None:
        self.study = configure_study(
            self.study,
            ratings_per_context=self.chance.randint(1, 3),
            erases_withdrawn=self.chance.choice([True, False]),
        )
        self.largest_quota = max(self.largest_quota, self.study.ratings_per_context)

    # What always holds

    def check_rules(self) -> None:
        self.check_places()
        self.check_nobody_sees_anything_twice()
        self.check_answers()
        if assignment := self.pick(UNFINISHED):
            self.follow(assignment)

    def check_places(self) -> None:
        """Check that all places are occupied within the quota, and counted as announced."""
        within = Assignment.objects.filter(state__in=LIVE, is_over_quota=False)
        held = Place.objects.filter(assignment__isnull=False)
        assert {*held.values_list("assignment", flat=True)} == {
            *within.values_list("pk", flat=True)
        }
        assert not held.exclude(
            questionnaire=F("assignment__questionnaire"), round=F("assignment__round")
        ).exists()
        places = (
            Place.objects.filter(round__is_current=True)
            .values("questionnaire")
            .annotate(
                n_held=Count("assignment"),
                n_free=Count("pk", filter=Q(assignment__isnull=True, is_open=True)),
            )
        )
        counted = list(places.values_list("n_held", "n_free"))
        assert len(counted) == 4
        for n_held, n_free in counted:
            assert n_held <= self.largest_quota
            assert n_held + n_free == max(self.study.ratings_per_context, n_held)
        assert has_place_left(self.study) == (count_places_left(self.study) > 0)

    def check_nobody_sees_anything_twice(self) -> None:
        shown = Response.objects.all()
        contexts = shown.values("annotator", "pair").annotate(n=Count("context", distinct=True))
        assert not contexts.filter(n__gt=1).exists()
        blocks = Assignment.objects.values("annotator", "questionnaire__block")
        assert not blocks.annotate(n=Count("pk")).filter(n__gt=1).exists()

    def check_answers(self) -> None:
        """Check that answers keep their first value unless erased, and that texts are numbered."""
        positions: dict[Assignment, list[int]] = {}
        for response in Response.objects.select_related("assignment__annotator"):
            positions.setdefault(response.assignment, []).append(response.position)
            before, now = self.answered.get(response.pk, ()), answer_of(response)
            if response.is_erased:
                annotator = response.assignment.annotator
                assert (now, annotator.erases_withdrawn) == ((), True)
                assert annotator.withdrawn_at
            else:
                assert now[: len(before)] == before
            self.answered[response.pk] = now
        for assignment, numbers in positions.items():
            assert numbers == list(range(1, assignment.n_items + 1))
        assert len(positions) == Assignment.objects.count()

    def follow(self, assignment: Assignment) -> str:
        """Return the address of the page to which a link leads without further redirects."""
        link = reverse("annotate:next", args=[assignment.token])
        answer = self.client.get(link, follow=True)
        if self.is_displaced(assignment, answer):
            return link
        assert (answer.status_code, len(answer.redirect_chain)) == (200, 1)
        return str(answer.redirect_chain[0][0])

    def is_displaced(self, assignment: Assignment, answer: HttpResponse) -> bool:
        """Return whether an annotator without answers has no place, and check the page."""
        if answer.status_code != 409:
            return False
        assert "We have enough people for this study now" in answer.content.decode()
        assignment.refresh_from_db()
        assert not assignment.has_answers
        assert not has_place_left(self.study, assignment.annotator)
        return True

    def check_end(self) -> None:
        """Check that every link leads to a page, and which ratings make the dataset."""
        for assignment in Assignment.objects.all():
            self.follow(assignment)
        rated = Response.objects.filter(
            Q(rating__isnull=False, pair__is_checkpoint=False, annotator__withdrawn_at=None),
            assignment__state="submitted", assignment__round__is_current=True,
        )  # fmt: skip
        assert len(counted_ratings(self.study)) == rated.count()


def answer_of(response: Response) -> tuple[object, ...]:
    """Return the stored answer of a response: nothing, page 1, or both pages."""
    answer = tuple(getattr(response, name) for name in PAGE_1) if response.engaged_at else ()
    return answer + tuple(getattr(response, n) for n in PAGE_2) if response.rated_at else answer


EVENTS = {  # and how often they come
    Collection.arrive: 5,
    Collection.go_on: 7,
    Collection.begin_to_send: 2,
    Collection.arrive_late: 2,
    Collection.ask_for_another_block: 2,
    Collection.leave: 1,
    Collection.let_pass: 2,
    Collection.repeat: 1,
    Collection.change_study: 1,
}


N_WALKS = 3 if connection.vendor == "sqlite" else 1


@pytest.mark.django_db
@pytest.mark.parametrize("walk", range(int(os.environ.get("COLLECTION_WALKS", N_WALKS))))
def test_the_rules_of_a_collection_hold_in_random_walks(monkeypatch, walk):
    chance = random.Random(f"{connection.vendor} {walk}")  # other walks on each database
    monkeypatch.setattr("surveys.participation.assignments.secrets.randbits", chance.getrandbits)
    collection = Collection(chance)
    for event in chance.choices(list(EVENTS), EVENTS.values(), k=60):
        event(collection)
        collection.check_rules()
    collection.check_end()
