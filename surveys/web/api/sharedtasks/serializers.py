"""Serializers of shared tasks and their boards."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from surveys.models.sharedtasks import (
    Counting,
    PhaseData,
    SharedTask,
    SharedTaskState,
    TaskPart,
    Visibility,
)

SHOWN_STATES = [one for one in SharedTaskState.choices if one[0] != SharedTaskState.DRAFT]


class SharedTaskSerializer(serializers.ModelSerializer[SharedTask]):
    """A shared task in the list."""

    state = serializers.ChoiceField(SHOWN_STATES)
    languages = serializers.SerializerMethodField(help_text="of its data")

    class Meta:
        model = SharedTask
        fields = ("slug", "title", "state", "languages", "published_at")

    def get_languages(self, shared_task: SharedTask) -> list[str]:
        return [part.language for part in shared_task.parts.all()]


class PartSerializer(serializers.ModelSerializer[TaskPart]):
    """The data of one language."""

    class Meta:
        model = TaskPart
        fields = ("language", "n_pairs", "n_practice")


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
    phases = serializers.SerializerMethodField()

    class Meta:
        model = SharedTask
        fields = (
            "slug", "title", "state", "contact", "zone", "text", "terms", "required_languages",
            "best_of", "names", "commitment", "published_at", "retracted_at", "parts", "phases",
        )  # fmt: skip

    @extend_schema_field(PhaseSerializer(many=True))
    def get_phases(self, shared_task: SharedTask) -> Any:
        return PhaseSerializer(self.context["phases"], many=True).data


class BoardSerializer(serializers.Serializer[Any]):
    """A board that the token's user may see."""

    phase = serializers.CharField(help_text="name of its phase")
    subtask = serializers.IntegerField()
    is_final = serializers.BooleanField(help_text="published, and does not change any more")
