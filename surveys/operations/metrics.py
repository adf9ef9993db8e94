"""Counters and durations for Prometheus, kept where METRICS_TOKEN is set.

Each process counts in files of its own in VAR_DIR/metrics. The process that is asked adds them up,
and reads the site's state (`gauges`). No label holds anything that an annotator or a client sent.
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from surveys.operations.gauges import read_gauges

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram
    from prometheus_client.core import GaugeMetricFamily

PREFIX = "cosima"
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)  # bounds of the histogram


class Measures(NamedTuple):
    """What a process counts."""

    judgements: "Counter"
    refusals: "Counter"
    responses: "Counter"
    seconds: "Histogram"


def count_judgement() -> None:
    """Count an answer to an item's last page that was stored."""
    if settings.METRICS_TOKEN:
        _measures().judgements.inc()


def count_response(page: str, status: int, seconds: float, refusal: str) -> None:
    """Count a response to a page, by the name of its address, and why it was refused, if it was."""
    measures = _measures()
    measures.responses.labels(page, status).inc()
    measures.seconds.labels(page).observe(seconds)
    if refusal:
        measures.refusals.labels(refusal).inc()


def write_metrics() -> bytes:
    """Return all metrics in the text format that Prometheus reads."""
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    _measures()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(_State())
    return generate_latest(registry)


def forget_counts() -> None:
    """Delete the files of processes that have ended, at the start of a server."""
    for path in _folder().glob("*.db"):
        path.unlink()


class _State:
    """The site's state, as the client library asks for it."""

    def collect(self) -> "Iterator[GaugeMetricFamily]":
        from prometheus_client.core import GaugeMetricFamily

        for gauge in read_gauges():
            labels = [gauge.label] if gauge.label else []
            family = GaugeMetricFamily(f"{PREFIX}_{gauge.name}", gauge.text, labels=labels)
            for label, value in gauge.values.items():
                family.add_metric([label] if labels else [], value)
            yield family


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "metrics"


@cache
def _measures() -> Measures:
    """Return this process's counters. The library reads the folder's name when it is imported."""
    try:
        _folder().mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured("METRICS_TOKEN needs a VAR_DIR that can be written.") from error
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_folder())
    from prometheus_client import CollectorRegistry, Counter, Histogram

    # a registry that nobody reads: the files are read instead
    its: dict[str, Any] = {"registry": CollectorRegistry(), "namespace": PREFIX}
    return Measures(
        Counter("judgements", "Answers to an item's last page that were stored", **its),
        Counter("refusals", "Refused requests by reason", ["reason"], **its),
        Counter("responses", "Responses by page and status", ["page", "status"], **its),
        Histogram("response_seconds", "Time to answer by page", ["page"], buckets=SECONDS, **its),
    )
