"""The programs that use the site, and what it tells others."""

from django.contrib import admin

from surveys.models import ApiToken, Delivery, IdempotencyRecord, Webhook
from surveys.web.admin.looking import ReadOnlyAdmin


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "user", "scopes", "created_at", "last_used_at", "expires_at",
                    "revoked_at")  # fmt: skip
    list_filter = ("user",)
    list_select_related = ("user",)
    exclude = ("digest",)


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    list_display = ("key", "user", "status", "created_at")
    list_select_related = ("user",)
    exclude = ("answer", "digest")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ("study", "url", "events", "is_active", "created_at")
    list_filter = ("study",)
    list_select_related = ("study",)
    exclude = ("secret",)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("event", "subject", "webhook", "attempts", "next_at", "delivered_at", "error")
    list_filter = ("event", "webhook__study")
    list_select_related = ("webhook__study",)
