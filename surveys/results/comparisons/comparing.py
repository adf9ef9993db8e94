"""Comparison of a study's ratings with another collection, as a background job."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction

from postprocess.release.checksums import write_archive
from surveys.errors import RunRefused
from surveys.jobs.perform import Progress
from surveys.models import ImportedCollection, Run, RunKind, Study
from surveys.results.comparisons.candidates import (
    COLLECTION,
    RUN,
    STUDY,
    list_candidates,
    may_work_in,
)
from surveys.results.comparisons.importing import (
    read_imported,
    scale_of_collection,
    source_of_collection,
)
from surveys.results.comparisons.published import compare_set
from surveys.results.ratings_table import (
    collect_study,
    refuse_translations,
    scale_of,
    withdrawal_cutoff,
)
from surveys.results.run_inspection import restore_run, write_recipes
from surveys.results.run_jobs import makes_run
from surveys.results.runs import store_request
from surveys.study.design import design_of
from surveys.study.stimuli.load import read_stored_stimuli

if TYPE_CHECKING:
    from postprocess.steps.recipe import Recipe
    from postprocess.two_collections.collection import Collection

KEYS = ("number", "id", "words", "texts")
GONE = "The other collection no longer exists, or you may not see it. Choose another collection."
STAGE = "comparing the collections"


class ComparisonRequest(NamedTuple):
    """A candidate's code, the recipe for the ratings, the key by which pairs are matched ("" for
    the usual key), and whether unmatched pairs are left out.
    """

    second: str
    recipe: str = "raw"
    match: str = ""
    only_matched: bool = False


class _Side(NamedTuple):
    """A collection, and when its ratings were read."""

    collection: "Collection"
    read_at: datetime | None = None


@transaction.atomic
def request_comparison(study: Study, requested: ComparisonRequest, by: User | None) -> Run:
    """Queue a run that compares a study's ratings with another collection.

    Raises RunRefused for an unknown recipe or key, and for a collection that `by` may not see, as
    for one that does not exist. Raises ReleaseRefused for a study of translations.
    """
    refuse_translations(study)
    if requested.recipe not in write_recipes():
        raise RunRefused(f"Unknown recipe. Recipes: {', '.join(write_recipes())}.")
    keys = list_keys(study)
    if requested.match and requested.match not in keys:
        raise RunRefused(f"Pairs are matched by {', '.join(keys)}.")
    candidate = list_candidates(study, by).find(requested.second)
    if candidate is None:
        raise RunRefused(GONE)
    if study.kind.n_contexts == 1:
        requested = requested._replace(recipe=design_of(study).scores.recipe)
    request: dict[str, Any] = {**requested._asdict(), "second": [candidate.kind, candidate.pk]}
    if (other := _find_study(candidate.kind, candidate.pk)) is not None:
        request["other_study"] = other.pk
    # The log is shown to users who may not see the other study.
    of = {"collection": candidate.label} if candidate.kind == COLLECTION else {}
    details = {"recipe": requested.recipe, **of}
    return store_request(study, RunKind.COMPARE, by, request, details=details)


def list_keys(study: Study) -> list[str]:
    """Return the keys by which pairs of a study can be matched."""
    kind = study.kind
    missing = {"id" if kind.n_contexts == 2 else "number", "" if kind.n_texts else "texts"}
    return [key for key in KEYS if key not in missing]


@makes_run
def make_comparison(run: Run, progress: Progress) -> dict[str, Any]:
    """Compare the ratings of a run's study with the collection that the run names.

    Raises RunRefused if the collection no longer exists or the requester may no longer see it, and
    the errors of the library.
    """
    from postprocess.reporting.two_collections.comparison_files import render_comparison
    from postprocess.steps.recipe import read_recipe
    from postprocess.two_collections.comparing import compare_collections
    from postprocess.two_collections.stamps import stamp_name

    if run.study.kind.n_contexts == 1:
        return _compare_set(run, progress)
    request = run.request
    progress("reading the ratings", 0, 1)
    recipe = read_recipe(request["recipe"])
    first = _read_study(run.study, recipe)
    second = _read_second(run, recipe)
    progress(STAGE, 0, 1)
    comparison = compare_collections(
        first.collection,
        _rename(second.collection, first.collection.name),
        by=request["match"] or None,
        only_matched=request["only_matched"],
    )
    progress("drawing the plots", 0, 1)
    n_scripted = sum(side.n_scripted for side in comparison.sides)
    name = stamp_name(f"comparison_{run.study.slug}_{run.number}", comparison.sides)
    archive = write_archive(render_comparison(comparison), name)
    return {
        "collected_at": min(side.read_at for side in (first, second) if side.read_at),
        "report": {**comparison.report, "counts": {"ratings_scripted": n_scripted}},
        "archive": ContentFile(archive, f"{name}.zip"),
    }


def _compare_set(run: Run, progress: Progress) -> dict[str, Any]:
    """Compare the ratings of a study whose pairs have one context with a published data set."""
    stored = ImportedCollection.objects.filter(study=run.study, pk=run.request["second"][1]).first()
    if stored is None:
        raise RunRefused(GONE)
    progress(STAGE, 0, 1)
    read_at = withdrawal_cutoff(run.study)
    request = run.request
    key, only_matched = request["match"] or None, request["only_matched"]
    result = compare_set(run.study, stored, key, only_matched=only_matched)
    name = "_".join([f"comparison_{run.study.slug}_{run.number}", *result.report["stamps"]])
    return {
        "collected_at": read_at,
        "report": result.report,
        "archive": ContentFile(write_archive(result.files, name), f"{name}.zip"),
    }


def _find_study(kind: str, pk: int) -> Study | None:
    """Return the other study whose ratings a candidate holds; None for an imported collection."""
    if kind == STUDY:
        return Study.objects.filter(pk=pk).first()
    if kind == RUN:
        return Study.objects.filter(runs=pk).first()
    return None


def _read_second(run: Run, recipe: "Recipe") -> _Side:
    kind, pk = run.request["second"]
    if kind == COLLECTION:
        return _read_collection(run.study, pk, recipe)
    other = _find_study(kind, pk)
    if other is None or not may_work_in(other, run.requested_by):
        raise RunRefused(GONE)
    return _read_study(other, recipe) if kind == STUDY else _read_run(pk)


def _read_study(study: Study, recipe: "Recipe") -> _Side:
    """Return a study's present ratings, without annotators who withdrew."""
    from postprocess.steps.post_process import post_process
    from postprocess.two_collections.collection import collection_of_outcome

    read_at = withdrawal_cutoff(study)
    collected = collect_study(study)
    rows = collected.stimuli.rows
    outcome = post_process(
        collected.ratings,
        recipe.on_scale(scale_of(study)),
        n_pairs=len(rows),
        checks=collected.checks,
    )
    made = collection_of_outcome(
        outcome,
        rows,
        name=study.slug,
        language=study.language,
        details=collected.details,
        scripted=collected.scripted,
    )
    return _Side(made, read_at)


