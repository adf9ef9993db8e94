"""Single rows of a draft's stimuli: show, change, remove."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.models import Pair
from surveys.study.stimuli.edit import drop_row, revise_row
from surveys.study.stimuli.load import fingerprint_row, write_row
from surveys.web.api.base import StudyView
from surveys.web.api.studies import serializers as s


class Rows(StudyView):
    """The rows of the stimuli."""

    tag, reads, writes = "studies", "studies:read", "studies:write"

    def find(self, pair_id: int) -> tuple[Pair, dict[str, str]]:
        """Return a pair and its row by column."""
        pair = get_object_or_404(Pair.objects.stimuli(self.study), pk=pair_id)
        return pair, write_row(self.study, pair)

    def write(self, pair_id: int) -> s.RowSerializer:
        pair, row = self.find(pair_id)
        shown = {"id": pair.pk, "position": pair.position, "shown": fingerprint_row(row)}
        return s.RowSerializer({**shown, "columns": row})

    @extend_schema(responses=s.RowSerializer)
    def show(self, request: Request, slug: str, pair_id: int) -> Response:
        """Show a row by the columns of the stimuli file, with `shown`, which changes need."""
        return Response(self.write(pair_id).data)

    @extend_schema(request=s.RowRevisionSerializer, responses={200: s.RowSerializer})
    def revise(self, request: Request, slug: str, pair_id: int) -> Response:
        """Change columns of a row of a draft; columns that are not given stay.

        Errors name their column. Refused if the row has changed since it was shown.
        """
        about: dict[str, Any] = dict(self.read(s.RowRevisionSerializer))
        columns = about.pop("columns")

        def revise() -> s.RowSerializer:
            pair, row = self.find(pair_id)
            revise_row(pair, {**row, **columns}, **about)
            return self.write(pair_id)

        return self.once(revise, 200)

    @extend_schema(request=s.RowRemovalSerializer, responses={200: s.StudySerializer})
    def remove(self, request: Request, slug: str, pair_id: int) -> Response:
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

        return self.once(drop, 200)
