"""Life cycle of assignments: places, laying out, resuming, submission."""

import random
import secrets
from collections import Counter
from typing import Any, NamedTuple, Self

from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.errors import AssignmentEnded, LinkRevoked, NoPlaceLeft, RatingsMissing
from surveys.models import (
    Annotator,
    Assignment,
    AssignmentState,
    ConsentNotice,
    Context,
    Invitation,
    Item,
    Pair,
    Place,
    Questionnaire,
    Response,
    Study,
    StudyText,
    TextKind,
)
from surveys.models.quota import PlaceQuerySet
from surveys.models.stimuli import insert_rows
from surveys.participation.policies import Choice, choose_place
from surveys.recruitment.completion_codes import Completion, came_by_reservation, completion_of
from surveys.recruitment.consent_notice import Facts, find_disclosure, make_notice, store_notice
from surveys.study.blocks.quota import count_reopened, give_back_places, in_chunks
from surveys.study.lifecycle import refuse_draft
from surveys.study.rules import study_rules_of
from surveys.study.texts import refuse_outdated
from surveys.webhooks.messages import store_assignment_messages


class Consent(NamedTuple):
    """What an annotator agrees to: versions of the text and of the notice on stored data."""

    text_id: int
    erases_withdrawn: bool
    publishes_words: bool
    retention_days: int | None
    notice: str  # its digest

    @classmethod
    def asked_by(cls, study: Study, text: StudyText, notice: ConsentNotice) -> Self:
        """Return the consent that a study asks for now."""
        return cls(
            text.pk,
            study.erases_withdrawn,
            study.publishes_words,
            study.retention_days,
            notice.digest,
        )

    @property
    def mark(self) -> str:
        """The consent as a form field, which comes back with the answer."""
        return f"{self.text_id} {self.notice}"


def has_place_left(study: Study, annotator: Annotator | None = None) -> bool:
    """Return whether a new annotator, or the given annotator, would get a place now."""
    if study.is_closed:
        return False
    free = Place.objects.free(study)
    lapsed = Assignment.objects.lapsed(study, timezone.now())
    if annotator:
        begun = annotator.assignments.filter(started_at__isnull=False)
        free = free.unseen_by(annotator)
        lapsed = lapsed.exclude(questionnaire__block__in=begun.values("questionnaire__block"))
    return free.exists() or any(count_reopened(lapsed).values())


def list_places_left(study: Study) -> dict[int, int]:
    """Return how many more assignments the study asks for, by questionnaire id."""
    if study.is_closed:
        return Counter()
    free = Place.objects.free(study).order_by().values_list("questionnaire_id")
    n_free = Counter(dict(free.annotate(n=Count("pk"))))
    return n_free + count_reopened(Assignment.objects.lapsed(study, timezone.now()))


def count_items(study: Study) -> int:
    """Return the number of texts for an annotator who arrives now, give or take one."""
    n_checkpoints = min(study.n_checkpoints, Pair.objects.checkpoints(study).count())
    first = Questionnaire.objects.filter(block__study=study, block__number=1, letter="A")
    return Item.objects.filter(questionnaire__in=first).count() + n_checkpoints


@transaction.atomic
def start_assignment(
    invitation: Invitation, agreed: Consent | None = None, *, seed: int | None = None
) -> Assignment:
    """Create an annotator with a questionnaire for a link; idempotent.

    `seed` decides the order of the texts, by default at random. Raises NoPlaceLeft, LinkRevoked or
    StudyNotOpen, and TextChanged unless they agreed to the current texts.
    """
    study = lock_places(invitation.study_id)
    invitation = Invitation.objects.get(pk=invitation.pk)
    if not invitation.is_rehearsal:  # a draft can be rehearsed
        refuse_draft(study)
    refuse_revoked(invitation)
    if invitation.annotator_id and (begun := Assignment.objects.latest_from(invitation)):
        return begun
    annotator = enrol(study, invitation, agreed)
    free = Place.objects.free(study)  # a new annotator has seen no block
    return _lay_out(study, Assignment(study=study, annotator=annotator), free, seed)


def enrol(study: Study, invitation: Invitation, agreed: Consent | None = None) -> Annotator:
    """Create an annotator for an invitation, while the study is locked.

    Raises TextChanged unless they agreed to the current texts.
    """
    consent = study_rules_of(study.pk, study.revision).texts[TextKind.CONSENT]
    notice = make_notice(Facts.of(study, find_disclosure(invitation)))
    refuse_outdated(agreed, Consent.asked_by(study, consent, notice))
    annotator = Annotator.objects.create(
        study=study,
        consent=consent,
        notice=store_notice(notice),
        erases_withdrawn=study.erases_withdrawn,
        publishes_words=study.publishes_words,
        retention_days=study.retention_days,
    )
    Invitation.objects.filter(pk=invitation.pk).update(annotator=annotator)
    return annotator


