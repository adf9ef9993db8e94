"""Recipes, runs, releases and their files."""

import math
from collections.abc import Callable
from typing import Any

from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from surveys.access.roles import Right
from surveys.errors import RunRefused
from surveys.models import Release, Run
from surveys.models.results import RunQuerySet
from surveys.results.inspection.verification import (
    find_verification,
    list_differences,
    name_archive,
)
from surveys.results.release import write_form
from surveys.results.run_inspection import compare_runs, find_in_ledger, write_recipes
from surveys.results.runs import request_release, request_results, request_verification, retry_run
from surveys.web.api.base import ApiView, StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate, paginate_list
from surveys.web.api.results import serializers as s


class Recipes(ApiView):
    """The recipes of the library."""

    tag, reads = "runs", "runs:read"

    @extend_schema(responses=s.RecipeSerializer(many=True))
    def list_all(self, request: Request) -> Response:
        """List the library's recipes as TOML."""
        recipes = [{"name": name, "recipe": text} for name, text in write_recipes().items()]
        return Response(s.RecipeSerializer(recipes, many=True).data)


class _OfWorkers(StudyView):
    """Views for the researchers of a study."""

    right_to_read = Right.WORK
    run_serializer = s.RunSerializer

    def find_runs(self) -> RunQuerySet:
        return Run.objects.filter(study=self.study).results().with_withdrawn_since()

    def find_run(self, run_id: int, *, is_done: bool = False) -> Run:
        runs = self.find_runs()
        return get_object_or_404(runs.done() if is_done else runs, pk=run_id)

    def start(
        self,
        request_run: Callable[[], Run],
        status: int = 201,
        *,
        serializer: type[BaseSerializer[Run]] | None = None,
    ) -> Response:
        """Request a run, start it and describe it."""

        def make() -> BaseSerializer[Run]:
            return (serializer or self.run_serializer)(request_run())

        return self.once(make, status)

    def send_archive(self, run_id: int) -> FileResponse:
        run = self.find_run(run_id, is_done=True)
        return FileResponse(
            run.archive.open("rb"),
            as_attachment=True,
            filename=name_archive(run),
            content_type="application/zip",
        )


class Runs(_OfWorkers):
    """The runs of a study."""

    tag, reads, writes = "runs", "runs:read", "runs:write"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.RunSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the runs, oldest first."""
        return Response(paginate(self.find_runs(), request, "pk").write(s.RunSerializer))

    @extend_schema(request=s.NewRunSerializer, responses={201: s.RunSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Run a recipe in the background."""
        recipe = _find_recipe(self.read(s.NewRunSerializer)["recipe"])
        return self.start(lambda: request_results(self.study, recipe, self.user))

    @extend_schema(responses=s.RunSerializer)
    def show(self, request: Request, slug: str, run_id: int) -> Response:
        """Show a run and its progress."""
        return Response(s.RunSerializer(self.find_run(run_id)).data)

    @extend_schema(request=None, responses={200: s.RunSerializer})
    def retry(self, request: Request, slug: str, run_id: int) -> Response:
        """Retry a run that failed or was interrupted."""
        run = self.find_run(run_id)
        return self.start(lambda: retry_run(run), 200)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def show_report(self, request: Request, slug: str, run_id: int) -> Response:
        """Show the report of a finished run: `report.json` of its files."""
        return Response(_without_nan(self.find_run(run_id, is_done=True).report))

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def send_files(self, request: Request, slug: str, run_id: int) -> HttpResponseBase:
        """Download all files of a finished run."""
        return self.send_archive(run_id)

    @extend_schema(parameters=[s.LedgerFilterSerializer], responses=s.LedgerSerializer)
    def search_ledger(self, request: Request, slug: str, run_id: int) -> Response:
        """Search the ratings ledger of a finished run."""
        filters = dict(self.read(s.LedgerFilterSerializer, request.query_params.dict()))
        page = filters.pop("page", 1)
        run = self.find_run(run_id, is_done=True)
        if not run.ledger:
            raise Http404
        ledger = find_in_ledger(run, {name: str(text) for name, text in filters.items()}, page)
        return Response(_without_nan(ledger._asdict()))

    @extend_schema(responses=s.ApartSerializer)
    def compare(self, request: Request, slug: str, run_id: int, other_id: int) -> Response:
        """Compare two runs of the same ratings."""
        runs = (self.find_run(pk, is_done=True) for pk in (run_id, other_id))
        return Response(_without_nan(compare_runs(*runs)._asdict()))


