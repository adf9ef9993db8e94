"""What the API says of a study and its collection, and what may be asked for."""

from typing import Any, ClassVar

from rest_framework import serializers

from surveys.models import AssigningPolicy, AssignmentState, Invitation, QuestionForms, Study
from surveys.models.collection import ANNOTATOR_CODE
from surveys.models.study import MOST_ASKED_FOR
from surveys.participation.assignments import count_items
from surveys.recruitment.links import LONGEST_NOTE, personal_link
from surveys.recruitment.reaching import warn_unreachable
from surveys.study.durations import times_of
from surveys.web.api.fields import (
    Asked,
    Number,
    Slug,
    Text,
    Truth,
    Whole,
    WrittenInstant,
    WrittenWhole,
)

FIGURES = ("is_new", "n_pairs", "n_blocks", "n_assignments", "warnings")  # of an import
LONGEST_FIELD = 20_000  # characters of a row of the stimuli
ORGANISATION = "who runs the study; shown to annotators"
CONTACT = "whom annotators may ask"
ETHICS = "ethics approval or its reference; shown to annotators"
MOST_AT_ONCE = 1000  # invitations of one request


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study and what its reader is to it."""

    role = serializers.SerializerMethodField()

    class Meta:
        model = Study
        extra_kwargs: ClassVar = {"opened_at": {"help_text": "null for a draft"}}
        fields = ("slug", "title", "language", "role", "stimuli_sha256", "created_at", "opened_at")

    def get_role(self, study: Study) -> str | None:
        roles: dict[int, str] = self.context["roles"]
        return roles.get(study.pk)


class NewStudySerializer(Asked):
    """Stimuli, and the design of the study that is to be made of them."""

    slug = Slug(max_length=50)
    language = Text(max_length=35, help_text="BCP 47 tag of the texts, such as sl")
    stimuli = Text(help_text="the text of the stimuli file, tab-separated")
    title = Text(max_length=200, allow_blank=True, default="")
    ratings_per_context = Whole(min_value=1, max_value=MOST_ASKED_FOR)
    block_size = Whole(min_value=1, max_value=MOST_ASKED_FOR, default=20)
    scale_minimum = Number(default=0)
    scale_maximum = Number(default=6)
    scale_step = Number(default=1)
    question_forms = serializers.ChoiceField(
        QuestionForms.choices, default="dictionary",
        help_text="of the two words, in the question on page 2",
    )  # fmt: skip
    lease_hours = Whole(min_value=1, max_value=MOST_ASKED_FOR, default=24)
    assigning_policy = serializers.ChoiceField(AssigningPolicy.choices, default="balanced")
    seed = Whole(min_value=-(2**63), max_value=2**63 - 1, default=0)
    organisation = Text(max_length=200, allow_blank=True, default="", help_text=ORGANISATION)
    contact = Text(max_length=200, allow_blank=True, default="", help_text=CONTACT)
    ethics = Text(max_length=300, allow_blank=True, default="", help_text=ETHICS)
    consent_reviewed = Truth(
        default=False,
        help_text="a person has read the default consent text of the language, and it is right",
    )
    open = Truth(
        default=False,
        help_text="let annotators come at once: with organisation, contact, consent_reviewed",
    )
    dry_run = Truth(default=False, help_text="check everything and store nothing")


class StimuliSerializer(Asked):
    """A file in place of the one that there is."""

    stimuli = Text(help_text="the text of the stimuli file, tab-separated")


class FindingSerializer(serializers.Serializer[Any]):
    """Something odd about the stimuli."""

    message = serializers.CharField(source="reason")
    row = serializers.IntegerField(allow_null=True)
    column = serializers.CharField(allow_null=True)


class ImportSerializer(serializers.Serializer[Any]):
    """What an import did, or would do."""

    slug = serializers.CharField()
    is_new = serializers.BooleanField(help_text="false where the same was imported before")
    is_stored = serializers.BooleanField(help_text="false for a dry run")
    n_pairs = serializers.IntegerField()
    n_blocks = serializers.IntegerField()
    n_assignments = serializers.IntegerField(help_text="that the design asks for")
    warnings = FindingSerializer(many=True)


class ContextSerializer(serializers.Serializer[Any]):
    """A text with the two words of its pair as they stand in it."""

    number = serializers.IntegerField()
    text = serializers.CharField()
    word1 = serializers.CharField(source="form1")
    word2 = serializers.CharField(source="form2")
    word1_start = serializers.IntegerField(help_text="in code points")
    word2_start = serializers.IntegerField()


class PairSerializer(serializers.Serializer[Any]):
    """Two words and their two contexts."""

    id = serializers.IntegerField(help_text="stays when rows before it are dropped")
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
    word1_context1 = serializers.CharField(help_text="as it stands in the context")
    word2_context1 = serializers.CharField()
    word1_context2 = serializers.CharField()
    word2_context2 = serializers.CharField()
    shown = serializers.CharField(help_text="another as soon as the row is another")


class RowRemovalSerializer(Asked):
    """Why a row is changed or dropped, and which one it is thought to be."""

    reason = Text(max_length=200, help_text="kept in the log")
    shown = Text(max_length=16, help_text="of the row as it was read")


class RowRevisionSerializer(RowRemovalSerializer):
    """What is to stand in a row."""

    word1 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    word2 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    context1 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    context2 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    word1_context1 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    word2_context1 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    word1_context2 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)
    word2_context2 = Text(max_length=LONGEST_FIELD, allow_blank=True, required=False)


class DesignSerializer(serializers.ModelSerializer[Study]):
    """All that was decided about a study."""

    scale_minimum = Number()
    scale_maximum = Number()
    scale_step = Number()
    scale_labels = serializers.DictField(child=serializers.CharField())
    minutes = serializers.SerializerMethodField(
        help_text="that annotators are told: introduction and texts of a first assignment"
    )

    class Meta:
        model = Study
        fields = (
            "title", "public_title", "organisation", "contact", "ethics", "language",
            "ratings_per_context", "block_size", "scale_minimum", "scale_maximum", "scale_step",
            "scale_labels", "question_forms", "lease_hours", "assigning_policy",
            "allows_unjudgeable", "allows_more_blocks", "erases_withdrawn", "publishes_words",
            "n_check_tries", "n_checkpoints", "seconds_per_item", "seed", "minutes",
        )  # fmt: skip

    def get_minutes(self, study: Study) -> int:
        return times_of(study).first_minutes(count_items(study))


class DesignChangeSerializer(Asked):
    """What may change about a study after its stimuli have come in."""

    title = Text(min_length=1, max_length=200, required=False)
    public_title = Text(
        max_length=200, allow_blank=True, required=False, help_text="named to annotators"
    )
    organisation = Text(max_length=200, allow_blank=True, required=False, help_text=ORGANISATION)
    contact = Text(max_length=200, allow_blank=True, required=False, help_text=CONTACT)
    ethics = Text(max_length=300, allow_blank=True, required=False, help_text=ETHICS)
    language = Text(max_length=35, required=False, help_text="in a draft")
    ratings_per_context = Whole(min_value=1, max_value=MOST_ASKED_FOR, required=False)
    block_size = Whole(
        min_value=1, max_value=MOST_ASKED_FOR, required=False, help_text="in a draft"
    )
    scale_minimum = Number(required=False, help_text="in a draft")
    scale_maximum = Number(required=False, help_text="in a draft")
    scale_step = Number(required=False, help_text="in a draft")
    question_forms = serializers.ChoiceField(
        QuestionForms.choices, required=False, help_text="in a draft"
    )
    seed = Whole(min_value=-(2**63), max_value=2**63 - 1, required=False, help_text="in a draft")
    lease_hours = Whole(min_value=1, max_value=MOST_ASKED_FOR, required=False)
    assigning_policy = serializers.ChoiceField(AssigningPolicy.choices, required=False)
    scale_labels = serializers.DictField(child=Text(max_length=60), required=False)
    allows_unjudgeable = Truth(required=False)
    allows_more_blocks = Truth(required=False)
    erases_withdrawn = Truth(required=False)
    publishes_words = Truth(required=False)
    n_check_tries = Whole(min_value=0, max_value=MOST_ASKED_FOR, required=False)
    n_checkpoints = Whole(min_value=0, max_value=MOST_ASKED_FOR, required=False)
    seconds_per_item = Whole(min_value=1, max_value=MOST_ASKED_FOR, required=False)


class VersionSerializer(serializers.Serializer[Any]):
    """A text as annotators read it now."""

    version = serializers.IntegerField()
    body = serializers.CharField(
        help_text="Markdown; practice and check: TOML, or empty for none; mails: text"
    )


class ConsentReviewSerializer(Asked):
    """Which version of the consent text was read."""

    version = Whole(min_value=1, help_text="of the consent text, as read")


class ConsentVersionSerializer(VersionSerializer):
    """The consent text, and whether a researcher has reviewed it."""

    reviewed_by = serializers.CharField(help_text="empty while nobody has")
    reviewed_at = serializers.DateTimeField(allow_null=True)


class TextsSerializer(serializers.Serializer[Any]):
    """What annotators read before the first text, and the mails that researchers send them."""

    consent = ConsentVersionSerializer()
    instructions = VersionSerializer()
    practice = VersionSerializer()
    check = VersionSerializer()
    invitation = VersionSerializer()
    reminder = VersionSerializer()


class TextsChangeSerializer(Asked):
    """Bodies of new versions."""

    consent = Text(required=False)
    instructions = Text(required=False)
    practice = Text(allow_blank=True, required=False)
    check = Text(allow_blank=True, required=False)
    invitation = Text(required=False)
    reminder = Text(required=False)


class StepSerializer(serializers.Serializer[Any]):
    """A step on the way of a study."""

    name = serializers.CharField()
    is_done = serializers.BooleanField()
    missing = serializers.CharField(help_text="what to do where it is not done")


class QuestionnaireSerializer(serializers.Serializer[Any]):
    """How far a questionnaire is in the current round of its block."""

    block = serializers.IntegerField()
    letter = serializers.CharField()
    round = serializers.IntegerField()
    wanted = serializers.IntegerField()
    live = serializers.IntegerField()
    finished = serializers.IntegerField()
    usable = serializers.IntegerField(help_text="finished, and not set aside by a reviewer")


class ProgressSerializer(serializers.Serializer[Any]):
    """How far a study is."""

    wanted = serializers.IntegerField(help_text="assignments")
    live = serializers.IntegerField()
    finished = serializers.IntegerField()
    usable = serializers.IntegerField(help_text="finished, and not set aside by a reviewer")
    steps = StepSerializer(many=True)
    questionnaires = QuestionnaireSerializer(many=True)


class InvitationSerializer(serializers.Serializer[Any]):
    """A personal link. Whom it was made for is not told."""

    id = serializers.IntegerField()
    link = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_link(self, invitation: Invitation) -> str:
        return personal_link(invitation.token)

    def get_state(self, invitation: Any) -> str:
        if invitation.revoked_at:
            return "revoked"
        return getattr(invitation, "latest_state", None) or "unused"


class InvitedSerializer(serializers.Serializer[Any]):
    """Personal links in the order of what was asked for."""

    invitations = InvitationSerializer(many=True)
    n_new = serializers.IntegerField(help_text="how many were not there before")
    warning = serializers.SerializerMethodField(
        help_text="where the links would not open elsewhere; else empty"
    )

    def get_warning(self, made: Any) -> str:
        return warn_unreachable()


class NewInvitationsSerializer(Asked):
    """How many links, or whom for: one of the two."""

    count = Whole(min_value=1, max_value=MOST_AT_ONCE, required=False)
    notes = serializers.ListField(
        child=Text(max_length=LONGEST_NOTE),
        max_length=MOST_AT_ONCE,
        min_length=1,
        required=False,
        help_text="a label or an address for each; one that has a valid link gets no other",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give either count or notes.")
        return attrs


class RevocationSerializer(Asked):
    """Why a link is revoked."""

    because = Text(max_length=200, help_text="kept with the link")


class ResponseFilterSerializer(Asked):
    """Which responses are wanted."""

    block = WrittenWhole(min_value=1, required=False)
    context = serializers.ChoiceField(  # type: ignore[assignment]
        [("1", "1"), ("2", "2")], required=False
    )
    annotator = serializers.RegexField(f"^{ANNOTATOR_CODE}$", required=False, help_text="the code")
    state = serializers.ChoiceField(
        AssignmentState.choices, required=False, help_text="of the assignment"
    )
    since = WrittenInstant(required=False, help_text="answered or changed then or later")


class ResponseSerializer(serializers.Serializer[Any]):
    """What an annotator answered to one text."""

    pair = serializers.IntegerField(help_text="row of the stimuli, or of the checkpoint items")
    context = serializers.IntegerField()  # type: ignore[assignment]
    checkpoint = serializers.BooleanField()
    annotator = serializers.CharField(help_text="a code by chance")
    block = serializers.IntegerField()
    questionnaire = serializers.CharField()
    round = serializers.IntegerField()
    is_current_round = serializers.BooleanField()
    assignment_state = serializers.CharField()
    is_over_quota = serializers.BooleanField()
    is_scripted = serializers.BooleanField()
    position = serializers.IntegerField()
    inspired_word1 = serializers.CharField()
    inspired_word2 = serializers.CharField()
    pasted_word1 = serializers.BooleanField()
    pasted_word2 = serializers.BooleanField()
    rating = serializers.FloatField(allow_null=True)
    cannot_judge = serializers.BooleanField()
    comment = serializers.CharField()
    words_shown_at = serializers.CharField(allow_null=True)
    engaged_at = serializers.CharField()
    words_visible_seconds = serializers.FloatField(allow_null=True)
    rating_shown_at = serializers.CharField(allow_null=True)
    rated_at = serializers.CharField(allow_null=True)
    rating_visible_seconds = serializers.FloatField(allow_null=True)
