"""Serializers of shared tasks, their boards and submissions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from surveys.sharedtasks.models import (
    Counting,
    PhaseData,
    SharedTask,
    SharedTaskState,
    SubmissionState,
    TaskPart,
    Track,
    Visibility,
)
from surveys.sharedtasks.submissions import MOST_NOTED
from surveys.web.api.fields import (
    FormSerializer,
    JsonInteger,
    JsonSlug,
    JsonString,
    RequestSerializer,
    ResultsField,
)

SHOWN_STATES = [state for state in SharedTaskState.choices if state[0] != SharedTaskState.DRAFT]


class SharedTaskSerializer(serializers.ModelSerializer[SharedTask]):
    """A shared task in the list."""

    state = serializers.ChoiceField(SHOWN_STATES)
    languages = serializers.SerializerMethodField(help_text="of its data")

    class Meta:
        model = SharedTask
        fields = ("slug", "title", "state", "languages", "published_at")

    def get_languages(self, shared_task: SharedTask) -> list[str]:
        return [part.name for part in shared_task.parts.all()]


class PartSerializer(serializers.ModelSerializer[TaskPart]):
    """The data of one language, or of a pair of languages, such as en-ar."""

    language = serializers.CharField(source="name")

    class Meta:
        model = TaskPart
        fields = ("language", "n_pairs", "n_practice")


class TrackSerializer(serializers.ModelSerializer[Track]):
    """A subtask: what teams predict, and how it is scored."""

    class Meta:
        model = Track
        fields = ("number", "title", "metric", "column", "column2", "is_percent")


class PhaseSerializer(serializers.Serializer[Any]):
    """A phase at the time of the request."""

    name = serializers.CharField(source="phase.name", help_text="part of addresses")
    data = serializers.ChoiceField(  # type: ignore[assignment]
        PhaseData.choices, source="phase.data"
    )
    subtasks = serializers.ListField(source="phase.subtasks", child=serializers.IntegerField())
    opens_at = serializers.DateTimeField(source="phase.opens_at")
    closes_at = serializers.DateTimeField(
        source="phase.closes_at", allow_null=True, help_text="null: never"
    )
    attempts_total = serializers.IntegerField(
        source="phase.attempts_total", allow_null=True, help_text="of a team; null: no limit"
    )
    attempts_a_day = serializers.IntegerField(
        source="phase.attempts_a_day", allow_null=True, help_text="days of the zone; null: no limit"
    )
    visibility = serializers.ChoiceField(
        Visibility.choices, source="phase.visibility", help_text="of scores, until the results"
    )
    counting = serializers.ChoiceField(
        Counting.choices, source="phase.counting", help_text="which submission is on the board"
    )
    is_running = serializers.BooleanField(help_text="whether teams may submit")
    has_boards = serializers.BooleanField(help_text="whether the token's user may see its boards")


class OneSharedTaskSerializer(serializers.ModelSerializer[SharedTask]):
    """A shared task with its texts (Markdown), data and phases."""

    state = serializers.ChoiceField(SHOWN_STATES)
    required_languages = serializers.ListField(child=serializers.CharField())
    parts = PartSerializer(many=True)
    tracks = TrackSerializer(many=True)
    phases = serializers.SerializerMethodField()

    class Meta:
        model = SharedTask
        fields = (
            "slug", "title", "state", "contact", "zone", "text", "terms", "required_languages",
            "best_of", "places", "names", "commitment", "published_at", "retracted_at", "parts",
            "tracks", "phases",
        )  # fmt: skip

    @extend_schema_field(PhaseSerializer(many=True))
    def get_phases(self, shared_task: SharedTask) -> Any:
        return PhaseSerializer(self.context["phases"], many=True).data


class BoardSerializer(serializers.Serializer[Any]):
    """A board that the token's user may see."""

    phase = serializers.CharField(help_text="name of its phase")
    subtask = serializers.IntegerField()
    is_final = serializers.BooleanField(help_text="published, and does not change any more")


class NewSubmissionSerializer(FormSerializer):
    """Result files for a phase, as a form."""

    phase = JsonSlug(help_text="name of an open phase")
    results = ResultsField(help_text="one zip archive, or several .tsv files; 4 MB at most")
    note = JsonString(
        max_length=MOST_NOTED, required=False, allow_blank=True, default="",
        help_text="for the team itself",
    )  # fmt: skip


