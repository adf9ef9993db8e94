"""The figure of a plan: power by number of annotators, in greyscale."""

import io

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from postprocess.planning.plan import Plan
from postprocess.reporting.figures.attributes import replace_styles

STYLES = ("-", "--", "-.", ":")  # so that lines differ even in bad prints
GREYS = ("0.0", "0.3", "0.0", "0.3")
DOTS_PER_INCH = 200


def draw_plan(plan: Plan) -> dict[str, bytes]:
    """Draw the power for every change by the number of annotators per context, as "svg" and "png".

    The bands are 95 % intervals of the simulation, the dotted line is the required power, the dots
    are the numbers from which on it is reached. The same plan and version of Matplotlib give the
    same bytes.
    """
    with mpl.rc_context():
        mpl.rcdefaults()  # ignore the user's settings
        mpl.rc("svg", hashsalt="cosima", fonttype="path")  # reproducible ids; letters as outlines
        mpl.rc("font", family="DejaVu Sans", size=9)  # part of matplotlib
        mpl.rc("axes.spines", top=False, right=False)
        figure = Figure(figsize=(6.0, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for number, change in enumerate(plan.question.changes):
            _draw_change(axes, plan, change, number)
        _label(axes, plan)
        return {
            "svg": replace_styles(_save(figure, "svg", {"Date": None, "Creator": None})),
            "png": _save(figure, "png", {"Software": None}),
        }


def _draw_change(axes: Axes, plan: Plan, change: float, number: int) -> None:
    curve = plan.curve[plan.curve["change"] == change]
    sizes = curve["n"].to_numpy(dtype=float)
    style, grey = STYLES[number % len(STYLES)], GREYS[number % len(GREYS)]
    axes.fill_between(
        sizes,
        curve["power_low"].to_numpy(dtype=float),
        curve["power_high"].to_numpy(dtype=float),
        color="0.75",
        linewidth=0,
    )
    power = curve["power"].to_numpy(dtype=float)
    axes.plot(sizes, power, linestyle=style, color=grey, label=f"change of {change:g}")
    row = plan.table[plan.table["change"] == change].iloc[0]
    if pd.notna(row["n"]):  # the power is reached
        axes.plot([row["n"]], [row["power"]], marker="o", markersize=5, color=grey)
        axes.annotate(
            f"{row['n']:.0f}",
            (float(row["n"]), float(row["power"])),
            xytext=(4, -11),
            textcoords="offset points",
        )


def _label(axes: Axes, plan: Plan) -> None:
    axes.axhline(plan.question.power, color="0.5", linestyle=(0, (1, 2)), linewidth=1)
    axes.set_xlim(0, plan.question.most)
    axes.set_ylim(0, 1)
    axes.set_xlabel("annotators per context")
    axes.set_ylabel(f"changes found (p < {plan.question.alpha:g}, right direction)")
    axes.legend(frameon=False, loc="lower right")


def _save(figure: Figure, form: str, metadata: dict[str, None]) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
    return target.getvalue()
