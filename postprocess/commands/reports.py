"""The report for people, as the commands that write it make it."""

import sys

from postprocess.pipeline import Dataset


def render_and_tell(dataset: Dataset) -> dict[str, bytes]:
    """The reports; on the terminal, why one of them is missing."""
    # Only here, for loading what draws takes longer than building a small dataset.
    from postprocess.reporting.bundle import render_reports
    from postprocess.reporting.printing import find_obstacle

    if dataset.outcome.recipe.report.pdf and (obstacle := find_obstacle()):
        sys.stderr.write(f"{obstacle}\n")
    return render_reports(dataset)