class DrySerializer(RequestSerializer):
    """Whether files are submitted."""

    dry = serializers.ChoiceField(
        ("0", "1"), required=False, default="0", help_text="1: only check the files"
    )


class AttemptsSerializer(serializers.Serializer[Any]):
    """The attempts of a team in a phase; limits include what organisers added."""

    used = serializers.IntegerField(source="n_used")
    limit = serializers.IntegerField(allow_null=True, help_text="null: none")
    used_today = serializers.IntegerField(
        source="n_used_today", help_text="on this day of the shared task's zone"
    )
    limit_today = serializers.IntegerField(allow_null=True, help_text="null: none")
    left = serializers.IntegerField(
        source="n_left", allow_null=True, help_text="now; null: no limit"
    )


class ResultFileSerializer(serializers.Serializer[Any]):
    """A file with results."""

    subtask = serializers.IntegerField()
    language = serializers.CharField()
    n_pairs = serializers.IntegerField(source="n")
    sha256 = serializers.CharField(help_text="of the file")


class WarningSerializer(serializers.Serializer[Any]):
    """What is odd in a file that was accepted."""

    file = serializers.CharField(allow_blank=True)
    row = serializers.IntegerField(allow_null=True, default=None, help_text="from 1")
    column = serializers.CharField(allow_null=True, default=None)
    reason = serializers.CharField()


class CheckSerializer(serializers.Serializer[Any]):
    """Files that can be scored; nothing was stored or counted."""

    phase = serializers.CharField()
    attempt = serializers.IntegerField(help_text="the number that these files would be")
    attempts = AttemptsSerializer()
    files = ResultFileSerializer(many=True)
    warnings = WarningSerializer(many=True)


class ScoreSerializer(serializers.Serializer[Any]):
    """A score as pages show it: with three decimals until the results are published."""

    subtask = serializers.IntegerField()
    language = serializers.CharField()
    score = serializers.FloatField(allow_null=True, help_text="null: there is none")
    low = serializers.FloatField(
        allow_null=True, help_text="of the 95 % interval, once the gold is public"
    )
    high = serializers.FloatField(allow_null=True)
    pearson = serializers.FloatField(
        allow_null=True, default=None, help_text="of a harmonic mean, once the gold is public"
    )
    spearman = serializers.FloatField(allow_null=True, default=None)
    n_pairs = serializers.IntegerField(source="n")
    reason = serializers.CharField(
        allow_blank=True, help_text="of a score of 0, or of none: constant, or not positive"
    )


class SubmissionSerializer(serializers.Serializer[Any]):
    """A submission of one's own team."""

    phase = serializers.CharField(source="submission.phase.name")
    number = serializers.IntegerField(
        source="submission.number", help_text="of the team in the phase, from 1"
    )
    sent_at = serializers.DateTimeField(
        source="submission.sent_at", help_text="when its request began"
    )
    sent_by = serializers.CharField(
        source="submission.sent_by.username", allow_null=True, default=None
    )
    state = serializers.ChoiceField(SubmissionState.choices, source="submission.state")
    state_reason = serializers.CharField(
        source="submission.state_reason", allow_blank=True, help_text="why it was cancelled"
    )
    note = serializers.CharField(source="submission.note", allow_blank=True)
    sha256 = serializers.CharField(
        source="submission.file_sha256", help_text="of the archive of its files"
    )
    files = ResultFileSerializer(source="submission.contents", many=True)
    warnings = WarningSerializer(source="submission.warnings", many=True)
    counts_for = serializers.ListField(
        child=serializers.IntegerField(), help_text="subtasks whose boards show it"
    )
    shows_scores = serializers.BooleanField(help_text="whether the team may see its scores")
    scores = ScoreSerializer(many=True)


class MadeSubmissionSerializer(SubmissionSerializer):
    """A new submission, and the attempts after it."""

    attempts = AttemptsSerializer()


class NoteSerializer(RequestSerializer):
    """The team's own note."""

    note = JsonString(max_length=MOST_NOTED, allow_blank=True, required=False)


class SubtaskSerializer(RequestSerializer):
    """A subtask."""

    subtask = JsonInteger(min_value=1, max_value=32_767)
