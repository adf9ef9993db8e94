import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import (
    SurveyCommand,
    find_study,
    positive,
    read_file,
    refuse_unwritable,
    write_chunks,
)
from surveys.models import Assignment
from surveys.rehearsal.annotator import Acknowledged, Character
from surveys.rehearsal.rating_source import (
    ModelledRatings,
    PlayedBackRatings,
    RatingSource,
    read_played_back,
)
from surveys.rehearsal.study import Rehearsal, rehearse_study
from surveys.results.export import write_text


class Command(SurveyCommand):
    help = "Rehearse a study on a running site with scripted annotators. Answers are stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--base-url", required=True, help="such as http://127.0.0.1:8000")
        parser.add_argument("--ratings", type=Path, help="ratings file to play back")
        parser.add_argument("--annotators", type=positive, help="number; default: all places left")
        parser.add_argument("--seed", type=int, default=0, help="random seed of the annotators")
        parser.add_argument(
            "--characters",
            nargs="+",
            choices=list(Character),
            default=[Character.CAREFUL],
            help="equally frequent, in an order by chance (careful)",
        )
        parser.add_argument(
            "--at-once", type=positive, default=1, help="number of annotators at the same time"
        )
        parser.add_argument(
            "--patient", action="store_true", help="retry while the site does not answer"
        )
        parser.add_argument(
            "--log", type=Path, help="write every answer confirmed by the site to a CSV file"
        )

    def handle(
        self,
        *,
        study: str,
        base_url: str,
        ratings: Path | None,
        annotators: int | None,
        log: Path | None,
        **options: Any,
    ) -> None:
        rehearsed = find_study(study)
        if log:
            refuse_unwritable(log)
        source: RatingSource = (
            read_played_back(rehearsed, read_file(ratings))
            if ratings
            else ModelledRatings(rehearsed.scale_points, options["seed"])
        )
        if Assignment.objects.for_study(rehearsed).by_people().exists():
            warning = "warning: people have answered this study; scripted answers are added."
            self.warn(warning)
        rehearsal = Rehearsal(
            base_url,
            source,
            seed=options["seed"],
            characters=[Character(name) for name in options["characters"]],
            n_at_once=options["at_once"],
            is_patient=options["patient"],
            report=self.stdout.write,
        )
        summary = rehearse_study(rehearsed, rehearsal, n_annotators=annotators)
        if log:
            write_chunks([write_log(summary.acknowledged)], log, self.stdout)
        n_finished = summary.last_pages["annotate:thanks"]
        if n_finished < summary.n_annotators:
            self.stdout.write(f"Finished: {n_finished} of {summary.n_annotators}.")
        self.stdout.write(
            f"Annotators: {summary.n_annotators}, judgements: {summary.n_judgements}."
        )
        if isinstance(source, PlayedBackRatings) and source.n_unused:
            self.stdout.write(f"Ratings of the file not used: {source.n_unused}.")


def write_log(acknowledged: Iterable[Acknowledged]) -> str:
    """Return the log as CSV: one row per answer, in the order of the annotators."""
    log = io.StringIO()
    writer = csv.writer(log, lineterminator="\n")
    writer.writerow(Acknowledged._fields)
    writer.writerows(
        [write_text(cell) if isinstance(cell, str) else cell for cell in row]
        for row in acknowledged
    )
    return log.getvalue()
