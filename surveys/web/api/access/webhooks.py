"""Webhooks of a study and their deliveries."""

from typing import ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.access.webhooks import add_webhook, change_webhook, remove_webhook
from surveys.models import Delivery, Webhook
from surveys.web.api.access import serializers as s
from surveys.web.api.base import StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate


class _OfOwners(StudyView):
    """A view for the owners of a study."""

    tag = "webhooks"
    scopes: ClassVar = {"GET": "webhooks:write"}
    rights: ClassVar = {"GET": Right.OWN}

    def find_webhook(self, webhook_id: int) -> Webhook:
        return get_object_or_404(Webhook, study=self.study, pk=webhook_id)


class Webhooks(_OfOwners):
    """The webhooks of a study."""

    action_name = "webhooks"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.WebhookSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """List the webhooks."""
        found = Webhook.objects.filter(study=self.study)
        return Response(paginate(found, request, "pk").write(s.WebhookSerializer))

    @extend_schema(
        request=s.NewWebhookSerializer,
        responses={201: s.MadeWebhookSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a webhook; the secret that signs its messages is shown once."""
        asked = self.read(s.NewWebhookSerializer)
        return self.create(lambda: s.MadeWebhookSerializer(add_webhook(self.study, **asked)))


class OneWebhook(_OfOwners):
    """A webhook."""

    action_name = "webhook"

    @extend_schema(responses=s.WebhookSerializer)
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Show a webhook."""
        return Response(s.WebhookSerializer(self.find_webhook(webhook_id)).data)

    @extend_schema(request=s.WebhookChangeSerializer, responses=s.WebhookSerializer)
    def patch(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Change, disable or enable a webhook."""
        webhook = self.find_webhook(webhook_id)
        changed = change_webhook(webhook, **self.read(s.WebhookChangeSerializer))
        return Response(s.WebhookSerializer(changed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Delete a webhook and its delivery history."""
        remove_webhook(self.find_webhook(webhook_id))
        return Response(status=204)


class Deliveries(_OfOwners):
    """The delivery history of a webhook."""

    action_name = "deliveries"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.DeliverySerializer))
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """List the messages of a webhook and their delivery status."""
        found = Delivery.objects.filter(webhook=self.find_webhook(webhook_id))
        return Response(paginate(found, request, "pk").write(s.DeliverySerializer))
