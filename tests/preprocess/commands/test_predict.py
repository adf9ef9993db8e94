"""The contextual baseline, as a user types the command."""

import pytest

from postprocess.formats.stimuli import StimulusPair, render_stimuli
from preprocess.__main__ import main
from preprocess.models import scoring
from tests.postprocess.scoring.published import COSIMLEX, needs_shared, write_gold
from tests.preprocess.models.texts import CONTEXTS, long_context

RESULTS = ["results_subtask1_en.tsv", "results_subtask2_en.tsv"]
GOLD = "sim_context1\tsim_context2\tchange\n" + "".join(
    f"{n}\t{n * n % 7}\t{n * n % 7 - n}\n" for n in range(6)
)


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    """A data file and its gold in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_data(tmp_path / "data_en.tsv", CONTEXTS)
    (tmp_path / "gold_en.tsv").write_text(GOLD, encoding="utf-8")
    return tmp_path


def write_data(path, contexts):
    pairs = zip(contexts[::2], contexts[1::2], strict=True)
    rows = [StimulusPair("one", "two", *both).fields() for both in pairs]
    path.write_text(render_stimuli(rows), encoding="utf-8")


def predict(model, *more):
    given = ["--data", "data_en.tsv", "--model", str(model), "--out", "out"]
    return main(["predict", *given, *more])


def test_the_last_layer_is_the_default_and_nothing_is_read_twice(
    data_folder, tiny_folder, capsys, monkeypatch
):
    assert predict(tiny_folder) == 0

    assert sorted(path.name for path in (data_folder / "out").iterdir()) == RESULTS
    assert len((data_folder / "out" / RESULTS[1]).read_text().splitlines()) == 7
    assert "layer" not in capsys.readouterr().out
    first = (data_folder / "out" / RESULTS[0]).read_bytes()
    monkeypatch.delattr(scoring, "load_model")
    assert predict(tiny_folder, "--layer", "2") == 0
    assert (data_folder / "out" / RESULTS[0]).read_bytes() == first


def test_a_sweep_says_that_its_best_layer_was_chosen_on_the_gold(data_folder, tiny_folder, capsys):
    assert predict(tiny_folder, "--layer", "all", "--gold", ".", "--cache", "kept") == 0

    out = capsys.readouterr().out
    written = {path.relative_to(data_folder).as_posix() for path in data_folder.glob("out/*/*")}
    assert written == {f"out/layer{n}/{name}" for n in range(3) for name in RESULTS}
    lines = out.splitlines()[6:]
    assert lines[0].split() == ["layer", "subtask", "1", "subtask", "2"]
    assert [line.split()[0] for line in lines[1:4]] == ["0", "1", "2"]
    assert "They were chosen on the gold" in " ".join(lines)
    assert (data_folder / "kept").is_dir()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--layer", "3"], "layer 3 does not exist; the model has layers 0 to 2"),
        (["--language", "hr", "--gold", "."], "has no gold_hr.tsv, only gold_en.tsv"),
        (["--gold", "out"], "has no file gold_<lang>.tsv"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    data_folder, tiny_folder, capsys, given, message
):
    assert predict(tiny_folder, *given) == 2

    assert message in capsys.readouterr().err
    assert not (data_folder / "out").exists()


def test_long_texts_and_gold_of_other_pairs_are_refused(data_folder, tiny_folder, capsys):
    write_data(data_folder / "data_en.tsv", [*CONTEXTS, CONTEXTS[0], long_context(70)])

    assert predict(tiny_folder) == 2
    assert "row 7 (line 8), context2: 74 sub-words" in capsys.readouterr().err
    assert predict(tiny_folder, "--gold", ".") == 2
    assert "gold_en.tsv has 6 pairs, and the data file has 7" in capsys.readouterr().err
    assert not (data_folder / "out").exists()


@needs_shared
def test_the_published_contexts_have_the_scores_that_were_measured(e5_folder, tmp_path, capsys):
    write_gold(tmp_path, "fi")
    command = ["predict", "--data", str(COSIMLEX / "data_fi.tsv"), "--model", str(e5_folder)]
    command += ["--layer", "all", "--gold", str(tmp_path), "--out", str(tmp_path / "out")]

    assert main(command) == 0

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = {line[0]: [*map(float, line[1:])] for line in lines if line[0] in ("7", "12")}
    assert found["12"] == pytest.approx([0.265, 0], abs=0.005)
    assert found["7"] == pytest.approx([0.309, 0.118], abs=0.005)
