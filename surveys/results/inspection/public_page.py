"""Public pages of releases: the explorer of a release, at an address without a sign-in."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.html import format_html

from surveys.access.audit_log import record
from surveys.errors import ReleaseRefused
from surveys.models import Release
from surveys.results.run_inspection import read_member

EXPLORER = "explorer.html"
HEAD_ENDS = b'<form class="controls"'  # what follows the first lines of the explorer


@transaction.atomic
def open_page(release: Release) -> None:
    """Open the public page of a release; a no-op if it is open. Raises ReleaseRefused."""
    refuse_unpublishable(release)
    closed = Release.objects.filter(pk=release.pk, page_opened_at__isnull=True)
    if closed.update(page_opened_at=timezone.now()):
        record("release.page_opened", release.study, release.name)


def refuse_unpublishable(release: Release) -> None:
    """Raise ReleaseRefused for a release that can have no public page.

    It has no explorer, is not verified, differs from what its ratings give, or holds ratings of
    annotators who withdrew since.
    """
    if _read_explorer(release) is None:
        raise ReleaseRefused(
            f"{release.name.capitalize()} has no explorer to show. Create a new release, and open "
            "its page."
        )
    counted: Any = Release.objects.with_withdrawn_since().get(pk=release.pk)
    if counted.n_withdrawn_since:
        raise ReleaseRefused(
            f"{release.name.capitalize()} holds ratings of annotators who withdrew or were erased "
            "since. Create a new release, and open its page."
        )
    _refuse_unconfirmed(counted)


@transaction.atomic
def close_page(release: Release) -> None:
    """Close the public page of a release; a no-op if it is closed."""
    opened = Release.objects.filter(pk=release.pk, page_opened_at__isnull=False)
    if opened.update(page_opened_at=None):
        record("release.page_closed", release.study, release.name)


def read_public_page(slug: str, number: int) -> bytes | None:
    """Return the explorer of a release of a study if its page is open, or None.

    It begins with the result of the release's verification. A page is closed as soon as one of the
    annotators whose ratings it shows withdraws, or a verification finds a difference.
    """
    opened = Release.objects.filter(page_opened_at__isnull=False).without_differences()
    releases = opened.with_withdrawn_since().select_related("run")
    release: Any = releases.filter(study__slug=slug, number=number).first()
    page = _read_explorer(release) if release and not release.n_withdrawn_since else None
    return page and page.replace(HEAD_ENDS, _write_verification(release) + HEAD_ENDS, 1)


def _refuse_unconfirmed(release: Release) -> None:
    """Raise ReleaseRefused unless a release was verified, without a difference."""
    if release.n_differences is None:
        raise ReleaseRefused(
            f"{release.name.capitalize()} is not verified yet. Verify it on its own page, and open "
            "the public page then."
        )
    if release.n_differences:
        raise ReleaseRefused(
            f"{release.name.capitalize()} has {release.verification[:-1]}, which its page lists. "
            "Find the reason, create a new release, and open its page."
        )


def _write_verification(release: Release) -> bytes:
    """Return the result of a verification, and its date, as a paragraph of the explorer."""
    at = f" Verified on {release.verified_at:%Y-%m-%d}." if release.verified_at else ""
    return format_html('<p class="lead">{}{}</p>\n', release.verification, at).encode()


def _read_explorer(release: Release) -> bytes | None:
    run = getattr(release, "run", None)  # none if it was made on the command line
    return read_member(run, EXPLORER) if run and run.archive else None
