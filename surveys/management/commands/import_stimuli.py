from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, decimal, read_file
from surveys.management.commands._tables import OPTIONS, add_kind_options
from surveys.models import AssigningPolicy, QuestionForms
from surveys.study.create import create_study, preview_study
from surveys.study.stimuli.kinds import STIMULI_COLUMNS, choose_kind, group_findings
from surveys.study.stimuli.load import ImportSummary, StudyDesign, read_stimuli
from surveys.study.texts import has_default_texts


class Command(SurveyCommand):
    help = "Create a draft from a stimuli file; open_study opens it to annotators."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--study", required=True, help="short name, as in links: my-study")
        parser.add_argument("--language", required=True, help="of the texts: en, hr, sl, fi, …")
        parser.add_argument("--title", default="", help="shown to researchers")
        parser.add_argument("--ratings-per-context", type=int, default=11)
        parser.add_argument(
            "--block-size",
            type=int,
            default=20,
            help="maximum number of pairs in one questionnaire",
        )
        parser.add_argument(
            "--lease-hours", type=int, default=24,
            help="hours for which a place is held without activity",
        )  # fmt: skip
        parser.add_argument(
            "--scale", type=decimal, nargs=2, default=(Decimal(0), Decimal(6)),
            metavar=("MIN", "MAX"),
        )  # fmt: skip
        parser.add_argument(
            "--step", dest="scale_step", type=decimal, default=Decimal(1), help="of the scale"
        )
        parser.add_argument(
            "--question-forms", choices=QuestionForms.values, default=QuestionForms.DICTIONARY,
            help="forms of the two words that the question names: dictionary forms, or the "
            "forms used in the text",
        )  # fmt: skip
        parser.add_argument(
            "--policy", dest="assigning_policy", choices=AssigningPolicy.values,
            default=AssigningPolicy.BALANCED,
            help="how arriving annotators are given questionnaires",
        )  # fmt: skip
        add_kind_options(parser)
        parser.add_argument("--seed", type=int, default=0, help="of blocks and questionnaires")
        parser.add_argument(
            "--dry-run", action="store_true", help="check and report, store nothing"
        )

    def handle(self, *, file: Path, dry_run: bool, **options: Any) -> None:
        options["slug"] = options["study"]
        options["scale_minimum"], options["scale_maximum"] = options["scale"]
        design = StudyDesign(**{field.name: options[field.name] for field in fields(StudyDesign)})
        data = read_file(file)
        asked = options["separator"], options["encoding"]
        kind = choose_kind(data, STIMULI_COLUMNS, design.language, *asked, options=OPTIONS)
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


def _describe(summary: ImportSummary, design: StudyDesign, *, dry_run: bool) -> str:
    if not summary.is_new:
        return f"Study {design.slug} holds these stimuli already: nothing changed."
    done = "Nothing stored (dry run); this would create" if dry_run else "Stored"
    return (
        f"{done} study {design.slug}. Pairs: {summary.n_pairs}, blocks: {summary.n_blocks}, "
        f"annotators wanted: {summary.n_assignments} "
        f"(ratings of each context: {design.ratings_per_context}), "
        f"warnings: {len(summary.warnings)}."
    )
