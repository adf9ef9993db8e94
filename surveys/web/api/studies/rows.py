"""Single rows of a draft's stimuli: show, change, remove."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.models import Pair
from surveys.study.stimuli.edit import drop_row, revise_row
from surveys.study.stimuli.load import fingerprint_row, write_row
from surveys.web.api.base import StudyView
from surveys.web.api.studies import serializers as s


class _OfOneRow(StudyView):
    tag = "studies"
    scopes: ClassVar = {"GET": "studies:read", "POST": "studies:write"}
    rights: ClassVar = {"GET": Right.READ, "POST": Right.WORK}

    def find(self, pair_id: int) -> tuple[Pair, dict[str, str]]:
        """Return a pair and its row by column."""
        pair = get_object_or_404(Pair.objects.stimuli(self.study), pk=pair_id)
        return pair, write_row(pair, list(pair.contexts.order_by("number")))

    def write(self, pair_id: int) -> s.RowSerializer:
        pair, row = self.find(pair_id)
        return s.RowSerializer(
            {"id": pair.pk, "position": pair.position, **row, "shown": fingerprint_row(row)}
        )


class Row(_OfOneRow):
    """A row of the stimuli."""

    action_name = "row"

    @extend_schema(responses=s.RowSerializer)
    def get(self, request: Request, slug: str, pair_id: int) -> Response:
        """Show a row by the columns of the stimuli file, with `shown`, which changes need."""
        return Response(self.write(pair_id).data)


class RowRevision(_OfOneRow):
    """A change of a row."""

    action_name = "row_revision"

    @extend_schema(request=s.RowRevisionSerializer, responses={200: s.RowSerializer})
    def post(self, request: Request, slug: str, pair_id: int) -> Response:
        """Change columns of a row of a draft; columns that are not given stay.

        Errors name their column. Refused if the row has changed since it was shown.
        """
        asked: dict[str, Any] = dict(self.read(s.RowRevisionSerializer))
        about = {name: asked.pop(name) for name in ("reason", "shown")}

        def revise() -> s.RowSerializer:
            pair, row = self.find(pair_id)
            revise_row(pair, {**row, **asked}, **about)
            return self.write(pair_id)

        return self.create(revise, 200)


class RowRemoval(_OfOneRow):
    """Removal of a row."""

    action_name = "row_removal"

    @extend_schema(request=s.RowRemovalSerializer, responses={200: s.StudySerializer})
    def post(self, request: Request, slug: str, pair_id: int) -> Response:
        """Remove a row from a draft; later rows move up and keep their ids.

        Refused if the row has changed since it was shown, and for the only row.
        """
        about = self.read(s.RowRemovalSerializer)

        def drop() -> s.StudySerializer:
            pair, _ = self.find(pair_id)
            drop_row(pair, **about)
            self.study.refresh_from_db()
            return s.StudySerializer(
                self.study, context={"roles": {self.study.pk: self.role.value}}
            )

        return self.create(drop, 200)
