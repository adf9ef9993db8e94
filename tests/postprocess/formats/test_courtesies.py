"""Every reader of tables accepts, or refuses by name, what other programs write."""

import pytest

from postprocess.baselines.importing import import_similarities
from postprocess.baselines.words import predict_scores
from postprocess.boards.published import read_printed
from postprocess.formats.files import DATASET_COLUMNS, GOLD_COLUMNS, read_dataset, read_gold
from postprocess.formats.reading import load_checks, load_ratings
from postprocess.formats.stimuli import COLUMNS, parse_stimuli, render_stimuli
from postprocess.formats.tabular import TableError
from postprocess.release.sources import parse_sources
from postprocess.scoring.metrics import SIMILARITIES
from postprocess.scoring.predictions import read_predictions
from postprocess.table.ratings import RatingsError, Scale, check_ratings
from preprocess.pairs.reading import read_pairs
from preprocess.selection.scores import ScoresError, load_scores
from preprocess.selection.stimuli import load_selection
from tests.factories.stimuli_rows import FIELDS
from tests.factories.written_tables import COURTESIES, READ

ROW = [FIELDS[column] for column in COLUMNS]
OTHER = [ROW[0].upper(), *ROW[1:]]
STIMULI = [list(COLUMNS), ROW, OTHER]
PAIRS = parse_stimuli(render_stimuli([ROW]).encode()).pairs


def stimuli(path):
    parsed = parse_stimuli(path.read_bytes())
    if parsed.errors:
        raise TableError(parsed.errors)
    return parsed.rows


def ratings(path):
    return check_ratings(load_ratings(path, "en"), Scale())


def predictions(path):
    found = read_predictions(path.read_bytes(), SIMILARITIES, "en", 2)
    if found.numbers is None:
        raise TableError(found.findings)
    return found.numbers


def of_bytes(read, *more):
    return lambda path: read(path.read_bytes(), *more)


NUMBERS = ["1", "2", "0.5", "0.5", "0.1"]
DOORS = {
    "stimuli": (stimuli, STIMULI),
    "ratings": (
        ratings,
        [["language", "pair", "context", "annotator", "rating", "group"],
         ["en", "1", "1", "A", "4", "g"], ["en", "1", "2", "B", "0", "h"]],
    ),
    "checks": (
        load_checks,
        [["group", "annotator", "rating", "lowest", "highest"], ["g", "A", "1", "0", "2"],
         ["g", "B", "1", "0", "2"]],
    ),
    "dataset": (
        of_bytes(read_dataset),
        [list(DATASET_COLUMNS), [*ROW[:4], *NUMBERS, *ROW[4:]], [*ROW[:4], *NUMBERS, *ROW[4:]]],
    ),
    "gold": (of_bytes(read_gold), [list(GOLD_COLUMNS), ["1", "2", "1"], ["0", "4", "4"]]),
    "word list": (
        lambda path: predict_scores(PAIRS, path.read_bytes()),
        [["word1", "word2", "score"], [*ROW[:2], "0.5"], ["a", "b", "1"]],
    ),
    "similarities": (
        of_bytes(import_similarities, 1),
        [["pair", "context", "score"], ["1", "1", "0.5"], ["1", "2", "0.25"]],
    ),
    "published boards": (
        of_bytes(lambda data: read_printed(data).rows),
        [["kind", "name", "outside", "en"], ["team", "x", "", "0.5"], ["team", "y", "", "0.25"]],
    ),
    "sources": (
        of_bytes(parse_sources, 1),
        [["pair", "context", "licence"], ["1", "1", "CC0"], ["1", "2", "CC0"]],
    ),
    "pairs": (of_bytes(read_pairs), [["word1", "word2"], ["ice", "sun"], ["sea", "ship"]]),
    "selection": (load_selection, [["window1", "window2"], ["a1", "a2"], ["b1", "b2"]]),
    "predictions": (
        predictions,
        [["sim_context1", "sim_context2"], ["0.5", "0.25"], ["0.75", "0.1"]],
    ),
}  # fmt: skip
ONE_FORMAT = {"tabs", "CR and tabs"}  # of predictions, which the one-file scorer reads, too


@pytest.mark.parametrize("courtesy", COURTESIES)
@pytest.mark.parametrize("door", DOORS)
def test_a_table_is_read_or_refused_by_name(tmp_path, door, courtesy):
    (read, rows), (write, refusal) = DOORS[door], COURTESIES[courtesy]
    path = tmp_path / "table.csv"
    path.write_bytes(write(rows))
    expected = tmp_path / "plain.csv"
    expected.write_bytes(COURTESIES["tabs"][0](rows))

    if refusal == READ and (door != "predictions" or courtesy in ONE_FORMAT):
        assert repr(as_values(read(path))) == repr(as_values(read(expected)))
    elif refusal == READ:
        with pytest.raises(TableError):
            read(path)
    else:
        with pytest.raises((TableError, RatingsError, ScoresError)) as refused:
            read(path)
        assert door == "predictions" or refusal in str(refused.value)


def as_values(found):
    """Return what was read without its index, warnings and other details."""
    if hasattr(found, "to_numpy"):
        return found.to_numpy().tolist()
    return found[0] if isinstance(found, tuple) and len(found) == 2 else found


@pytest.mark.parametrize("name", [one for one, (_, refusal) in COURTESIES.items() if not refusal])
def test_scores_of_windows_are_read(tmp_path, name):
    import pandas as pd

    rows = [["window", "score", "model"], ["a", "0.5", "m"], ["b", "0.25", "m"]]
    path = tmp_path / "scores.csv"
    path.write_bytes(COURTESIES[name][0](rows))

    scores = load_scores(path, pd.Series(["a", "b"]))

    assert scores["m"].tolist() == [0.5, 0.25]
