import secrets
from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Concat

from surveys.models.results import Release

PRIVATE_FOLDER = "sharedtasks"  # below MEDIA_ROOT
MOST_ATTEMPTS = 10_000  # in a phase; more is a typing error
GWSC_TRACKS: tuple[dict[str, Any], ...] = (  # of pairs in two contexts, as in CoSimLex
    {"number": 1, "title": "change", "metric": "change", "column": "change"},
    {"number": 2, "title": "similarity", "metric": "harmonic", "column": "sim_context1",
     "column2": "sim_context2"},
)  # fmt: skip


def make_salt() -> str:
    """Return 32 random bytes in hexadecimal digits."""
    return secrets.token_hex(32)


def name_private_file(row: models.Model, name: str) -> str:
    """Return a random path below MEDIA_ROOT, so that no path says what a file holds."""
    return f"{PRIVATE_FOLDER}/{secrets.token_hex(16)}"


class SharedTaskState(models.TextChoices):
    """How far a shared task is."""

    DRAFT = "draft", "draft"
    OPEN = "open", "open"
    FINALISED = "finalised", "finalised"
    PUBLISHED = "published", "published"


class NameRule(models.TextChoices):
    """How teams are named on pages until the boards are published."""

    SHOWN = "shown", "by their names"
    CODES = "codes", "by codes until the results are published"


class Registration(models.TextChoices):
    """How teams come to a shared task."""

    LINKS = "links", "by a link from the organisers"
    FORM = "form", "by a public form; organisers accept each team"


class SharedTaskQuerySet(models.QuerySet["SharedTask"]):
    def public(self) -> Self:
        """Return the shared tasks that anybody may see."""
        return self.exclude(state=SharedTaskState.DRAFT)


class SharedTask(models.Model):
    """A shared task: teams predict the scores of datasets and are compared on boards.

    Only `sharedtasks.opening` and `sharedtasks.final_results` change `state`.
    """

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True, default="", help_text="its overview; Markdown")
    terms = models.TextField(blank=True, default="", help_text="which teams accept; Markdown")
    contact = models.CharField(max_length=200, help_text="of the organisers; shown to everybody")
    zone = models.CharField(
        max_length=60, default="Etc/GMT+12", help_text="IANA name; Etc/GMT+12 is anywhere on earth"
    )
    required_languages = models.JSONField(
        default=list, blank=True, help_text="languages that every submission must contain"
    )
    best_of = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="average over so many best languages; empty: over all"
    )
    places = models.CharField(
        max_length=12, choices=[("competition", "1, 1, 3"), ("dense", "1, 1, 2")],
        default="competition", help_text="of equal scores",
    )  # fmt: skip
    names = models.CharField(max_length=10, choices=NameRule, default=NameRule.SHOWN)
    registration = models.CharField(max_length=10, choices=Registration, default=Registration.LINKS)
    requires_description = models.BooleanField(
        default=True, help_text="results without a description are not ranked"
    )
    contact_days = models.PositiveSmallIntegerField(
        default=90, help_text="after publishing, until members and contacts are deleted"
    )
    state = models.CharField(max_length=10, choices=SharedTaskState, default=SharedTaskState.DRAFT)
    salt = models.CharField(
        max_length=64, default=make_salt, help_text="secret until publishing; hexadecimal digits"
    )
    commitment = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of salt and gold; once opened"
    )
    archive = models.FileField(upload_to=name_private_file, blank=True)
    archive_sha256 = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    finalised_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    retracted_at = models.DateTimeField(
        null=True, blank=True, help_text="when what was published was taken back"
    )

    objects = SharedTaskQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(best_of=None) | Q(best_of__gte=1), name="best_of_one_or_more"
            ),
            models.CheckConstraint(
                condition=Q(state=SharedTaskState.DRAFT) | Q(opened_at__isnull=False),
                name="open_tasks_were_opened",
            ),
            models.CheckConstraint(
                condition=~Q(state=SharedTaskState.PUBLISHED) | Q(published_at__isnull=False),
                name="published_tasks_have_a_date",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def scope(self) -> str:
        """The name of the shared task in log entries."""
        return f"sharedtask:{self.pk}"

    @property
    def is_published(self) -> bool:
        """Whether boards, gold and archive are public."""
        return self.state == SharedTaskState.PUBLISHED


class Organiser(models.Model):
    """A researcher who runs a shared task."""

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="organisers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="organised_tasks"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["shared_task", "user__username"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("shared_task", "user"), name="organiser_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} organises {self.shared_task}"


