from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, positive, read_file
from surveys.management.commands._tables import OPTIONS, add_kind_options
from surveys.study.stimuli.checkpoints import CheckpointSummary, columns_of, import_checkpoints
from surveys.study.stimuli.kinds import choose_kind, group_findings


class Command(SurveyCommand):
    help = "Add checkpoint items, which have a known answer, to a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--per-assignment", type=positive, required=True, metavar="N",
            help="the number of checkpoint items in each assignment",
        )  # fmt: skip
        parser.add_argument(
            "--dry-run", action="store_true", help="check and report, store nothing"
        )

        add_kind_options(parser)

    def handle(self, *, file: Path, dry_run: bool, **options: Any) -> None:
        study, data = find_study(options["study"]), read_file(file)
        reading = options["separator"], options["encoding"]
        kind = choose_kind(data, columns_of(study), study.language, *reading, options=OPTIONS)
        summary = import_checkpoints(
            study, data, kind=kind, per_assignment=options["per_assignment"], dry_run=dry_run
        )
        for warning in group_findings(summary.warnings):
            self.warn(f"warning: {warning}")
        self.stdout.write(_describe(summary, dry_run=dry_run))


def _describe(summary: CheckpointSummary, *, dry_run: bool) -> str:
    if not summary.is_change:
        return "The study has these checkpoint items already: nothing changed."
    done = "Nothing stored (dry run); this would be stored" if dry_run else "Stored"
    return (
        f"{done}. New checkpoint items: {summary.n_new}, known already: {summary.n_known}, "
        f"in each assignment: {summary.per_assignment}."
    )
