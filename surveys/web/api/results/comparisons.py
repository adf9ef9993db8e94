"""Comparisons with other collections, and collections imported for them."""

from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.models import CollectionKind, ImportedCollection, Run
from surveys.results.comparisons.candidates import count_withdrawn, find_code, visible_comparisons
from surveys.results.comparisons.comparing import KEYS, ComparisonRequest, request_comparison
from surveys.results.comparisons.importing import (
    DETAILS,
    CollectionFile,
    delete_collection,
    import_collection,
)
from surveys.web.api.base import StudyView
from surveys.web.api.fields import JsonBoolean, JsonInteger, JsonString, RequestSerializer
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate
from surveys.web.api.results.serializers import JOB_FIELDS, JobSerializer

LARGEST_ID = 2**31 - 1
OTHERS = ("collection", "study", "run")


class CollectionSerializer(serializers.ModelSerializer[ImportedCollection]):
    """Ratings of the study's contexts from a file: by other people or by a language model."""

    class Meta:
        model = ImportedCollection
        fields = (
            "id", "number", "name", "kind", *DETAILS, "language", "n_ratings", "n_annotators",
            "sha256", "imported_at",
        )  # fmt: skip


class NewCollectionSerializer(RequestSerializer):
    """A file of ratings to import, and what it does not say itself."""

    name = JsonString(max_length=60, help_text="in tables and plots")
    ratings = JsonString(
        help_text="CSV with the columns language, pair, context, annotator and rating; pairs are "
        "numbered as the rows of the study's stimuli"
    )
    kind = serializers.ChoiceField(CollectionKind.choices, help_text="who rated")
    model = JsonString(
        max_length=200, allow_blank=True, default="",
        help_text="name of the language model, unless the file has a column model",
    )  # fmt: skip
    model_version = JsonString(max_length=200, allow_blank=True, default="")
    prompt_sha256 = JsonString(max_length=64, allow_blank=True, default="")
    rated_on = JsonString(
        max_length=10, allow_blank=True, default="", help_text="a day, such as 2026-05-31"
    )
    language = JsonString(
        max_length=35, allow_blank=True, default="", help_text="if it is not that of the study"
    )


class ComparisonSerializer(JobSerializer):
    """A comparison of the study's ratings with another collection, with its progress."""

    recipe = serializers.CharField(source="request.recipe", help_text="of both", read_only=True)
    stamps = serializers.ListField(
        source="report.stamps", child=serializers.CharField(), allow_null=True, read_only=True,
        help_text="MODEL: a language model rated; REHEARSAL: scripts rated; null until it is done",
    )  # fmt: skip
    n_withdrawn_since = serializers.SerializerMethodField(
        help_text="annotators of either study who withdrew or were erased since: if any, compare "
        "again"
    )

    class Meta:
        model = Run
        fields = ("id", "number", "recipe", *JOB_FIELDS, "stamps", "n_withdrawn_since")

    def get_n_withdrawn_since(self, run: Run) -> int:
        return count_withdrawn(run)


class NewComparisonSerializer(RequestSerializer):
    """The other collection: an imported one, another study, or a run of another study."""

    collection = JsonInteger(
        min_value=1, max_value=LARGEST_ID, required=False, help_text="id of an imported one"
    )
    study = JsonString(max_length=50, required=False, help_text="slug of another study")
    run = JsonInteger(
        min_value=1, max_value=LARGEST_ID, required=False, help_text="id of a run of another study"
    )
    recipe = JsonString(
        max_length=60, default="raw",
        help_text="its name, for both; with one context a pair, the design's is used instead",
    )  # fmt: skip
    match = serializers.ChoiceField(
        KEYS, allow_blank=True, default="",
        help_text="what the same pair has: `number` with two contexts a pair, `id` with one, "
        "`texts` where items have them; empty: what fits",
    )  # fmt: skip
    only_matched = JsonBoolean(
        default=False, help_text="leave out pairs that only one has, instead of refusing them"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(name in attrs for name in OTHERS) != 1:
            raise serializers.ValidationError("Give one of collection, study and run.")
        return attrs


class Collections(StudyView):
    """The collections imported to compare a study with."""

    tag, reads, writes = "runs", "runs:read", "runs:write"
    right_to_read = Right.WORK

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(CollectionSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the imported collections, oldest first."""
        collections = ImportedCollection.objects.filter(study=self.study).defer("ratings")
        return Response(paginate(collections, request, "number").write(CollectionSerializer))

    @extend_schema(request=NewCollectionSerializer, responses={201: CollectionSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Import ratings by other people or by a language model, to be compared with the study's.

        They become no ratings of the study. Names of annotators are replaced by numbers.
        """
        sent = dict(self.read(NewCollectionSerializer))
        data = sent.pop("ratings").encode()
        file = CollectionFile(file_name="ratings.csv", data=data, **sent)
        return self.once(
            lambda: CollectionSerializer(import_collection(self.study, file, self.user))
        )

    @extend_schema(request=None, responses={204: None})
    def remove(self, request: Request, slug: str, collection_id: int) -> Response:
        """Delete an imported collection; comparisons made with it stay."""
        collection = get_object_or_404(ImportedCollection, study=self.study, pk=collection_id)
        delete_collection(collection)
        return Response(status=204)


class Comparisons(StudyView):
    """The comparisons of a study, without comparisons to studies that the user may not see."""

    tag, reads, writes = "runs", "runs:read", "runs:write"
    right_to_read = Right.WORK

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(ComparisonSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the comparisons with other collections, oldest first."""
        comparisons = visible_comparisons(self.study, self.user)
        return Response(paginate(comparisons, request, "pk").write(ComparisonSerializer))

    @extend_schema(request=NewComparisonSerializer, responses={201: ComparisonSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Compare the ratings of the study with another collection, in the background."""
        sent = dict(self.read(NewComparisonSerializer))
        second = find_code(*(sent.pop(name, None) for name in OTHERS))

        def make() -> ComparisonSerializer:
            run = request_comparison(self.study, ComparisonRequest(second, **sent), self.user)
            return ComparisonSerializer(run)

        return self.once(make)

    @extend_schema(responses=ComparisonSerializer)
    def show(self, request: Request, slug: str, run_id: int) -> Response:
        """Show a comparison and its progress."""
        return Response(ComparisonSerializer(self._find(run_id)).data)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def show_report(self, request: Request, slug: str, run_id: int) -> Response:
        """Show the figures of a finished comparison: `comparison.json` of its files."""
        return Response(self._find(run_id, is_done=True).report)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def send_files(self, request: Request, slug: str, run_id: int) -> HttpResponseBase:
        """Download all files of a finished comparison.

        Their names have MODEL if a language model rated.
        """
        archive = self._find(run_id, is_done=True).archive
        name = str(archive).rpartition("/")[2]
        return FileResponse(
            archive.open("rb"), as_attachment=True, filename=name, content_type="application/zip"
        )

    def _find(self, run_id: int, *, is_done: bool = False) -> Run:
        comparisons = visible_comparisons(self.study, self.user)
        return get_object_or_404(comparisons.done() if is_done else comparisons, pk=run_id)