def _read_run(pk: int) -> _Side:
    from postprocess.two_collections.collection import collection_of_outcome

    run = Run.objects.select_related("study").get(pk=pk)
    made = collection_of_outcome(
        restore_run(run),
        read_stored_stimuli(run.study).rows,
        name=f"{run.study.slug}, {run.name}",
        language=run.study.language,
    )
    counts: Mapping[str, int] = (run.report or {}).get("counts", {})
    return _Side(replace(made, n_scripted=counts.get("ratings_scripted", 0)), run.collected_at)


def _read_collection(study: Study, pk: int, recipe: "Recipe") -> _Side:
    """Return the ratings of an imported collection, which has the pairs of the study."""
    from postprocess.steps.post_process import post_process
    from postprocess.two_collections.collection import collection_of_outcome

    stored = ImportedCollection.objects.filter(study=study, pk=pk).first()
    if stored is None:
        raise RunRefused(GONE)
    rows, recipe = read_stored_stimuli(study).rows, recipe.on_scale(scale_of_collection(stored))
    outcome = post_process(read_imported(stored), recipe, n_pairs=len(rows))
    source, language = source_of_collection(stored), stored.language
    return _Side(
        collection_of_outcome(outcome, rows, name=stored.name, language=language, source=source)
    )


def _rename(second: "Collection", first_name: str) -> "Collection":
    """Return the second collection, renamed if it has the first collection's name."""
    return replace(second, name=f"{second.name} (2)") if second.name == first_name else second
