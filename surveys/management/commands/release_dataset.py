from argparse import Namespace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from postprocess.options import RecipeError, add_recipe_arguments, recipe_from
from surveys.management.commands._base import SurveyCommand, find_study
from surveys.releasing import describe_release, release_dataset


class Command(SurveyCommand):
    help = "Write the dataset files of a study into a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("folder", type=Path)
        add_recipe_arguments(parser)

    def handle(self, *, study: str, folder: Path, **options: Any) -> None:
        released = find_study(study)
        try:
            release = release_dataset(released, folder, recipe_from(Namespace(**options)))
        except RecipeError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"Cannot write {error.filename or folder}: {error.strerror}."
            ) from error
        self.stdout.write(f"{describe_release(release)}written to {folder}")
        for note in release.report["notes"]:
            self.stderr.write(self.style.WARNING(f"note: {note}"))
