"""One row of a draft's stimuli: shown as in the file, changed, dropped."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.models import Pair
from surveys.study.stimuli.check import fingerprint_row, write_row
from surveys.study.stimuli.edit import drop_row, revise_row
from surveys.web.api import serializers as s
from surveys.web.api.base import StudyView


class _OfOneRow(StudyView):
    tag = "studies"
    scopes: ClassVar = {"GET": "studies:read", "POST": "studies:write"}
    rights: ClassVar = {"GET": Right.READ, "POST": Right.WORK}

    def find(self, pair_id: int) -> tuple[Pair, dict[str, str]]:
        """A pair, and its row by column."""
        pair = get_object_or_404(Pair.objects.stimuli(self.study), pk=pair_id)
        return pair, write_row(pair, list(pair.contexts.order_by("number")))

    def tell(self, pair_id: int) -> s.RowSerializer:
        pair, row = self.find(pair_id)
        told = {"id": pair.pk, "position": pair.position, **row, "shown": fingerprint_row(row)}
        return s.RowSerializer(told)


class Row(_OfOneRow):
    """A row of the stimuli."""

    action_name = "row"

    @extend_schema(responses=s.RowSerializer)
    def get(self, request: Request, slug: str, pair_id: int) -> Response:
        """Show a row as it stands in a stimuli file, and `shown`, by which it is changed."""
        return Response(self.tell(pair_id).data)


class RowRevision(_OfOneRow):
    """Another row in place of one."""

    action_name = "row_revision"

    @extend_schema(request=s.RowRevisionSerializer, responses={200: s.RowSerializer})
    def post(self, request: Request, slug: str, pair_id: int) -> Response:
        """Change columns of a row of a draft; those that are not given stay.

        What is wrong is told with its column. Refused where the row is no longer as it was shown.
        """
        asked: dict[str, Any] = dict(self.read(s.RowRevisionSerializer))
        about = {name: asked.pop(name) for name in ("reason", "shown")}

        def revise() -> s.RowSerializer:
            pair, row = self.find(pair_id)
            revise_row(pair, {**row, **asked}, **about)
            return self.tell(pair_id)

        return self.create(revise, 200)


class RowRemoval(_OfOneRow):
    """The end of a row."""

    action_name = "row_removal"

    @extend_schema(request=s.RowRemovalSerializer, responses={200: s.StudySerializer})
    def post(self, request: Request, slug: str, pair_id: int) -> Response:
        """Take a row out of a draft; the rows behind it move up, and keep their ids.

        Refused where the row is no longer as it was shown, and for the last one.
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
