"""The report as PDF: the same page, set on A4 with the fonts that come with Matplotlib."""

import contextlib
import functools
import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

FONTS = Path(mpl.get_data_path()) / "fonts" / "ttf"
OBSTACLE = (
    "The report is not written as PDF: WeasyPrint does not find Pango, which sets the text. "
    "Install it and build again: sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 "
    "libharfbuzz-subset0 (macOS: brew install pango). Everything else is written."
)


def render_pdf(page: str, drawings: Mapping[str, bytes]) -> bytes:
    """The PDF of a page as `render_page` makes it for print.

    Tagged for screen readers. The same bytes for the same page, with the same versions of Pango
    and HarfBuzz.

    Parameters
    ----------
    page : str
        Names fonts of ours as `font:<file>` and drawings as `figure:<name>`; nothing else is
        fetched, from wherever.
    drawings : mapping
        Name → SVG.
    """
    weasyprint = _load()

    class OurParts(weasyprint.URLFetcher):  # type: ignore[misc, name-defined]
        """Gives fonts and drawings of ours, and refuses all else."""

        def fetch(self, url: str, headers: object = None) -> Any:
            kind, _, name = url.partition(":")
            if kind == "data":  # the parts of a drawing that are pixels
                return super().fetch(url, headers)
            if kind == "figure":
                content, sort = drawings[name], "image/svg+xml"
            elif kind == "font" and (FONTS / name).parent == FONTS:
                content, sort = (FONTS / name).read_bytes(), "font/ttf"
            else:
                raise ValueError(f"{url} is no part of a report")
            return weasyprint.urls.URLFetcherResponse(url, content, {"Content-Type": sort})

    document = weasyprint.HTML(string=page, url_fetcher=OurParts(), base_url="report:")
    return bytes(document.write_pdf(pdf_tags=True))


def find_obstacle() -> str:
    """Why there can be no PDF on this machine, for its operator; "" if there can."""
    try:
        _load()
    except OSError:
        return OBSTACLE
    return ""


@functools.cache
def _load() -> Any:
    """WeasyPrint, which raises OSError where its libraries are missing, and then talks."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        import weasyprint.urls
    return weasyprint
