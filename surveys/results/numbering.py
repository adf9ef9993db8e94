"""Numbers of runs, releases and batches within their study, in order of creation."""

from typing import Any

from django.db.models import Max, QuerySet

from surveys.models import Batch, Release, Run, RunKind, Study


def number_run(study: Study, kind: RunKind) -> int:
    """Return the number for a new run of a kind. Locks the study until the transaction ends."""
    if kind == RunKind.RELEASE:
        return _number_new_release(study)
    _lock(study)
    return _find_last(Run.objects.filter(study=study, kind=kind)) + 1


def number_release(study: Study, wanted: int | None = None) -> int:
    """Return the number for a new release: the wanted one unless another release has it.

    An interrupted run may have created a release with its number before it is retried. Locks the
    study until the transaction ends.
    """
    _lock(study)
    if wanted and not Release.objects.filter(study=study, number=wanted).exists():
        return wanted
    return _number_new_release(study)


def number_batch(study: Study) -> int:
    """Return the number for a new batch. Locks the study until the transaction ends."""
    _lock(study)
    return _find_last(Batch.objects.filter(study=study)) + 1


def _number_new_release(study: Study) -> int:
    """Return the next number, skipping those of runs that are in progress or failed."""
    _lock(study)
    runs = Run.objects.filter(study=study, kind=RunKind.RELEASE)
    return max(_find_last(runs), _find_last(Release.objects.filter(study=study))) + 1


def _lock(study: Study) -> None:
    """Lock the study: two simultaneous requests would get the same number."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _find_last(rows: QuerySet[Any]) -> int:
    return rows.aggregate(last=Max("number"))["last"] or 0
