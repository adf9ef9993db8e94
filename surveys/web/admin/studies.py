"""Studies, their texts, who works on them, and the log."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, OuterRef
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from surveys.models import Assignment, AuditEntry, Membership, Pair, Questionnaire, Study, StudyText
from surveys.results.export import stream_responses
from surveys.web.admin.looking import ReadOnlyAdmin, count_rows


def _may_see_responses(request: HttpRequest) -> bool:
    return request.user.has_perm("surveys.view_response")


@admin.register(Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("slug", "title", "language", "n_pairs", "n_started", "n_finished", "n_wanted")

    def get_urls(self) -> list[URLPattern]:
        download = self.admin_site.admin_view(self.download_responses, cacheable=True)
        name = "surveys_study_responses"
        return [path("<int:study>/responses.csv", download, name=name), *super().get_urls()]

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.list_display, *self.get_readonly_fields(request))

    def get_readonly_fields(
        self, request: HttpRequest, obj: Model | None = None
    ) -> tuple[str, ...]:
        return ("responses",) if _may_see_responses(request) else ()

    @method_decorator(require_safe)
    def download_responses(self, request: HttpRequest, study: int) -> StreamingHttpResponse:
        """All responses as CSV, sent while they are read."""
        if not _may_see_responses(request):
            raise PermissionDenied
        exported = get_object_or_404(Study, pk=study)
        name = f"responses_{exported.slug}.csv"
        return StreamingHttpResponse(
            stream_responses(exported),
            content_type="text/csv; charset=utf-8",
            headers={
                "Content-Disposition": content_disposition_header(True, name) or "attachment",
                "Cache-Control": "no-store",
            },
        )

    @admin.display(description="responses")
    def responses(self, study: Study) -> str:
        url = reverse("admin:surveys_study_responses", args=[study.pk])
        return format_html('<a href="{}">CSV</a>', url)

    def get_queryset(self, request: HttpRequest) -> Any:
        assignments = Assignment.objects.filter(study=OuterRef("pk"))
        questionnaires = Questionnaire.objects.filter(block__study=OuterRef("pk"))
        counts = {
            "n_pairs": Pair.objects.filter(study=OuterRef("pk"), is_checkpoint=False),
            "n_started": assignments,
            "n_finished": assignments.counted(),
            "n_questionnaires": questionnaires,
        }
        return (
            super()
            .get_queryset(request)
            .annotate(**{name: count_rows(rows) for name, rows in counts.items()})
        )

    @admin.display(description="pairs")
    def n_pairs(self, study: Any) -> int:
        return int(study.n_pairs)

    @admin.display(description="assignments started")
    def n_started(self, study: Any) -> int:
        return int(study.n_started)

    @admin.display(description="finished in current rounds")
    def n_finished(self, study: Any) -> int:
        return int(study.n_finished)

    @admin.display(description="wanted")
    def n_wanted(self, study: Any) -> int:
        return int(study.n_questionnaires * study.ratings_per_context)


@admin.register(StudyText)
class StudyTextAdmin(ReadOnlyAdmin):
    list_display = ("study", "kind", "version", "created_at")
    list_filter = ("study", "kind")
    list_select_related = ("study",)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("study", "user", "role", "created_at")
    list_filter = ("study", "role")
    list_select_related = ("study", "user")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "study", "action", "subject")
    list_filter = ("study", "action")
    list_select_related = ("study",)
