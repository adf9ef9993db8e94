"""Numbers of runs, releases and other rows within their study, in order of creation."""

from typing import Any

from django.db.models import Choices, Max, QuerySet

from surveys.models import Release, Run, RunKind, Study


def number_run(study: Study, kind: Choices) -> int:
    """Return the number for a new run of a kind. Locks the study until the transaction ends.

    That of a release follows those of all releases and of all runs that were to make one.
    """
    numbered: list[QuerySet[Any]] = [Run.objects.filter(study=study, kind=kind)]
    if kind == RunKind.RELEASE:
        numbered.append(Release.objects.filter(study=study))
    return number_next(study, *numbered)


def number_release(study: Study, reserved: int | None = None) -> int:
    """Return a new release's number: the reserved number unless another release has it.

    An interrupted run may have created a release with its number before it is retried. Locks the
    study until the transaction ends.
    """
    _lock(study)
    if reserved and not Release.objects.filter(study=study, number=reserved).exists():
        return reserved
    return number_run(study, RunKind.RELEASE)


def number_next(study: Study, *numbered: QuerySet[Any]) -> int:
    """Return the number after the highest in these rows of a study, which is locked.

    That of a deleted row is not used again while a later one exists.
    """
    _lock(study)
    return 1 + max(rows.aggregate(last=Max("number"))["last"] or 0 for rows in numbered)


def _lock(study: Study) -> None:
    """Lock the study: two simultaneous requests would get the same number."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
