from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, positive, read_file
from surveys.models import Assignment
from surveys.rehearsing import (
    ModelledRatings,
    PlayedBackRatings,
    RatingSource,
    read_played_back,
    rehearse_study,
)


class Command(SurveyCommand):
    help = "Let scripted annotators answer a study on a running site. Their answers are stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--base-url", required=True, help="such as http://127.0.0.1:8000")
        parser.add_argument("--ratings", type=Path, help="ratings file to play back")
        parser.add_argument("--annotators", type=positive, help="default: all places left")
        parser.add_argument("--seed", type=int, default=0, help="of the scripted people")

    def handle(
        self,
        *,
        study: str,
        base_url: str,
        ratings: Path | None,
        annotators: int | None,
        seed: int,
        **options: Any,
    ) -> None:
        rehearsed = find_study(study)
        source: RatingSource = (
            read_played_back(rehearsed, read_file(ratings))
            if ratings
            else ModelledRatings(rehearsed.scale_points, seed)
        )
        if Assignment.objects.for_study(rehearsed).by_people().exists():
            warning = "warning: people have answered this study; scripted answers join theirs."
            self.stderr.write(self.style.WARNING(warning))
        summary = rehearse_study(
            rehearsed,
            base_url,
            ratings=source,
            n_annotators=annotators,
            seed=seed,
            tell=self.stdout.write,
        )
        self.stdout.write(
            f"Annotators: {summary.n_annotators}, judgements: {summary.n_judgements}."
        )
        if isinstance(source, PlayedBackRatings) and source.n_unused:
            self.stdout.write(f"Ratings of the file that were not used: {source.n_unused}.")
