"""All reports of a dataset: HTML page, PDF, figures, explorer, and Table 1 in LaTeX."""

from collections.abc import Sequence

from postprocess.naming import STAMP
from postprocess.pipeline import Dataset
from postprocess.reporting.explorer import render_explorer
from postprocess.reporting.figures.gallery import Illustration, illustrate, render_plates
from postprocess.reporting.page import render_page
from postprocess.reporting.plots.plot_files import FIGURES, Plot, draw_plots
from postprocess.reporting.printing import find_obstacle, render_pdf
from postprocess.reporting.published import render_table1
from postprocess.reporting.report import describe_gaps
from postprocess.steps.rehearsal import warn_of_scripts


def render_reports(dataset: Dataset, plots: Sequence[Plot] | None = None) -> dict[str, bytes]:
    """Render the reports of a dataset.

    Parameters
    ----------
    dataset : Dataset
        The result of `build_dataset`.
    plots : sequence of Plot, optional
        The result of `draw_plots`, if the coverage over time is known; drawn without it if omitted.

    Returns
    -------
    dict
        Relative path → content: report.html, report.pdf (if enabled in the recipe and
        `find_obstacle` returns ""), explorer.html, table1.tex, figures/<name>.svg and
        figures/<name>.png. The same dataset gives the same bytes.
    """
    outcome, report = dataset.outcome, dataset.report
    if plots is None:
        plots = draw_plots(dataset)
    drawn = [
        *illustrate(outcome, dataset.parts_of_speech),
        *(Illustration(*plot[:4]) for plot in plots if plot.name not in FIGURES),
    ]
    plates = render_plates(drawn, f"{STAMP}: " if warn_of_scripts(report["counts"]) else "")
    files = {"report.html": render_page(dataset, plates).encode()}
    if outcome.recipe.report.pdf and not find_obstacle():
        drawings = {name: plate.svg for name, plate in plates.items()}
        files["report.pdf"] = render_pdf(render_page(dataset, plates, printed=True), drawings)
    files["explorer.html"] = render_explorer(dataset).encode()
    if not dataset.design:
        files["table1.tex"] = render_table1(
            report["language"],
            report["table1"]["text"],
            low=outcome.recipe.rescaling.minimum,
            high=outcome.recipe.rescaling.maximum,
            note=describe_gaps(report["counts"]),
        ).encode()
    for name, plate in plates.items():
        files[f"figures/{name}.svg"], files[f"figures/{name}.png"] = plate.svg, plate.png
    return files
