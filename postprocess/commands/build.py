"""`python -m postprocess build`: make a dataset from stimuli and ratings."""

import argparse
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.commands.options import (
    add_design_arguments,
    add_input_arguments,
    add_name_argument,
    add_recipe_arguments,
    add_report_argument,
    read_designed,
)
from postprocess.commands.progress import showing_progress
from postprocess.extras import require_report
from postprocess.formats.tabular import group_findings
from postprocess.formats.writing import write_files
from postprocess.naming import PUBLISHED
from postprocess.reporting.phrases import write_count

if TYPE_CHECKING:
    from postprocess.pipeline import Dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_input_arguments(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="created if it does not exist"
    )
    add_report_argument(parser)
    add_name_argument(parser)
    add_recipe_arguments(parser)
    add_design_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Build and write a dataset; print findings and a summary."""
    from postprocess.formats.reading import load_checks, load_ratings
    from postprocess.pipeline import build_dataset
    from postprocess.reporting.report import summarise
    from postprocess.steps.rehearsal import load_scripted
    from postprocess.table.details import load_details

    if not options.no_report:
        require_report()
    files = {"stimuli": options.stimuli, "ratings": options.ratings}
    if options.checkpoints:
        files["checkpoints"] = options.checkpoints
    if options.adjudicated:
        files["adjudicated"] = options.adjudicated
    design, recipe, stimuli, decisions = read_designed(options)
    checks = load_checks(options.checkpoints) if options.checkpoints else None
    with showing_progress() as progress:
        dataset = build_dataset(
            stimuli,
            load_ratings(options.ratings, options.language),
            language=options.language,
            recipe=recipe,
            design=design,
            inputs={name: _digest(path) for name, path in files.items()},
            checks=checks,
            decisions=decisions,
            details=load_details(options.ratings),
            scripted=load_scripted(options.ratings),
            name=options.name or PUBLISHED,
            progress=progress,
        )
    reports = {} if options.no_report else render_with_notice(dataset)
    paths = write_files({**dataset.files, **reports}, options.out)
    for finding in group_findings(stimuli.findings):
        sys.stderr.write(f"stimuli {finding.severity}: {finding}\n")
    if stimuli.errors:
        sys.stderr.write(
            f"The stimuli have {write_count(len(stimuli.errors), 'error')}, listed above and in "
            "report.json; the dataset was written with the stimuli unchanged.\n"
        )
    sys.stdout.write(summarise(dataset.report) + "".join(f"written   {path}\n" for path in paths))
    return 0


def render_with_notice(dataset: "Dataset") -> dict[str, bytes]:
    """Return the reports; print why the PDF is missing, if it is."""
    # imported here: loading Matplotlib takes longer than building a small dataset
    from postprocess.reporting.printing import find_obstacle
    from postprocess.reporting.report_files import render_reports

    if dataset.outcome.recipe.report.pdf and (obstacle := find_obstacle()):
        sys.stderr.write(f"{obstacle}\n")
    return render_reports(dataset)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
