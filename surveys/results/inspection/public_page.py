"""Public pages of releases: the explorer of a release, at an address without a sign-in."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import ReleaseRefused
from surveys.models import Release
from surveys.results.run_inspection import read_member

EXPLORER = "explorer.html"


@transaction.atomic
def open_page(release: Release) -> None:
    """Open the public page of a release; a no-op if it is open.

    Raises ReleaseRefused if the release has no explorer, or holds ratings of annotators who
    withdrew since.
    """
    if _read_explorer(release) is None:
        raise ReleaseRefused(
            f"{release.name.capitalize()} has no explorer to show. Create a new release, and open "
            "the page of that one."
        )
    counted: Any = Release.objects.with_withdrawn_since().get(pk=release.pk)
    if counted.n_withdrawn_since:
        raise ReleaseRefused(
            f"{release.name.capitalize()} holds ratings of annotators who withdrew or were erased "
            "since. Create a new release, and open the page of that one."
        )
    closed = Release.objects.filter(pk=release.pk, page_opened_at__isnull=True)
    if closed.update(page_opened_at=timezone.now()):
        record("release.page_opened", release.study, release.name)


@transaction.atomic
def close_page(release: Release) -> None:
    """Close the public page of a release; a no-op if it is closed."""
    opened = Release.objects.filter(pk=release.pk, page_opened_at__isnull=False)
    if opened.update(page_opened_at=None):
        record("release.page_closed", release.study, release.name)


def read_public_page(slug: str, number: int) -> bytes | None:
    """Return the explorer of a release of a study if its page is open, or None.

    A page is closed as soon as one of the annotators whose ratings it shows withdraws.
    """
    opened = Release.objects.filter(page_opened_at__isnull=False).with_withdrawn_since()
    found: Any = opened.select_related("run").filter(study__slug=slug, number=number).first()
    return _read_explorer(found) if found and not found.n_withdrawn_since else None


def _read_explorer(release: Release) -> bytes | None:
    run = getattr(release, "run", None)  # none if it was made on the command line
    return read_member(run, EXPLORER) if run and run.archive else None
