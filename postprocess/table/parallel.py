"""Computing long columns in cache-sized parts on all cores; NumPy releases the interpreter lock."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from postprocess.types import Integers

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
AT_ONCE = 1 << 18  # rows: 2 MB of 64-bit numbers; with fewer, threads wait for each other
_worker = threading.local()


def on_all_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Apply a function to each item on all cores; return the results in the order of items.

    Nested calls use one thread, since all cores are busy.

    >>> on_all_cores(abs, [-1, 2])
    [1, 2]
    """
    n_threads = min(len(items), os.cpu_count() or 1)
    if n_threads < 2 or getattr(_worker, "is_one_of_many", False):
        return [work(item) for item in items]
    done: dict[int, Result] = {}
    left = iter(range(len(items)))

    def take(_: int) -> None:
        _worker.is_one_of_many = True
        for number in left:
            done[number] = work(items[number])

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(take, range(n_threads)))
    return [done[number] for number in range(len(items))]


def fill_parts(filled: NDArray[Any], compute: Callable[[slice], Any]) -> NDArray[Any]:
    """Fill an array with the results of a function for slices of its rows, and return it.

    >>> fill_parts(np.empty(2), lambda rows: np.array([1, 2])[rows] / 2).tolist()
    [0.5, 1.0]
    """

    def fill(rows: slice) -> None:
        filled[rows] = compute(rows)

    n_rows = len(filled)
    on_all_cores(fill, [slice(start, start + AT_ONCE) for start in range(0, n_rows, AT_ONCE)])
    return filled


def map_parts(
    work: Callable[[slice], Result], n_rows: int, at_once: int, progress: Progress | None = None
) -> list[Result]:
    """Apply a function to slices of so many rows on all cores; return the results in order.

    `progress` is called from this thread with the rows done and all rows.

    >>> map_parts(lambda rows: rows.stop - rows.start, 5, 2)
    [2, 2, 1]
    """
    step = max(1, at_once)
    slices = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    results = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows, result in zip(slices, pool.map(work, slices), strict=True):
            results.append(result)
            if progress:
                progress(rows.stop, n_rows)
    return results


def as_places(numbers: Integers) -> NDArray[np.int64]:
    """Return positions in the integer type with which NumPy indexes fastest."""
    return numbers.astype(np.int64, copy=False)
