"""What is deposited of a release: its stored files and description, once nothing is missing."""

import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from surveys.errors import DepositRefused
from surveys.models import Release
from surveys.results.deposit.steps import Content

if TYPE_CHECKING:
    from postprocess.release.description.study import Description

DESCRIPTION = "description.toml"
CARD = "README.md"


@dataclass(frozen=True)
class Contents:
    """The files of a release, path → content, its archive, and its description.

    `stem` is the name of its folder, such as usim-2_sl; `name`: of the release, with its study.
    """

    stem: str
    name: str
    language: str
    version: str
    files: dict[str, bytes] = field(repr=False)
    archive: Content
    description: "Description" = field(repr=False)


def find_obstacle(release: Release) -> str:
    """Return why a release must not be deposited, with advice; "" if nothing prevents it."""
    counted: Any = Release.objects.with_withdrawn_since().get(pk=release.pk)
    run = getattr(release, "run", None)
    if release.is_rehearsal:
        return "It is a rehearsal, not a dataset of human judgements."
    if release.n_differences is None:
        return "It is not verified yet. Verify it first."
    if release.n_differences:
        return f"It has {release.verification[:-1]}. Find the reason, and create a new release."
    if counted.n_withdrawn_since:
        return (
            "It holds ratings of annotators who withdrew or were erased since. Create a new "
            "release."
        )
    if release.report.get("to_be_written"):
        return "Its description is incomplete. Complete it, and create a new release."
    if run is None or not run.archive:
        return (
            "This site does not keep its files, since it was made on the command line. Create it "
            "in the console or by the API, or upload it by hand."
        )
    return ""


def refuse_obstacle(release: Release) -> None:
    """Raise DepositRefused for a release that must not be deposited."""
    if obstacle := find_obstacle(release):
        raise DepositRefused(f"{release.name.capitalize()} cannot be deposited. {obstacle}")


def read_contents(release: Release) -> Contents:
    """Return the parts of a release to send. Raises DepositRefused."""
    from postprocess.release.description.study import parse_description

    refuse_obstacle(release)
    with release.run.archive.open("rb") as file:
        packed = file.read()
    with release.run.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        paths = archive.namelist()
        files = {path.partition("/")[2]: archive.read(path) for path in paths}
    if missing := [name for name in (DESCRIPTION, CARD) if name not in files]:
        raise DepositRefused(
            f"The files of {release.name} lack {missing[0]}: an earlier version of Cosima made "
            "them. Create a new release."
        )
    stem = paths[0].partition("/")[0]
    return Contents(
        stem,
        f"{release.name} of study {release.study.slug}",
        release.report["language"],
        release.report["code"]["version"],
        files,
        Content(f"{stem}.zip", packed),
        parse_description(files[DESCRIPTION]),
    )
