"""What the API says of runs, releases and webhooks, and what may be asked for."""

from typing import Any

from rest_framework import serializers

from surveys.access.webhook_hosts import LONGEST_URL
from surveys.models import Delivery, Run, Webhook, WebhookEvent
from surveys.results.runs import is_broken_off
from surveys.web.api.fields import Asked, Text, Truth, Whole, WrittenWhole

LONGEST_RECIPE = 20_000
LONGEST_DESCRIPTION = 200_000


class RecipeSerializer(serializers.Serializer[Any]):
    """A recipe that comes with the site."""

    name = serializers.CharField()
    recipe = serializers.CharField(help_text="TOML")


class NewRunSerializer(Asked):
    """A recipe to run: the name of one that comes with the site, or its text."""

    preset = Text(max_length=60, required=False, help_text="such as cosimlex")
    recipe = Text(max_length=LONGEST_RECIPE, required=False, help_text="TOML")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("preset" in attrs) == ("recipe" in attrs):
            raise serializers.ValidationError("Give either preset or recipe.")
        return attrs


class NewReleaseSerializer(NewRunSerializer):
    """What a release is to be made of and like."""

    description = Text(
        max_length=LONGEST_DESCRIPTION, allow_blank=True, default="",
        help_text="TOML: what the site does not know",
    )  # fmt: skip
    n_practice = Whole(
        min_value=0, max_value=10_000, default=0, help_text="pairs for a practice kit"
    )
    seed = Whole(min_value=0, max_value=2**31 - 1, default=0, help_text="of their choice")
    complete = Truth(default=False, help_text="refuse while a person has still to write something")
    has_report = Truth(default=True, help_text="add the report for people")
    has_log = Truth(default=False, help_text="add what was decided about the study, as log.tsv")
    ids_of = Whole(
        min_value=1, max_value=2**31 - 1, allow_null=True, default=None,
        help_text="`release` of an earlier one, whose annotators’ ids are to be used again",
    )  # fmt: skip


class RunSerializer(serializers.ModelSerializer[Run]):
    """Post-processing of a study's ratings, and how far it is.

    Pages name it by `number`, which is within the study; addresses of the API by `id`.
    """

    is_broken_off = serializers.SerializerMethodField(
        help_text="no sign of life for longer than it may be silent: it is about to be tried again"
    )
    n_withdrawn_since = serializers.SerializerMethodField(
        help_text="annotators whose ratings it holds and who withdrew or were erased since: "
        "where there are some, make a new one"
    )

    is_rehearsal = serializers.BooleanField(
        read_only=True, help_text="it holds ratings by scripts: not to be used or published"
    )

    class Meta:
        model = Run
        fields = (
            "id", "number", "recipe_name", "recipe", "state", "stage", "share_done", "error",
            "is_broken_off", "requested_at", "finished_at", "is_rehearsal", "n_withdrawn_since",
        )  # fmt: skip

    def get_n_withdrawn_since(self, run: Run) -> int:
        return getattr(run, "n_withdrawn_since", 0)  # of a new one nobody has withdrawn

    def get_is_broken_off(self, run: Run) -> bool:
        return is_broken_off(run)


class ReleaseRunSerializer(RunSerializer):
    """A release, and how far it is."""

    release = serializers.IntegerField(
        source="release_id", allow_null=True, help_text="once it is made; for ids_of"
    )

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "release")  # type: ignore[assignment]


class LedgerFilterSerializer(Asked):
    """Which ratings of a ledger are wanted."""

    annotator = Text(required=False, max_length=60, allow_blank=True)
    pair = WrittenWhole(required=False, min_value=1, max_value=999_999_999)
    context = serializers.ChoiceField(  # type: ignore[assignment]
        [("1", "1"), ("2", "2")], required=False
    )
    reason = Text(
        required=False,
        max_length=100,
        allow_blank=True,
        help_text="why it was left out; * for whatever reason",
    )
    page = WrittenWhole(required=False, min_value=1, max_value=10**7)


class LedgerSerializer(serializers.Serializer[Any]):
    """Some rows of a ledger."""

    n_found = serializers.IntegerField()
    number = serializers.IntegerField(help_text="of this page")
    n_pages = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.DictField())


class ApartSerializer(serializers.Serializer[Any]):
    """What sets two runs of the same ratings apart."""

    summary = serializers.DictField()
    pairs = serializers.ListField(child=serializers.DictField())
    annotators = serializers.ListField(child=serializers.DictField())


class DescriptionSerializer(serializers.Serializer[Any]):
    """A description of the study to fill in."""

    description = serializers.CharField(help_text="TOML: what the site knows; the rest to fill in")


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """An address that is told what happens in a study."""

    events = serializers.ListField(child=serializers.ChoiceField(WebhookEvent.choices))

    class Meta:
        model = Webhook
        fields = ("id", "url", "events", "is_active", "created_at")


class MadeWebhookSerializer(WebhookSerializer):
    """A new one, with the secret that signs what it is told: shown here alone."""

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]


class NewWebhookSerializer(Asked):
    """An address, and what it is to be told."""

    url = Text(max_length=LONGEST_URL)
    events = serializers.ListField(
        child=serializers.ChoiceField(WebhookEvent.choices), min_length=1, max_length=10
    )


class WebhookChangeSerializer(Asked):
    """What may change about a webhook."""

    url = Text(max_length=LONGEST_URL, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField(WebhookEvent.choices),
        min_length=1,
        max_length=10,
        required=False,
    )
    is_active = Truth(required=False)


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """Something a webhook was told, or is to be."""

    payload = serializers.DictField()

    class Meta:
        model = Delivery
        fields = (
            "id", "event", "payload", "attempts", "created_at", "next_at", "delivered_at", "error",
        )  # fmt: skip