MOST_TRACKS = 99  # more is a typing error
COLUMN = RegexValidator(
    r"^(?!id$)[A-Za-z][A-Za-z0-9_]*\Z",
    "Write a letter, then letters, digits and underscores; id is the column of names.",
)
METRICS = [  # those of the library
    ("change", "uncentred correlation of changes"),
    ("harmonic", "harmonic mean of Pearson’s and Spearman’s correlation"),
    ("spearman", "Spearman’s rank correlation"),
    ("accuracy", "accuracy of the tags T and F"),
    ("ordinal_alpha", "Krippendorff’s ordinal alpha of whole medians"),
]


class Track(models.Model):
    """What teams predict in a subtask, and how it is scored. Elsewhere `subtask` is its number."""

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="tracks")
    number = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TRACKS)],
        help_text="Part of the names of result files.",
    )
    title = models.CharField(max_length=60, help_text="What teams predict, such as similarity.")
    metric = models.CharField(max_length=15, choices=METRICS)
    column = models.CharField(
        max_length=40, validators=[COLUMN], help_text="Of the gold, such as score or tag."
    )
    column2 = models.CharField(
        "Second column", max_length=40, blank=True, default="", validators=[COLUMN],
        help_text="Of a harmonic mean over two scores a row.",
    )  # fmt: skip
    is_percent = models.BooleanField("Scores are shown in per cent", default=False)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("shared_task", "number"), name="track_once",
                violation_error_message="A subtask has this number; choose another.",
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1) & ~Q(title="") & ~Q(column=""), name="track_is_whole"
            ),
            models.CheckConstraint(
                condition=Q(column2="") | Q(metric="harmonic") & ~Q(column2=F("column")),
                name="two_columns_are_of_a_harmonic_mean",
                violation_error_message="Only a harmonic mean may have a second, other column.",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"subtask {self.number}: {self.title}"


class TaskPart(models.Model):
    """One language, or pair of languages, of a shared task: its data, and the hidden gold.

    `name` is the end of its files' names, such as sl or en-ar. Only `sharedtasks.gold` reads `gold`
    and `practice_gold`. Files are copies: nothing that happens to the release changes them.
    """

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="parts")
    language = models.CharField(max_length=35, help_text="BCP 47 tag, such as sl")
    language2 = models.CharField(
        max_length=3, blank=True, default="", help_text="of the second text; empty: the same"
    )
    name = models.GeneratedField(
        expression=Case(
            When(language2="", then=F("language")),
            default=Concat("language", Value("-"), "language2"),
        ),
        output_field=models.CharField(max_length=39),
        db_persist=True,
    )
    release = models.ForeignKey(
        Release, models.PROTECT, null=True, blank=True, related_name="task_parts"
    )
    data = models.FileField(upload_to=name_private_file)
    gold = models.FileField(upload_to=name_private_file)
    practice_data = models.FileField(upload_to=name_private_file, blank=True)
    practice_gold = models.FileField(upload_to=name_private_file, blank=True)
    instructions = models.TextField(blank=True, default="", help_text="what annotators read")
    n_pairs = models.PositiveIntegerField(help_text="of the test data")
    n_practice = models.PositiveIntegerField(default=0)
    data_sha256 = models.CharField(max_length=64)
    gold_sha256 = models.CharField(max_length=64)
    reliability = models.FloatField(
        null=True, blank=True, help_text="R of the changes of its test data; empty: not known"
    )
    human = models.FloatField(
        null=True, blank=True, help_text="mean Spearman of one person with the mean of the others"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["language", "language2"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("shared_task", "language", "language2"), name="part_once"
            ),
            models.CheckConstraint(
                condition=Q(language2="")
                | ~Q(language__contains="-") & ~Q(language=F("language2")),
                name="pairs_are_of_two_languages_without_regions",
            ),
            models.CheckConstraint(
                condition=Q(practice_data="", practice_gold="", n_practice=0)
                | ~Q(practice_data="") & ~Q(practice_gold="") & Q(n_practice__gt=0),
                name="practice_has_data_and_gold",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shared_task}, {self.name}"


class PhaseData(models.TextChoices):
    """The data that are scored in a phase."""

    PRACTICE = "practice", "practice data"
    TEST = "test", "test data"


class Visibility(models.TextChoices):
    """Who sees the scores of a phase before the results are published."""

    HIDDEN = "hidden", "hidden: a team learns only that its files are valid"
    OWN = "own", "own: a team sees its own scores"
    BOARD = "board", "board: everybody sees all scores"


class Counting(models.TextChoices):
    """The submission of a team that the board shows."""

    CHOSEN = "chosen", "the one that the team chooses, or else its last"
    BEST = "best", "the one with the highest score"


class PhaseQuerySet(models.QuerySet["Phase"]):
    def running(self, now: datetime) -> Self:
        """Return the phases in which teams may submit at an instant."""
        return self.filter(Q(closes_at=None) | Q(closes_at__gt=now), opens_at__lte=now)


class Phase(models.Model):
    """A time in which data are scored under one set of limits and one rule of visibility."""

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="phases")
    name = models.SlugField(max_length=40, help_text="part of addresses, such as evaluation")
    data = models.CharField(max_length=10, choices=PhaseData, default=PhaseData.TEST)
    subtasks = models.JSONField(default=list, help_text="numbers of tracks")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(null=True, blank=True, help_text="empty: never")
    attempts_total = models.PositiveIntegerField(
        null=True, blank=True, help_text="of a team; empty for no limit"
    )
    attempts_a_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="days of the task's zone; empty for no limit"
    )
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.HIDDEN)
    counting = models.CharField(max_length=10, choices=Counting, default=Counting.CHOSEN)
    moved_at = models.DateTimeField(
        null=True, blank=True, help_text="when the end was last moved; shown on the page"
    )
    moved_from = models.DateTimeField(
        null=True, blank=True, help_text="the end before it was moved"
    )

    objects = PhaseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["opens_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("shared_task", "name"), name="phase_once"),
            models.CheckConstraint(
                condition=Q(closes_at=None) | Q(closes_at__gt=F("opens_at")),
                name="phases_end_after_they_begin",
            ),
            models.CheckConstraint(
                condition=~Q(counting=Counting.BEST) | ~Q(visibility=Visibility.HIDDEN),
                name="the_best_counts_where_it_is_seen",
            ),
            models.CheckConstraint(
                condition=(Q(attempts_total=None) | Q(attempts_total__lte=MOST_ATTEMPTS))
                & (Q(attempts_a_day=None) | Q(attempts_a_day__lte=MOST_ATTEMPTS)),
                name="attempts_are_plausible",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shared_task}, {self.name}"

    def is_running(self, now: datetime) -> bool:
        """Return whether teams may submit at an instant; the end itself is too late."""
        return self.opens_at <= now and not self.has_ended(now)

    def has_ended(self, now: datetime) -> bool:
        """Return whether an instant is too late to submit."""
        return self.closes_at is not None and self.closes_at <= now

    def has_begun(self, now: datetime) -> bool:
        """Return whether its kit may be downloaded at an instant."""
        return self.opens_at <= now
