"""What was made of the answers."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from surveys.models import Release, Run
from surveys.web.admin.looking import ReadOnlyAdmin


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("study", "kind", "number", "recipe_name", "state", "requested_by",
                    "requested_at", "finished_at")  # fmt: skip
    list_filter = ("study", "kind", "state")
    list_select_related = ("study", "requested_by")
    exclude = ("archive", "ledger", "wishes")  # which may hold addresses while a job runs


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "created_at", "n_pairs", "n_withdrawn_since")
    list_filter = ("study",)
    exclude = ("key",)

    def get_queryset(self, request: HttpRequest) -> Any:
        releases: Any = super().get_queryset(request)
        return releases.with_withdrawn_since()

    @admin.display(description="annotators in it who withdrew since")
    def n_withdrawn_since(self, release: Any) -> int:
        return int(release.n_withdrawn_since)
