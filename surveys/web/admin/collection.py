"""How far the collection is, and what was answered."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef
from django.http import HttpRequest
from django.utils import timezone

from surveys.models import Assignment, Item, Place, Questionnaire, Response, Round
from surveys.study.layout.quota import reopen
from surveys.web.admin.looking import ReadOnlyAdmin, count_rows


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
            .annotate(**{name: count_rows(rows) for name, rows in counts.items()})
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
        return super().get_queryset(request).annotate(n_finished=count_rows(finished))

    @admin.display(description="assignments finished")
    def n_finished(self, round_: Any) -> int:
        return int(round_.n_finished)


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
        return super().get_queryset(request).annotate(n_rated=count_rows(rated))

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
