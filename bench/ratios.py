"""What is to be beaten, as ratios of medians of the same run."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reporting import CPU, RATE, TURN_P95, Read, Result, error_screens, middle

Key = tuple[str, str, int]  # kind of run, case, number of annotators
Found = Mapping[Key, Sequence[Result]]
OURS = ("cosima-sqlite", "cosima-pg")


class Aim(NamedTuple):
    """A figure of ours over one of theirs, and where the ratio is to lie."""

    name: str
    read: Read
    n_annotators: int
    peer: str
    most: float = float("inf")
    least: float = 0.0

    @property
    def told(self) -> str:
        """The aim in words."""
        return f"≤ {self.most}" if self.most < float("inf") else f"≥ {self.least}"


AIMS = (
    Aim("server CPU a judgement ÷ turkle-pg", CPU, 10, "turkle-pg", most=0.5),
    Aim("server CPU a judgement ÷ otree", CPU, 10, "otree", most=1.0),
    Aim("judgements/s ÷ otree", RATE, 40, "otree", least=1.5),
    Aim("judgements/s ÷ turkle-pg", RATE, 40, "turkle-pg", least=1.5),
    Aim("turn p95 ÷ turkle-pg", TURN_P95, 40, "turkle-pg", most=0.5),
)
MOST_GROWTH = 1.2


def list_ratios(found: Found) -> list[list[str]]:
    """A row for each aim whose two sides were measured."""
    rows = [row for case in OURS for aim in AIMS if (row := _compare(found, case, aim))]
    rows += [row for case in (*OURS, "turkle-pg") if (row := _growth(found, case))]
    rows += [row for case in OURS for row in (_floor(found, case), _errors(found, case)) if row]
    rows += [row for case in OURS if (row := _dropout(found, case))]
    return rows


def _row(name: str, ratio: float, aim: str, *, is_reached: bool | None) -> list[str]:
    reached = {True: "yes", False: "NO", None: "–"}[is_reached]
    return [name, f"{ratio:.2f}", aim, reached]


def _compare(found: Found, case: str, aim: Aim) -> list[str] | None:
    ours = found.get(("load", case, aim.n_annotators))
    theirs = found.get(("load", aim.peer, aim.n_annotators))
    if not (ours and theirs):
        return None
    ratio = middle(ours, aim.read) / middle(theirs, aim.read)
    name = f"{case}: {aim.name}, N={aim.n_annotators}"
    return _row(name, ratio, aim.told, is_reached=aim.least <= ratio <= aim.most)


def _growth(found: Found, case: str) -> list[str] | None:
    """How much dearer a judgement is in a large study, empty or nearly complete."""
    small = found.get(("load", case, 10))
    large = found.get(("filled", case, 10)) or found.get(("large", case, 10))
    if not (small and large):
        return None
    ratio = middle(large, CPU) / middle(small, CPU)
    name = f"{case}: server CPU a judgement, large study ÷ 200 contexts, N=10"
    if case not in OURS:
        return _row(name, ratio, "–", is_reached=None)
    return _row(name, ratio, f"≤ {MOST_GROWTH}", is_reached=ratio <= MOST_GROWTH)


def _floor(found: Found, case: str) -> list[str] | None:
    """How far above an ordinary app that does nothing but the four requests."""
    ours = found.get(("load", case, 40))
    bare = found.get(("load", case.replace("cosima", "bare"), 40))
    if not (ours and bare):
        return None
    ratio = middle(ours, CPU) / middle(bare, CPU)
    return _row(f"{case}: server CPU a judgement ÷ bare, N=40", ratio, "–", is_reached=None)


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
