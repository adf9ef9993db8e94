"""Webhooks of a study and their deliveries."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.models import Delivery, Webhook
from surveys.web.api.access import serializers as s
from surveys.web.api.base import StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate
from surveys.webhooks.messages import add_webhook, change_webhook, remove_webhook


class Webhooks(StudyView):
    """The webhooks of a study, for its owners."""

    tag, reads, writes = "webhooks", "webhooks:write", "webhooks:write"
    right_to_read = right_to_write = Right.OWN

    def find_webhook(self, webhook_id: int) -> Webhook:
        return get_object_or_404(Webhook, study=self.study, pk=webhook_id)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.WebhookSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the webhooks."""
        webhooks = Webhook.objects.filter(study=self.study)
        return Response(paginate(webhooks, request, "pk").write(s.WebhookSerializer))

    @extend_schema(request=s.NewWebhookSerializer, responses={201: s.MadeWebhookSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Create a webhook; the secret that signs its messages is shown once."""
        settings = self.read(s.NewWebhookSerializer)
        return self.once(lambda: s.MadeWebhookSerializer(add_webhook(self.study, **settings)))

    @extend_schema(responses=s.WebhookSerializer)
    def show(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Show a webhook."""
        return Response(s.WebhookSerializer(self.find_webhook(webhook_id)).data)

    @extend_schema(request=s.WebhookChangeSerializer, responses=s.WebhookSerializer)
    def change(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Change, disable or enable a webhook."""
        webhook = self.find_webhook(webhook_id)
        changed = change_webhook(webhook, **self.read(s.WebhookChangeSerializer, partial=True))
        return Response(s.WebhookSerializer(changed).data)

    @extend_schema(responses={204: None})
    def remove(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Delete a webhook and its delivery history."""
        remove_webhook(self.find_webhook(webhook_id))
        return Response(status=204)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.DeliverySerializer))
    def list_deliveries(self, request: Request, slug: str, webhook_id: int) -> Response:
        """List the messages of a webhook and their delivery status."""
        deliveries = Delivery.objects.filter(webhook=self.find_webhook(webhook_id))
        deliveries = deliveries.select_related("job")
        return Response(paginate(deliveries, request, "pk").write(s.DeliverySerializer))
