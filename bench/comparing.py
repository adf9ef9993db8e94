"""Tables of loads, and the aims as ratios of a run's medians."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from peers import CASES as PEERS
from reporting import number

Result = dict[str, Any]
Read = Callable[[Result], float]
Key = tuple[str, str, int]  # kind of run, case, number of annotators
Found = Mapping[Key, Sequence[Result]]
COSIMA = ("cosima-sqlite", "cosima-pg")
N_AIMED_AT = 40  # annotators
N_OF_GROWTH = 10
MOST_GROWTH = 1.2


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

    `bare` among the others is the bare app on the same database as ours.
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


def list_ratios(found: Found) -> list[list[str]]:
    """Return a row for each aim with both sides measured."""
    rows = [row for case in COSIMA for aim in AIMS if (row := _compare(found, case, aim))]
    for kind in ("large", "filled"):
        rows += [row for case in (*COSIMA, "turkle-pg") if (row := _growth(found, case, kind))]
    rows += [row for case in COSIMA if (row := _errors(found, case))]
    rows += [row for case in COSIMA if (row := _dropout(found, case))]
    return rows


def _row(name: str, ratio: float, aim: str, *, is_reached: bool | None) -> list[str]:
    reached = {True: "yes", False: "NO", None: "–"}[is_reached]
    return [name, f"{ratio:.2f}", aim, reached]


def _compare(found: Found, case: str, aim: Aim) -> list[str] | None:
    ours = found.get(("load", case, N_AIMED_AT))
    others = [case.replace("cosima", "bare") if name == "bare" else name for name in aim.others]
    theirs = {
        name: middle(results, aim.read)
        for name in others
        if (results := found.get(("load", name, N_AIMED_AT)))
    }
    if not (ours and theirs):
        return None
    greatest = max(theirs, key=lambda name: theirs[name])
    ratio = middle(ours, aim.read) / theirs[greatest]
    name = f"{case}: {aim.name} ÷ {greatest}, N={N_AIMED_AT}"
    return _row(name, ratio, aim.limits, is_reached=aim.least <= ratio <= aim.most)


def _growth(found: Found, case: str, kind: str) -> list[str] | None:
    """Return the ratio of a judgement's cost in a large study, empty or nearly complete."""
    small = found.get(("load", case, N_OF_GROWTH))
    large = found.get((kind, case, N_OF_GROWTH))
    if not (small and large):
        return None
    ratio = middle(large, CPU) / middle(small, CPU)
    study = {"large": "large study", "filled": "large study, nearly complete,"}[kind]
    name = f"{case}: server CPU a judgement, {study} ÷ 200 contexts, N={N_OF_GROWTH}"
    if case not in COSIMA:
        return _row(name, ratio, "–", is_reached=None)
    return _row(name, ratio, f"≤ {MOST_GROWTH}", is_reached=ratio <= MOST_GROWTH)


def _errors(found: Found, case: str) -> list[str] | None:
    runs = [r for key, rs in found.items() if key[0] != "dropout" and key[1] == case for r in rs]
    if not runs:
        return None
    most = max(map(error_screens, runs))
    return _row(f"{case}: error screens per 100, worst run", most, "0", is_reached=most == 0)


def _dropout(found: Found, case: str) -> list[str] | None:
    runs = found.get(("dropout", case, 40))
    if not runs:
        return None
    worst = min(run["check"]["at_quota"] / run["check"]["contexts"] for run in runs)
    over = max(run["check"]["over_quota"] for run in runs)
    name = f"{case}: contexts at quota after drop-outs, {over} over"
    return _row(name, worst, "1.00, 0 over", is_reached=worst == 1 and not over)
