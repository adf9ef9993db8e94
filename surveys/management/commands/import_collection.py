from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, read_file
from surveys.models import CollectionKind
from surveys.results.comparisons.importing import DETAILS, CollectionFile, import_collection


class Command(SurveyCommand):
    help = (
        "Import ratings of a study's texts by other people or by a language model, to be compared "
        "with those of the study. They become no ratings of the study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path, help="CSV, TSV or Parquet")
        parser.add_argument("--name", required=True, help="of the collection")
        parser.add_argument(
            "--kind", choices=CollectionKind.values, default="",
            help="who rated (what the file says, else people)",
        )  # fmt: skip
        for name in DETAILS:
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, default="", help="of a language model")
        parser.add_argument("--language", default="", metavar="CODE", help="if not the study's")
        parser.add_argument(
            "--scale", type=float, nargs=3, metavar=("MIN", "MAX", "STEP"),
            help="if not the study's",
        )  # fmt: skip

    def handle(self, *, study: str, file: Path, **options: Any) -> None:
        scale = tuple(options["scale"]) if options["scale"] else None
        names = ("name", "kind", *DETAILS, "language")
        sent = {name: options[name] for name in names}
        uploaded = CollectionFile(file_name=file.name, data=read_file(file), scale=scale, **sent)
        made = import_collection(find_study(study), uploaded)
        by = f"MODEL: {made.model} {made.model_version}".strip() if made.is_model else "people"
        self.stdout.write(
            f"Imported {made.name} to compare it with study {study}. Rated by: {by}. Ratings: "
            f"{made.n_ratings}, annotators: {made.n_annotators}."
        )
