"""Families: studies of one dataset in several languages, and the comparison of their releases.

A family shows figures of all its studies: for users who may not see the results of each of them it
does not exist.
"""

import hashlib
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from postprocess.release.checksums import write_archive
from surveys.access.audit_log import record
from surveys.errors import RunRefused
from surveys.jobs.perform import Progress
from surveys.models import Family, Run, RunKind, Study
from surveys.models.results import RunQuerySet
from surveys.models.study import Kind
from surveys.operations.job_process import in_job_process
from surveys.results.comparisons.candidates import open_studies
from surveys.results.run_files import delete_runs
from surveys.results.run_inspection import unpack_archive
from surveys.results.run_jobs import makes_run
from surveys.results.runs import store_request

if TYPE_CHECKING:
    from postprocess.families.comparing import Member

LARGEST_KEY = 1_000_000  # bytes


def visible_families(user: User) -> QuerySet[Family]:
    """Return the families with studies whose results a user may see, without any other."""
    of_family = Family.studies.through.objects.filter(family=OuterRef("pk"))
    hidden = of_family.exclude(study__in=open_studies(user))
    return Family.objects.filter(Exists(of_family), ~Exists(hidden))


def eligible_studies(user: User) -> QuerySet[Study]:
    """Return the studies that a user may put into a family: changes need two contexts a pair."""
    return open_studies(user).filter(item_kind=Kind.TEXT).order_by("slug")


@transaction.atomic
def save_family(family: Family, studies: Collection[Study], **values: str) -> Family:
    """Store a new or changed family, with an entry in the log of each study.

    Raises RunRefused for the slug of another family, or two studies in one language.
    """
    if Family.objects.filter(slug=values["slug"]).exclude(pk=family.pk).exists():
        raise RunRefused(f"There is a family {values['slug']} already. Choose another short name.")
    if len({study.language for study in studies}) < len(studies):
        raise RunRefused("Two studies have the same language. Choose one for each language.")
    earlier, later = {*family.studies.all()} if family.pk else set(), {*studies}
    for name, value in values.items():
        setattr(family, name, value)
    family.save()
    family.studies.set(studies)
    for study in earlier | later:
        gone, stays = study not in later, study in earlier
        record(
            "family.left" if gone else "family.changed" if stays else "family.joined",
            study, family.slug,
        )  # fmt: skip
    return family


@transaction.atomic
def delete_family(family: Family) -> None:
    """Delete a family with its comparisons; idempotent. The log of each study has an entry.

    Raises RunRefused during a comparison.
    """
    runs = _list_runs(family)
    if runs.under_way().exists():
        raise RunRefused("The releases are being compared. Wait until that ends.")
    delete_runs(runs)
    for study in family.studies.all():
        record("family.deleted", study, family.slug)
    Family.objects.filter(pk=family.pk).delete()


def find_releases(family: Family) -> list[tuple[Study, Run | None]]:
    """Return the studies with the latest releases whose files the site keeps, by language."""
    studies = list(family.studies.order_by("language", "slug"))
    runs = Run.objects.releases().with_file().filter(study__in=studies)
    latest = {run.study_id: run for run in runs.with_withdrawn_since().defer("report").reverse()}
    return [(study, latest.get(study.pk)) for study in studies]


@transaction.atomic
def request_family(family: Family, key: bytes, by: User | None) -> Run:
    """Queue a comparison of the studies' latest releases; `key` is a key file, or empty.

    Raises RunRefused, with the names of studies without a release, or the places of wrong cells.
    """
    found = find_releases(family)
    releases = {study: run for study, run in found if run}
    if missing := [study.slug for study, run in found if not run]:
        raise RunRefused(f"No release yet: {', '.join(missing)}. Make one of each study first.")
    studies = list(releases)
    if key:
        _check_key(key, [study.language for study in studies], releases[studies[0]].recipe)
    request = {
        "family": family.pk,
        "releases": {str(study.pk): run.pk for study, run in releases.items()},
        "key": b64encode(key).decode(),
    }
    run = store_request(studies[0], RunKind.FAMILY, by, request)
    for study in studies[1:]:
        record("family.requested", study, run.name)
    return run


