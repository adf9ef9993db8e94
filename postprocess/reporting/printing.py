"""The report as PDF: the HTML page on A4, with the fonts of Matplotlib."""

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
    "The PDF report is not written: WeasyPrint needs the library Pango. Install it and build "
    "again: sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 (macOS: "
    "brew install pango). All other files are written."
)


def render_pdf(page: str, drawings: Mapping[str, bytes]) -> bytes:
    """Return the PDF of a page that `render_page` returned for print.

    It is tagged for screen readers. The same page gives the same bytes with the same versions of
    Pango and HarfBuzz. The page refers to fonts as `font:<file>` and to drawings (name → SVG) as
    `figure:<name>`; no other URL is fetched.
    """
    weasyprint = _load()

    class ReportFetcher(weasyprint.URLFetcher):  # type: ignore[misc, name-defined]
        """Fetches the fonts and drawings of the report, and refuses all other URLs."""

        def fetch(self, url: str, headers: object = None) -> Any:
            kind, _, name = url.partition(":")
            if kind == "data":  # the rasterised parts of a drawing
                return super().fetch(url, headers)
            if kind == "figure":
                content, sort = drawings[name], "image/svg+xml"
            elif kind == "font" and (FONTS / name).parent == FONTS:
                content, sort = (FONTS / name).read_bytes(), "font/ttf"
            else:
                raise ValueError(f"{url} is not part of the report")
            return weasyprint.urls.URLFetcherResponse(url, content, {"Content-Type": sort})

    document = weasyprint.HTML(string=page, url_fetcher=ReportFetcher(), base_url="report:")
    return bytes(document.write_pdf(pdf_tags=True))


def find_obstacle() -> str:
    """Return a message why this machine cannot write PDF; "" if it can."""
    try:
        _load()
    except OSError:
        return OBSTACLE
    return ""


@functools.cache
def _load() -> Any:
    """Import WeasyPrint without its output. Raises OSError if its libraries are missing."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        import weasyprint.urls
    return weasyprint
