"""Serializers of studies: stimuli, design and texts."""

from typing import Any, ClassVar

from rest_framework import serializers

from surveys.models import Context, Study
from surveys.models.fields import field_of
from surveys.models.study import LONGEST_LABEL
from surveys.participation.assignments import count_items
from surveys.study.planning.durations import times_of
from surveys.study.settings import AT_IMPORT, KIND, SETTINGS
from surveys.study.stimuli.kinds import ENCODING_CHOICES, SEPARATOR_CHOICES
from surveys.web.api.fields import (
    FileField,
    FormSerializer,
    JsonBoolean,
    JsonInteger,
    JsonSlug,
    JsonString,
    RequestSerializer,
    StrictModelSerializer,
)

FIGURES = ("is_new", "n_pairs", "n_blocks", "n_assignments", "warnings")  # of an import
MAX_FIELD_LENGTH = 20_000


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study and the role of the token's user in it."""

    role = serializers.SerializerMethodField()

    class Meta:
        model = Study
        extra_kwargs: ClassVar = {"opened_at": {"help_text": "null for a draft"}}
        fields = ("slug", "title", "language", "role", "stimuli_sha256", "created_at", "opened_at")

    def get_role(self, study: Study) -> str | None:
        roles: dict[int, str] = self.context["roles"]
        return roles.get(study.pk)


class NewStudySerializer(StrictModelSerializer):
    """Stimuli and design of a new study."""

    slug = JsonSlug(max_length=50)
    stimuli = JsonString(help_text="content of the stimuli file, tab-separated")
    consent_reviewed = JsonBoolean(
        default=False,
        help_text="a person has read and approved the default consent text of the language",
    )
    open = JsonBoolean(
        default=False,
        help_text="open the study at once; needs organisation, contact and consent_reviewed",
    )
    dry_run = JsonBoolean(default=False, help_text="check everything, store nothing")

    class Meta:
        model = Study
        fields: ClassVar = [
            *AT_IMPORT, "organisation", "contact", "ethics", "stimuli", "consent_reviewed", "open",
            "dry_run",
        ]  # fmt: skip
        extra_kwargs: ClassVar = {"title": {"required": False, "allow_blank": True}}

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        """Give the API's description the defaults of the model."""
        field, options = super().build_standard_field(field_name, model_field)
        if model_field.has_default():
            options["default"] = model_field.get_default()
        return field, options


class StimuliSerializer(RequestSerializer):
    """A new stimuli file."""

    stimuli = JsonString(help_text="content of the stimuli file, tab-separated")


class StimuliFormSerializer(FormSerializer):
    """A form with a stimuli file, and how the file is written."""

    stimuli = FileField(help_text="stimuli file: text, or an Excel workbook (.xlsx)")
    separator = serializers.ChoiceField(
        SEPARATOR_CHOICES, required=False, help_text="of the columns of a text (tab)"
    )
    encoding = serializers.ChoiceField(
        ENCODING_CHOICES, required=False, help_text="of a text (utf-8)"
    )


class NewStudyFormSerializer(StimuliFormSerializer, NewStudySerializer):  # type: ignore[misc]
    """A form with the stimuli file and the design of a new study."""

    class Meta(NewStudySerializer.Meta):
        fields: ClassVar = [*NewStudySerializer.Meta.fields, "separator", "encoding"]


class FindingSerializer(serializers.Serializer[Any]):
    """A warning about the stimuli."""

    message = serializers.CharField(source="reason")
    row = serializers.IntegerField(allow_null=True)
    column = serializers.CharField(allow_null=True)


class ImportSerializer(serializers.Serializer[Any]):
    """The result of an import or of a dry run."""

    slug = serializers.CharField()
    is_new = serializers.BooleanField(help_text="false if the same was imported before")
    is_stored = serializers.BooleanField(help_text="false for a dry run")
    n_pairs = serializers.IntegerField()
    n_blocks = serializers.IntegerField()
    n_assignments = serializers.IntegerField(help_text="required by the design")
    warnings = FindingSerializer(many=True)


