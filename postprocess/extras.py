"""Packages that the optional parts of the library need: the extras of `pyproject.toml`."""

from importlib.util import find_spec

REPORT = ("lxml", "matplotlib", "weasyprint")
MODELS = ("torch", "transformers")
UDPIPE = ("ufal.udpipe",)
CLUSTER = ("distributed", "upath")


class ExtraMissing(ImportError):
    """A package that an optional part of the library needs is not installed."""


def has_report() -> bool:
    """Return whether the packages that reports and figures need are installed."""
    return not _list_missing(REPORT)


def require_report() -> None:
    """Raise ExtraMissing unless the packages that reports and figures need are installed."""
    _require("reports and figures need", REPORT, "report")


def require_models() -> None:
    """Raise ExtraMissing unless the packages that scores by models need are installed."""
    _require("scores by models need", MODELS, "models")


def require_udpipe() -> None:
    """Raise ExtraMissing unless the package that reads models of UDPipe is installed."""
    _require("a model of UDPipe needs", UDPIPE, "udpipe")


def require_cluster() -> None:
    """Raise ExtraMissing unless the packages for clusters and stores of files are installed."""
    _require("clusters and addresses of files need", CLUSTER, "cluster")


def _require(what: str, names: tuple[str, ...], extra: str) -> None:
    if missing := _list_missing(names):
        raise ExtraMissing(
            f"{what} {', '.join(missing)}; install what is missing with: "
            f"pip install 'cosima[{extra}]'"
        )


def _list_missing(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if not _is_installed(name)]


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of a package that this one is in
        return False
