"""Serializers of studies: stimuli, design and texts."""

from typing import Any, ClassVar

from rest_framework import serializers

from surveys.models import AssigningPolicy, QuestionForms, Study, Variant
from surveys.models.study import MOST_ASKED_FOR, Digits
from surveys.participation.assignments import count_items
from surveys.study.planning.durations import times_of
from surveys.study.stimuli.kinds import ENCODING_CHOICES, SEPARATOR_CHOICES
from surveys.web.api.fields import (
    FileField,
    FormSerializer,
    JsonBoolean,
    JsonInteger,
    JsonSlug,
    JsonString,
    RequestSerializer,
    ScalePointField,
)

FIGURES = ("is_new", "n_pairs", "n_blocks", "n_assignments", "warnings")  # of an import
COLUMNS = (  # of a row
    "word1", "word2", "context1", "context2",
    "word1_context1", "word2_context1", "word1_context2", "word2_context2",
)  # fmt: skip
MAX_FIELD_LENGTH = 20_000
ORGANISATION = "organisation that runs the study; shown to annotators"
CONTACT = "contact for questions of annotators"
ETHICS = "ethics approval or its reference; shown to annotators"
PAY = "what annotators are paid, such as £2.50; shown to them; empty: not mentioned"
PAY_FOR_MORE = "what they are paid for a further block; empty: nothing"


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


class NewStudySerializer(RequestSerializer):
    """Stimuli and design of a new study."""

    slug = JsonSlug(max_length=50)
    language = JsonString(max_length=35, help_text="BCP 47 tag of the texts, such as sl")
    stimuli = JsonString(help_text="content of the stimuli file, tab-separated")
    title = JsonString(max_length=200, allow_blank=True, default="")
    ratings_per_context = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR)
    block_size = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR, default=20)
    scale_minimum = ScalePointField(default=0)
    scale_maximum = ScalePointField(default=6)
    scale_step = ScalePointField(default=1)
    question_forms = serializers.ChoiceField(
        QuestionForms.choices, default="dictionary",
        help_text="forms of the two words in the question on page 2",
    )  # fmt: skip
    lease_hours = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR, default=24)
    assigning_policy = serializers.ChoiceField(AssigningPolicy.choices, default="balanced")
    seed = JsonInteger(min_value=-(2**63), max_value=2**63 - 1, default=0)
    organisation = JsonString(max_length=200, allow_blank=True, default="", help_text=ORGANISATION)
    contact = JsonString(max_length=200, allow_blank=True, default="", help_text=CONTACT)
    ethics = JsonString(max_length=300, allow_blank=True, default="", help_text=ETHICS)
    consent_reviewed = JsonBoolean(
        default=False,
        help_text="a person has read and approved the default consent text of the language",
    )
    open = JsonBoolean(
        default=False,
        help_text="open the study at once; needs organisation, contact and consent_reviewed",
    )
    dry_run = JsonBoolean(default=False, help_text="check everything, store nothing")


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
    """A context: a text with the two words of its pair as they appear in it."""

    number = serializers.IntegerField()
    text = serializers.CharField()
    word1 = serializers.CharField(source="form1")
    word2 = serializers.CharField(source="form2")
    word1_start = serializers.IntegerField(help_text="in code points")
    word2_start = serializers.IntegerField()


class PairSerializer(serializers.Serializer[Any]):
    """A pair of words and its two contexts."""

    id = serializers.IntegerField(help_text="unchanged when earlier rows are removed")
    position = serializers.IntegerField(help_text="row of the file, from 1")
    word1 = serializers.CharField()
    word2 = serializers.CharField()
    contexts = ContextSerializer(many=True)


class RowSerializer(serializers.Serializer[Any]):
    """A row of the stimuli by the columns of the file."""

    id = serializers.IntegerField()
    position = serializers.IntegerField(help_text="row of the file, from 1")
    word1 = serializers.CharField()
    word2 = serializers.CharField()
    context1 = serializers.CharField(help_text="both words between <strong> and </strong>")
    context2 = serializers.CharField()
    word1_context1 = serializers.CharField(help_text="as it appears in the context")
    word2_context1 = serializers.CharField()
    word1_context2 = serializers.CharField()
    word2_context2 = serializers.CharField()
    shown = serializers.CharField(help_text="digest of the row, changes with it")


class RowRemovalSerializer(RequestSerializer):
    """Reason for a change to a row, and the digest of the row as it was read."""

    reason = JsonString(max_length=200, help_text="stored in the log")
    shown = JsonString(max_length=16, help_text="`shown` of the row as it was read")


