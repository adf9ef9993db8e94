"""Serializers of a collection: progress, invitations and responses."""

from typing import Any

from rest_framework import serializers

from surveys.models import AssignmentState, Invitation
from surveys.models.participation import ANNOTATOR_CODE
from surveys.models.study import ScaleLayout
from surveys.recruitment.links import LONGEST_NOTE, personal_link
from surveys.recruitment.reaching import warn_unreachable
from surveys.web.api.fields import (
    InstantParameter,
    IntegerParameter,
    JsonInteger,
    JsonString,
    RequestSerializer,
)

MAX_INVITATIONS = 1000  # per request


class StepSerializer(serializers.Serializer[Any]):
    """A step of the checklist of a study."""

    name = serializers.CharField()
    is_done = serializers.BooleanField()
    missing = serializers.CharField(help_text="what to do if it is not done")


class QuestionnaireSerializer(serializers.Serializer[Any]):
    """Progress of a questionnaire in the current round of its block."""

    block = serializers.IntegerField()
    letter = serializers.CharField()
    round = serializers.IntegerField()
    wanted = serializers.IntegerField()
    live = serializers.IntegerField()
    finished = serializers.IntegerField()
    usable = serializers.IntegerField(help_text="finished and not excluded by a reviewer")


class ProgressSerializer(serializers.Serializer[Any]):
    """Progress of a study."""

    wanted = serializers.IntegerField(help_text="assignments")
    live = serializers.IntegerField()
    finished = serializers.IntegerField()
    usable = serializers.IntegerField(help_text="finished and not excluded by a reviewer")
    steps = StepSerializer(many=True)
    questionnaires = QuestionnaireSerializer(many=True)


class InvitationSerializer(serializers.Serializer[Any]):
    """A personal link, without the note about its recipient."""

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
    """Personal links in the order of the request."""

    invitations = InvitationSerializer(many=True)
    n_new = serializers.IntegerField(help_text="number of newly created links")
    warning = serializers.SerializerMethodField(
        help_text="if the links would not open on other machines; else empty"
    )

    def get_warning(self, made: Any) -> str:
        return warn_unreachable()


class NewInvitationsSerializer(RequestSerializer):
    """A number of links, or a note for each: one of the two."""

    count = JsonInteger(min_value=1, max_value=MAX_INVITATIONS, required=False)
    notes = serializers.ListField(
        child=JsonString(max_length=LONGEST_NOTE),
        max_length=MAX_INVITATIONS,
        min_length=1,
        required=False,
        help_text="a label or an e-mail address for each; one with a valid link gets no second",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give either count or notes.")
        return attrs


class RevocationSerializer(RequestSerializer):
    """Why a link is revoked."""

    because = JsonString(max_length=200, help_text="kept with the link")


class ResponseFilterSerializer(RequestSerializer):
    """Filters of responses."""

    block = IntegerParameter(min_value=1, required=False)
    context = serializers.ChoiceField(  # type: ignore[assignment]
        [("1", "1"), ("2", "2")], required=False
    )
    annotator = serializers.RegexField(
        f"^{ANNOTATOR_CODE}$", required=False, help_text="code of the annotator"
    )
    state = serializers.ChoiceField(
        AssignmentState.choices, required=False, help_text="state of the assignment"
    )
    since = InstantParameter(required=False, help_text="answered or changed at this time or later")


class ResponseSerializer(serializers.Serializer[Any]):
    """An annotator's answers to one text."""

    pair = serializers.IntegerField(help_text="row of the stimuli or of the checkpoint items")
    context = serializers.IntegerField()  # type: ignore[assignment]
    checkpoint = serializers.BooleanField()
    annotator = serializers.CharField(help_text="random code")
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
    scale_layout = serializers.ChoiceField(
        ScaleLayout.choices, allow_blank=True, help_text="as page 2 reported it; empty if unknown"
    )
    first_rating = serializers.FloatField(
        allow_null=True, help_text="before the annotator changed it; null if not judged at first"
    )
    changed_at = serializers.CharField(allow_null=True, help_text="null for an unchanged rating")


class SecondAnswerSerializer(serializers.Serializer[Any]):
    """A rating that was far from the others', and what its annotator made of it."""

    pair = serializers.IntegerField(source="response.pair.position", help_text="row of the stimuli")
    annotator = serializers.CharField(source="response.annotator.code", help_text="random code")
    rating_before = serializers.FloatField(source="response.rating")
    others_sum = serializers.FloatField(help_text="of the others' ratings")
    n_others = serializers.IntegerField()
    shown_at = serializers.DateTimeField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)
    rating = serializers.FloatField(allow_null=True, help_text="null if not answered or judged")
    cannot_judge = serializers.BooleanField(source="is_unjudgeable")
    comment = serializers.CharField()
    decision = serializers.ChoiceField(["kept", "changed", "no answer"])
