import uuid
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from surveys.models.participation import Annotator, Assignment, AssignmentState
from surveys.models.stimuli import Questionnaire, Round
from surveys.models.study import Study

# Not `assignment__isnull=True`: SQLite would use the unique index of `assignment`, and then
# read and sort all free places, instead of the index that has the requested order.
# Reserved places are not free: only people who come by the reservation's address may have them.
IS_FREE = Q(is_open=True) & ~Q(assignment__isnull=False) & ~Q(reservation__isnull=False)


class Reservation(models.Model):
    """Places of a questionnaire that are set apart for another address, until it is closed.

    Its token is in that address. Those who come there are paid for this questionnaire alone.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="reservations")
    questionnaire = models.ForeignKey(Questionnaire, models.PROTECT, related_name="reservations")
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    pay = models.CharField(max_length=40, help_text="for the questionnaire, as annotators read it")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"reservation {self.pk} of {self.questionnaire}"


class PlaceQuerySet(models.QuerySet["Place"]):
    def free(self, study: Study) -> Self:
        """Return unoccupied places, in the order in which a balanced design fills them.

        A closed study has none to offer.
        """
        if study.is_closed:
            return self.none()
        return self.filter(IS_FREE, study=study).order_by("number", "pk")

    def unfinished(self, study: Study) -> Self:
        """Return open places of current rounds whose assignment is not submitted.

        Unoccupied places of a closed study, which nobody can take, are none of them.
        """
        places = self.filter(study=study, is_open=True, round__is_current=True)
        if study.is_closed:
            places = places.filter(assignment__isnull=False)
        return places.exclude(assignment__state=AssignmentState.SUBMITTED)

    def reserved(self) -> Self:
        """Return unoccupied places of reservations, the earliest reservation's first."""
        is_reserved = Q(reservation__isnull=False, is_open=True) & ~Q(assignment__isnull=False)
        return self.filter(is_reserved).order_by("reservation_id", "number", "pk")

    def with_questionnaire(self) -> Self:
        return self.select_related("questionnaire__block")

    def unseen_by(self, annotator: Annotator) -> Self:
        """Return places in blocks that the annotator has not begun."""
        seen = Questionnaire.objects.filter(
            block__questionnaires__assignments__annotator=annotator,
            block__questionnaires__assignments__started_at__isnull=False,
        )
        return self.exclude(questionnaire__in=seen.order_by().values("pk"))


class Place(models.Model):
    """An open place for one assignment in a questionnaire. All places together are its quota.

    They are created when a round begins, as many as ratings are wanted. No number of arrivals can
    find more, and one place never holds two assignments.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="places", db_index=False)
    questionnaire = models.ForeignKey(
        Questionnaire, models.PROTECT, related_name="places", db_index=False
    )
    round = models.ForeignKey(Round, models.PROTECT, related_name="places")
    number = models.PositiveSmallIntegerField(help_text="from 1 to the ratings wanted")
    is_open = models.BooleanField(
        default=True, help_text="closed when the block is repeated, or fewer ratings are wanted"
    )
    assignment = models.OneToOneField(
        Assignment, models.PROTECT, null=True, blank=True, related_name="place"
    )
    is_replaced = models.BooleanField(
        default=False,
        help_text="its assignment was set aside and another place opened instead",
    )
    # see the partial index of reserved places below
    reservation = models.ForeignKey(
        Reservation, models.PROTECT, null=True, blank=True, related_name="places",
        db_index=False, help_text="only its workers get this place, until it is closed",
    )  # fmt: skip

    objects = PlaceQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("questionnaire", "round", "number"), name="place_number_once"
            ),
            models.CheckConstraint(
                condition=Q(is_replaced=False) | Q(assignment__isnull=False),
                name="only_occupied_places_are_replaced",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=("study", "number", "id", "questionnaire"),
                condition=IS_FREE,
                name="free_places",
            ),
            models.Index(
                fields=("study", "questionnaire", "number", "id"),
                condition=IS_FREE,
                name="free_places_by_block",
            ),
            models.Index(
                fields=("reservation",),
                condition=Q(reservation__isnull=False),
                name="reserved_places",
            ),
            models.Index(
                fields=("assignment",), condition=Q(is_replaced=True), name="replaced_places"
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.number} in {self.questionnaire}"
