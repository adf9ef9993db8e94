"""Reading the results of comparisons from their reports and archives."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from surveys.models import Run
from surveys.operations.job_process import in_job_process
from surveys.results.inspection.plots import Plot, list_plots
from surveys.results.run_inspection import read_member

PAGE = "comparison"


class ComparisonResult(NamedTuple):
    """What the page of a finished comparison shows.

    `stamp`: precedes titles, such as "MODEL: "; `warnings`: on ratings by a model or by scripts;
    `figures`: title → figure; `sides`: both collections; `matching`; `contexts` and `pairs`: those
    that differ most; `plots`; with a data set also figures by `parts_of_speech`.
    """

    stamp: str
    warnings: list[str]
    figures: dict[str, str]
    sides: list[dict[str, Any]]
    matching: dict[str, Any]
    contexts: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    plots: list[Plot]
    parts_of_speech: Sequence[dict[str, Any]] = ()


def read_result(run: Run) -> ComparisonResult:
    """Return the result of a finished comparison; that with a data set has no `contexts`."""
    report: dict[str, Any] = run.report or {}
    if run.study.kind.n_contexts == 1:
        return ComparisonResult(
            stamp=f"{', '.join(report['stamps'])}: " if report["stamps"] else "",
            warnings=[],
            figures=_tabulate_set(report),
            sides=[report["first"], report["second"]],
            matching={"key": report["by"]},
            contexts=[],
            pairs=report["different_items"],
            plots=list_plots(run),
            parts_of_speech=report["parts_of_speech"],
        )
    return ComparisonResult(
        stamp=f"{', '.join(report['stamps'])}: " if report["stamps"] else "",
        warnings=report["warnings"],
        figures=_tabulate(report),
        sides=[report["first"], report["second"]],
        matching=report["matching"],
        contexts=report["different_contexts"]["largest"],
        pairs=report["different_pairs"]["largest"],
        plots=list_plots(run),
    )


def read_page(run: Run, name: str = PAGE) -> bytes | None:
    """Return the HTML page of a finished comparison; its name may have stamps."""
    stamps: list[str] = (run.report or {}).get("stamps", [])
    return read_member(run, f"{'_'.join([name, *stamps])}.html")


@in_job_process
def _tabulate_set(report: dict[str, Any]) -> dict[str, str]:
    from postprocess.reporting.two_collections.items_page import summarise

    return summarise(report)


@in_job_process
def _tabulate(report: dict[str, Any]) -> dict[str, str]:
    from postprocess.reporting.two_collections.tables import tabulate_summary

    return tabulate_summary(report)