def start_in_place(place: Place, annotator: Annotator, reason: str) -> Assignment:
    """Start an assignment in a reserved place, while the study is locked."""
    assignment = Assignment(study_id=place.study_id, annotator=annotator)
    return _fill_place(place.study, assignment, Choice(place, reason))


@transaction.atomic
def start_another_assignment(assignment: Assignment) -> Assignment:
    """Start another block for an annotator who has submitted one.

    Returns the assignment in progress if there is one. Raises NoPlaceLeft.
    """
    study = lock_places(assignment.study.pk)
    refuse_revoked(Invitation.objects.get(annotator=assignment.annotator))
    latest = Assignment.objects.filter(annotator=assignment.annotator).latest("pk")
    if latest.state != AssignmentState.SUBMITTED:
        return latest
    if not study.allows_more_blocks or came_by_reservation(assignment):
        raise NoPlaceLeft(
            _("There is nothing more to do in this study."),
            heading=_("Thank you"),
            completion=completion_of(assignment.annotator),
        )
    another = Assignment(study=study, annotator=assignment.annotator)
    unseen = Place.objects.free(study).unseen_by(assignment.annotator)
    return begin_assignment(_lay_out(study, another, unseen))


def find_own_place(study: Study, assignment: Assignment) -> Place | None:
    """Return a free place of the assignment's reservation or questionnaire, or None.

    The reservation may have one even if the questionnaire has none.
    """
    visits = assignment.visits.filter(reservation__isnull=False)
    reserved = Place.objects.reserved().filter(reservation__in=visits.values("reservation"))
    free = Place.objects.free(study).filter(
        questionnaire=assignment.questionnaire_id, round=assignment.round_id
    )
    return reserved.first() or free.first()


def no_place_left(study: Study, completion: Completion | None) -> NoPlaceLeft:
    """Return the refusal for lack of places, with the annotator's completion."""
    if study.is_closed:
        return NoPlaceLeft(
            _("It takes no more people. Thank you for your interest!"),
            heading=_("This study is closed"),
            completion=completion,
        )
    return NoPlaceLeft(
        _("Thank you for coming! We have enough people for this study now."),
        heading=_("All places are taken"),
        completion=completion,
    )


def is_displaced(assignment: Assignment) -> bool:
    """Return whether an annotator without answers has lost their place to another annotator."""
    if assignment.state != AssignmentState.EXPIRED or assignment.has_answers:
        return False
    return find_own_place(assignment.study, assignment) is None


def refuse_displaced(assignment: Assignment) -> None:
    """Raise NoPlaceLeft if an annotator without answers lost their place and can get no other."""
    if not is_displaced(assignment):
        return
    if came_by_reservation(assignment):
        raise no_place_left(assignment.study, None)
    if not has_place_left(assignment.study, assignment.annotator):
        raise no_place_left(assignment.study, completion_of(assignment.annotator))


def refuse_revoked(invitation: Invitation) -> None:
    """Raise LinkRevoked for a revoked link."""
    if invitation.revoked_at:
        raise LinkRevoked(
            _("This link is no longer valid. Please write to the person who sent it to you.")
        )


def begin_assignment(assignment: Assignment) -> Assignment:
    """Start the texts of an assignment after the introduction; idempotent."""
    now = timezone.now()
    offered = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.OFFERED)
    offered.update(state=AssignmentState.STARTED, started_at=now, active_at=now)
    assignment.refresh_from_db(fields=["state", "started_at", "active_at"])
    return assignment


@transaction.atomic
def resume_assignment(assignment: Assignment) -> Assignment:
    """Resume an expired assignment in a free place, or else over quota.

    An annotator without answers is given other texts instead of exceeding the quota. Raises
    NoPlaceLeft if there are none.
    """
    study = lock_places(assignment.study.pk)
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if assignment.state != AssignmentState.EXPIRED:
        return assignment
    begun = assignment.started_at is not None
    assignment.state = AssignmentState.STARTED if begun else AssignmentState.OFFERED
    has_answers = assignment.has_answers
    assignment.active_at, assignment.is_over_quota = timezone.now(), False
    place = find_own_place(study, assignment)
    if place is None and not has_answers:
        if came_by_reservation(assignment):
            raise no_place_left(study, None)
        assignment.state, assignment.started_at = AssignmentState.OFFERED, None
        assignment.responses.all().delete()
        unseen = Place.objects.free(study).unseen_by(assignment.annotator)
        return _lay_out(study, assignment, unseen)
    if place:
        Place.objects.filter(pk=place.pk).update(assignment=assignment)
    assignment.is_over_quota = place is None
    assignment.save(update_fields=["state", "is_over_quota", "active_at"])
    return assignment


