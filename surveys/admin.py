"""What an operator or a researcher looks at. Nothing is changed here: the actions do that."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Func, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse

from surveys.models import (
    Assignment,
    AssignmentState,
    Context,
    Invitation,
    Pair,
    Questionnaire,
    Release,
    Response,
    Study,
)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def _count(rows: QuerySet[Any]) -> Subquery:
    """How many there are, by a query of its own: joins of several counts would multiply."""
    return Subquery(rows.order_by().values(n=Func("pk", function="COUNT")))


@admin.register(Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("slug", "title", "language", "n_pairs", "n_started", "n_finished", "n_wanted")

    def get_queryset(self, request: HttpRequest) -> Any:
        assignments = Assignment.objects.filter(questionnaire__block__study=OuterRef("pk"))
        submitted = assignments.filter(state=AssignmentState.SUBMITTED)
        questionnaires = Questionnaire.objects.filter(block__study=OuterRef("pk"))
        counts = {
            "n_pairs": Pair.objects.filter(study=OuterRef("pk")),
            "n_started": assignments,
            "n_finished": submitted,
            "n_questionnaires": questionnaires,
        }
        return (
            super()
            .get_queryset(request)
            .annotate(**{name: _count(rows) for name, rows in counts.items()})
        )

    @admin.display(description="pairs")
    def n_pairs(self, study: Any) -> int:
        return int(study.n_pairs)

    @admin.display(description="assignments started")
    def n_started(self, study: Any) -> int:
        return int(study.n_started)

    @admin.display(description="finished")
    def n_finished(self, study: Any) -> int:
        return int(study.n_finished)

    @admin.display(description="wanted")
    def n_wanted(self, study: Any) -> int:
        return int(study.n_questionnaires * study.ratings_per_context)


@admin.register(Pair)
class PairAdmin(ReadOnlyAdmin):
    list_display = ("study", "position", "word1", "word2")
    list_filter = ("study",)
    list_select_related = ("study",)


@admin.register(Context)
class ContextAdmin(ReadOnlyAdmin):
    list_display = ("pair", "number", "form1", "form2", "text")
    list_filter = ("pair__study",)
    list_select_related = ("pair",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ("id", "study", "link", "annotator", "created_at")
    list_filter = ("study",)
    list_select_related = ("study", "annotator")

    def link(self, invitation: Invitation) -> str:
        return f"{settings.SITE_URL}{reverse('annotate:welcome', args=[invitation.token])}"


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = (
        "questionnaire", "annotator", "state", "is_over_quota", "n_rated", "started_at",
        "submitted_at",
    )  # fmt: skip
    list_filter = ("state", "questionnaire__block__study")
    list_select_related = ("questionnaire__block__study", "annotator")
    exclude = ("token",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(n_rated=Count("responses__rating"))

    @admin.display(description="texts rated")
    def n_rated(self, assignment: Any) -> int:
        return int(assignment.n_rated)


@admin.register(Response)
class ResponseAdmin(ReadOnlyAdmin):
    list_display = (
        "assignment", "position", "context", "inspired_word1", "inspired_word2", "rating",
    )  # fmt: skip
    list_filter = ("assignment__questionnaire__block__study",)
    list_select_related = (
        "assignment__questionnaire__block__study", "assignment__annotator", "context__pair",
    )  # fmt: skip


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ("study", "created_at", "n_pairs")
    list_filter = ("study",)
