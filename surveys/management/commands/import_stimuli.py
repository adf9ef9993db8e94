from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, add_settings, read_file
from surveys.management.commands._tables import OPTIONS, add_kind_options
from surveys.models import Study
from surveys.study.create import create_study, preview_study
from surveys.study.design import start_study
from surveys.study.settings import AT_IMPORT
from surveys.study.stimuli.kinds import choose_kind, group_findings
from surveys.study.stimuli.load import ImportSummary, read_stimuli
from surveys.study.texts import has_default_texts

NAMES = [name for name in AT_IMPORT if name not in ("slug", "language", "design")]


class Command(SurveyCommand):
    help = "Create a draft from a stimuli file; open_study opens it to annotators."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--study", required=True, help="short name, as in links: my-study")
        parser.add_argument("--language", required=True, help="of the texts: en, hr, sl, fi, …")
        parser.add_argument(
            "--design", default="", metavar="NAME",
            help="published design to start from; the other options change single settings of it",
        )  # fmt: skip
        add_settings(parser, Study, *NAMES)
        add_kind_options(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="check and report, store nothing"
        )

    def handle(self, *, file: Path, dry_run: bool, **options: Any) -> None:
        given = {name: options[name] for name in NAMES if options[name] is not None}
        names = {"slug": options["study"], "language": options["language"]}
        design = start_study(options["design"], **names, **given)
        data = read_file(file)
        reading = options["separator"], options["encoding"]
        kind = choose_kind(data, design.kind.columns, design.language, *reading, options=OPTIONS)
        stimuli = read_stimuli(data, design, kind)
        summary = preview_study(stimuli) if dry_run else create_study(stimuli)
        for warning in group_findings(summary.warnings):
            self.warn(f"warning: {warning}")
        if not has_default_texts(design.language):
            missing = (
                f"warning: there are no texts for annotators in {design.language!r} yet: consent "
                "and instructions are in English, and there is no practice item. Give your own: "
                "manage.py set_text --help"
            )
            self.warn(missing)
        self.stdout.write(_describe(summary, design, dry_run=dry_run))
        if summary.is_new and not dry_run:
            self.stdout.write(f"It is a draft. To open it: manage.py open_study {design.slug} -h")


def _describe(summary: ImportSummary, design: Study, *, dry_run: bool) -> str:
    if not summary.is_new:
        return f"Study {design.slug} holds these stimuli already: nothing changed."
    done = "Nothing stored (dry run); this would create" if dry_run else "Stored"
    return (
        f"{done} study {design.slug}. Pairs: {summary.n_pairs}, blocks: {summary.n_blocks}, "
        f"annotators wanted: {summary.n_assignments} "
        f"(ratings of each context: {design.ratings_per_context}), "
        f"warnings: {len(summary.warnings)}."
    )
