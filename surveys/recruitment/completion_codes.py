"""Completion codes that annotators take back to their provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import F
from django.db.models.lookups import IsNull
from django.utils import timezone

from surveys.models import Annotator, Assignment, Entrance, Provider, Visit
from surveys.recruitment.providers import ProviderRules, completion_address, rules_of

CODE_FIELD = "completion_code"


@dataclass(frozen=True)
class Completion:
    """A code for the provider, and the address that takes it there, if any.

    `finish` is the label of the link to the address. With `fields` the code is sent there by a
    form; `is_late` if the provider may no longer accept it.
    """

    code: str
    address: str
    finish: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    is_late: bool = False


def completion_for(assignment: Assignment, visit: Visit | None) -> Completion | None:
    """Return the completion of an assignment and its `latest_reserved_visit`, or None.

    An annotator paid for this assignment alone hands it in by a form while their place is
    theirs; all others as in `completion_of`.
    """
    if visit is None:
        return completion_of(assignment.annotator)
    rules = rules_of(visit.entrance.provider)
    if visit.returned_at or not assignment.submitted_at or not rules.find_submit_address:
        return None
    fields = {rules.submission: visit.submission, CODE_FIELD: visit.completion_code}
    is_late = visit.deadline_at is not None and visit.deadline_at < timezone.now()
    address = rules.find_submit_address()
    return Completion(visit.completion_code, address, fields=fields, is_late=is_late)


def came_by_reservation(assignment: Assignment) -> bool:
    """Return whether the annotator had a reserved place, and is paid for this assignment alone."""
    return assignment.visits.filter(reservation__isnull=False).exists()


def latest_reserved_visit(assignment: Assignment) -> Visit | None:
    """Return the visit that pays for an assignment: the last that was not taken over, or None."""
    visits = Visit.objects.filter(assignment=assignment, reservation__isnull=False)
    by_currency = visits.order_by(IsNull(F("returned_at"), False), "-pk")
    return by_currency.select_related("entrance", "reservation").first()


def completion_of(annotator: Annotator) -> Completion | None:
    """Return an annotator's final completion: the code for a block done, or for no place.

    A submitted block counts even if it was withdrawn since: the work was done.
    """
    entrance = annotator.invitation.entrance
    if entrance and not _has_done_a_block(annotator):
        return no_place_completion(entrance)
    return _earned(annotator)


def earned_before(assignment: Assignment) -> Completion | None:
    """Return the completion that an annotator in a further block has earned already, or None."""
    if not (assignment.is_unfinished and assignment.study.allows_more_blocks):
        return None
    if came_by_reservation(assignment):
        return None
    annotator = assignment.annotator
    return _earned(annotator) if _has_done_a_block(annotator) else None


def no_place_completion(entrance: Entrance) -> Completion | None:
    """Return the completion for an annotator who could not take part, or None."""
    return _as_completion(entrance, entrance.no_place_code)


def advise_to_give_back(annotator: Annotator) -> str:
    """Return what annotators who stop do with their place at the provider.

    Empty for a channel without places, and where a code does it.
    """
    entrance = annotator.invitation.entrance
    if entrance is None or entrance.no_place_code:
        return ""
    return str(rules_of(entrance.provider).give_back)


def find_rules(annotator: Annotator) -> ProviderRules:
    """Return the rules of the channel through which an annotator came, or of links."""
    entrance = annotator.invitation.entrance
    return rules_of(entrance.provider if entrance else Provider.LINK)


def _has_done_a_block(annotator: Annotator) -> bool:
    return annotator.assignments.filter(submitted_at__isnull=False).exists()


def _earned(annotator: Annotator) -> Completion | None:
    if (entrance := annotator.invitation.entrance) is None:
        return None
    # A study at the provider takes its own code alone, whatever the entrance gives out by now.
    latest = Visit.objects.filter(assignment__annotator=annotator).order_by("-pk").first()
    return _as_completion(entrance, (latest and latest.completion_code) or entrance.completion_code)


def _as_completion(entrance: Entrance, code: str) -> Completion | None:
    if not code:
        return None
    label = str(rules_of(entrance.provider).finish)
    return Completion(code, completion_address(entrance.provider, code), label)
