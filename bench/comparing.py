"""Tables of loads, and the aims as ratios of a run's medians."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from peers import CASES as PEERS
from reporting import number

Result = dict[str, Any]
Read = Callable[[Result], float]
Key = tuple[str, str, int]  # kind of run, case, number of annotators
Results = Mapping[Key, Sequence[Result]]
COSIMA = ("cosima-sqlite", "cosima-pg")
N_AIMED_AT = 40  # annotators
N_OF_GROWTH = 10
MOST_GROWTH = 1.2
LARGE = {"large": "large study", "filled": "large study, nearly complete,"}  # kinds of runs


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


COMPARED = {
    "judgements/s": RATE,
    "server CPU": CPU,
    "rating POST p50": figure("submit_ms", "p50"),
    "rating POST p95": figure("submit_ms", "p95"),
    "item page p50": figure("page_ms", "p50"),
    "item page p95": figure("page_ms", "p95"),
    "turn p95": TURN_P95,
}


def ratio_row(name: str, results: Sequence[Result], first: Sequence[Result]) -> list[str]:
    """Return a row of a checkout's figures ÷ the first's, in each turn of both."""
    rows = [name, str(results[0]["annotators"])]
    for read in COMPARED.values():
        ratios = sorted(read(one) / read(two) for one, two in zip(results, first, strict=True))
        rows.append(f"{median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})")
    return rows


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
        *("/".join(dict.fromkeys(str(r["check"][count]) for r in results)) for count in counts),
        "; ".join(sorted(faults - {""})) or "nothing",
    ]


class Aim(NamedTuple):
    """The ratio of our figure to the peers' greatest figure, and its limits.

    `bare` among the others is the bare app on the same database as Cosima.
    """

    name: str
    read: Read
    others: Sequence[str]
    most: float = float("inf")
    least: float = 0.0

    @property
    def limits(self) -> str:
        """Return the limits in words."""
        return f"≤ {self.most}" if self.most < float("inf") else f"≥ {self.least}"


AIMS = (
    Aim("judgements/s", RATE, PEERS, least=5.0),
    Aim("server CPU a judgement", CPU, ("otree",), most=0.25),
    Aim("server CPU a judgement", CPU, ("bare",), most=2.0),
    Aim("turn p95", TURN_P95, ("turkle-pg",), most=0.2),
)


def list_ratios(results_of: Results) -> Iterator[list[str]]:
    """Yield a row for each aim with both sides measured."""
    for case in COSIMA:
        cosima = results_of.get(("load", case, N_AIMED_AT))
        for aim in AIMS if cosima else ():
            bare = case.replace("cosima", "bare")
            others = {
                name: middle(results, aim.read)
                for name in (bare if name == "bare" else name for name in aim.others)
                if (results := results_of.get(("load", name, N_AIMED_AT)))
            }
            if others:
                greatest = max(others, key=lambda name: others[name])
                ratio = middle(cosima, aim.read) / others[greatest]
                name = f"{case}: {aim.name} ÷ {greatest}, N={N_AIMED_AT}"
                reached = "yes" if aim.least <= ratio <= aim.most else "NO"
                yield [name, f"{ratio:.2f}", aim.limits, reached]
        small = results_of.get(("load", case, N_OF_GROWTH))
        for kind, study in LARGE.items():
            if small and (large := results_of.get((kind, case, N_OF_GROWTH))):
                ratio = middle(large, CPU) / middle(small, CPU)
                name = f"{case}: server CPU a judgement, {study} ÷ 200 contexts, N={N_OF_GROWTH}"
                reached = "yes" if ratio <= MOST_GROWTH else "NO"
                yield [name, f"{ratio:.2f}", f"≤ {MOST_GROWTH}", reached]
