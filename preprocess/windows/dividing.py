"""Work on many parts at once: in this process, in several, or on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, MutableSequence, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.sharedctypes import RawArray
from typing import TypeVar

from postprocess.errors import UserError
from postprocess.extras import require_cluster
from preprocess.corpora.opening import Report, ignore
from preprocess.windows.parts import PART_SIZE

QUEUED = 2  # works for each process, so that none waits
INTERVAL = 0.5  # seconds between two looks at how far the processes are
Given = TypeVar("Given")
Result = TypeVar("Result")
Work = Callable[[Given, Report], Result]


class ClusterError(UserError):
    """A cluster cannot do the work: which one, and what to do."""

    def __init__(self, address: str, what: str) -> None:
        super().__init__(f"{address}: {what}")


@dataclass(frozen=True, slots=True)
class Processes:
    """How the work is divided; it does not change the result.

    `number`: processes on this machine. `part_size`: bytes of a part of a file. `cluster`: the
    address of a Dask scheduler, such as `tcp://192.0.2.1:8786`, whose workers are used instead.
    They must see the files under the same names and have the same version of this package.
    """

    number: int = 1
    part_size: int = PART_SIZE
    cluster: str = ""


def work_on_each(
    work: Work[Given, Result], given: Sequence[Given], processes: Processes, watch: Report = ignore
) -> Iterator[tuple[Given, Result]]:
    """Yield what was given with its result, as they get ready.

    `watch` is called with the bytes that the works in progress have reported, in total; a cluster
    reports none. Raises what the work raises, ClusterError if a cluster cannot do it, and
    ExtraMissing.
    """
    if processes.cluster:
        yield from _work_on_cluster(work, given, processes.cluster)
    elif processes.number == 1:
        yield from ((part, work(part, watch)) for part in given)
    else:
        yield from _work_in_processes(work, given, processes.number, watch)


def _work_in_processes(
    work: Work[Given, Result], given: Sequence[Given], number: int, watch: Report
) -> Iterator[tuple[Given, Result]]:
    done = RawArray("q", len(given))  # bytes of each, in memory that all processes share
    waiting = iter(range(len(given)))
    begun: dict[Future[Result], int] = {}
    with ProcessPoolExecutor(number, initializer=_share, initargs=(done,)) as pool:
        try:
            while True:
                for index in islice(waiting, QUEUED * number - len(begun)):
                    begun[pool.submit(_work_and_share, work, given[index], index)] = index
                if not begun:
                    return
                finished, _ = wait(begun, INTERVAL, FIRST_COMPLETED)
                for future in finished:
                    yield given[begun.pop(future)], future.result()
                watch(sum(done[index] for index in begun.values()))
        finally:
            pool.shutdown(cancel_futures=True)


def _share(done: MutableSequence[int]) -> None:
    """Keep the shared memory of the works, in a process that has just begun."""
    _shared.append(done)


_shared: list[MutableSequence[int]] = []


def _work_and_share(work: Work[Given, Result], part: Given, index: int) -> Result:
    return work(part, partial(_shared[-1].__setitem__, index))


def _without_report(work: Work[Given, Result], part: Given) -> Result:
    return work(part, ignore)


def _work_on_cluster(
    work: Work[Given, Result], given: Sequence[Given], address: str
) -> Iterator[tuple[Given, Result]]:
    """Let a cluster's workers do the parts; a dead worker's part goes to another worker."""
    require_cluster()
    import distributed

    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(address, f"no scheduler answers there ({error})") from error
    with client:
        futures = client.map(partial(_without_report, work), given, pure=False)
        of_key = {future.key: part for future, part in zip(futures, given, strict=True)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield of_key[future.key], future.result()
                future.release()
        except distributed.KilledWorker as error:
            what = "several workers died on the same part; give them more memory or fewer threads"
            raise ClusterError(address, what) from error
        finally:
            client.cancel(futures)
