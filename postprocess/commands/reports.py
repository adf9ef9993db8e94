"""Rendering reports for commands."""

import sys

from postprocess.pipeline import Dataset


def render_with_notice(dataset: Dataset) -> dict[str, bytes]:
    """Return the reports; print why the PDF is missing, if it is."""
    # imported here: loading Matplotlib takes longer than building a small dataset
    from postprocess.reporting.bundle import render_reports
    from postprocess.reporting.printing import find_obstacle

    if dataset.outcome.recipe.report.pdf and (obstacle := find_obstacle()):
        sys.stderr.write(f"{obstacle}\n")
    return render_reports(dataset)
