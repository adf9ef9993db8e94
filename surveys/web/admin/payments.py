from django.contrib import admin

from surveys.models import Batch, Grant, Hit, Payment, Qualification
from surveys.web.admin.looking import PersonalAdmin, ReadOnlyAdmin


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "entrance", "reward_cents", "fee_cents", "total_cents",
                    "ceiling_cents", "armed_by", "armed_until", "stopped_at")  # fmt: skip
    list_filter = ("study", "entrance__provider")
    list_select_related = ("study", "entrance__study", "armed_by")


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = ("id", "batch", "questionnaire", "n_places", "state", "hit_id", "expires_at",
                    "closed_at", "error")  # fmt: skip
    list_filter = ("state", "provider")
    list_select_related = ("batch__study", "questionnaire__block__study")


@admin.register(Payment)
class PaymentAdmin(PersonalAdmin):
    list_display = ("id", "batch", "visit", "kind", "amount_cents", "fee_cents", "state", "by",
                    "reason", "error", "settled_at")  # fmt: skip
    list_filter = ("state", "kind", "provider")
    list_select_related = ("batch__study", "visit__entrance__study", "by")


@admin.register(Qualification)
class QualificationAdmin(ReadOnlyAdmin):
    list_display = ("name", "study", "provider", "block", "qualification_type_id")
    list_filter = ("study", "provider")
    list_select_related = ("study", "block__study")


@admin.register(Grant)
class GrantAdmin(PersonalAdmin):
    list_display = ("qualification", "worker", "amount", "by", "reason", "granted_at",
                    "told_at", "revoked_at")  # fmt: skip
    list_filter = ("qualification__study",)
    list_select_related = ("qualification", "worker", "by")
    exclude = ("worker",)
