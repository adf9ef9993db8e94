from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q

from surveys.sharedtasks.models.tasks import SharedTask

MOST_CHARACTERS = MaxLengthValidator(200_000)  # of a file


class SharedPlaces(models.TextChoices):
    """How equal scores of a published board share places."""

    COMPETITION = "competition", "1, 1, 3"
    DENSE = "dense", "1, 1, 2"
    NONE = "none", "no places"


class PublishedBoard(models.Model):
    """A table of scores as it was printed. It is never changed, only deleted and imported again.

    `recomputed`: what the site's scorer finds for rows; see `boards.published.recompute_row`.
    """

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="published_boards")
    name = models.SlugField(max_length=40, help_text="Part of its address, such as table-2.")
    title = models.CharField(max_length=200)
    source = models.CharField(max_length=500, help_text="Citation of the paper, with the table.")
    address = models.URLField(max_length=500, blank=True, default="")
    text = models.TextField(
        "About the table", blank=True, default="", validators=[MaxLengthValidator(2000)],
        help_text="What the scores are, and what is odd in the print.",
    )  # fmt: skip
    places = models.CharField(
        "Places of equal scores", max_length=12, choices=SharedPlaces,
        default=SharedPlaces.COMPETITION,
    )  # fmt: skip
    is_percent = models.BooleanField("Scores are in per cent", default=False)
    table = models.TextField(
        validators=[MOST_CHARACTERS],
        help_text="Tab-separated: kind, name, outside, and a column for each language, with the "
        "digits as printed.",
    )
    order = models.TextField(
        "Printed order", blank=True, default="", validators=[MOST_CHARACTERS],
        help_text="Tab-separated: printed_row, language, name and score of each cell.",
    )  # fmt: skip
    sha256 = models.CharField(max_length=64, help_text="of table and order, one after the other")
    recomputed = models.JSONField(default=list, blank=True)
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("shared_task", "name"), name="published_board_once",
                violation_error_message="A published board has this name; choose another.",
            ),
            models.CheckConstraint(condition=~Q(source=""), name="published_board_has_a_source"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.title
