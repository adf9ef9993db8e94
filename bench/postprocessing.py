"""Measure time and memory of post-processing, from a ratings file to the table of scores.

    .venv/bin/python bench/postprocessing.py --rows 10000 100000 --repetitions 5
    .venv/bin/python bench/postprocessing.py --rows 0 --builds . ../before

For comparison, in turn: reading the same file by pyarrow, and (up to --loop rows) the simple
way, a loop over pairs with pandas and SciPy that does less: no check, no ratings ledger, only
calibration, filtering and the published columns. Every measurement is a separate process, timed
without its imports; MB are its peak.

Then the command `build` for 340 pairs with 27 ratings a context, by each of some checkouts in turn.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet
from processes import medians_in_turns, peak_megabytes
from reporting import REPOSITORY, read_options, say, table
from serving import python_of, run
from stimuli import write_stimuli
from studies import Crowd, collect, in_points

RATERS, BLOCK, SEED = 10, 50, 20200312
BUILT_PAIRS, BUILT_RATERS = 340, 27
COLUMNS = ("rows", "file", "way", "s", "µs a row", "MB", "÷ pyarrow")
BUILDS = ("build by", "s", "÷ first", "CPU s", "÷ first", "MB")
# Prints the CPU seconds and the peak memory of a command.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def make_ratings(n_pairs: int, n_raters: int = RATERS) -> pd.DataFrame:
    """Return ratings of a study with 50 pairs per block, in random order."""
    rng = np.random.default_rng(SEED)
    people = 2 * -(-n_pairs // BLOCK), n_raters
    crowd = Crowd(np.zeros(people), np.full(people, 1.3))
    ratings = in_points(collect(rng.uniform(0, 6, (n_pairs, 2)), crowd, rng, n_block=BLOCK))
    names = np.array([f"A{n:07}" for n in range(people[0] * people[1])], dtype=object)
    ratings["annotator"] = names[ratings["annotator"]]
    ratings.insert(0, "language", "en")
    return ratings.take(rng.permutation(len(ratings)))


def read_with_pyarrow(path: Path) -> None:
    """Read the file with pyarrow's inferred types: the lower bound."""
    if path.suffix == ".parquet":
        arrow_parquet.read_table(path)
    else:
        arrow_csv.read_csv(path)


def process(path: Path) -> None:
    """Process the file to scores and ratings ledger."""
    from postprocess.formats.reading import load_ratings
    from postprocess.steps.post_process import post_process
    from postprocess.steps.recipe import Recipe

    ratings = load_ratings(path, "en")
    post_process(ratings, Recipe(), n_pairs=int(ratings["pair"].max()))


def process_in_a_loop(path: Path) -> None:
    """Process the file in the simple way: groupby, corr, and SciPy's test for each pair."""
    from scipy.stats import mannwhitneyu

    ratings = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    kept = []
    for _, group in ratings.groupby("group"):
        means = group.groupby("annotator")["rating"].mean()
        deviation = means - means.mean()
        shift = -np.sign(deviation).where(deviation.abs() > 1, 0)
        moved = (group["rating"] + group["annotator"].map(shift)).clip(0, 6)
        wide = group.assign(rating=moved).pivot(
            index=["pair", "context"], columns="annotator", values="rating"
        )
        rho = wide.corr(method="spearman").to_numpy(copy=True)
        np.fill_diagonal(rho, np.nan)
        average = pd.Series(np.nanmean(rho, axis=1), index=wide.columns)
        good = average.index[average >= average.mean() - average.std()]
        kept.append(group.assign(rating=moved)[group["annotator"].isin(good)])
    used = pd.concat(kept)
    used["rating"] *= 10 / 6
    rows = []
    for pair, of_pair in used.groupby("pair"):
        one, two = (of_pair.loc[of_pair["context"] == c, "rating"] for c in (1, 2))
        test = mannwhitneyu(one, two, alternative="two-sided", method="asymptotic")
        rows.append((pair, one.mean(), two.mean(), one.std(), two.std(), test.pvalue / 2))
    pd.DataFrame(rows)


WAYS: dict[str, Callable[[Path], None]] = {
    "pyarrow": read_with_pyarrow,
    "postprocess": process,
    "loop": process_in_a_loop,
}


