"""Collecting of the finished demo study: invented people take part, as if over ten days.

The site gives them their questionnaires. Their answers are stored together at the end, in one
statement for each table, since the first start of a site waits for them.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple, TypeVar

from django.db.models import Manager, Model

from surveys.models import Annotator, Assignment, AssignmentState, Invitation, Response, Study
from surveys.models.study import Writes
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_scripted_annotators
from surveys.rehearsal.finished.people import InventedPerson, Manner, Source, draw_chance

INSTRUCTIONS, INTRODUCTION = timedelta(minutes=1), timedelta(minutes=3)
BETWEEN_PAGES = timedelta(seconds=1)
Row = TypeVar("Row", bound=Model)
ANSWER_FIELDS = (
    "written1", "written2", "words_shown_at", "words_visible_seconds",
    "engaged_at", "rating", "rating_shown_at", "rating_visible_seconds", "rated_at",
)  # fmt: skip
OPENS, RUSH, CLOSES = 7, 18, 22  # hours of the day between which people come


class Answer(NamedTuple):
    """An answer to an item: what is written, a rating, and the seconds for the two pages."""

    words: tuple[str, str]
    rating: Decimal | None
    seconds: tuple[float, float]


class Participation(NamedTuple):
    """One person's questionnaire, and how many people answered it before."""

    assignment: Assignment
    person: InventedPerson
    begins_at: datetime
    n_before: int


@dataclass
class Collection:
    """The people of a study so far, whose answers and times are to be stored.

    `careless`: manners by questionnaire, round, and the number of people who began that
    questionnaire in that round before; all others are careful. `n_elsewhere`: people of other
    studies, who have the numbers before.
    """

    study: Study
    sources: Mapping[tuple[int, int], Source]
    careless: Mapping[tuple[str, int, int], Manner]
    n_elsewhere: int = 0
    manners: dict[str, Manner] = field(default_factory=dict)  # by annotator code
    n_begun: Counter[tuple[str, int]] = field(default_factory=Counter)
    participations: list[Participation] = field(default_factory=list)

    def take_part(self, arrives_at: datetime) -> None:
        """Give a questionnaire to one more person."""
        number = self.n_elsewhere + len(self.participations) + 1
        (invitation,) = invite_scripted_annotators(self.study, 1)
        assignment = start_assignment(invitation, seed=number)
        person, n_before = self._meet(number, assignment)
        begins_at = date_introduction(assignment, arrives_at)
        self.participations.append(Participation(assignment, person, begins_at, n_before))

    def store_answers(self) -> None:
        """Store all answers and their times, and the codes, which are the same each time."""
        responses: dict[int, list[Response]] = {}
        laid_out = Response.objects.filter(assignment__study=self.study)
        for response in laid_out.select_related("context__pair").order_by("position"):
            responses.setdefault(response.assignment_id, []).append(response)
        assignments = [participation.assignment for participation in self.participations]
        for participation, assignment in zip(self.participations, assignments, strict=True):
            assignment.submitted_at = self._answer(participation, responses[assignment.pk])
            assignment.state = AssignmentState.SUBMITTED
        filled = [response for some in responses.values() for response in some]
        store_rows(Response.objects, filled, ANSWER_FIELDS)
        times = ["offered_at", "started_at", "active_at", "submitted_at"]
        store_rows(Assignment.objects, assignments, ["state", *times])
        Annotator.objects.bulk_update(
            [assignment.annotator for assignment in assignments],
            ["code", "created_at", "instructed_at", "practised_at", "variant"],
        )
        Invitation.objects.filter(study=self.study).update(created_at=self.study.opened_at)

    def _meet(self, number: int, assignment: Assignment) -> tuple[InventedPerson, int]:
        """Return the person with a number, and how many did the questionnaire before."""
        label = f"{assignment.questionnaire.block.number}{assignment.questionnaire.letter}"
        round_ = assignment.round.number
        manner = self.careless.get((label, round_, self.n_begun[label, round_]), Manner.CAREFUL)
        n_before = self.n_begun[label, 1] + self.n_begun[label, 2]
        self.n_begun[label, round_] += 1
        assignment.annotator.code = hashlib.sha256(f"invented {number}".encode()).hexdigest()[:16]
        self.manners[assignment.annotator.code] = manner
        return InventedPerson.draw(number, manner), n_before

    def _answer(self, participation: Participation, responses: Sequence[Response]) -> datetime:
        """Fill in the answers to all texts, in order; return when the last one was rated."""
        at = ends_at = participation.begins_at
        person, points = participation.person, self.study.scale_points
        for response in responses:
            context = response.context
            source = self.sources[context.pair.position, context.number]
            writes = response.writes == Writes.ASSOCIATIONS
            answer = Answer(
                person.inspire(context, source, participation.n_before) if writes else ("", ""),
                points[person.rate(context, source, len(points))],
                person.take_time(context),
            )
            ends_at = fill_in(response, answer, at)
            at = ends_at + BETWEEN_PAGES
        return ends_at


def fill_in(response: Response, answer: Answer, at: datetime) -> datetime:
    """Fill in the answer to an item that is shown at an instant; return when it is rated."""
    of_words, of_rating = answer.seconds
    has_one_page = response.writes != Writes.ASSOCIATIONS
    if has_one_page:
        of_words, of_rating = 0.0, of_words + of_rating
    else:
        response.words_shown_at, response.engaged_at = at, at + timedelta(seconds=of_words)
        at = response.engaged_at + BETWEEN_PAGES
    response.written1, response.written2 = answer.words
    response.rating, response.rating_shown_at = answer.rating, at
    response.words_visible_seconds, response.rating_visible_seconds = of_words, of_rating
    response.rated_at = at + timedelta(seconds=of_rating)
    if has_one_page:
        response.engaged_at = response.rated_at
    return response.rated_at


def store_rows(rows: Manager[Row], changed: Sequence[Row], fields: Sequence[str]) -> None:
    """Store fields of existing rows as `bulk_update` does, but without an expression a value.

    Not for times that are set when a row is stored first, such as `created_at`.
    """
    rows.bulk_create(changed, update_conflicts=True, unique_fields=["pk"], update_fields=fields)


def date_introduction(assignment: Assignment, arrives_at: datetime) -> datetime:
    """Set the times up to the first text, and return the time of the first text."""
    annotator = assignment.annotator
    begins_at = arrives_at + INTRODUCTION
    annotator.created_at = assignment.offered_at = arrives_at
    annotator.instructed_at = arrives_at + INSTRUCTIONS
    annotator.variant = assignment.study.variant
    annotator.practised_at = assignment.started_at = assignment.active_at = begins_at
    return begins_at


def draw_arrivals(begin: datetime, n: int, first_day: int, last_day: int) -> Iterator[datetime]:
    """Return instants of arrival on some days after `begin`, in order."""
    chance = draw_chance("arrivals", first_day)
    hours = sorted(
        24 * chance.randint(first_day, last_day) + chance.triangular(OPENS, CLOSES, RUSH)
        for _ in range(n)
    )
    return (begin + timedelta(hours=hour) for hour in hours)