class ContextSerializer(serializers.Serializer[Any]):
    """A context: a text with the two words of its pair as they appear in it, or one text each.

    Without texts it has empty ones, and null for the words and their places.
    """

    number = serializers.IntegerField()
    text = serializers.CharField()
    text2 = serializers.CharField(help_text="of word 2, if it has a text of its own")
    word1 = serializers.SerializerMethodField()
    word2 = serializers.SerializerMethodField()
    word1_start = serializers.IntegerField(allow_null=True, help_text="in code points")
    word2_start = serializers.IntegerField(allow_null=True)

    def get_word1(self, context: Context) -> str | None:
        return context.find_form(1)

    def get_word2(self, context: Context) -> str | None:
        return context.find_form(2)


class PairSerializer(serializers.Serializer[Any]):
    """A pair of words and its contexts: two, or one for other kinds than texts with both words."""

    id = serializers.IntegerField(help_text="unchanged when earlier rows are removed")
    position = serializers.IntegerField(help_text="row of the file, from 1")
    word1 = serializers.CharField()
    word2 = serializers.CharField()
    details = serializers.DictField(
        child=serializers.CharField(), help_text="what else its file said, by column"
    )
    contexts = ContextSerializer(many=True)


class RowSerializer(serializers.Serializer[Any]):
    """A row of the stimuli by the columns of the file."""

    id = serializers.IntegerField()
    position = serializers.IntegerField(help_text="row of the file, from 1")
    columns = serializers.DictField(
        child=serializers.CharField(), help_text="targets in texts between <strong> and </strong>"
    )
    shown = serializers.CharField(help_text="digest of the row, changes with it")


class RowRemovalSerializer(RequestSerializer):
    """Reason for a change to a row, and the digest of the row as it was read."""

    reason = JsonString(max_length=200, help_text="stored in the log")
    shown = JsonString(max_length=16, help_text="`shown` of the row as it was read")


class RowRevisionSerializer(RowRemovalSerializer):
    """New contents of a row."""

    columns = serializers.DictField(
        child=JsonString(max_length=MAX_FIELD_LENGTH, allow_blank=True),
        help_text="the columns to change",
    )


class DesignSerializer(StrictModelSerializer):
    """The design of a study."""

    scale_labels = serializers.DictField(
        child=JsonString(max_length=LONGEST_LABEL),
        help_text=str(field_of(Study, "scale_labels").help_text),
    )
    minutes = serializers.SerializerMethodField(
        help_text="duration shown to annotators: introduction and texts of a first assignment"
    )

    class Meta:
        model = Study
        fields = (*KIND, *SETTINGS, "minutes")
        read_only_fields = KIND

    def get_minutes(self, study: Study) -> int:
        return times_of(study).first_minutes(count_items(study))


class VersionSerializer(serializers.Serializer[Any]):
    """The current version of a text."""

    version = serializers.IntegerField()
    body = serializers.CharField(
        help_text="Markdown; practice and check: TOML, or empty for none; mails: text"
    )


class ConsentReviewSerializer(RequestSerializer):
    """The version of the consent text that was read."""

    version = JsonInteger(min_value=1, help_text="version of the consent text that was read")


class ConsentVersionSerializer(VersionSerializer):
    """The current consent text and its review."""

    reviewed_by = serializers.CharField(help_text="empty before the review")
    reviewed_at = serializers.DateTimeField(allow_null=True)


class TextsSerializer(serializers.Serializer[Any]):
    """The texts that annotators read before the first item, and the e-mails to them."""

    consent = ConsentVersionSerializer()
    instructions = VersionSerializer()
    practice = VersionSerializer()
    check = VersionSerializer()
    invitation = VersionSerializer()
    reminder = VersionSerializer()


class TextsChangeSerializer(RequestSerializer):
    """Bodies of new versions."""

    consent = JsonString(required=False)
    instructions = JsonString(required=False)
    practice = JsonString(allow_blank=True, required=False)
    check = JsonString(allow_blank=True, required=False)
    invitation = JsonString(required=False)
    reminder = JsonString(required=False)
