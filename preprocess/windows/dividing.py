"""Work on many parts at once: in this process, in several, or on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TypeVar

from postprocess.extras import require_cluster
from preprocess.windows.parts import PART_SIZE

Given = TypeVar("Given")
Result = TypeVar("Result")


class ClusterError(ValueError):
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
    work: Callable[[Given], Result], given: Sequence[Given], processes: Processes
) -> Iterator[tuple[Given, Result]]:
    """Yield what was given with its result, as they get ready.

    Raises what the work raises, ClusterError if a cluster cannot do it, and ExtraMissing.
    """
    if processes.cluster:
        yield from _work_on_cluster(work, given, processes.cluster)
    elif processes.number == 1:
        yield from ((one, work(one)) for one in given)
    else:
        yield from _work_in_processes(work, given, processes.number)


def _work_in_processes(
    work: Callable[[Given], Result], given: Sequence[Given], number: int
) -> Iterator[tuple[Given, Result]]:
    with ProcessPoolExecutor(number) as pool:
        futures: dict[Future[Result], Given] = {pool.submit(work, one): one for one in given}
        try:
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _work_on_cluster(
    work: Callable[[Given], Result], given: Sequence[Given], address: str
) -> Iterator[tuple[Given, Result]]:
    """Let the workers of a cluster do it; a part whose worker died is given to another one."""
    require_cluster()
    import distributed

    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(address, f"no scheduler answers there ({error})") from error
    with client:
        futures = client.map(work, given, pure=False)
        of_key = {future.key: one for future, one in zip(futures, given, strict=True)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield of_key[future.key], future.result()
                future.release()
        except distributed.KilledWorker as error:
            what = "several workers died on the same part; give them more memory or fewer threads"
            raise ClusterError(address, what) from error
        finally:
            client.cancel(futures)
