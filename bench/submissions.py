"""Measure how long submissions to a shared task take to check and score, or to refuse.

    .venv/bin/python bench/submissions.py

First, milliseconds of processor time to check a result file of subtask 2, and to score it, and
seconds for its interval, by the number of pairs. Then, milliseconds and megabytes until hostile
archives and tables are refused. Every measurement is a separate process; the figures are medians.
"""

import time
import tracemalloc
import zipfile
from collections.abc import Callable
from statistics import median

import numpy as np
from processes import medians_in_turns
from reporting import number, read_options, say, table

SIZES = (340, 2_000, 10_000)  # pairs
AIMS = {340: "≤ 3 together", 10_000: "≤ 50 together; ≤ 6 s"}
NAME = "results_subtask2_sl.tsv"
REPETITIONS = 5  # within a process, of what takes little time


def time_cpu(act: Callable[[], object], repetitions: int = REPETITIONS) -> float:
    """Return the median processor time of an action in milliseconds."""
    milliseconds = []
    for _ in range(repetitions):
        began = time.process_time()
        act()
        milliseconds.append(1000 * (time.process_time() - began))
    return median(milliseconds)


def measure_scoring(n_pairs: int) -> dict[str, float]:
    """Check and score the predictions of some pairs."""
    from postprocess.formats.files import GOLD_COLUMNS
    from postprocess.scoring.gold import Part
    from postprocess.scoring.scoring import check_submission, score_checked, score_submission
    from postprocess.scoring.submitted import sort_files

    rng = np.random.default_rng(1)
    gold = rng.normal(5, 2, (n_pairs, 2)).round(2)
    predicted = (gold + rng.normal(0, 1, gold.shape)).tolist()
    rows = "".join(f"{one!r}\t{two!r}\n" for one, two in predicted)
    data = f"sim_context1\tsim_context2\n{rows}".encode()
    parts = {"sl": Part("sl", dict(zip(GOLD_COLUMNS, gold.T, strict=False)), "")}
    checked = check_submission(sort_files([(NAME, data)], ["sl"]), parts)
    return {
        "check": time_cpu(lambda: check_submission(sort_files([(NAME, data)], ["sl"]), parts)),
        "score": time_cpu(lambda: score_checked(checked, parts)),
        "interval": time_cpu(
            lambda: score_submission(sort_files([(NAME, data)], ["sl"]), parts), repetitions=1
        ),
    }


def measure_refusal(name: str) -> dict[str, float]:
    """Read a hostile archive, or a table for 340 pairs, that is refused."""
    from postprocess.scoring.metrics import SIMILARITIES
    from postprocess.scoring.predictions import read_predictions
    from postprocess.scoring.submitted import sort_files

    def read() -> bool:
        if name in archives:
            return bool(sort_files([("results.zip", archives[name])], ["sl"]).errors)
        return read_predictions(tables[name], SIMILARITIES, "sl", 340).numbers is None

    archives, tables = make_archives(), make_tables()
    began = time.process_time()
    is_refused = read()
    passed = 1000 * (time.process_time() - began)
    if not is_refused:
        raise SystemExit(f"{name} was not refused")
    tracemalloc.start()
    read()
    return {"ms": passed, "megabytes": tracemalloc.get_traced_memory()[1] / 1e6}


def make_archives() -> dict[str, bytes]:
    """Return the tests' hostile archives by name; none has more than 4 MB."""
    from tests.hostile_archives import BOMBS, encrypted, linked, pack

    content = b"change\n" + b"1\n" * 340
    zeros_and_ones = np.random.default_rng(1).integers(48, 50, 9_500_000, np.uint8).tobytes()
    return {
        **{name: make() for name, make in BOMBS.items()},
        "40,000 entries": pack({str(n): b"" for n in range(40_000)}),
        "a path out of the archive": pack({f"../{NAME}": content}),
        "a link": linked(NAME, "/etc/passwd"),
        "encrypted": encrypted({NAME: content}),
        "truncated": pack({NAME: content})[:-40],
        "19 MB, then an archive": pack(
            {NAME: zeros_and_ones, f"a/{NAME}": zeros_and_ones, "z.tsv": pack({"x": b""})},
            zipfile.ZIP_DEFLATED,
        ),
    }


def make_tables() -> dict[str, bytes]:
    """Return hostile result files of 10 MB by their names."""
    header = b"sim_context1\tsim_context2\n"
    return {
        "rows of a letter": header + b"x\n" * 4_990_000,
        "tabs": header + (b"\t" * 999 + b"\n") * 9_990,
        "a line": header + b"1" * 9_990_000,
        "wrong rows": header + (b"ab\t" * 300 + b"\n") * 1_340,
        "wrong numbers": header + (b"a" * 490 + b"\t" + b"b" * 490 + b"\n") * 1_340,
        "no UTF-8": header + b"\xff\n" * 1_340,
    }


def main() -> None:
    """Measure all, and print two tables."""
    given = read_options(__doc__, repetitions=3)
    scored = medians_in_turns(measure_scoring, [(n,) for n in SIZES], given.repetitions)
    rows = [
        [f"{n:,}", number(ms["check"]), number(ms["score"]), number(ms["interval"] / 1000),
         AIMS.get(n, "")]
        for n, ms in zip(SIZES, scored, strict=True)
    ]  # fmt: skip
    say(table(("pairs", "check, ms", "score, ms", "with interval, s", "aim"), rows))
    say()
    files = {**make_archives(), **make_tables()}
    refused = medians_in_turns(measure_refusal, [(name,) for name in files], given.repetitions)
    rows = [
        [name, f"{len(files[name]) / 1000:,.1f}", number(cost["ms"]), number(cost["megabytes"])]
        for name, cost in zip(files, refused, strict=True)
    ]
    say(table(("hostile file", "kB", "ms", "MB more"), rows))


if __name__ == "__main__":
    main()
