"""The common style of all figures: sizes, marks and fonts, and reproducible rendering.

Lightness, hatching and shape distinguish marks, so that figures can be printed in grey. Text is
drawn as outlines of Matplotlib's font: figures look the same on every machine.
"""

import functools
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, ParamSpec, cast

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from postprocess.reporting.figures.attributes import replace_styles
from postprocess.types import Floats

Parameters = ParamSpec("Parameters")

WIDTH, HEIGHT = 4.6, 3.0  # inches: legible on a phone; on A4 a caption fits next to it
DPI = 200  # of the PNG
FINE_DPI = 300  # of the rasterised parts of an SVG
INK, PAPER, RULE = "#222222", "#ffffff", "#b4b4b4"
STRONG, SOFT, ACCENT = "#1f4e79", "#cbdae8", "#b5421c"
COLOURS = {
    "ink": INK, "paper": PAPER, "rule": RULE, "strong": STRONG, "soft": SOFT, "accent": ACCENT
}  # fmt: skip
MAX_POINTS = 2000  # drawn individually; more would hide each other

DARK_BARS: dict[str, Any] = {"facecolor": STRONG, "edgecolor": STRONG, "linewidth": 0.8}
LIGHT_BARS: dict[str, Any] = {
    "facecolor": SOFT, "edgecolor": STRONG, "linewidth": 0.8, "hatch": "/////"
}  # fmt: skip
DOT: dict[str, Any] = {"marker": "o", "color": STRONG, "linestyle": "none", "markeredgewidth": 0}
RING: dict[str, Any] = {
    "marker": "o", "color": STRONG, "linestyle": "none", "markerfacecolor": "none",
    "markeredgewidth": 0.8,
}  # fmt: skip
CROSS: dict[str, Any] = {
    "marker": "x", "color": ACCENT, "linestyle": "none", "markeredgewidth": 1.4
}  # fmt: skip
TRIANGLE: dict[str, Any] = {
    "marker": "^", "color": INK, "linestyle": "none", "markerfacecolor": PAPER,
    "markeredgewidth": 0.8,
}  # fmt: skip
REFERENCE_LINE: dict[str, Any] = {"color": INK, "linewidth": 1, "linestyle": (0, (4, 2))}

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.formatter.limits": (-6, 9),
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "hatch.linewidth": 0.7,
    "legend.borderaxespad": 0.4,
    "legend.borderpad": 0,
    "legend.columnspacing": 1.4,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.handletextpad": 0.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "cosima",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "xtick.color": INK,
    "xtick.labelsize": 9,
    "ytick.color": INK,
    "ytick.labelsize": 9,
}
_DRAWING = RLock()


@contextmanager
def styled() -> Iterator[None]:
    """Use only our settings of Matplotlib, none of the user's, within the context.

    Settings are those of the process, so that one thread draws at a time.
    """
    with _DRAWING, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast(Any, STYLE))
        yield


def in_style(draw: Callable[Parameters, Figure]) -> Callable[Parameters, Figure]:
    """Decorate a drawing function to draw in our style."""

    @functools.wraps(draw)
    def draw_in_style(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Figure:
        with styled():
            return draw(*args, **kwargs)

    return draw_in_style


def new_figure(height: float = HEIGHT) -> Figure:
    """Return an empty figure of the common width, without global state; `height` in inches."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def render_svg(figure: Figure, *, title: str, description: str) -> bytes:
    """Return the figure as an SVG file, with title and description for screen readers."""
    metadata = {"Date": None, "Creator": None, "Title": title, "Description": description}
    return replace_styles(_save(figure, format="svg", dpi=FINE_DPI, metadata=metadata))


def render_png(figure: Figure) -> bytes:
    """Return the figure as a PNG file."""
    return _save(figure, format="png", dpi=DPI, metadata={"Software": None})


def add_legend(axes: Axes, handles: Sequence[Artist], *, columns: int = 2) -> None:
    """Add a legend above the axes."""
    axes.legend(handles=list(handles), loc="lower left", bbox_to_anchor=(0, 1), ncols=columns)


def count_along(axis: Axis) -> None:
    """Label an axis with integers."""
    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))


def draw_points(axes: Axes, x: Floats, y: Floats, span: tuple[float, float, float, float]) -> None:
    """Draw points or, if there are many, their density in the span (left, right, bottom, top)."""
    if len(x) <= MAX_POINTS:
        size = 3.2 if len(x) <= MAX_POINTS / 4 else 2.2
        axes.plot(x, y, markersize=size, clip_on=False, **RING)
        return
    counts = np.histogram2d(x, y, bins=(90, 60), range=(span[:2], span[2:]))[0].T
    clear, full = (*to_rgb(STRONG), 0.0), (*to_rgb(STRONG), 1.0)
    shades = LinearSegmentedColormap.from_list("density", [clear, full])
    axes.imshow(
        np.where(counts > 0, 0.2 + 0.8 * np.sqrt(counts / counts.max()), 0),
        origin="lower",
        extent=span,
        aspect="auto",
        cmap=shades,
        interpolation="nearest",
    )


def write_instead(axes: Axes, text: str) -> None:
    """Write a sentence into empty axes."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", wrap=True)


def _save(figure: Figure, **options: Any) -> bytes:
    buffer = io.BytesIO()
    with styled():
        if engine := figure.get_layout_engine():  # else each format would lay it out, by drawing it
            engine.execute(figure)
            figure.set_layout_engine(None)
        figure.savefig(buffer, **options)
    return buffer.getvalue()
