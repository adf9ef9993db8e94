"""The commands, one after the other, as a user types them."""

import json
import lzma
import os
import signal
import subprocess
import sys
import time
from functools import partial
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest

from postprocess.formats.stimuli import load_stimuli
from postprocess.version import __version__
from preprocess.__main__ import main
from preprocess.windows import dividing
from tests.machine import ROOT
from tests.preprocess.corpus import write
from tests.preprocess.disk import full_disk
from tests.preprocess.windows.test_finding import stories_by_id, story


@pytest.fixture
def corpus_folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.conllu", [line for n in range(30) for line in story(n, "# newdoc")])
    text = "word1\tword2\nice\tsun\nlake\tsun\nfire\tice\n"
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    return tmp_path


FIND = (
    "find --corpus a.conllu --pairs pairs.tsv --language en --out w/windows.parquet --licence CC0"
)


def run(command: str) -> int:
    return main(command.split())


def test_from_a_corpus_to_stimuli(corpus_folder, capsys):
    assert run(FIND) == 0
    said = capsys.readouterr().out
    assert "pairs     3, 1 of them without a window, 0 with 100\n" in said
    assert "windows   60 seen, 60 examined, 60 kept\nrejected  none\n" in said

    windows = pd.read_parquet("w/windows.parquet")
    scores = windows.assign(score=range(len(windows)))[["window", "score"]]
    scores.to_csv("e5.tsv", sep="\t", index=False)
    assert run("candidates --windows w/windows.parquet --scores e5.tsv --out w/c.parquet") == 0
    said = capsys.readouterr().out
    assert "pairs      2, 2 of them with 8 candidates, 0 with a single one\n" in said

    extremes = pd.read_parquet("w/c.parquet").sort_values(["pair", "score_e5"]).groupby("pair")
    chosen = pd.concat(
        [extremes["window"].last().rename("window1"), extremes["window"].first().rename("window2")],
        axis="columns",
    )
    chosen.to_csv("selection.tsv", sep="\t", index=False)
    command = "stimuli --windows w/c.parquet --selection selection.tsv --language en --out done"
    assert run(command) == 0
    stimuli = load_stimuli("done/data_en.tsv")
    assert [(pair.word1, pair.word2) for pair in stimuli.pairs] == [("ice", "sun"), ("lake", "sun")]
    sources = pd.read_csv("done/sources_en.tsv", sep="\t")
    assert sources["window"].tolist() == chosen.to_numpy().ravel().tolist()
    assert set(sources["licence"]) == {"CC0"}
    assert set(sources["file"]) == {"a.conllu"}
    origin = json.loads(Path("done/origin_en.json").read_text(encoding="utf-8"))
    size, digest = Path("a.conllu").stat().st_size, sha256(Path("e5.tsv").read_bytes()).hexdigest()
    windows = origin.pop("windows")
    assert (windows["version"], windows["corpus"]) == (__version__, [["a.conllu", size]])
    assert ["words", 20, 90, "reject"] in windows["filters"]
    assert origin == {
        "scores": {"e5.tsv": {"sha256": digest}},
        "candidates": {"number": 8, "seed": 1, "distance_within": None, "models": ["e5"]},
    }


def test_the_same_command_gives_the_same_bytes(corpus_folder):
    run(FIND + " --processes 1")
    first = {path.name: path.read_bytes() for path in Path("w").iterdir()}
    run(FIND + " --processes 2")

    assert {path.name: path.read_bytes() for path in Path("w").iterdir()} == first
    assert sorted(first) == ["windows.counts.tsv", "windows.parquet"]


def test_a_compressed_corpus_gives_the_same_windows(corpus_folder):
    run(FIND)
    plain = pd.read_parquet("w/windows.parquet").drop(columns=["window", "file"])
    Path("a.conllu").write_bytes(lzma.compress(Path("a.conllu").read_bytes()))
    run(FIND)

    packed = pd.read_parquet("w/windows.parquet").drop(columns=["window", "file"])
    pd.testing.assert_frame_equal(packed, plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("a.conllu", "none.conllu"), "error: none.conllu: No such file or directory"),
        (("a.conllu", "pairs.tsv"), "error: pairs.tsv, line 1: this line has 2 columns"),
        (("--language en", "--language fi"), 'do not look like the language "fi"'),
        (("a.conllu", "a.conllu a.conllu"), "error: a.conllu: two files have this name"),
        (("CC0", "CC0 --filter end=1"), "error: "),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(corpus_folder, capsys, change, message):
    assert run(FIND.replace(*change)) == 2

    assert message in capsys.readouterr().err
    assert not Path("w/windows.parquet").exists()


def test_sent_ids_can_give_the_borders_of_documents(corpus_folder, capsys):
    write(corpus_folder / "a.conllu", stories_by_id(6))

    assert run(FIND) == 0
    assert "a.conllu: no `# newdoc` in the first 24 sentences" in capsys.readouterr().err
    assert (pd.read_parquet("w/windows.parquet")["document"] == "").all()

    assert run(f"{FIND} --by-sent-id") == 0
    assert capsys.readouterr().err.count("newdoc") == 0
    assert set(pd.read_parquet("w/windows.parquet")["document"]) == {f"s{n}" for n in range(6)}


