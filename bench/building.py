"""Measure `python -m postprocess build` on a set of English size, whole and by step.

    .venv/bin/python bench/building.py
    .venv/bin/python bench/building.py --against ../other --repetitions 5 --times 1 10

The set is invented: 340 pairs in 10 blocks of two questionnaires; 36 annotators of a questionnaire,
of whom 27 rated each context. `--times 10` makes ten times as many pairs. "build" is the command
from its start to its end without the report, "with report" the same with all but the PDF. Steps are
the seconds in some of its functions; what is indented is part of the step above. Every measurement
is a separate process, and MB are its peak. `--against` measures another checkout of Cosima, too, by
turns.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from reporting import say, table

SCRIPT = str(Path(__file__).resolve())
REPOSITORY = Path(SCRIPT).parent.parent
PAIRS, BLOCK, ANNOTATORS, RATERS, SEED = 340, 34, 36, 27, 20200312
COLUMNS = ("pairs", "what", "checkout", "s", "CPU s", "peak MB")
IMPORTS = "  imports"
STEPS = {
    "  reading": ("formats.reading", "load_ratings"),
    "  scores": ("steps.post_process", "post_process"),
    "  intervals of scores": ("steps.score_intervals", "score_intervals"),
    "  agreement": ("reporting.assessment", "report_agreement"),
    "  reliability of changes": ("reporting.assessment", "report_change"),
    "  confounds": ("reporting.assessment", "report_confounds"),
    "  contexts with two camps": ("reporting.assessment", "report_divided"),
    "  copies": ("reporting.assessment", "report_copies"),
    "  tables": ("pipeline", "_render_files"),
}
STIMULI = (
    "word1", "word2", "context1", "context2", "word1_context1", "word2_context1", "word1_context2",
    "word2_context2",
)  # fmt: skip
TEXT = "So it was. The <strong>{}</strong> of the <strong>{}</strong> is {}. So it is."
Figures = dict[str, float]


def make_set(folder: Path, times: int) -> None:
    """Write the stimuli and the ratings of one set."""
    import numpy as np  # not in the process that starts the measured ones: these begin as its copy
    import pandas as pd

    rng, n_pairs = np.random.default_rng(SEED), PAIRS * times
    pair, context = (part.ravel() for part in np.indices((n_pairs, 2)))
    questionnaire = 2 * (pair // BLOCK) + (pair + context) % 2
    biases = rng.normal(0, 0.6, (questionnaire.max() + 1, ANNOTATORS))
    raters = np.argsort(rng.random((len(pair), ANNOTATORS)), axis=1)[:, :RATERS]
    points = rng.uniform(0, 6, len(pair))[:, None] + rng.normal(0, 1.2, raters.shape)
    points += biases[questionnaire[:, None], raters]
    names = questionnaire[:, None] * ANNOTATORS + raters
    ratings = {
        "language": "en",
        "pair": np.repeat(pair + 1, RATERS),
        "context": np.repeat(context + 1, RATERS),
        "annotator": [f"A{name:05}" for name in names.ravel()],
        "rating": np.clip(np.rint(points), 0, 6).astype(int).ravel(),
        "group": [f"{q // 2 + 1}{'AB'[q % 2]}" for q in np.repeat(questionnaire, RATERS)],
    }
    pd.DataFrame(ratings).to_csv(folder / "ratings_en.csv", index=False)
    rows = [STIMULI]
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    for drawn in rng.integers(len(letters), size=(n_pairs, 2, 8)):
        words = "".join(letters[drawn[0]]), "".join(letters[drawn[1]])
        texts = TEXT.format(*words, "old"), TEXT.format(*words[::-1], "new")
        rows.append((*words, *texts, *words, *words[::-1]))
    text = "".join("\t".join(row) + "\n" for row in rows)
    (folder / "data_en.tsv").write_text(text, encoding="utf-8")


def build_words(folder: Path, *more: str) -> list[str]:
    """Return the arguments that build the set in a folder."""
    files = {"--stimuli": "data_en.tsv", "--ratings": "ratings_en.csv", "--out": "out"}
    named = [word for option, name in files.items() for word in (option, str(folder / name))]
    return ["build", *named, "--language", "en", *more]


def run(tree: Path, *words: str) -> Figures:
    """Run Python in a checkout once; return what it took, and the figures that it prints."""
    started = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  (this script or a module of a checkout)
        [sys.executable, *words], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    printed = process.stdout.read() if process.stdout else b""
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} in {tree} failed")
    seconds, cpu = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
    taken = {"s": seconds, "CPU s": cpu, "peak MB": usage.ru_maxrss / 1024}
    steps: Figures = json.loads(printed) if "--measure" in words else {}
    return taken | steps


def measure_steps(tree: str, *words: str) -> None:
    """Run the command and print the seconds in each step; called in the measured process."""
    sys.path.insert(0, tree)
    started = time.perf_counter()
    main = import_module("postprocess.__main__").main
    import_module("postprocess.commands.build")
    import_module("postprocess.pipeline")
    seconds = {IMPORTS: time.perf_counter() - started}
    for step, (module, name) in STEPS.items():
        function = getattr(import_module(f"postprocess.{module}"), name, None)
        if function is None:  # in another checkout
            continue
        timed = measure_calls(function, step, seconds)
        for holder in [one for key, one in sys.modules.items() if key.startswith("postprocess")]:
            if getattr(holder, name, None) is function:
                setattr(holder, name, timed)
    written, sys.stdout = sys.stdout, sys.stderr
    main(words)
    sys.stdout = written
    say(json.dumps(seconds))


def measure_calls(function: Callable[..., Any], step: str, seconds: Figures) -> Callable[..., Any]:
    """Return a function that adds the seconds of each call to a step."""

    @wraps(function)
    def timed(*given: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            seconds[step] = seconds.get(step, 0) + time.perf_counter() - started

    return timed


def measure(tree: Path, folder: Path) -> Iterator[tuple[str, Figures]]:
    """Yield each kind of run of a checkout, with its figures."""
    program = ("-m", "postprocess")
    yield "--help", run(tree, *program, "--help")
    yield "build --help", run(tree, *program, "build", "--help")
    yield "build", run(tree, *program, *build_words(folder, "--no-report"))
    no_pdf = "--set", "report.pdf=false"
    yield "with report", run(tree, *program, *build_words(folder, *no_pdf))
    words = build_words(folder, "--no-report")
    found = run(tree, SCRIPT, "--measure", str(tree), *words)
    for step in (IMPORTS, *STEPS):
        yield step, {"s": found[step]} if step in found else {}


def main() -> None:
    """Measure all checkouts in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", type=Path, help="another checkout, measured by turns")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10], help="size of the sets")
    options = parser.parse_args()
    trees = [REPOSITORY, *([options.against.resolve()] if options.against else [])]
    rows: list[Sequence[str]] = []
    for times in options.times:
        with tempfile.TemporaryDirectory() as made:
            run(REPOSITORY, SCRIPT, "--make", made, str(times))
            rounds = [
                [dict(measure(tree, Path(made))) for tree in trees]
                for _ in range(options.repetitions)
            ]
        for what in rounds[0][0]:
            for place, tree in enumerate(trees):
                taken = [one[place][what] for one in rounds]
                figures = (spread([one[name] for one in taken]) if name in taken[0] else ""
                           for name in COLUMNS[3:])  # fmt: skip
                rows.append((f"{PAIRS * times:,}", what, tree.name, *figures))
    say(table(COLUMNS, rows))


def spread(numbers: Sequence[float]) -> str:
    """Return the median, and the least and the greatest."""
    low, middle, high = min(numbers), median(numbers), max(numbers)
    return f"{middle:.3g} ({low:.3g}–{high:.3g})" if len(numbers) > 1 else f"{middle:.3g}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure_steps(*sys.argv[2:])
    elif sys.argv[1:2] == ["--make"]:
        make_set(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
