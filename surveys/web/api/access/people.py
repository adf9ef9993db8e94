"""Members of a study, and its log."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.audit_log import find_entries
from surveys.access.roles import Right, find_account, grant_role, revoke_role
from surveys.models import Membership, Role
from surveys.results.public_log import mask_entries
from surveys.web.api.access import serializers as s
from surveys.web.api.base import StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate, read_filters


class People(StudyView):
    """The members of a study, for its owners."""

    tag, reads, writes = "people", "people:read", "people:write"
    right_to_read = right_to_write = Right.OWN

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.MemberSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the members of a study and their roles."""
        memberships = Membership.objects.filter(study=self.study).select_related("user")
        return Response(paginate(memberships, request, "pk").write(s.MemberSerializer))

    @extend_schema(request=s.NewMemberSerializer, responses={200: s.MemberSerializer})
    def grant(self, request: Request, slug: str) -> Response:
        """Give an account a role, replacing its previous one."""
        member = self.read(s.NewMemberSerializer)

        def grant() -> s.MemberSerializer:
            user = find_account(member["username"])
            return s.MemberSerializer(grant_role(self.study, user, Role(member["role"])))

        return self.once(grant, 200)

    @extend_schema(responses={204: None})
    def remove(self, request: Request, slug: str, member_id: int) -> Response:
        """Remove a member from the study; the last owner cannot be removed."""
        members = Membership.objects.select_related("user")
        revoke_role(self.study, get_object_or_404(members, study=self.study, pk=member_id).user)
        return Response(status=204)


class Log(StudyView):
    """The log of decisions in a study."""

    tag, reads = "log", "log:read"
    right_to_read = Right.WORK

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, s.EntryFilterSerializer],
        responses=describe_page(s.EntrySerializer),
    )
    def list_all(self, request: Request, slug: str) -> Response:
        """List decisions, oldest first; only owners see e-mail addresses in them."""
        filters = self.read(s.EntryFilterSerializer, read_filters(request))
        page = paginate(find_entries(self.study, **filters), request, "pk")
        shown = mask_entries(page.rows, sees_addresses=self.role == Role.OWNER)
        return Response(page._replace(rows=shown).write(s.EntrySerializer))
