"""What reviewers decided."""

from django.contrib import admin

from surveys.models import Review, ReviewSettings, Verdict
from surveys.web.admin.looking import ReadOnlyAdmin


@admin.register(ReviewSettings)
class ReviewSettingsAdmin(ReadOnlyAdmin):
    list_display = ("study", "sample_percent", "double_percent")
    list_select_related = ("study",)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    show_full_result_count = False  # there may be millions
    list_display = ("id", "assignment_id", "response_id", "risk", "state", "outcome", "n_wanted")
    list_filter = ("study", "state", "outcome")


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    show_full_result_count = False  # there may be millions
    list_display = ("at", "reviewer", "review_id", "opinion", "kind", "reason", "undone_at")
    list_filter = ("review__study", "kind")
    list_select_related = ("reviewer",)
