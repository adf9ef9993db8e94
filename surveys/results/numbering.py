"""Numbers of runs, releases and batches within their study, in order of creation."""

from typing import Any

from django.db.models import Max, QuerySet

from surveys.models import Batch, ImportedCollection, Release, Run, RunKind, Study


def number_run(study: Study, kind: RunKind) -> int:
    """Return the number for a new run of a kind. Locks the study until the transaction ends.

    That of a release follows those of all releases and of all runs that were to make one.
    """
    numbered: list[QuerySet[Any]] = [Run.objects.filter(study=study, kind=kind)]
    if kind == RunKind.RELEASE:
        numbered.append(Release.objects.filter(study=study))
    return _number_next(study, *numbered)


def number_release(study: Study, wanted: int | None = None) -> int:
    """Return the number for a new release: the wanted one unless another release has it.

    An interrupted run may have created a release with its number before it is retried. Locks the
    study until the transaction ends.
    """
    _lock(study)
    if wanted and not Release.objects.filter(study=study, number=wanted).exists():
        return wanted
    return number_run(study, RunKind.RELEASE)


def number_batch(study: Study) -> int:
    """Return the number for a new batch. Locks the study until the transaction ends."""
    return _number_next(study, Batch.objects.filter(study=study))


def number_collection(study: Study) -> int:
    """Return the number for a new imported collection. Locks the study until the transaction ends.

    That of a deleted one is not used again while a later one exists.
    """
    return _number_next(study, ImportedCollection.objects.filter(study=study))


def _number_next(study: Study, *numbered: QuerySet[Any]) -> int:
    """Return the number after the highest in any of these rows of a study."""
    _lock(study)
    return 1 + max(rows.aggregate(last=Max("number"))["last"] or 0 for rows in numbered)


def _lock(study: Study) -> None:
    """Lock the study: two simultaneous requests would get the same number."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
