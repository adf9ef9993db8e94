from argparse import Namespace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from postprocess.commands.options import (
    UserError,
    add_choice_arguments,
    add_recipe_arguments,
    recipe_from,
)
from surveys.management.commands._base import SurveyCommand, find_study, read_file
from surveys.models import Release, Study
from surveys.results.release import (
    ReleaseOptions,
    describe_release,
    list_unwritten,
    release_dataset,
)

MOST_SHOWN = 20  # differences


class Command(SurveyCommand):
    help = "Write the published files of a study into a folder, and as a zip file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--description", type=Path, metavar="FILE", help="TOML; see describe_study"
        )
        parser.add_argument(
            "--ids-of", type=int, metavar="RELEASE", help="reuse the annotator ids of a release"
        )
        parser.add_argument("--log", action="store_true", help="add the public log, as log.tsv")
        add_choice_arguments(parser)
        add_recipe_arguments(parser)

    def handle(self, *, study: str, folder: Path, **options: Any) -> None:
        released = find_study(study)
        chosen = ReleaseOptions(
            description=read_file(options["description"]) if options["description"] else b"",
            n_practice=options["practice"],
            seed=options["seed"],
            complete=options["complete"],
            has_report=not options["no_report"],
            has_log=options["log"],
            name=options["name"] or "",
            withholds_unknown=options["withhold_unknown"],
            accepts_unscored=options["accept_unscored"],
            ids_of=find_release(released, options["ids_of"]) if options["ids_of"] else None,
        )
        try:
            recipe = recipe_from(Namespace(**options))
            release = release_dataset(released, folder, recipe, chosen)
        except UserError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"Cannot write {error.filename or folder}: {error.strerror}."
            ) from error
        self.stdout.write(
            f"{describe_release(release)}{release.verification}\n{release.name} written to {folder}"
        )
        for note in release.report["notes"]:
            self.warn(f"note: {note}")
        for text in list_unwritten(release):
            self.warn(f"to be written: {text}")
        for file, place, published, computed in release.differences[:MOST_SHOWN]:
            self.warn(f"differs: {file}, {place}: published {published}, computed {computed}")
        if release.n_differences:
            raise CommandError(f"{release.name} is stored, but its files must not be published.")


def find_release(study: Study, number: int) -> Release:
    """Return the release with a number. Raises CommandError, which lists the existing releases."""
    if release := Release.objects.filter(study=study, number=number).first():
        return release
    releases = Release.objects.filter(study=study).order_by("number")
    numbers = releases.values_list("number", flat=True)
    existing = ", ".join(map(str, numbers)) or "none yet"
    raise CommandError(f"Study {study.slug} has no release {number}. Releases: {existing}.")
