"""Read-only admin pages for operators: one list for each table, built from its fields."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth.models import User
from django.db import DataError
from django.db.models import BinaryField, Field, JSONField, Model, TextField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from surveys.models import (
    Annotator,
    ApiToken,
    Arrival,
    Assignment,
    Block,
    ConsentNotice,
    ContextClaim,
    Grant,
    Hit,
    IdempotencyRecord,
    Invitation,
    Item,
    Payment,
    Place,
    Release,
    ReviewClaim,
    Run,
    SharedMark,
    SignInBudget,
    Study,
    Visit,
    Webhook,
    Worker,
)
from surveys.models.sharedtasks import (
    CountedSubmission,
    FrozenBoard,
    Participant,
    RefusedUpload,
    Scoring,
    SharedTask,
    Submission,
    SubtaskScore,
    TaskPart,
    Team,
    TeamInvitation,
    TeamMember,
    Upload,
)

UNLISTED: set[type[Model]] = {
    Annotator, Arrival, Block, ConsentNotice, ContextClaim, Item, Place, ReviewClaim, SharedMark,
    SignInBudget, Worker,
    # Scores that only the organisers of a shared task may see, and files that are not sent yet.
    CountedSubmission, FrozenBoard, RefusedUpload, SubtaskScore, Upload,
}  # fmt: skip
PERSONAL: set[type[Model]] = {
    Grant, Invitation, Participant, Payment, Team, TeamInvitation, TeamMember, Visit,
}  # fmt: skip
HIDDEN: dict[type[Model], tuple[str, ...]] = {
    ApiToken: ("digest",),
    Assignment: ("token",),
    Grant: ("worker",),
    Hit: ("token",),
    IdempotencyRecord: ("answer", "digest"),
    Payment: ("token",),
    Release: ("key",),
    Run: ("archive", "ledger", "wishes"),  # may hold e-mail addresses while a job runs
    SharedTask: ("archive", "salt"),
    Scoring: ("gold_files", "gold_sha256"),
    # Flags are for organisers, and notes for the team alone.
    Submission: ("digest", "file", "flags", "note"),
    TaskPart: ("data", "gold", "gold_sha256", "practice_data", "practice_gold"),
    TeamInvitation: ("digest",),
    Visit: ("worker",),
    Webhook: ("secret",),
}
LONG = (BinaryField, JSONField, TextField)
NAMED = (Study, User)  # other rows are listed by their ids, which need no joins


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and a page per row; nothing can be added, changed or deleted."""

    show_full_result_count = False  # some tables have millions of rows

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the list, or Django's error page if a filter's value fits no column."""
        try:
            return super().changelist_view(request, extra_context)
        except (DataError, OverflowError):
            return redirect(f"{request.path}?{ERROR_FLAG}=1")


class PersonalAdmin(ReadOnlyAdmin):
    """Pages with personal data: for operators (superusers), not for other staff."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and getattr(request.user, "is_superuser", False))


def _make_options(model: type[Model]) -> dict[str, Any]:
    """Return the columns and filters of a table's list."""
    exclude = HIDDEN.get(model, ())
    shown = [field for field in model._meta.concrete_fields if field.name not in exclude]
    columns = [field for field in shown if not isinstance(field, LONG)]
    named = [field.name for field in columns if field.related_model in NAMED]
    return {
        "exclude": exclude,
        "list_display": [f.name if f.name in named else f.attname for f in columns],
        "list_filter": [field.name for field in columns if _is_filter(field)],
        "list_select_related": named or False,
    }


def _is_filter(field: "Field[Any, Any]") -> bool:
    """Return whether a list can be filtered by a field: few values, or the study."""
    return bool(field.choices) or field.name.startswith(("is_", "has_")) or field.name == "study"


for _model in apps.get_app_config("surveys").get_models():
    if _model not in UNLISTED:
        _kind = PersonalAdmin if _model in PERSONAL else ReadOnlyAdmin
        admin.site.register(_model, _kind, **_make_options(_model))
