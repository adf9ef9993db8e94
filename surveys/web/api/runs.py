"""Recipes and runs of them, releases, and the files they made."""

import math
from typing import Any, ClassVar

from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right
from surveys.errors import RunRefused
from surveys.models import Run
from surveys.models.running import RunQuerySet
from surveys.results.release import write_form
from surveys.results.run_inspection import compare_runs, find_in_ledger, write_presets
from surveys.results.runs import request_release, request_results, retry_run
from surveys.tasks import start_run
from surveys.web.api import run_serializers as s
from surveys.web.api.base import ApiView, StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate
from surveys.web.api.throttles import ExportingThrottle, TokenThrottle


class Recipes(ApiView):
    """The recipes that come with the site."""

    tag, action_name = "runs", "recipes"
    scopes: ClassVar = {"GET": "runs:read"}

    @extend_schema(responses=s.RecipeSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List them, as TOML."""
        presets = [{"name": name, "recipe": text} for name, text in write_presets().items()]
        return Response(s.RecipeSerializer(presets, many=True).data)


class _OfWorkers(StudyView):
    """A view for those who work on a study."""

    tag = "runs"
    scopes: ClassVar = {"GET": "runs:read", "POST": "runs:write"}
    rights: ClassVar = {"GET": Right.WORK, "POST": Right.WORK}

    def find_runs(self) -> RunQuerySet:
        return Run.objects.filter(study=self.study).results().with_withdrawn_since()

    def find_run(self, run_id: int, *, is_done: bool = False) -> Run:
        runs = self.find_runs()
        return get_object_or_404(runs.done() if is_done else runs, pk=run_id)

    def send_archive(self, run_id: int) -> FileResponse:
        run = self.find_run(run_id, is_done=True)
        name = str(run.archive).rpartition("/")[2]
        return FileResponse(
            run.archive.open("rb"),
            as_attachment=True,
            filename=name,
            content_type="application/zip",
        )


class _OfReleases(_OfWorkers):
    tag = "releases"
    scopes: ClassVar = {"GET": "releases:read", "POST": "releases:write"}

    def find_runs(self) -> RunQuerySet:
        return Run.objects.filter(study=self.study).releases().with_withdrawn_since()


class Runs(_OfWorkers):
    """The runs of a study."""

    action_name = "runs"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.RunSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """List the runs, the first first."""
        return Response(paginate(self.find_runs(), request, "pk").write(s.RunSerializer))

    @extend_schema(request=s.NewRunSerializer, responses={201: s.RunSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Run a recipe in the background."""
        recipe = _choose_recipe(self.read(s.NewRunSerializer))

        def run() -> s.RunSerializer:
            made = request_results(self.study, recipe, self.user)
            start_run(made.pk)
            return s.RunSerializer(made)

        return self.create(run)


class OneRun(_OfWorkers):
    """A run."""

    action_name = "run"

    @extend_schema(responses=s.RunSerializer)
    def get(self, request: Request, slug: str, run_id: int) -> Response:
        """Show how far a run is."""
        return Response(s.RunSerializer(self.find_run(run_id)).data)


class Retry(_OfWorkers):
    """Another try of a run that failed."""

    action_name = "retry"

    @extend_schema(request=None, responses={200: s.RunSerializer})
    def post(self, request: Request, slug: str, run_id: int) -> Response:
        """Try a run again that failed or was broken off."""
        found = self.find_run(run_id)

        def retry() -> s.RunSerializer:
            run = retry_run(found)
            start_run(run.pk)
            return s.RunSerializer(run)

        return self.create(retry, 200)


class RunReport(_OfWorkers):
    """What a run came to, as figures."""

    action_name = "run_report"

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, run_id: int) -> Response:
        """Show the report of a run that is done: `report.json` of its files."""
        return Response(_without_nan(self.find_run(run_id, is_done=True).report))


