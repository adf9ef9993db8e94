"""Measure how long a board takes: all pairs of teams, in each language and on average.

    .venv/bin/python bench/boards.py

Teams have random predictions for gold of the sizes of SemEval-2020 Task 3. Scoring is not part of
the time.
"""

import time
from collections.abc import Mapping

import numpy as np
from reporting import read_options, say, table

from postprocess.boards.board import Board
from postprocess.boards.entries import Entry, Rules
from postprocess.boards.exports.freezing import read_board, render_board
from postprocess.boards.exports.tables import render_csv, render_differences
from postprocess.boards.making import make_board
from postprocess.scoring.figures import Figures, Reason, score_predictions
from postprocess.scoring.metrics import CHANGES, Metric

SIZES = {"en": 340, "hr": 112, "sl": 111, "fi": 24}
COLUMNS = ("teams", "pairs of a part", "board s", "JSON s", "JSON MB", "read s", "CSV s")
LARGE_PART = 200, {"en": 10_000}  # teams and pairs


def draw_teams(n_teams: int, sizes: Mapping[str, int], rng: np.random.Generator) -> list[Entry]:
    """Return teams with the figures of random predictions of different quality."""
    gold = {language: rng.normal(size=n) for language, n in sizes.items()}
    return [
        Entry(
            f"team{number:04}",
            {language: draw_figures(scores, rng) for language, scores in gold.items()},
        )
        for number in range(n_teams)
    ]


def draw_figures(gold: np.ndarray, rng: np.random.Generator) -> Figures:
    """Return the figures of random predictions; for large parts, random left-out values."""
    predicted = rng.uniform(0, 2) * gold + rng.normal(size=gold.shape)
    if len(gold) <= max(SIZES.values()):
        return score_predictions(Metric.CHANGE, predicted, gold)
    left_out = 0.5 + 1e-4 * rng.normal(size=2000)
    return Figures(float(left_out.mean()), np.nan, np.nan, Reason.NONE, len(gold), left_out)


def measure(n_teams: int, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return a row: the seconds of each step for one subtask."""
    entries = draw_teams(n_teams, sizes, np.random.default_rng(n_teams))
    rules = Rules("Bench", "evaluation", CHANGES, sizes)
    times = [time.perf_counter()]
    board: Board = make_board(rules, entries)
    times.append(time.perf_counter())
    data = render_board(board)
    times.append(time.perf_counter())
    read_board(data)
    times.append(time.perf_counter())
    render_csv(board)
    render_differences(board)
    times.append(time.perf_counter())
    making, writing, reading, tables = np.diff(times)
    return (
        f"{n_teams:,}",
        ", ".join(map(str, sizes.values())),
        f"{making:.2f}",
        f"{writing:.2f}",
        f"{len(data) / 1e6:.1f}",
        f"{reading:.2f}",
        f"{tables:.2f}",
    )


def main() -> None:
    """Measure boards of several sizes, and print a table."""
    given = read_options(__doc__, teams=[10, 50, 200, 1000])
    rows = [measure(n_teams, SIZES) for n_teams in given.teams]
    rows.append(measure(*LARGE_PART))
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
