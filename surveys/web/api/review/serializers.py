"""Serializers of reviews and verdicts."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from surveys.models import Review, ReviewState, VerdictKind
from surveys.models.review import LONGEST_REASON, ReviewSettings
from surveys.review.agreement import describe_evidence
from surveys.web.api.fields import JsonInteger, JsonString, RequestSerializer, StrictModelSerializer

MAX_CLAIMED = 10  # at once: other reviewers do not get them meanwhile
KINDS = [("answers", "answers"), ("questionnaires", "questionnaires")]


class VerdictSerializer(serializers.Serializer[Any]):
    """A verdict."""

    kind = serializers.ChoiceField(VerdictKind.choices)
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class SignedVerdictSerializer(VerdictSerializer):
    """A verdict with its reviewer."""

    reviewer = serializers.CharField(source="reviewer.username")


class ReviewSerializer(serializers.Serializer[Any]):
    """An answer to review, or a whole questionnaire, which has no text.

    Verdicts of other reviewers are not shown, so that double reviews are blind.
    """

    id = serializers.IntegerField()
    is_whole = serializers.BooleanField(help_text="a whole questionnaire")
    annotator = serializers.CharField(source="assignment.annotator.code")
    block = serializers.IntegerField(source="assignment.questionnaire.block.number")
    questionnaire = serializers.CharField(source="assignment.questionnaire.letter")
    round = serializers.IntegerField(source="assignment.round.number")
    position = serializers.IntegerField(source="response.position", allow_null=True)
    text = serializers.CharField(source="response.context.shown", allow_null=True)
    inspired_word1 = serializers.CharField(source="response.written1", allow_null=True)
    inspired_word2 = serializers.CharField(source="response.written2", allow_null=True)
    rating = serializers.FloatField(
        source="valid_answer.rating", allow_null=True, help_text="that counts"
    )
    rating_before_second_look = serializers.FloatField(
        source="rating_before", allow_null=True, help_text="null unless a second look changed it"
    )
    evidence = serializers.SerializerMethodField(help_text="what was noticed, one sentence each")
    risk = serializers.IntegerField(help_text="weight of the evidence")
    state = serializers.ChoiceField(ReviewState.choices)
    outcome = serializers.CharField(help_text="the verdict that counts, or empty")
    mine = serializers.SerializerMethodField(help_text="your own verdict")

    def get_evidence(self, review: Review) -> list[str]:
        return describe_evidence(review)

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_mine(self, review: Review) -> Any:
        verdict = self.context["mine"].get(review.pk)
        return VerdictSerializer(verdict).data if verdict else None


class EffectSerializer(serializers.Serializer[Any]):
    """The effect of not using an answer or a questionnaire on the results."""

    effect = serializers.CharField(help_text="in words")


class DisputeSerializer(ReviewSerializer):
    """A review with two different verdicts."""

    verdicts = serializers.SerializerMethodField()

    @extend_schema_field(SignedVerdictSerializer(many=True))
    def get_verdicts(self, review: Review) -> Any:
        return SignedVerdictSerializer(self.context["verdicts"].get(review.pk, []), many=True).data


class AdjudicationSerializer(serializers.Serializer[Any]):
    """A decision on an item without a majority; a later one takes the place of an earlier one.

    A decision that took an answer has none once the annotator has withdrawn.
    """

    id = serializers.IntegerField()
    item = serializers.CharField(source="context.pair.details.id", help_text="the id in its file")
    annotator = serializers.CharField(
        source="response.annotator.code", default=None, allow_null=True,
        help_text="whose answer was taken; null for another answer",
    )  # fmt: skip
    rating = serializers.FloatField(source="given.rating", allow_null=True)
    written1 = serializers.CharField(source="given.written1", allow_null=True)
    written2 = serializers.CharField(source="given.written2", allow_null=True)
    reason = serializers.CharField()
    author = serializers.CharField(source="author.username")
    at = serializers.DateTimeField()
    is_standing = serializers.BooleanField(help_text="no later decision took its place")


class ReviewFilterSerializer(RequestSerializer):
    """Filters of reviews."""

    of = serializers.ChoiceField(
        KINDS, required=False, help_text="single answers or whole questionnaires"
    )
    state = serializers.ChoiceField(ReviewState.choices, required=False)


class ClaimSerializer(RequestSerializer):
    """The number of answers to claim."""

    count = JsonInteger(min_value=1, max_value=MAX_CLAIMED, default=1)


class ClaimedSerializer(serializers.Serializer[Any]):
    """Answers that are reserved for the reviewer for 15 minutes."""

    reviews = ReviewSerializer(many=True)


class NewVerdictSerializer(RequestSerializer):
    """A new verdict."""

    kind = serializers.ChoiceField(VerdictKind.choices)
    reason = JsonString(
        max_length=LONGEST_REASON,
        allow_blank=True,
        default="",
        help_text="required for a rejection; the annotator may ask for it",
    )


class AgreementSerializer(serializers.Serializer[Any]):
    """Agreement of two reviewers on answers that both judged blindly."""

    reviewers = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
    n = serializers.IntegerField()
    n_equal = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen’s; null where undefined")


class ReviewProgressSerializer(serializers.Serializer[Any]):
    """Progress of the review."""

    answers = serializers.DictField(
        child=serializers.IntegerField(), help_text="number of answers by state"
    )
    n_unfiled = serializers.IntegerField(help_text="questionnaires that are not in the queue yet")
    agreement = AgreementSerializer(many=True)


class ReviewSettingsSerializer(StrictModelSerializer):
    """Shares of answers that are reviewed, and reviewed twice."""

    class Meta:
        model = ReviewSettings
        fields = ("sample_percent", "double_percent")
        extra_kwargs: ClassVar = {name: {"required": True} for name in fields}