def list_comparisons(family: Family) -> list[Run]:
    """Return the comparisons of exactly the studies that a family has now, the newest first."""
    now = {str(pk) for pk in family.studies.values_list("pk", flat=True)}
    runs = _list_runs(family).without_report().select_related("job__requested_by")
    return [run for run in runs if run.request["releases"].keys() == now]


def _list_runs(family: Family) -> RunQuerySet:
    return Run.objects.filter(kind=RunKind.FAMILY, job__request__family=family.pk)


def tabulate(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return a row for each language: its name, then scores, changes and distance described."""
    parts = [
        {row["language"]: row for row in report[name] if row.get("pos", "all") == "all"}
        for name in ("scores", "changes", "distance")
    ]
    return [(language, *(part[language] for part in parts)) for language in report["table1"]]


@makes_run
def make_family(run: Run, progress: Progress) -> dict[str, Any]:
    """Compare the releases of a family. Raises RunRefused, and the errors of the library."""
    from postprocess.families.comparing import compare_family
    from postprocess.families.page import TITLES, render_family
    from postprocess.two_collections.stamps import list_stamps, stamp_name

    request = dict(run.request)
    key, named = b64decode(request.pop("key")), request["releases"].values()
    runs = Run.objects.filter(pk__in=named).select_related("study")
    releases = list(runs.order_by("study__language", "study__slug"))
    if len(releases) < len(named):
        raise RunRefused("A release has been deleted. Compare again.")
    with tempfile.TemporaryDirectory() as folder:
        members = _load_members(releases, Path(folder), progress)
        key_file = Path(folder) / "key"
        key_file.write_bytes(key)
        family = compare_family(members, key_file if key else None)
    progress("drawing the figures", 0, 1)
    files = render_family(family)
    name = stamp_name(f"family_{run.number}", family.sides)
    archive = write_archive(files, name)
    figures = {stamp_name(figure, family.sides): title for figure, title in TITLES.items()}
    report = {
        **family.report,
        "stamps": list_stamps(family.sides),
        "counts": {"ratings_scripted": sum(side.n_scripted for side in family.sides)},
        "figures": {name: t for name, t in figures.items() if f"figures/{name}.svg" in files},
        "sha256": hashlib.sha256(archive).hexdigest(),
    }
    return {
        "collected_at": min(
            (made.collected_at for made in releases if made.collected_at), default=None
        ),
        "report": report,
        "archive": ContentFile(archive, f"{name}.zip"),
        "request": request,
    }


def _load_members(releases: Sequence[Run], into: Path, progress: Progress) -> "list[Member]":
    """Load releases, each named by its study."""
    from postprocess.families.comparing import FamilyError, load_member

    members = []
    for number, release in enumerate(releases):
        progress("reading the releases", number, len(releases))
        slug, folder = release.study.slug, unpack_archive(release, into / str(release.pk))
        try:
            member = load_member(folder)
        except FamilyError as error:
            raise RunRefused(str(error).replace(str(folder), slug)) from error
        members.append(member._replace(collection=replace(member.collection, name=slug)))
    return members


@in_job_process
def _check_key(key: bytes, languages: Sequence[str], recipe: str) -> None:
    """Raise RunRefused with the place of each wrong cell of a key file."""
    from postprocess.errors import UserError
    from postprocess.families.comparing import load_key
    from postprocess.steps.recipe import parse_recipe

    published = parse_recipe(recipe.encode()).rescaling.as_scale()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key"
        path.write_bytes(key)
        try:
            load_key(path, languages, published)
        except UserError as error:
            raise RunRefused(str(error).replace(f"{path}: ", "")) from error
