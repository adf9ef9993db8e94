"""What the API says of who works on a study, and what may be asked for."""

from typing import Any

from rest_framework import serializers

from surveys.models import AuditEntry, Membership, Role
from surveys.web.api.fields import Asked, Text, WrittenInstant


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """Somebody's role in a study."""

    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("id", "username", "role", "created_at")


class NewMemberSerializer(Asked):
    """Whom to give which role."""

    username = Text(max_length=150, help_text="the name of an account")
    role = serializers.ChoiceField(Role.choices)


class EntrySerializer(serializers.ModelSerializer[AuditEntry]):
    """Something that was decided."""

    details = serializers.DictField()

    class Meta:
        model = AuditEntry
        fields = ("id", "at", "actor", "action", "subject", "details")


class EntryFilterSerializer(Asked):
    """Which entries of the log are wanted."""

    action = Text(
        max_length=40, required=False, allow_blank=True, help_text="how it begins, such as study."
    )
    actor = Text(max_length=150, required=False, allow_blank=True, help_text="who it was")
    since: Any = WrittenInstant(required=False, help_text="then or later")
