"""Files of a part of a shared task: made-up pairs and scores."""

from postprocess.formats.stimuli import render_stimuli
from surveys.sharedtasks.parts import PartFiles
from tests.postprocess.release.releases import numbered_row

HEADER = "sim_context1\tsim_context2\tchange\n"


def data_file(*numbers: int) -> bytes:
    """Return a data file with a pair for each number; no two numbers share words or texts."""
    return render_stimuli([numbered_row(number) for number in numbers]).encode()


def gold_file(n_pairs: int) -> bytes:
    """Return gold in which the scores of context 1 rise, and those of context 2 fall and rise."""
    rows = [(n, (n * 7) % 10) for n in (number % 10 for number in range(n_pairs))]
    return (HEADER + "".join(f"{one}\t{two}\t{two - one}\n" for one, two in rows)).encode()


def part_files(n_pairs: int = 12, n_practice: int = 4, first: int = 1, **fields) -> PartFiles:
    """Return the files of a part with pairs numbered from `first`; practice pairs are the last."""
    last = first + n_pairs
    practice = range(last, last + n_practice)
    files = {
        "data": data_file(*range(first, last)),
        "gold": gold_file(n_pairs),
        "practice_data": data_file(*practice) if n_practice else b"",
        "practice_gold": gold_file(n_practice) if n_practice else b"",
    }
    return PartFiles(**{**files, **fields})
