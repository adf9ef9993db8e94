"""Which rows belong to one study, found from the foreign keys of the models."""

from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Field, ForeignKey, Model, Q, QuerySet

from surveys.features import merge_mappings
from surveys.models import JobState, Study, Worker
from surveys.models.results import OF_SEVERAL_STUDIES

# Starts of the last hour by digests that only this site can make, and sent messages, which name
# rows by their ids.
STAYING = ("surveys.Arrival", "surveys.Delivery")
# Rows of several studies, each found on the other site by what names it.
NAMED_BY = {User: ("username",), Worker: ("provider", "worker_id", "is_digest")}
# Of the jobs and runs, those that are over and are about this study alone.
CHOSEN = {
    "surveys.Job": Q(run__isnull=False, state__in=(JobState.DONE, JobState.FAILED))
    & ~Q(kind__in=OF_SEVERAL_STUDIES),
    "surveys.Run": Q(job__state__in=(JobState.DONE, JobState.FAILED))
    & ~Q(kind__in=OF_SEVERAL_STUDIES),
}


def find_tables() -> dict[type[Model], str]:
    """Return the models of a study's rows, with the lookups that lead from a row to its study.

    A model comes after the models to whose rows its rows refer.
    """
    paths: dict[type[Model], str] = {Study: "pk"}
    models = [model for model in apps.get_models() if model._meta.label not in STAYING]
    n_before = 0
    while n_before < len(paths):
        n_before = len(paths)
        for model in models:
            if model not in paths and (path := _find_path(model, paths)):
                paths[model] = path
    graph = {
        model: [needed for needed in _list_references(model) if needed in paths and needed != model]
        for model in paths
    }
    return {model: paths[model] for model in TopologicalSorter(graph).static_order()}


def _find_path(model: type[Model], paths: dict[type[Model], str]) -> str:
    """Return the lookup from a model to its study: its own key, or by a row it cannot lack."""
    keys = list_keys(model)
    for key in keys:
        if key.related_model is Study:
            return key.name
    for key in keys:
        if not key.null and key.related_model in paths:
            return f"{key.name}__{paths[key.related_model]}"
    return ""


def _list_references(model: type[Model]) -> list[type[Model]]:
    return [
        *(key.related_model for key in list_keys(model)),
        *(needed for field in list_fields(model) for needed in ids_within(field).values()),
    ]


def list_keys(model: type[Model]) -> list["ForeignKey[Any, Any]"]:
    """Return a model's foreign keys."""
    return [field for field in list_fields(model) if isinstance(field, ForeignKey)]


def list_fields(model: type[Model]) -> list["Field[Any, Any]"]:
    """Return a model's columns, without those that the database computes."""
    return [field for field in model._meta.concrete_fields if not field.generated]


def ids_within(field: "Field[Any, Any]") -> dict[str, type[Model]]:
    """Return the models whose ids are in a field's JSON, by key; in a text, after the last colon.

    The key of a text is empty.
    """
    place = f"{field.model._meta.label}.{field.name}:"
    return {
        name.removeprefix(place): apps.get_model(label)
        for name, label in merge_mappings("ids_within").items()
        if name.startswith(place)
    }


def find_rows(model: type[Model], path: str, study: Study) -> QuerySet[Model]:
    """Return a study's rows of a model, in the order in which they were made."""
    chosen = CHOSEN.get(model._meta.label, Q())
    return QuerySet(model).filter(chosen, **{path: study.pk}).order_by("pk")
