"""Measure time and memory of post-processing, from a ratings file to the table of scores.

    .venv/bin/python bench/postprocessing.py
    .venv/bin/python bench/postprocessing.py --rows 10000 100000 --repetitions 5 --sorted

For comparison, in turn: reading the same file by pyarrow, and (up to --loop rows) the simple
way, a loop over pairs with pandas and SciPy that does less: no check, no ratings ledger, only
calibration, filtering and the published columns. Every measurement is a separate process, timed
without its imports; MB are its peak. "again" is a second run in the same process: virtual
machines may take much longer to allocate memory the first time.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet
from processes import call_apart, peak_megabytes
from reporting import read_options, say, table

RATERS, BLOCK, SEED = 10, 50, 20200312
COLUMNS = ("rows", "file", "way", "s", "µs a row", "MB", "÷ pyarrow", "again s", "÷ pyarrow")


def make_ratings(n_rows: int, *, is_sorted: bool) -> pd.DataFrame:
    """Return ratings of a study with 10 annotators per questionnaire and 50 pairs per block."""
    rng = np.random.default_rng(SEED)
    n_contexts = n_rows // RATERS
    context = np.repeat(np.arange(n_contexts), RATERS)
    pair, number = context // 2, context % 2
    questionnaire = 2 * (pair // BLOCK) + (pair + number) % 2
    person = questionnaire * RATERS + np.tile(np.arange(RATERS), n_contexts)
    score = rng.uniform(0, 6, n_contexts)[context]
    rating = np.clip(np.round(score + rng.normal(0, 1.3, len(score))), 0, 6).astype(int)
    names = np.array([f"A{n:07}" for n in range(person.max() + 1)], dtype=object)
    groups = np.array([f"{q // 2 + 1}{'AB'[q % 2]}" for q in range(questionnaire.max() + 1)])
    ratings = pd.DataFrame(
        {
            "language": "xx",
            "pair": pair + 1,
            "context": number + 1,
            "annotator": names[person],
            "rating": rating,
            "group": groups[questionnaire],
        }
    )
    return ratings if is_sorted else ratings.take(rng.permutation(len(ratings)))


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

    ratings = load_ratings(path, "xx")
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
    """Run twice after a warm-up, in a process that does nothing else."""
    WAYS[way](path.with_name(f"warm{path.suffix}"))
    started = time.perf_counter()
    WAYS[way](path)
    seconds, megabytes = time.perf_counter() - started, peak_megabytes()
    started = time.perf_counter()
    WAYS[way](path)
    return {
        "seconds": seconds, "megabytes": megabytes, "again": time.perf_counter() - started
    }  # fmt: skip


def write_files(folder: Path, n_rows: int, *, is_sorted: bool, name: str) -> list[Path]:
    """Write the ratings as CSV and as Parquet."""
    ratings = make_ratings(n_rows, is_sorted=is_sorted)
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
    for path in write_files(folder, n_rows, is_sorted=options.sorted, name="ratings"):
        ways = [way for way in WAYS if way != "loop" or n_rows <= options.loop]
        found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
        for _ in range(options.repetitions):
            for way in ways:
                found[way].append(call_apart(measure, way, path))
        seconds, again, megabytes = (
            {way: median(one[figure] for one in found[way]) for way in ways}
            for figure in ("seconds", "again", "megabytes")
        )
        for way in ways:
            rows.append([
                f"{n_rows:,}", path.suffix[1:], way, f"{seconds[way]:.3f}",
                f"{1e6 * seconds[way] / n_rows:.2f}", f"{megabytes[way]:.0f}",
                f"{seconds[way] / seconds['pyarrow']:.2f}", f"{again[way]:.3f}",
                f"{again[way] / again['pyarrow']:.2f}",
            ])  # fmt: skip
            say(", ".join(rows[-1]))
    return rows


def main() -> None:
    """Run the chosen measurements and print a table."""
    options = read_options(
        __doc__,
        rows=[10**n for n in range(4, 8)],
        repetitions=3,
        loop=(10**6, "maximum rows for the loop"),
        sorted=(False, "rows by pair and context; otherwise in random order"),
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_files(folder, 1000, is_sorted=False, name="warm")
        rows = [row for n in options.rows for row in measure_rows(folder, n, options)]
    say(f"\n{table(COLUMNS, rows)}")


if __name__ == "__main__":
    main()
