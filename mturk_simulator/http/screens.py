"""HTML pages from `pages/`, with nothing inline and a strict content security policy."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mturk_simulator.http.messages import Reply, Request, reply_json
from mturk_simulator.market.money import write_dollars
from mturk_simulator.market.store import read_instant
from mturk_simulator.refusals import PageRefused

FOLDER = Path(__file__).with_name("pages")
FILES = {"/simulator.css": "text/css", "/simulator.js": "text/javascript"}
ANY_PAGE = "http: https:"  # a task may redirect to another host
OWN_PAGES = "'self'"
NO_PAGE = "'none'"


def _write_duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _write_instant(seconds: float) -> str:
    return f"{read_instant(seconds):%Y-%m-%d %H:%M:%S} UTC"


def _open_templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "dollars": write_dollars,
        "duration": _write_duration,
        "instant": _write_instant,
    }
    return templates


TEMPLATES = _open_templates()


def render(
    page: str, *, status: int = 200, framed: str = NO_PAGE, framing: str = NO_PAGE, **given: Any
) -> Reply:
    """Return a page; `framed` are sources of its frames, `framing` sites that may frame it."""
    policy = (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:;"
        " form-action 'self'; base-uri 'none';"
        f" frame-src {framed}; frame-ancestors {framing}"
    )
    body = TEMPLATES.get_template(page).render(given).encode()
    return Reply(status, body, headers={"Content-Security-Policy": policy})


def refuse(request: Request, refusal: PageRefused) -> Reply:
    """Return a refusal as JSON for a program, or as a page."""
    if request.is_json:
        return reply_json({"error": refusal.message}, refusal.status)
    return render("fault.html", status=refusal.status, message=refusal.message)


def read_file(path: str) -> Reply:
    """Return a static file of the pages."""
    return Reply(200, (FOLDER / path.lstrip("/")).read_bytes(), f"{FILES[path]}; charset=utf-8")
