"""Serializers of members, the log and webhooks."""

from typing import Any

from rest_framework import serializers

from surveys.models import AuditEntry, Delivery, Membership, Role, Webhook, WebhookEvent
from surveys.web.api.fields import InstantParameter, JsonBoolean, JsonString, RequestSerializer
from surveys.webhooks.hosts import MAX_URL_LENGTH


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A member of a study and their role."""

    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("id", "username", "role", "created_at")


class NewMemberSerializer(RequestSerializer):
    """An account and its new role."""

    username = JsonString(max_length=150, help_text="name of an account")
    role = serializers.ChoiceField(Role.choices)


class EntrySerializer(serializers.ModelSerializer[AuditEntry]):
    """A decision."""

    details = serializers.DictField()

    class Meta:
        model = AuditEntry
        fields = ("id", "at", "actor", "action", "subject", "details")


class EntryFilterSerializer(RequestSerializer):
    """Filters of the log."""

    action = JsonString(
        max_length=40, required=False, allow_blank=True, help_text="prefix, such as study."
    )
    actor = JsonString(
        max_length=150, required=False, allow_blank=True, help_text="name of the person"
    )
    since: Any = InstantParameter(required=False, help_text="at this time or later")


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook: a URL that is notified of events in a study."""

    events = serializers.ListField(child=serializers.ChoiceField(WebhookEvent.choices))

    class Meta:
        model = Webhook
        fields = ("id", "url", "events", "is_active", "created_at")


class MadeWebhookSerializer(WebhookSerializer):
    """A new webhook with the secret that signs its messages, which is shown only here."""

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]


class NewWebhookSerializer(RequestSerializer):
    """URL and events of a new webhook."""

    url = JsonString(max_length=MAX_URL_LENGTH)
    events = serializers.ListField(
        child=serializers.ChoiceField(WebhookEvent.choices), min_length=1, max_length=10
    )


class WebhookChangeSerializer(NewWebhookSerializer):
    """Changes to a webhook."""

    is_active = JsonBoolean()


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """A message to a webhook, delivered or queued."""

    event = serializers.CharField(help_text="an event of the webhook, or test")
    payload = serializers.DictField()
    next_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="when it is tried next; empty for never"
    )

    class Meta:
        model = Delivery
        fields = (
            "id", "event", "payload", "attempts", "created_at", "next_at", "delivered_at", "error",
        )  # fmt: skip
