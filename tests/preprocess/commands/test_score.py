"""Scores of windows by models and from files, as a user types the command."""

from pathlib import Path

import pandas as pd
import pytest

from preprocess.__main__ import main
from preprocess.models import scoring
from preprocess.selection.scores import load_scores
from preprocess.windows.examining import WINDOW_TYPES
from tests.preprocess.disk import full_disk
from tests.preprocess.models.texts import CONTEXTS, long_context

SIZE = 20_000  # bytes that a file may have


def write_windows(path: Path, contexts) -> pd.DataFrame:
    rows = [
        {
            **dict.fromkeys(WINDOW_TYPES, 0),
            **{name: "" for name, kind in WINDOW_TYPES.items() if kind == "str"},
            "window": f"w{number:02}", "pair": number // 4 + 1, "text": context.text,
            "start1": context.word1.start, "end1": context.word1.end,
            "start2": context.word2.start, "end2": context.word2.end, "distance": number,
        }
        for number, context in enumerate(contexts)
    ]  # fmt: skip
    windows = pd.DataFrame(rows).astype(WINDOW_TYPES)
    windows.to_parquet(path)
    return windows


@pytest.fixture
def stored_windows(tmp_path, monkeypatch) -> pd.DataFrame:
    """The windows of a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_windows(tmp_path / "windows.parquet", CONTEXTS)


def run(*more: str) -> int:
    return main(["score", "--windows", "windows.parquet", "--out", "scores.parquet", *more])


def models_of(path: str, windows: pd.DataFrame) -> list[str]:
    return list(load_scores(Path(path), windows["window"]))


def test_layers_and_other_models_are_candidates_together(stored_windows, minilm, capsys):
    stored_windows.assign(score=range(len(stored_windows)))[["window", "score"]].to_csv(
        "own.csv", index=False
    )

    assert run("--model", f"mini={minilm}", "--layer", "all", "--scores", "elmo=own.csv") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["model", "mean", "lowest", "highest", "contrast", "distance"]
    names = ["elmo", *(f"mini@{layer}" for layer in range(7))]
    assert [line.split()[0] for line in lines[1:-1]] == names
    assert models_of("scores.parquet", stored_windows) == names
    pick = ["candidates", "--windows", "windows.parquet", "--out", "c.parquet"]
    pick += ["--scores", "scores.parquet", "--number", "4", "--models"]
    assert main([*pick, "mini@6", "mini@3"]) == 0
    picked = pd.read_parquet("c.parquet").groupby("picked").size().to_dict()
    ends = ("most similar", "least similar")
    assert picked == {f"mini@{layer}: {end}": 3 for layer in (6, 3) for end in ends}
    assert main([*pick, "mini@7"]) == 2
    assert 'no file has scores of "mini@7"; there are: elmo, mini@0' in capsys.readouterr().err


def test_two_models_and_a_cache_for_several_files(stored_windows, minilm, tiny_folder, monkeypatch):
    models = ["--model", str(tiny_folder), f"mini={minilm}", "--cache", "kept"]
    assert run(*models) == 0
    assert models_of("scores.parquet", stored_windows) == ["tiny@2", "mini@6"]
    first = Path("scores.parquet").read_bytes()

    monkeypatch.delattr(scoring, "load_model")
    assert run(*models) == 0
    assert Path("scores.parquet").read_bytes() == first
    assert run(*models, "--layer", "1", "last", "--out", "other.parquet") == 0
    assert models_of("other.parquet", stored_windows) == ["tiny@1", "tiny@2", "mini@1", "mini@6"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "error: nothing gives scores; add --model or --scores"),
        (["--model", "xlm-roberta-base"], "error: xlm-roberta-base: this is not a folder"),
        (["--model", "TINY", "no-such"], "error: no-such: this is not a folder"),
        (["--model", "TINY", "tiny=TINY"], "error: two models have one name; give one another"),
        (["--model", "TINY", "--layer", "3"], "layer 3 does not exist; the model has layers 0 to"),
        (["--scores", "windows.parquet"], "error: windows.parquet: column score is missing"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    stored_windows, tiny_folder, capsys, given, message
):
    assert run(*(one.replace("TINY", str(tiny_folder)) for one in given)) == 2

    assert message in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["windows.parquet"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--layer", "x"], "x is not a layer; write a number, last or all"),
        (["--layer", "-1"], "-1 is not a layer"),
        (["--model", "=x"], "=x lacks the name or the path; write NAME=PATH"),
    ],
)
def test_options_that_cannot_be_read_are_refused(stored_windows, capsys, given, message):
    with pytest.raises(SystemExit):
        run(*given)

    assert message in capsys.readouterr().err


def test_windows_that_a_model_cannot_score_are_named(stored_windows, tiny_folder, tmp_path, capsys):
    too_long = [long_context(n) for n in (70, *range(80, 87), 70)]
    write_windows(tmp_path / "windows.parquet", [*CONTEXTS, *too_long])

    assert run("--model", str(tiny_folder)) == 2

    lines = capsys.readouterr().err.splitlines()
    assert "the model cannot score 8 of 21 windows; remove them from windows.parquet" in lines[0]
    assert lines[1] == "window w12: 74 sub-words, and the model takes at most 64"
    assert lines[2].startswith("window w13: 84 sub-words")
    assert (len(lines), lines[-1]) == (7, "and 3 more")
    assert not Path("scores.parquet").exists()


def test_a_file_without_windows_is_refused(stored_windows, capsys):
    stored_windows.assign(rejected="words").to_parquet("windows.parquet")

    assert run("--scores", "x.tsv") == 2
    assert "windows.parquet: the file has no windows that were kept" in capsys.readouterr().err


def test_a_full_disk_leaves_nothing_half_written(stored_windows, capsys):
    table = pd.DataFrame({"window": stored_windows["window"], "score": 0.5})
    pd.concat([table.assign(model=f"m{n}") for n in range(100)]).to_parquet("many.parquet")

    with full_disk(SIZE):
        assert run("--scores", "many.parquet") == 2

    assert "File too large" in capsys.readouterr().err
    assert {path.name for path in Path().iterdir()} == {"windows.parquet", "many.parquet"}
