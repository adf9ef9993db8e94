"""Processes of scripts, in which something is measured alone, and processes of servers."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

TICKS = os.sysconf("SC_CLK_TCK")


def call_apart(
    act: Callable[..., Any], *arguments: Any, environment: Mapping[str, str] | None = None
) -> Any:
    """Call a function in a new process, and return its result."""
    with (
        mock.patch.dict(os.environ, environment or {}),
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as others,
    ):
        return others.submit(act, *arguments).result()


def medians_in_turns(
    act: Callable[..., Mapping[str, float]], cases: Sequence[Sequence[Any]], repetitions: int
) -> list[dict[str, float]]:
    """Measure cases in turn, each time in a new process; return the medians of their figures."""
    rounds = [[call_apart(act, *case) for case in cases] for _ in range(repetitions)]
    return [
        {name: median(figures[name] for figures in measured) for name in measured[0]}
        for measured in zip(*rounds, strict=True)
    ]


def list_processes(pid: int) -> list[int]:
    """Return a process and its descendants."""
    processes = [pid]
    with suppress(OSError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                processes += list_processes(int(child))
    return processes


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time of processes and of their children that have ended."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15])) / TICKS
    return total


def read_megabytes(pids: Iterable[int], name: str) -> float:
    """Return the memory of processes: Pss (shared pages count once), VmRSS or its peak, VmHWM."""
    file = "smaps_rollup" if name == "Pss" else "status"
    total = 0
    for pid in pids:
        with suppress(OSError):
            text = Path(f"/proc/{pid}/{file}").read_text()
            total += sum(map(int, re.findall(rf"(?m)^{name}:\s+(\d+)", text)))
    return total / 1e3


def peak_megabytes() -> float:
    """Return the peak of this process; `getrusage` would include a larger parent's peak."""
    return read_megabytes([os.getpid()], "VmHWM")