def test_a_word_with_a_space_is_refused_unless_the_corpus_has_such_lemmas(corpus_folder, capsys):
    (corpus_folder / "pairs.tsv").write_text("word1\tword2\nice cream\tsun\nsun\tlake\n")

    assert run(FIND) == 2
    assert "no lemma has a space, so these words cannot be found: “ice cream”" in (
        capsys.readouterr().err
    )
    assert not (corpus_folder / "w").exists()

    text = (corpus_folder / "a.conllu").read_text(encoding="utf-8")
    (corpus_folder / "a.conllu").write_text(
        text.replace("\tice\tNOUN", "\tice cream\tNOUN"), encoding="utf-8"
    )
    assert run(FIND) == 0
    assert "pairs     2, 0 of them without a window" in capsys.readouterr().out


def test_the_name_of_a_language_is_no_code(corpus_folder, capsys):
    with pytest.raises(SystemExit):
        run(FIND.replace("--language en", "--language Slovene"))

    assert "Slovene is not the code of a language; write sl or hr" in capsys.readouterr().err
    assert not Path("w").exists()


def test_a_table_without_the_columns_of_pairs_has_one_problem(corpus_folder, capsys):
    Path("pairs.tsv").write_text("first\tsecond\nice\tsun\n", encoding="utf-8")

    assert run(FIND) == 2
    assert capsys.readouterr().err == (
        "error: pairs.tsv: missing columns: word1, word2; the header must name them, separated by "
        "tabs (it has 'first', 'second')\n"
    )


def test_an_unknown_window_of_a_selection_is_named(corpus_folder, capsys):
    run(FIND)
    windows = pd.read_parquet("w/windows.parquet")["window"].tolist()
    rows = [("window1", "window2"), (windows[0], "x"), (windows[0], windows[-1]), (windows[1],) * 2]
    text = "".join("\t".join(row) + "\n" for row in rows)
    Path("selection.tsv").write_text(text, encoding="utf-8")

    command = "stimuli --windows w/windows.parquet --selection selection.tsv --language en --out o"
    assert run(command) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: selection.tsv: ")
    assert said.removeprefix("error: ").replace("selection.tsv: ", "").splitlines() == [
        'row 1 (line 2), window2: window "x" does not exist; choose a candidate',
        "row 2 (line 3): the two windows belong to different pairs; choose two of the same pair",
        "row 3 (line 4): both windows are the same; choose two",
    ]
    assert not Path("o").exists()


def test_contexts_that_share_a_sentence_are_reported(corpus_folder, capsys):
    _, ice, sun, _ = story(1)
    between, other_ice, other_sun, _ = story(3)
    write(corpus_folder / "a.conllu", ["# newdoc\n", ice, sun, between, other_ice, other_sun])
    run(FIND)
    windows = pd.read_parquet("w/windows.parquet").query("pair == 1 and rejected == ''")
    first, second = windows["window"]
    Path("selection.tsv").write_text(f"window1\twindow2\n{first}\t{second}\n")

    command = "stimuli --windows w/windows.parquet --selection selection.tsv --language en --out o"
    assert run(command) == 0
    said = capsys.readouterr().err
    assert "selection.tsv: warning: row 1 (line 2): both contexts have sentence 3 of" in said


def test_a_file_that_holds_no_windows_is_refused(corpus_folder, capsys):
    pd.DataFrame({"x": [1]}).to_parquet("x.parquet")

    assert run("candidates --windows x.parquet --out c.parquet") == 2
    assert run("candidates --windows pairs.tsv --out c.parquet") == 2
    said = capsys.readouterr().err
    assert "error: x.parquet: column window is missing" in said
    assert "error: pairs.tsv is not a Parquet file" in said


def test_a_full_disk_is_reported_and_the_same_command_goes_on(corpus_folder, capsys):
    with full_disk(2_000):
        assert run(f"{FIND} --processes 1") == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "File too large" in said
    assert not Path("w/windows.parquet").exists()

    assert run(FIND) == 0

    assert sorted(path.name for path in Path("w").iterdir()) == [
        "windows.counts.tsv", "windows.parquet"
    ]  # fmt: skip


def test_a_search_that_is_stopped_goes_on(corpus_folder, monkeypatch):
    run(FIND)
    wanted = Path("w/windows.parquet").read_bytes()
    Path("w/windows.parquet").unlink()
    program = (
        "import preprocess.windows.parts as parts, preprocess.windows.finding as finding, sys\n"
        "import preprocess.windows.dividing as dividing, functools, time\n"
        "dividing.Processes = functools.partial(dividing.Processes, part_size=9000)\n"
        "scan = finding.scan_part\n"
        "finding.scan_part = lambda *a, **k: (time.sleep(0.1), scan(*a, **k))[1]\n"
        "from preprocess.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    arguments = [sys.executable, "-c", program, *FIND.split(), "--processes", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    stopped = subprocess.Popen(arguments, env=environment, stderr=subprocess.PIPE, text=True)
    while len(list(Path("w").glob("*.parts/*.npz"))) < 1:
        time.sleep(0.05)
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate(timeout=60)

    assert (stopped.returncode, said) == (130, "stopped; the same command goes on from here\n")
    assert not Path("w/windows.parquet").exists()
    monkeypatch.setattr(dividing, "Processes", partial(dividing.Processes, part_size=9000))
    run(f"{FIND} --processes 1")
    assert Path("w/windows.parquet").read_bytes() == wanted
    assert not list(Path("w").glob("*.parts"))
