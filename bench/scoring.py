"""Measure how many contexts a model scores per second.

    .venv/bin/python bench/scoring.py
    .venv/bin/python bench/scoring.py --stimuli data_sl.tsv --model FOLDER

Every measurement is a separate process on one or two processors, timed after the model is loaded
and has read some texts; MB are its peak. The ways take turns, and the figures are medians.
"""

import argparse
import os
import time

from processes import medians_in_turns, peak_megabytes
from reporting import REPOSITORY, read_options, say, table

COLUMNS = ("precision", "processors", "texts at a time", "contexts/s", "÷ first", "CPU ms each",
           "peak MB", "load s")  # fmt: skip
WAYS = [("fp32", 1, 1), ("fp32", 1, 16), ("fp32", 2, 16), ("bf16", 1, 16), ("bf16", 2, 16)]
WARM_UP = 16  # contexts


def measure(
    given: argparse.Namespace, precision: str, n_processors: int, n_texts: int
) -> dict[str, float]:
    """Score all contexts once, in a process that does nothing else."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_processors])
    import torch

    from postprocess.formats.stimuli import load_stimuli
    from preprocess.models.loading import Precision, load_model
    from preprocess.models.similarity import compare_targets

    torch.set_num_threads(n_processors)
    pairs = load_stimuli(given.stimuli).pairs
    contexts = [context for pair in pairs for context in (pair.context1, pair.context2)]
    contexts = contexts[: given.contexts]
    began = time.perf_counter()
    model = load_model(given.model, Precision(precision))
    loaded = time.perf_counter()
    compare_targets(model, contexts[:WARM_UP])
    started, cpu = time.perf_counter(), time.process_time()
    compare_targets(model, contexts, batch_size=n_texts)
    return {
        "rate": len(contexts) / (time.perf_counter() - started),
        "cpu": 1000 * (time.process_time() - cpu) / len(contexts),
        "megabytes": peak_megabytes(),
        "load": loaded - began,
    }


def main() -> None:
    """Measure all ways in turn, and print a table."""
    given = read_options(
        __doc__,
        stimuli=REPOSITORY / "demo/data_en.tsv",
        model=(REPOSITORY / ".pytest_cache/d/e5/model", "folder of a model"),
        contexts=(200, "how many of the file"),
        repetitions=3,
    )
    if not given.model.is_dir():
        raise SystemExit("Name the folder of a model: --model; `scripts/test` leaves one.")
    middle = medians_in_turns(measure, [(given, *way) for way in WAYS], given.repetitions)
    rows = [
        (*map(str, way), f"{figures['rate']:.1f}", f"{figures['rate'] / middle[0]['rate']:.1f}",
         f"{figures['cpu']:.0f}", f"{figures['megabytes']:.0f}", f"{figures['load']:.1f}")
        for way, figures in zip(WAYS, middle, strict=True)
    ]  # fmt: skip
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