def measure(way: str, path: Path) -> dict[str, float]:
    """Run once after a warm-up, in a process that does nothing else."""
    WAYS[way](path.with_name(f"warm{path.suffix}"))
    started = time.perf_counter()
    WAYS[way](path)
    return {"seconds": time.perf_counter() - started, "megabytes": peak_megabytes()}


def write_files(folder: Path, n_rows: int, name: str) -> list[Path]:
    """Write the ratings as CSV and as Parquet."""
    ratings = make_ratings(n_rows // RATERS // 2)
    arrow = pa.Table.from_pandas(ratings, preserve_index=False)
    csv, parquet = folder / f"{name}.csv", folder / f"{name}.parquet"
    plain = arrow_csv.WriteOptions(include_header=False, quoting_style="none")
    with csv.open("wb") as file:
        file.write(f"{','.join(ratings.columns)}\n".encode())
        arrow_csv.write_csv(arrow, file, plain)
    arrow_parquet.write_table(arrow, parquet)
    return [csv, parquet]


def measure_rows(folder: Path, n_rows: int, options: argparse.Namespace) -> list[list[str]]:
    """Return the table's rows for one size."""
    rows = []
    for path in write_files(folder, n_rows, "ratings"):
        ways = [way for way in WAYS if way != "loop" or n_rows <= options.loop]
        cases = [(way, path) for way in ways]
        measured = medians_in_turns(measure, cases, options.repetitions)
        for way, figures in zip(ways, measured, strict=True):
            seconds = figures["seconds"]
            rows.append([
                f"{n_rows:,}", path.suffix[1:], way, f"{seconds:.3f}",
                f"{1e6 * seconds / n_rows:.2f}", f"{figures['megabytes']:.0f}",
                f"{seconds / measured[0]['seconds']:.2f}",
            ])  # fmt: skip
            say(", ".join(rows[-1]))
    return rows


def measure_build(repository: Path, folder: Path) -> dict[str, float]:
    """Build a dataset without a report by a checkout's command."""
    words = (
        "-m", "postprocess", "build", "--stimuli", folder / "data_en.tsv", "--ratings",
        folder / "built.csv", "--language", "en", "--out", folder / "dataset", "--no-report",
    )  # fmt: skip
    python = python_of(repository)
    began = time.perf_counter()
    cpu, megabytes = run(python, "-c", MEASURE, python, *words, cwd=repository).split()
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "cpu": float(cpu), "megabytes": float(megabytes)}


def compare_builds(folder: Path, options: argparse.Namespace) -> list[list[str]]:
    """Return a row for each checkout: medians, and their ratios to the first's."""
    write_stimuli(2 * BUILT_PAIRS, folder / "data_en.tsv")
    ratings = make_ratings(BUILT_PAIRS, BUILT_RATERS)
    ratings.to_csv(folder / "built.csv", index=False)
    checkouts = [path.resolve() for path in options.builds]
    cases = [(path, folder) for path in checkouts]
    measured = medians_in_turns(measure_build, cases, options.repetitions)
    return [
        [
            path.name, f"{figures['seconds']:.2f}",
            f"{figures['seconds'] / measured[0]['seconds']:.3f}", f"{figures['cpu']:.2f}",
            f"{figures['cpu'] / measured[0]['cpu']:.3f}", f"{figures['megabytes']:.0f}",
        ]
        for path, figures in zip(checkouts, measured, strict=True)
    ]  # fmt: skip


def main() -> None:
    """Run the chosen measurements and print two tables."""
    options = read_options(
        __doc__,
        rows=([10**n for n in range(4, 8)], "ratings of a file; 0 for none"),
        builds=([REPOSITORY], "checkouts whose command `build` is measured"),
        repetitions=3,
        loop=(10**6, "maximum rows for the loop"),
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_files(folder, 1000, "warm")
        rows = [row for n in options.rows if n for row in measure_rows(folder, n, options)]
        say(f"\n{table(COLUMNS, rows)}\n\n{table(BUILDS, compare_builds(folder, options))}")


if __name__ == "__main__":
    main()
