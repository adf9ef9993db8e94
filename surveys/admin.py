"""What an operator or a researcher looks at. Nothing is changed here: the actions do that."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import PermissionDenied
from django.db import DataError
from django.db.models import Count, Func, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from surveys.exporting import stream_responses
from surveys.models import (
    ApiToken,
    Assignment,
    AssignmentState,
    AuditEntry,
    Checkpoint,
    Context,
    Delivery,
    Entrance,
    IdempotencyRecord,
    Invitation,
    Item,
    Membership,
    Pair,
    Place,
    Questionnaire,
    Release,
    Response,
    Review,
    ReviewSettings,
    Round,
    Run,
    Study,
    StudyText,
    Verdict,
    Visit,
    Webhook,
)
from surveys.places import reopen
from surveys.recruiting import entrance_address, personal_link


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list; where no database can hold what is asked for, it says so as Django does."""
        try:
            return super().changelist_view(request, extra_context)
        except (DataError, OverflowError):
            return redirect(f"{request.path}?{ERROR_FLAG}=1")


class PersonalAdmin(ReadOnlyAdmin):
    """What tells who people are: for operators, who own every study, and no other staff."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and getattr(request.user, "is_superuser", False))


def _count(rows: QuerySet[Any]) -> Subquery:
    """How many there are, by a query of its own: joins of several counts would multiply."""
    return Subquery(rows.order_by().values(n=Func("pk", function="COUNT")))


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
            .annotate(**{name: _count(rows) for name, rows in counts.items()})
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


@admin.register(Pair)
class PairAdmin(ReadOnlyAdmin):
    list_display = ("study", "position", "word1", "word2", "is_checkpoint")
    list_filter = ("study", "is_checkpoint")
    list_select_related = ("study",)


@admin.register(Context)
class ContextAdmin(ReadOnlyAdmin):
    list_display = ("pair", "number", "form1", "form2", "text")
    list_filter = ("pair__study", "pair__is_checkpoint")
    list_select_related = ("pair",)


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ("context", "lowest", "highest")
    list_filter = ("context__pair__study",)
    list_select_related = ("context__pair",)


@admin.register(Questionnaire)
class QuestionnaireAdmin(ReadOnlyAdmin):
    """Where annotators are still wanted."""

    list_display = ("block", "letter", "n_texts", "n_places", "n_free", "n_finished")
    list_filter = ("block__study",)
    list_select_related = ("block__study",)

    def get_queryset(self, request: HttpRequest) -> Any:
        places = Place.objects.filter(questionnaire=OuterRef("pk"), is_open=True)
        lapsed = Assignment.objects.lapsed_anywhere(timezone.now())
        counts = {
            "n_texts": Item.objects.filter(questionnaire=OuterRef("pk")),
            "n_places": places,
            "n_held": places.filter(assignment__isnull=False),
            "n_lapsed": places.filter(assignment__in=lapsed),
            "n_finished": Assignment.objects.counted().filter(questionnaire=OuterRef("pk")),
        }
        return (
            super()
            .get_queryset(request)
            .annotate(**{name: _count(rows) for name, rows in counts.items()})
        )

    @admin.display(description="texts")
    def n_texts(self, questionnaire: Any) -> int:
        return int(questionnaire.n_texts)

    @admin.display(description="places")
    def n_places(self, questionnaire: Any) -> int:
        return int(questionnaire.n_places)

    @admin.display(description="free")
    def n_free(self, questionnaire: Any) -> int:
        """Those of assignments that have lapsed, too: whoever comes next may get them."""
        n_wanted = questionnaire.block.study.ratings_per_context
        n_held, n_lapsed = questionnaire.n_held, questionnaire.n_lapsed
        n_reopened = reopen(n_lapsed, n_held=n_held, n_wanted=n_wanted)
        return int(questionnaire.n_places - n_held + n_reopened)

    @admin.display(description="finished in this round")
    def n_finished(self, questionnaire: Any) -> int:
        return int(questionnaire.n_finished)


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("block", "number", "is_current", "n_finished", "opened_at", "opened_by",
                    "reason")  # fmt: skip
    list_filter = ("block__study", "is_current")
    list_select_related = ("block__study",)

    def get_queryset(self, request: HttpRequest) -> Any:
        finished = Assignment.objects.submitted().filter(round=OuterRef("pk"))
        return super().get_queryset(request).annotate(n_finished=_count(finished))

    @admin.display(description="assignments finished")
    def n_finished(self, round_: Any) -> int:
        return int(round_.n_finished)


@admin.register(Entrance)
class EntranceAdmin(ReadOnlyAdmin):
    list_display = ("study", "provider", "address", "cap", "n_started", "closed_at",
                    "completion_code", "no_place_code")  # fmt: skip
    list_filter = ("study", "provider")
    list_select_related = ("study",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(n_started=Count("invitations"))

    def address(self, entrance: Entrance) -> str:
        return entrance_address(entrance)

    @admin.display(description="started")
    def n_started(self, entrance: Any) -> int:
        return int(entrance.n_started)


@admin.register(Invitation)
class InvitationAdmin(PersonalAdmin):
    list_display = ("id", "study", "note", "link", "annotator", "latest_state", "entrance",
                    "is_rehearsal", "revoked_at", "created_at")  # fmt: skip
    list_filter = ("study", "entrance__provider", "is_rehearsal")
    list_select_related = ("study", "annotator", "entrance__study")

    def get_queryset(self, request: HttpRequest) -> Any:
        invitations: Any = super().get_queryset(request)
        return invitations.with_latest_state()

    def link(self, invitation: Invitation) -> str:
        return personal_link(invitation.token)

    @admin.display(description="state")
    def latest_state(self, invitation: Any) -> str:
        state = invitation.latest_state
        return str(AssignmentState(state).label) if state else "Unused"


@admin.register(Visit)
class VisitAdmin(PersonalAdmin):
    list_display = ("entrance", "provider_study", "submission", "assignment", "completion_code",
                    "arrived_at")  # fmt: skip
    list_filter = ("entrance__study", "entrance__provider")
    list_select_related = (
        "entrance__study", "assignment__questionnaire__block__study", "assignment__annotator",
    )  # fmt: skip
    exclude = ("worker",)


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    show_full_result_count = False  # there may be millions
    list_display = (
        "questionnaire", "round__number", "annotator", "state", "is_over_quota", "n_rated",
        "n_items", "started_at", "submitted_at", "ended_because",
    )  # fmt: skip
    list_filter = (
        "state", "is_over_quota", "round__is_current", "questionnaire__block__study",
    )  # fmt: skip
    list_select_related = ("questionnaire__block__study", "annotator", "round")
    exclude = ("token",)

    def get_queryset(self, request: HttpRequest) -> Any:
        rated = Response.objects.rated().filter(assignment=OuterRef("pk"))
        return super().get_queryset(request).annotate(n_rated=_count(rated))

    @admin.display(description="texts rated")
    def n_rated(self, assignment: Any) -> int:
        return int(assignment.n_rated)


@admin.register(Response)
class ResponseAdmin(ReadOnlyAdmin):
    show_full_result_count = False  # there may be millions
    list_display = (
        "assignment", "position", "context", "inspired_word1", "inspired_word2", "rating",
        "is_unjudgeable", "rated_at",
    )  # fmt: skip
    list_filter = (
        "assignment__questionnaire__block__study", "pair__is_checkpoint", "is_unjudgeable",
    )  # fmt: skip
    list_select_related = (
        "assignment__questionnaire__block__study", "assignment__annotator", "context__pair",
    )  # fmt: skip


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ("study", "created_at", "n_pairs", "n_withdrawn_since")
    list_filter = ("study",)
    exclude = ("key",)

    def get_queryset(self, request: HttpRequest) -> Any:
        releases: Any = super().get_queryset(request)
        return releases.with_withdrawn_since()

    @admin.display(description="annotators in it who withdrew since")
    def n_withdrawn_since(self, release: Any) -> int:
        return int(release.n_withdrawn_since)


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


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "study", "kind", "recipe_name", "state", "requested_by", "requested_at",
                    "finished_at")  # fmt: skip
    list_filter = ("study", "kind", "state")
    list_select_related = ("study", "requested_by")
    exclude = ("archive", "ledger")


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