class RunFiles(_OfWorkers):
    """The files of a run."""

    action_name = "run_files"
    throttle_classes = [TokenThrottle, ExportingThrottle]

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, run_id: int) -> HttpResponseBase:
        """Download all files of a run that is done."""
        return self.send_archive(run_id)


class Ledger(_OfWorkers):
    """What happened to each rating of a run, and why."""

    action_name = "ledger"
    throttle_classes = [TokenThrottle, ExportingThrottle]

    @extend_schema(parameters=[s.LedgerFilterSerializer], responses=s.LedgerSerializer)
    def get(self, request: Request, slug: str, run_id: int) -> Response:
        """Search the ledger of a run that is done."""
        wanted = dict(self.read(s.LedgerFilterSerializer, request.query_params.dict()))
        page = wanted.pop("page", 1)
        run = self.find_run(run_id, is_done=True)
        if not run.ledger:
            raise Http404
        found = find_in_ledger(run, {name: str(text) for name, text in wanted.items()}, page)
        return Response(_without_nan(found._asdict()))


class Comparison(_OfWorkers):
    """What sets two runs apart."""

    action_name = "comparison"
    throttle_classes = [TokenThrottle, ExportingThrottle]

    @extend_schema(responses=s.ApartSerializer)
    def get(self, request: Request, slug: str, run_id: int, other_id: int) -> Response:
        """Compare two runs of the same ratings."""
        runs = (self.find_run(pk, is_done=True) for pk in (run_id, other_id))
        return Response(_without_nan(compare_runs(*runs)._asdict()))


class Releases(_OfReleases):
    """The releases of a study."""

    action_name = "releases"

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.ReleaseRunSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """List the releases, the first first."""
        return Response(paginate(self.find_runs(), request, "pk").write(s.ReleaseRunSerializer))

    @extend_schema(
        request=s.NewReleaseSerializer,
        responses={201: s.ReleaseRunSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a release in the background."""
        wishes = dict(self.read(s.NewReleaseSerializer))
        recipe = _choose_recipe(wishes)
        wishes = {name: wish for name, wish in wishes.items() if name not in ("preset", "recipe")}

        def release() -> s.ReleaseRunSerializer:
            made = request_release(self.study, recipe, wishes, self.user)
            start_run(made.pk)
            return s.ReleaseRunSerializer(made)

        return self.create(release)


class OneRelease(_OfReleases):
    """A release."""

    action_name = "release"

    @extend_schema(responses=s.ReleaseRunSerializer)
    def get(self, request: Request, slug: str, run_id: int) -> Response:
        """Show how far a release is."""
        return Response(s.ReleaseRunSerializer(self.find_run(run_id)).data)


class ReleaseFiles(_OfReleases):
    """The folder of a release."""

    action_name = "release_files"
    throttle_classes = [TokenThrottle, ExportingThrottle]

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, run_id: int) -> HttpResponseBase:
        """Download a release that is made."""
        return self.send_archive(run_id)


class Description(_OfReleases):
    """What a release says about its study."""

    action_name = "description"

    @extend_schema(responses=s.DescriptionSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Show what the site knows about the study, and what is to be filled in."""
        return Response({"description": write_form(self.study)})


def _choose_recipe(asked: dict[str, Any]) -> str:
    if "recipe" in asked:
        return str(asked["recipe"])
    presets = write_presets()
    if asked["preset"] not in presets:
        raise RunRefused(f"There is no such recipe. Recipes: {', '.join(presets)}.")
    return presets[asked["preset"]]


def _without_nan(told: Any) -> Any:
    """What JSON can hold: what is no number is null; keys are texts."""
    if isinstance(told, dict):
        return {str(key): _without_nan(value) for key, value in told.items()}
    if isinstance(told, list | tuple):
        return [_without_nan(value) for value in told]
    if hasattr(told, "item"):  # a number of numpy's
        told = told.item()
    return None if isinstance(told, float) and not math.isfinite(told) else told