class Releases(_OfWorkers):
    """The releases of a study."""

    tag, reads, writes = "releases", "releases:read", "releases:write"
    run_serializer = s.ReleaseRunSerializer

    def find_runs(self) -> RunQuerySet:
        runs = Run.objects.filter(study=self.study).releases().with_withdrawn_since()
        return runs.select_related("release").defer("release__report", "release__differences")

    def find_release(self, run_id: int) -> Release:
        """Return the release that a run has made; 404 until it is made."""
        release = self.find_run(run_id, is_done=True).release
        if release is None:
            raise Http404
        return release

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.ReleaseRunSerializer))
    def list_all(self, request: Request, slug: str) -> Response:
        """List the releases, oldest first."""
        return Response(paginate(self.find_runs(), request, "pk").write(s.ReleaseRunSerializer))

    @extend_schema(request=s.NewReleaseSerializer, responses={201: s.ReleaseRunSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Create a release in the background."""
        options = dict(self.read(s.NewReleaseSerializer))
        recipe = _find_recipe(options.pop("recipe"))
        return self.start(lambda: request_release(self.study, recipe, options, self.user))

    @extend_schema(responses=s.ReleaseRunSerializer)
    def show(self, request: Request, slug: str, run_id: int) -> Response:
        """Show a release and its progress."""
        return Response(s.ReleaseRunSerializer(self.find_run(run_id)).data)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def send_files(self, request: Request, slug: str, run_id: int) -> HttpResponseBase:
        """Download a finished release.

        The name of its archive begins with DIFFERS if its figures do not follow from its ratings.
        """
        return self.send_archive(run_id)

    @extend_schema(request=None, responses={201: s.VerificationSerializer})
    def verify(self, request: Request, slug: str, run_id: int) -> Response:
        """Compute all figures of a release again from its files, in the background."""
        release = self.find_release(run_id)
        return self.start(
            lambda: request_verification(release, self.user), serializer=s.VerificationSerializer
        )

    @extend_schema(responses=s.VerificationSerializer)
    def show_verification(self, request: Request, slug: str, run_id: int) -> Response:
        """Show the last verification of a release that was asked for, and its progress.

        404 if there is none. Every release is verified when it is made: its own fields have the
        result.
        """
        job = find_verification(self.find_release(run_id))
        if job is None:
            raise Http404
        return Response(s.VerificationSerializer(job).data)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.DifferenceSerializer))
    def list_differences(self, request: Request, slug: str, run_id: int) -> Response:
        """List where the files of a release differ from what its ratings give.

        Of more than 10,000 differences, the first are stored; `n_differences` of the release is
        the number of all.
        """
        rows = list_differences(self.find_release(run_id))
        return Response(paginate_list(rows, request).write(s.DifferenceSerializer))

    @extend_schema(responses=s.DescriptionSerializer)
    def describe(self, request: Request, slug: str) -> Response:
        """Show what the site knows about the study, and what is to be filled in."""
        return Response({"description": write_form(self.study)})


def _find_recipe(given: str) -> str:
    """Return a recipe as TOML, from the name of a library recipe or from TOML."""
    recipes = write_recipes()
    if "=" not in given and given not in recipes:
        raise RunRefused(f"Unknown recipe. Recipes: {', '.join(recipes)}.")
    return recipes.get(given, given)


def _without_nan(value: Any) -> Any:
    """Return a value for JSON: NaN and infinities become null, keys strings."""
    if isinstance(value, dict):
        return {str(key): _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    if hasattr(value, "item"):  # a number of numpy's
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
