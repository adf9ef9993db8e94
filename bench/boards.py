"""Measure how long a board takes: all pairs of teams, in each language and on average.

    .venv/bin/python bench/boards.py

Teams have random predictions for gold of the sizes of SemEval-2020 Task 3. Scoring is not part of
the time. `by pairs` is the same by `rank_systems`, which tests two systems at a time.
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
from postprocess.scoring.figures import Figures, Reason, Subtask, score_changes
from postprocess.scoring.inference import compare_scores
from postprocess.scoring.ranking import rank_systems

SIZES = {"en": 340, "hr": 112, "sl": 111, "fi": 24}
COLUMNS = ("teams", "pairs of a part", "board s", "JSON s", "JSON MB", "read s", "CSV s",
           "by pairs s")  # fmt: skip
MOST_BY_PAIRS = 200


def draw_teams(n_teams: int, sizes: Mapping[str, int], rng: np.random.Generator) -> list[Entry]:
    """Return teams with the figures of random predictions of different quality."""
    gold = {language: rng.normal(size=n) for language, n in sizes.items()}
    return [
        Entry(
            f"team{number:04}",
            {language: draw_figures(one, rng) for language, one in gold.items()},
        )
        for number in range(n_teams)
    ]


def draw_figures(gold: np.ndarray, rng: np.random.Generator) -> Figures:
    """Return the figures of random predictions; for large parts, random left-out values."""
    predicted = rng.uniform(0, 2) * gold + rng.normal(size=gold.shape)
    if len(gold) <= max(SIZES.values()):
        return score_changes(predicted, gold)
    left_out = 0.5 + 1e-4 * rng.normal(size=2000)
    return Figures(float(left_out.mean()), np.nan, np.nan, Reason.NONE, len(gold), left_out)


def measure(n_teams: int, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return a row: the seconds of each step for one subtask."""
    entries = draw_teams(n_teams, sizes, np.random.default_rng(n_teams))
    rules = Rules("Bench", "evaluation", Subtask.CHANGES, sizes)
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
    by_pairs = rank_by_pairs(entries) if n_teams <= MOST_BY_PAIRS else None
    return (
        f"{n_teams:,}",
        ", ".join(map(str, sizes.values())),
        f"{making:.2f}",
        f"{writing:.2f}",
        f"{len(data) / 1e6:.1f}",
        f"{reading:.2f}",
        f"{tables:.2f}",
        "–" if by_pairs is None else f"{by_pairs:.2f}",
    )


def rank_by_pairs(entries: list[Entry]) -> float:
    """Return the seconds that the languages take if two systems are tested at a time."""
    figures = {entry.name: entry.figures for entry in entries}
    began = time.perf_counter()
    for language in entries[0].figures:
        rank_systems(
            {name: one[language].score for name, one in figures.items()},
            lambda a, b, part=language: compare_scores(figures[a][part], figures[b][part]),
        )
    return time.perf_counter() - began


def main() -> None:
    """Measure boards of several sizes, and print a table."""
    given = read_options(__doc__, teams=[10, 50, 200, 1000])
    rows = [measure(n_teams, SIZES) for n_teams in given.teams]
    rows.append(measure(MOST_BY_PAIRS, {"en": 10_000}))
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
