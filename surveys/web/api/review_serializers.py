"""What the API says of the review, and what reviewers may ask for."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from surveys.models import Review, ReviewState, VerdictKind
from surveys.models.reviewing import LONGEST_REASON
from surveys.review.agreement import tell_evidence
from surveys.web.api.fields import Asked, Text, Whole

MOST_CLAIMED = 10  # what would change without each takes its time
KINDS = [("answers", "answers"), ("questionnaires", "questionnaires")]


class VerdictSerializer(serializers.Serializer[Any]):
    """What a reviewer decided."""

    kind = serializers.ChoiceField(VerdictKind.choices)
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class SignedVerdictSerializer(VerdictSerializer):
    """What a reviewer decided, and who it was."""

    reviewer = serializers.CharField(source="reviewer.username")


class ReviewSerializer(serializers.Serializer[Any]):
    """An answer to be judged, or a whole questionnaire, which has no text of its own.

    What others decided is not told, so that two who judge the same are blind to each other.
    """

    id = serializers.IntegerField()
    is_whole = serializers.BooleanField(help_text="a whole questionnaire")
    annotator = serializers.CharField(source="assignment.annotator.code")
    block = serializers.IntegerField(source="assignment.questionnaire.block.number")
    questionnaire = serializers.CharField(source="assignment.questionnaire.letter")
    round = serializers.IntegerField(source="assignment.round.number")
    position = serializers.IntegerField(source="response.position", allow_null=True)
    text = serializers.CharField(source="response.context.text", allow_null=True)
    inspired_word1 = serializers.CharField(source="response.inspired_word1", allow_null=True)
    inspired_word2 = serializers.CharField(source="response.inspired_word2", allow_null=True)
    rating = serializers.FloatField(source="response.rating", allow_null=True)
    evidence = serializers.SerializerMethodField(help_text="what was noticed, a sentence each")
    risk = serializers.IntegerField(help_text="weight of the evidence")
    state = serializers.ChoiceField(ReviewState.choices)
    outcome = serializers.CharField(help_text="the verdict that counts, or nothing")
    mine = serializers.SerializerMethodField(help_text="your own verdict")

    def get_evidence(self, review: Review) -> list[str]:
        return tell_evidence(review)

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_mine(self, review: Review) -> Any:
        verdict = self.context["mine"].get(review.pk)
        return VerdictSerializer(verdict).data if verdict else None


class WeighedReviewSerializer(ReviewSerializer):
    """The same, with what would change in the results without it."""

    effect = serializers.SerializerMethodField(help_text="in words")

    def get_effect(self, review: Review) -> str:
        return str(self.context["effects"][review.pk])


class DisputeSerializer(ReviewSerializer):
    """What two reviewers judged differently."""

    verdicts = serializers.SerializerMethodField()

    @extend_schema_field(SignedVerdictSerializer(many=True))
    def get_verdicts(self, review: Review) -> Any:
        return SignedVerdictSerializer(self.context["verdicts"].get(review.pk, []), many=True).data


class ReviewFilterSerializer(Asked):
    """Which things to be judged are wanted."""

    of = serializers.ChoiceField(KINDS, required=False, help_text="single answers, or whole ones")
    state = serializers.ChoiceField(ReviewState.choices, required=False)


class ClaimSerializer(Asked):
    """How many answers a reviewer wants before them."""

    count = Whole(min_value=1, max_value=MOST_CLAIMED, default=1)


class ClaimedSerializer(serializers.Serializer[Any]):
    """Answers that nobody else is given for a quarter of an hour."""

    reviews = WeighedReviewSerializer(many=True)


class NewVerdictSerializer(Asked):
    """What a reviewer decides."""

    kind = serializers.ChoiceField(VerdictKind.choices)
    reason = Text(
        max_length=LONGEST_REASON,
        allow_blank=True,
        default="",
        help_text="needed for a rejection; the annotator may ask for it",
    )


class AgreementSerializer(serializers.Serializer[Any]):
    """How far two reviewers agree who judged the same, blind to each other."""

    reviewers = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
    n = serializers.IntegerField()
    n_equal = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen’s; null where undefined")


class ReviewProgressSerializer(serializers.Serializer[Any]):
    """How far the review is."""

    answers = serializers.DictField(
        child=serializers.IntegerField(), help_text="how many answers are in which state"
    )
    n_unfiled = serializers.IntegerField(help_text="questionnaires not looked through yet")
    agreement = AgreementSerializer(many=True)


class ReviewSettingsSerializer(serializers.Serializer[Any]):
    """How much is reviewed, and by how many."""

    sample_percent = serializers.IntegerField(help_text="of the answers without evidence")
    double_percent = serializers.IntegerField(help_text="of the answers, judged by two")


class ReviewSettingsChangeSerializer(Asked):
    """What may change about it."""

    sample_percent = Whole(min_value=0, max_value=100, required=False)
    double_percent = Whole(min_value=0, max_value=100, required=False)
