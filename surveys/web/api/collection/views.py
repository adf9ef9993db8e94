"""Progress, personal links and responses of a study."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.http import FileResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.models import Invitation, SecondAnswer
from surveys.monitoring.checklist import outline_study
from surveys.monitoring.progress import count_questionnaire_progress
from surveys.participation.withdrawal import revoke_invitation
from surveys.recruitment.links import invite_annotators, invite_listed
from surveys.results.export import RESPONSE_FIELDS, find_responses, stream_responses
from surveys.results.export_parquet import write_responses_as_parquet
from surveys.web.api.base import StudyView
from surveys.web.api.collection import serializers as s
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate, read_filters


class Progress(StudyView):
    """Progress of a study."""

    tag, reads = "collection", "studies:read"

    @extend_schema(responses=s.ProgressSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Show the progress by step and by questionnaire."""
        questionnaires = count_questionnaire_progress(self.study)
        totals = {
            name: sum(getattr(questionnaire, name) for questionnaire in questionnaires)
            for name in ("wanted", "live", "finished", "usable")
        }
        steps = outline_study(self.study)
        progress = {**totals, "steps": steps, "questionnaires": questionnaires}
        return Response(s.ProgressSerializer(progress).data)


class Invitations(StudyView):
    """The personal links of a study."""

    tag, reads, writes = "invitations", "invitations:write", "invitations:write"
    right_to_read = Right.WORK

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.InvitationSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the links and their states, without the notes about their recipients."""
        invitations = Invitation.objects.filter(
            study=self.study, is_rehearsal=False, entrance__isnull=True
        )
        page = paginate(invitations.with_latest_state(), request, "pk")
        return Response(page.write(s.InvitationSerializer))

    @extend_schema(request=s.NewInvitationsSerializer, responses={201: s.InvitedSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Create a number of links, or one per note in the order of the notes."""
        body = self.read(s.NewInvitationsSerializer)
        return self.once(lambda: self._invite(**body))

    def _invite(self, *, count: int = 0, notes: Sequence[str] | None = None) -> s.InvitedSerializer:
        if notes is None:
            made = invite_annotators(self.study, count)
            return s.InvitedSerializer({"invitations": made, "n_new": len(made)})
        listed = invite_listed(self.study, notes)
        ids = [listed.by_note[note].pk for note in map(str.strip, notes) if note]
        invitations = Invitation.objects.with_latest_state().in_bulk(ids)
        return s.InvitedSerializer(
            {"invitations": [invitations[pk] for pk in ids], "n_new": len(listed.new)}
        )

    @extend_schema(request=s.RevocationSerializer, responses={200: s.InvitationSerializer})
    def revoke(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Revoke a link; an unfinished assignment of its annotator is returned."""
        invitation = get_object_or_404(Invitation, study=self.study, pk=invitation_id)
        because = self.read(s.RevocationSerializer)["because"]
        return self.once(
            lambda: s.InvitationSerializer(revoke_invitation(invitation, because)), 200
        )


class Responses(StudyView):
    """The responses of annotators."""

    tag, reads = "responses", "responses:read"

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, s.ResponseFilterSerializer],
        responses=describe_page(s.ResponseSerializer),
    )
    def list_all(self, request: Request, slug: str) -> Response:
        """List responses by assignment and position."""
        filters = self.read(s.ResponseFilterSerializer, read_filters(request))
        answered = find_responses(self.study, **filters)
        rows = answered.values_list("assignment_id", "position", *RESPONSE_FIELDS.values())
        page = paginate(rows, request, "assignment_id", "position")
        responses = [dict(zip(RESPONSE_FIELDS, row[2:], strict=True)) for row in page.rows]
        return Response(page._replace(rows=responses).write(s.ResponseSerializer))

    def send(self, rows: Iterator[Any], content_type: str, ending: str) -> StreamingHttpResponse:
        name = f"responses_{self.study.slug}.{ending}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(rows, content_type=content_type, headers=headers)

    def read_filters(self, request: Request) -> dict[str, Any]:
        filters: dict[str, Any] = self.read(s.ResponseFilterSerializer, request.query_params.dict())
        return filters

    @extend_schema(
        parameters=[s.ResponseFilterSerializer], responses={(200, "text/csv"): OpenApiTypes.STR}
    )
    def export_csv(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export responses as CSV; text that looks like a spreadsheet formula is preceded by '."""
        rows = stream_responses(self.study, **self.read_filters(request))
        return self.send(rows, "text/csv; charset=utf-8", "csv")

    @extend_schema(
        parameters=[s.ResponseFilterSerializer],
        responses={(200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY},
    )
    def export_parquet(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export responses as Parquet, with types."""
        file = NamedTemporaryFile()  # noqa: SIM115  (the response closes it)
        write_responses_as_parquet(Path(file.name), self.study, **self.read_filters(request))
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"responses_{self.study.slug}.parquet",
            content_type="application/vnd.apache.parquet",
        )


class SecondAnswers(StudyView):
    """What annotators answered in a second look."""

    tag, reads = "responses", "responses:read"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.SecondAnswerSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the ratings that annotators were asked to look at again, answered or not."""
        looks = SecondAnswer.objects.of_study(self.study).with_items()
        return Response(paginate(looks, request, "pk").write(s.SecondAnswerSerializer))