@transaction.atomic
def submit_assignment(assignment: Assignment) -> Assignment:
    """Submit a fully answered assignment; idempotent. Raises RatingsMissing or AssignmentEnded."""
    # two tabs may submit
    assignment = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    if assignment.state == AssignmentState.SUBMITTED:
        return assignment
    if missing := assignment.responses.unanswered().count():
        raise RatingsMissing(f"{missing} of the texts of this questionnaire are not rated yet.")
    if assignment.state != AssignmentState.STARTED:
        raise AssignmentEnded(_("This questionnaire was ended. Your link says more."))
    assignment.state, assignment.submitted_at = AssignmentState.SUBMITTED, timezone.now()
    assignment.save(update_fields=["state", "submitted_at"])
    store_assignment_messages(assignment)
    return assignment


def lock_places(study_id: int) -> Study:
    """Lock a study's places until the transaction ends, and free lapsed places.

    Rows are locked without their keys here and wherever none is changed: rows that refer to them,
    such as new invitations, are stored without waiting.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    now = timezone.now()
    silent = Assignment.objects.for_study(study).silent(study.lease_hours, now)
    if not silent.exists():  # usual case, and a much faster query
        return study
    quiet = Assignment.objects.quiet(study, now)
    if not quiet.exists():
        return study
    quiet.note_answers()  # otherwise each arrival would look them up
    lapsed = list(quiet.select_for_update(no_key=True).values_list("pk", flat=True))
    for pks in in_chunks(lapsed):
        Assignment.objects.filter(pk__in=pks).update(state=AssignmentState.EXPIRED)
    give_back_places(lapsed)
    return study


def _chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  # nosec B311 # (to be repeated, not secret)


def _lay_out(
    study: Study, assignment: Assignment, free: PlaceQuerySet, seed: int | None = None
) -> Assignment:
    """Store an assignment with its responses, in a free place chosen by the study's policy."""
    seed = secrets.randbits(32) if seed is None else seed
    choice = choose_place(study, free, _chance(seed))
    if choice is None:
        raise no_place_left(study, completion_of(assignment.annotator))
    return _fill_place(study, assignment, choice, seed)


def _fill_place(
    study: Study, assignment: Assignment, choice: Choice, seed: int | None = None
) -> Assignment:
    """Store an assignment in a place, with its responses in random order."""
    seed = secrets.randbits(32) if seed is None else seed
    annotator, place = assignment.annotator, choice.place
    contexts = _order_contexts(study, annotator, place, _chance(seed))
    assignment.questionnaire, assignment.round_id = place.questionnaire, place.round_id
    assignment.reason, assignment.seed = choice.reason, seed
    assignment.n_items = len(contexts)
    assignment.save()
    Place.objects.filter(pk=place.pk).update(assignment=assignment)
    empty: dict[str, Any] = {
        "assignment": assignment.pk, "annotator": annotator.pk, "writes": study.writes,
        **dict.fromkeys(("written1", "written2", "comment", "scale_layout"), ""),
        **dict.fromkeys(("is_unjudgeable", "has_pasted_word1", "has_pasted_word2"), False),
        "is_erased": False,
    }  # fmt: skip
    insert_rows(
        Response,
        ("position", "context", "pair", *empty),
        ((n, context, pair, *empty.values()) for n, (context, pair) in enumerate(contexts, 1)),
    )
    return assignment


def _order_contexts(
    study: Study, annotator: Annotator, place: Place, chance: random.Random
) -> list[tuple[int, int]]:
    """Return a questionnaire's contexts with their pairs, by ids, in random order.

    Checkpoint items are mixed in: never as the first text, and none twice for an annotator.
    """
    of_place = Context.objects.filter(item__questionnaire=place.questionnaire_id)
    items = of_place.order_by("item__position").values_list("pk", "pair_id")
    contexts = chance.sample(list(items), len(items))
    if study.n_checkpoints:
        seen = Response.objects.filter(annotator=annotator).order_by().values("pair")
        unseen = Pair.objects.checkpoints(study).exclude(pk__in=seen)
        checks = unseen.values_list("contexts", "pk")
        for checkpoint in chance.sample(list(checks), min(study.n_checkpoints, len(checks))):
            contexts.insert(chance.randint(1, len(contexts)), checkpoint)
    return contexts
