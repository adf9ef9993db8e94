"""Rows, medians, Markdown tables."""

import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

Result = dict[str, Any]
Read = Callable[[Result], float]


def say(text: str = "") -> None:
    """Write a line and flush."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def number(value: float) -> str:
    """Return a number with about three digits."""
    places = 0 if value >= 200 else 1 if value >= 10 else 2
    return f"{value:.{places}f}"


def error_screens(result: Result) -> float:
    """Return error screens per 100 judgements; a reconnection does not count."""
    seen = sum(n for kind, n in result["errors"].items() if kind != "reconnected")
    return 100 * float(seen) / float(max(1, result["acknowledged"]))


def figure(*names: str) -> Read:
    """Return a function that reads a nested figure of a result."""

    def read(result: Result) -> float:
        value: Any = result
        for name in names:
            value = value[name]
        return float(value)

    return read


CPU = figure("server_cpu_ms_per_judgement")
RATE = figure("judgements_per_s")
TURN_P95 = figure("turnaround_ms", "p95")
WAITS = ("request_ms", "submit_ms", "turnaround_ms")


def middle(results: Sequence[Result], read: Read) -> float:
    """Return the median of the repetitions."""
    return median(map(read, results))


def spread(results: Sequence[Result], read: Read) -> str:
    """Return the median and, of several, the minimum and maximum."""
    values = sorted(map(read, results))
    center = number(median(values))
    return center if len(values) == 1 else f"{center} ({number(values[0])}–{number(values[-1])})"


def _percentiles(results: Sequence[Result], name: str) -> str:
    if not all(result[name] for result in results):
        return "–"
    return " / ".join(f"{middle(results, figure(name, p)):.0f}" for p in ("p50", "p95", "p99"))


def _kilobytes(result: Result) -> float:
    return float(result["bytes_in_per_judgement"]) / 1000


LOAD_COLUMNS = (
    "case", "N", "judgements/s", "server CPU ms/judgement", "requests/judgement",
    "kB in/judgement", "request p50/p95/p99 ms", "submit p50/p95/p99 ms", "turn p50/p95/p99 ms",
    "error screens per 100", "server MB", "stored as acknowledged",
)  # fmt: skip


def load_row(name: str, results: Sequence[Result]) -> list[str]:
    """Return a row of the table of loads."""
    faults = sorted({result["faults"] for result in results} - {""})
    return [
        name,
        str(results[0]["annotators"]),
        spread(results, RATE),
        spread(results, CPU),
        number(middle(results, figure("requests_per_judgement"))),
        number(middle(results, _kilobytes)),
        *(_percentiles(results, name) for name in WAITS),
        number(middle(results, error_screens)),
        number(middle(results, figure("server_peak_rss_mb"))),
        "; ".join(faults) or "yes",
    ]


DROPOUT_COLUMNS = (
    "case", "acknowledged", "stored", "of these in unfinished assignments", "contexts",
    "at quota", "judgements over quota", "wrong",
)  # fmt: skip


def dropout_row(name: str, results: Sequence[Result]) -> list[str]:
    """Return a row of the table of drop-outs, with all counts if repetitions differ."""
    counts = ("acknowledged", "stored", "left_over", "contexts", "at_quota", "over_quota")
    faults = {result["faults"] for result in results} | {", ".join(r["errors"]) for r in results}
    return [
        name,
        *("/".join(_distinct(str(r["check"][count]) for r in results)) for count in counts),
        "; ".join(sorted(faults - {""})) or "nothing",
    ]


def _distinct(values: Any) -> list[str]:
    return list(dict.fromkeys(values))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
