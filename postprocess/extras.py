"""Packages that the optional parts of the library need: the extras of `pyproject.toml`."""

from importlib.util import find_spec

REPORT = ("lxml", "matplotlib", "weasyprint")


class ExtraMissing(ImportError):
    """A package that an optional part of the library needs is not installed."""


def has_report() -> bool:
    """Return whether the packages that reports and figures need are installed."""
    return not _list_missing()


def require_report() -> None:
    """Raise ExtraMissing unless the packages that reports and figures need are installed."""
    if missing := _list_missing():
        raise ExtraMissing(
            f"reports and figures need {', '.join(missing)}; install what is missing with: "
            "pip install 'cosima[report]'"
        )


def _list_missing() -> list[str]:
    return [name for name in REPORT if find_spec(name) is None]
