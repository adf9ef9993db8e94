"""The ways by which annotators come, and who came by them."""

from typing import Any

from django.contrib import admin
from django.db.models import Count
from django.http import HttpRequest

from surveys.models import AssignmentState, Entrance, Invitation, Visit
from surveys.recruitment.links import entrance_address, personal_link
from surveys.web.admin.looking import PersonalAdmin, ReadOnlyAdmin


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
                    "arrived_at", "returned_at", "provider_state", "standing",
                    "has_wrong_code", "held_because")  # fmt: skip
    list_filter = ("entrance__study", "entrance__provider", "standing")
    list_select_related = (
        "entrance__study", "assignment__questionnaire__block__study", "assignment__annotator",
    )  # fmt: skip
    exclude = ("worker",)