class RowRevisionSerializer(RowRemovalSerializer):
    """New contents of a row."""

    def get_fields(self) -> dict[str, Any]:
        columns = {
            column: JsonString(max_length=MAX_FIELD_LENGTH, allow_blank=True, required=False)
            for column in COLUMNS
        }
        return {**super().get_fields(), **columns}


class DesignSerializer(serializers.ModelSerializer[Study]):
    """The design of a study."""

    scale_minimum = ScalePointField()
    scale_maximum = ScalePointField()
    scale_step = ScalePointField()
    scale_labels = serializers.DictField(child=serializers.CharField())
    minutes = serializers.SerializerMethodField(
        help_text="duration shown to annotators: introduction and texts of a first assignment"
    )

    class Meta:
        model = Study
        fields = (
            "title", "public_title", "organisation", "contact", "ethics", "legal_basis",
            "authority", "data_protection_officer", "digits", "pay", "pay_for_more", "language",
            "ratings_per_context", "block_size", "scale_minimum", "scale_maximum", "scale_step",
            "scale_labels", "question_forms", "variant", "lease_hours", "assigning_policy",
            "allows_unjudgeable", "sends_choice", "allows_more_blocks", "erases_withdrawn",
            "publishes_words", "n_check_tries", "n_checkpoints", "seconds_per_item", "seed",
            "minutes",
        )  # fmt: skip

    def get_minutes(self, study: Study) -> int:
        return times_of(study).first_minutes(count_items(study))


class DesignChangeSerializer(RequestSerializer):
    """Changes to the design of a study."""

    title = JsonString(min_length=1, max_length=200, required=False)
    public_title = JsonString(
        max_length=200, allow_blank=True, required=False, help_text="shown to annotators"
    )
    organisation = JsonString(
        max_length=200, allow_blank=True, required=False, help_text=ORGANISATION
    )
    contact = JsonString(max_length=200, allow_blank=True, required=False, help_text=CONTACT)
    ethics = JsonString(max_length=300, allow_blank=True, required=False, help_text=ETHICS)
    legal_basis = JsonString(max_length=300, allow_blank=True, required=False)
    authority = JsonString(max_length=300, allow_blank=True, required=False)
    data_protection_officer = JsonString(max_length=300, allow_blank=True, required=False)
    digits = serializers.ChoiceField(Digits.choices, allow_blank=True, required=False)
    pay = JsonString(max_length=100, allow_blank=True, required=False, help_text=PAY)
    pay_for_more = JsonString(
        max_length=100, allow_blank=True, required=False, help_text=PAY_FOR_MORE
    )
    language = JsonString(max_length=35, required=False, help_text="in drafts only")
    ratings_per_context = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR, required=False)
    block_size = JsonInteger(
        min_value=1, max_value=MOST_ASKED_FOR, required=False, help_text="in drafts only"
    )
    scale_minimum = ScalePointField(required=False, help_text="in drafts only")
    scale_maximum = ScalePointField(required=False, help_text="in drafts only")
    scale_step = ScalePointField(required=False, help_text="in drafts only")
    question_forms = serializers.ChoiceField(
        QuestionForms.choices, required=False, help_text="in drafts only"
    )
    variant = serializers.ChoiceField(
        Variant.choices, required=False, help_text="of texts, labels and question; in drafts only"
    )
    seed = JsonInteger(
        min_value=-(2**63), max_value=2**63 - 1, required=False, help_text="in drafts only"
    )
    lease_hours = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR, required=False)
    assigning_policy = serializers.ChoiceField(AssigningPolicy.choices, required=False)
    scale_labels = serializers.DictField(child=JsonString(max_length=60), required=False)
    allows_unjudgeable = JsonBoolean(required=False)
    sends_choice = JsonBoolean(
        required=False, help_text="choosing a number sends it after a moment, with an undo"
    )
    allows_more_blocks = JsonBoolean(required=False)
    erases_withdrawn = JsonBoolean(required=False)
    publishes_words = JsonBoolean(required=False)
    n_check_tries = JsonInteger(min_value=0, max_value=MOST_ASKED_FOR, required=False)
    n_checkpoints = JsonInteger(min_value=0, max_value=MOST_ASKED_FOR, required=False)
    seconds_per_item = JsonInteger(min_value=1, max_value=MOST_ASKED_FOR, required=False)


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
