"""Measure how many contexts a model scores per second.

    .venv/bin/python bench/scoring.py ../shared/cosimlex/data_sl.tsv .pytest_cache/d/e5/model

The first argument is a stimuli file, the second the folder of a model: the tests leave
multilingual-e5-small in this one. Every measurement is a separate process on one or two
processors, timed after the model is loaded and has read some texts; MB are its peak. The ways take
turns, and the figures are medians. Processor seconds depend less on what else the machine does.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from reporting import say, table

REPOSITORY = Path(__file__).resolve().parent.parent
COLUMNS = ("precision", "processors", "texts at a time", "contexts/s", "÷ first", "CPU ms each",
           "peak MB", "load s")  # fmt: skip
WAYS = [("fp32", 1, 1), ("fp32", 1, 16), ("fp32", 2, 16), ("bf16", 1, 16), ("bf16", 2, 16)]
WARM_UP = 16  # contexts


def measure(given: argparse.Namespace, precision: str, n_processors: int, n_texts: int) -> str:
    """Measure once in a separate process; return what it prints."""
    words = [sys.executable, str(Path(__file__).resolve()), str(given.stimuli), str(given.model)]
    words += [
        "--contexts",
        str(given.contexts),
        "--measure",
        precision,
        str(n_processors),
        str(n_texts),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  (this script)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def measure_here(given: argparse.Namespace) -> None:
    """Score all contexts once and print the result; called in the measured process."""
    precision, n_processors, n_texts = given.measure
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(n_processors)])
    sys.path.insert(0, str(REPOSITORY))
    import torch

    from postprocess.formats.stimuli import load_stimuli
    from preprocess.models.loading import Precision, load_model
    from preprocess.models.similarity import compare_targets

    torch.set_num_threads(int(n_processors))
    pairs = load_stimuli(given.stimuli).pairs
    contexts = [context for pair in pairs for context in (pair.context1, pair.context2)]
    contexts = contexts[: given.contexts]
    began = time.perf_counter()
    model = load_model(given.model, Precision(precision))
    loaded = time.perf_counter()
    compare_targets(model, contexts[:WARM_UP])
    started, cpu = time.perf_counter(), time.process_time()
    compare_targets(model, contexts, batch_size=int(n_texts))
    result = {
        "rate": len(contexts) / (time.perf_counter() - started),
        "cpu": 1000 * (time.process_time() - cpu) / len(contexts),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "load": loaded - began,
    }
    say(json.dumps(result))


def main() -> None:
    """Measure all ways in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("stimuli", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--contexts", type=int, default=200, help="how many of the file")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure_here(given)
        return
    rounds = [[json.loads(measure(given, *way)) for way in WAYS] for _ in range(given.repetitions)]
    middle = [
        {name: median(one[number][name] for one in rounds) for name in rounds[0][0]}
        for number in range(len(WAYS))
    ]
    rows = [
        (*map(str, way), f"{found['rate']:.1f}", f"{found['rate'] / middle[0]['rate']:.1f}",
         f"{found['cpu']:.0f}", f"{found['megabytes']:.0f}", f"{found['load']:.1f}")
        for way, found in zip(WAYS, middle, strict=True)
    ]  # fmt: skip
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
