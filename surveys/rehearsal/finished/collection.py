"""Collecting of the finished demo study: invented people take part by the actions of the site.

The times are set afterwards, as if the people had come over ten days.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from surveys.errors import RehearsalFailed
from surveys.models import Annotator, Assignment, Invitation, Response, Study
from surveys.participation.answers import PageVisit, record_engagement, record_rating
from surveys.participation.assignments import start_assignment
from surveys.participation.due_item import AssignmentProgress, find_progress
from surveys.participation.introduction import complete_step, list_steps
from surveys.recruitment.links import invite_scripted_annotators
from surveys.rehearsal.finished.people import InventedPerson, Manner, Source, draw_chance

INSTRUCTIONS, INTRODUCTION = timedelta(minutes=1), timedelta(minutes=3)
BETWEEN_PAGES = timedelta(seconds=1)
OPENS, RUSH, CLOSES = 7, 18, 22  # hours of the day between which people come


@dataclass
class Collection:
    """The people of a study so far, and the times that are to be stored.

    `careless`: manners by questionnaire, round, and the number of people who began that
    questionnaire in that round before; all others are careful.
    """

    study: Study
    sources: Mapping[tuple[int, int], Source]
    careless: Mapping[tuple[str, int, int], Manner]
    manners: dict[str, Manner] = field(default_factory=dict)  # by annotator code
    n_begun: Counter[tuple[str, int]] = field(default_factory=Counter)
    annotators: list[Annotator] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    def take_part(self, arrives_at: datetime) -> None:
        """Let one more person do a questionnaire, from the consent to the last rating."""
        number = len(self.annotators) + 1
        (invitation,) = invite_scripted_annotators(self.study, 1)
        assignment = start_assignment(invitation, seed=number)
        for step in list_steps(self.study):
            complete_step(assignment, step)
        person, n_before = self._meet(number, assignment)
        begins_at = self._date(assignment, arrives_at)
        assignment.submitted_at = self._answer(assignment, person, begins_at, n_before)

    def store_times(self) -> None:
        """Store the times of everybody, and the codes, which are the same each time."""
        Response.objects.bulk_update(self.responses, ["engaged_at", "rated_at"], batch_size=100)
        Assignment.objects.bulk_update(
            self.assignments, ["offered_at", "started_at", "active_at", "submitted_at"]
        )
        Annotator.objects.bulk_update(
            self.annotators, ["code", "created_at", "instructed_at", "practised_at"]
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

    def _date(self, assignment: Assignment, arrives_at: datetime) -> datetime:
        """Set the times up to the first text, and return that of the first text."""
        annotator = assignment.annotator
        begins_at = arrives_at + INTRODUCTION
        annotator.created_at = assignment.offered_at = arrives_at
        annotator.instructed_at = arrives_at + INSTRUCTIONS
        annotator.practised_at = assignment.started_at = assignment.active_at = begins_at
        self.annotators.append(annotator)
        self.assignments.append(assignment)
        return begins_at

    def _answer(
        self, assignment: Assignment, person: InventedPerson, at: datetime, n_before: int
    ) -> datetime:
        """Answer all texts from an instant on; return that of the last rating."""
        ends_at = at
        for response in assignment.responses.select_related("context__pair").order_by("position"):
            context = response.context
            source = self.sources[context.pair.position, context.number]
            seconds = person.take_time(context)
            words = person.inspire(context, source, n_before)
            record_engagement(_find(assignment), *words, visit=PageVisit(at, seconds.words))
            response.engaged_at = engaged_at = at + timedelta(seconds=seconds.words)
            at = engaged_at + BETWEEN_PAGES
            rating = Decimal(person.rate(context, source))
            record_rating(_find(assignment), rating, visit=PageVisit(at, seconds.rating))
            response.rated_at = ends_at = at + timedelta(seconds=seconds.rating)
            at = ends_at + BETWEEN_PAGES
            self.responses.append(response)
        return ends_at


def draw_arrivals(begin: datetime, n: int, first_day: int, last_day: int) -> Iterator[datetime]:
    """Return instants of arrival on some days after `begin`, in order."""
    chance = draw_chance("arrivals", first_day)
    hours = sorted(
        24 * chance.randint(first_day, last_day) + chance.triangular(OPENS, CLOSES, RUSH)
        for _ in range(n)
    )
    return (begin + timedelta(hours=hour) for hour in hours)


def _find(assignment: Assignment) -> AssignmentProgress:
    found = find_progress(assignment.token)
    if found is None:
        raise RehearsalFailed(f"{assignment} is gone.")
    return found
