import ast
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from postprocess.__main__ import COMMANDS, main
from postprocess.formats.stimuli import render_stimuli
from preprocess.__main__ import COMMANDS as PREPARING
from tests.factories.stimuli_rows import FIELDS

ROW = (
    "bank",
    "river",
    "One <strong>bank</strong> of a <strong>river</strong>",
    "A <strong>river</strong> has a <strong>bank</strong>. So it is.",
    "bank",
    "river",
    "bank",
    "river",
)
RATINGS = "language,pair,context,annotator,rating\n" + "".join(
    f"xx,1,{context},A{i}{context},{rating}\n"
    for context, ratings in ((1, [0, 1, 2]), (2, [4, 5, 6]))
    for i, rating in enumerate(ratings)
)


@pytest.fixture
def arguments(tmp_path):
    """Return the arguments of a build that succeeds."""
    (tmp_path / "data.tsv").write_text(render_stimuli([ROW]), encoding="utf-8")
    (tmp_path / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    files = {"--stimuli": "data.tsv", "--ratings": "ratings.csv", "--out": "out"}
    named = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    return ["build", *named, "--language", "xx", "--no-report"]


def test_build_takes_the_recipe_of_a_design_of_kind_text(arguments, tmp_path):
    assert main([*arguments, "--design", "cosimlex-crowd", "--set", "calibration.threshold=9"]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["recipe"]["name"] == "cosimlex"
    assert report["recipe"]["calibration"]["threshold"] == 9


def build_single(tmp_path, arguments, design, items, ratings):
    """Build a dataset of pairs with one context; return its folder. Rows of ratings: a pair's."""
    (tmp_path / "data.tsv").write_text(items, encoding="utf-8")
    rows = "".join(
        f"xx,{pair},1,A{i},{rating}\n"
        for pair, of in enumerate(ratings, 1)
        for i, rating in enumerate(of)
    )
    table = f"language,pair,context,annotator,rating\n{rows}"
    (tmp_path / "ratings.csv").write_text(table, encoding="utf-8")
    assert main([*arguments, "--design", design]) == 0
    return tmp_path / "out"


def test_build_writes_means_of_pairs_with_one_context(arguments, tmp_path, capsys):
    items = "id\tword1\tword2\na\ttavo\tmiren\nb\tsel\toru\nc\tkaf\tulo\n"
    ratings = [(4, 3.5, 3), (0, 0.25, 0.5), (2, 2, 2.75)]

    out = build_single(tmp_path, arguments, "semeval2017", items, ratings)

    assert (out / "data/items_xx.tsv").read_text() == items
    assert (out / "gold/gold_xx.tsv").read_text() == "id\tscore\na\t3.5\nb\t0.25\nc\t2.25\n"
    assert (out / "scores.tsv").read_text() == (
        "pair\tn\tscore\tstdev\tmedian\n1\t3\t3.5\t0.5\t3.5\n2\t3\t0.25\t0.25\t0.25\n"
        "3\t3\t2.25\t0.433012701892\t2\n"
    )
    header = (out / "intervals.tsv").read_text().partition("\n")[0]
    assert header == "pair\tscore\tscore_low\tscore_high\tscore_error"
    report = json.loads((out / "report.json").read_text())
    assert not {"change", "confounds", "intervals"} & set(report)
    assert report["counts"]["contexts"] == 3
    assert "average pairwise Pearson 0.94" in capsys.readouterr().out


def test_build_writes_no_tag_for_a_tie(arguments, tmp_path):
    text = "The <strong>lim</strong> is here.\tIt is a <strong>lim</strong>.\tlim\tlim\n"
    items = "id\tword1\tword2\ttext1\ttext2\tform1\tform2\n" + "".join(
        f"{name}\tlim\tlim\t{text}" for name in "ab"
    )

    out = build_single(tmp_path, arguments, "wic", items, [(1, 1), (0, 1)])

    assert (out / "gold/gold_xx.tsv").read_text() == "id\ttag\na\tT\n"
    assert (out / "scores.tsv").read_text() == "pair\tn\tscore\tshare\n1\t2\t1\t1\n2\t2\t\t0.5\n"
    assert not (out / "intervals.tsv").exists()

    decided = tmp_path / "adjudicated_xx.tsv"
    decided.write_text("language\tpair\tcontext\tannotator\trating\nxx\t2\t1\tadjudicator\t0\n")
    build_single(
        tmp_path, [*arguments, "--adjudicated", str(decided)], "wic", items, [(1, 1), (0, 1)]
    )
    assert (out / "gold/gold_xx.tsv").read_text() == "id\ttag\na\tT\nb\tF\n"


def test_build_writes_the_files_and_lists_them(arguments, tmp_path, capsys):
    assert main(arguments) == 0

    out, err = capsys.readouterr()
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["inputs"]["ratings"] == hashlib.sha256(RATINGS.encode()).hexdigest()
    assert "ratings   6 of 6 used, 6 of 6 annotators\n" in out
    assert (
        "scores    mean 5.00, SD 1.67, |change| 6.67, human –\n"
        "changed   q < 0.05 0 % †, two-sided p < 0.05 0 %\n"
        "          one-sided, as published: p < 0.05 100 %, p < 0.1 100 %\n"
    ) in out
    assert f"written   {tmp_path / 'out' / 'cosimlex_xx.csv'}\n" in out
    assert err == (
        "stimuli warning: row 1 (line 2), context1: about 1 sentence, far from three; "
        "check the context\n"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--stimuli": "missing.tsv"}, "missing.tsv: No such file or directory"),
        ({"--ratings": "."}, "Is a directory"),
        ({"--out": "data.tsv"}, "data.tsv: this is a file, not a folder"),
        ({"--ratings": "data.tsv"}, "the ratings: missing columns: pair, context, annotator"),
        ({"--stimuli": "ratings.csv"}, "missing columns: word1"),
        ({"--language": "yy"}, 'language is not "yy": row 1 (line 2) "xx", '),
        ({"--language": "../xx"}, "is not"),
        ({"--set": "filtering.k=-1"}, "filtering.k: "),
        ({"--recipe": "simplex"}, 'unknown recipe "simplex"; name one of cosimlex'),
        ({"--recipe": "mine.toml"}, "mine.toml: No such file"),
        ({"--checkpoints": "none.csv"}, "none.csv: No such file"),
    ],
)
def test_build_refuses_plainly_and_writes_nothing(arguments, tmp_path, capsys, changes, message):
    paths = ("--stimuli", "--ratings", "--out")
    for option, value in changes.items():
        arguments += [option, str(tmp_path / value) if option in paths else value]
    before = sorted(tmp_path.rglob("*"))

    assert main(arguments) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err
    assert sorted(tmp_path.rglob("*")) == before


def test_build_supports_another_scale(arguments, tmp_path):
    assert main([*arguments, "--set", "scale.minimum=-4"]) == 0

    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["recipe"]["scale"] == {"minimum": -4, "maximum": 6, "step": 1}
    assert report["table1"]["text"]["mean"] == "7.00"


@pytest.mark.parametrize("change", ["scale.minimum=6", "scale.maximum=6.5"])
def test_build_refuses_an_impossible_scale(arguments, capsys, change):
    assert main([*arguments, "--set", change]) == 2

    assert capsys.readouterr().err.startswith("error: scale: the ")


def test_trace_leads_from_a_release_back_to_its_ratings(arguments, tmp_path, capsys):
    assert main(arguments) == 0
    (tmp_path / "out" / "ratings_xx.csv").write_text(RATINGS, encoding="utf-8")
    capsys.readouterr()

    assert main(["trace", str(tmp_path / "out"), "--pair", "1", "--context", "2"]) == 0

    out = capsys.readouterr().out
    assert "pair 1, context 2; recipe cosimlex" in out
    assert out.endswith("cosimlex_xx.csv has sim2 8.33: the same\n")


def test_trace_reports_figures_that_differ_from_the_ratings(arguments, tmp_path, capsys):
    assert main(arguments) == 0
    other = RATINGS.replace("A22,6", "A22,4")
    (tmp_path / "out" / "ratings_xx.csv").write_text(other, encoding="utf-8")

    assert main(["trace", str(tmp_path / "out"), "--pair", "1", "--context", "2"]) == 1

    assert capsys.readouterr().out.endswith("has sim2 8.33: NOT THE SAME\n")


def test_trace_refuses_a_folder_that_is_no_release(tmp_path, capsys):
    assert main(["trace", str(tmp_path), "--pair", "1", "--context", "2"]) == 2

    assert "must contain one file <name>_<lang>.csv, but has 0" in capsys.readouterr().err


def test_compare_prints_the_changes_of_another_recipe(arguments, tmp_path, capsys):
    given = [*arguments[1:5], "--language", "xx"]

    assert main(["compare", "cosimlex", "raw", *given, "--out", str(tmp_path / "compared")]) == 0

    out = capsys.readouterr().out
    assert out.startswith("cosimlex → raw\n")
    assert "annotators treated differently" in out
    scores = (tmp_path / "compared" / "compared_scores.tsv").read_text(encoding="utf-8")
    assert scores.startswith("pair\tsim1_first\tsim1_second\tsim1_difference\t")


def test_build_needs_its_arguments(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["build"])

    assert "--stimuli" in capsys.readouterr().err


def test_python_m_postprocess_gives_back_a_published_file(published, tmp_path):
    language = "fi"
    command = [sys.executable, "-m", "postprocess", "build", "--language", language]
    command += ["--stimuli", published / f"data_{language}.tsv"]
    command += ["--ratings", published / f"ratings_{language}.csv", "--out", tmp_path]
    command += ["--recipe", "raw", "--set", "files.scientific_below=1e-4", "--no-report"]
    command += ["--set", "report.n_resamples=0"]

    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], capture_output=True)

    dataset_file = (published / f"cosimlex_{language}.csv").read_bytes()
    assert (tmp_path / f"cosimlex_{language}.csv").read_bytes() == dataset_file


def test_build_gives_the_dataset_a_name_and_trace_finds_it(arguments, tmp_path, capsys):
    assert main([*arguments, "--name", "usim-2"]) == 0
    (tmp_path / "out" / "ratings_xx.csv").write_text(RATINGS, encoding="utf-8")
    assert main(["trace", str(tmp_path / "out"), "--pair", "1", "--context", "2"]) == 0
    assert capsys.readouterr().out.endswith("usim-2_xx.csv has sim2 8.33: the same\n")

    with pytest.raises(SystemExit):
        main([*arguments, "--name", "a/b"])
    assert "must be 1 to 50 letters" in capsys.readouterr().err


def test_the_summary_accounts_for_all_ratings(tmp_path, capsys):
    """The same people rate both halves; some are left out of one half alone."""
    texts = render_stimuli([list(FIELDS.values())] * 6)
    (tmp_path / "st.tsv").write_text(texts, encoding="utf-8")
    rows = ["language,pair,context,annotator,rating,group"]
    for context, group in ((1, "g1"), (2, "g2")):
        for person in range(1, 8):
            points = [1, 2, 3, 4, 5, 6]
            if person == 7 and context == 2:
                points.reverse()
            rows += [f"en,{n},{context},A{person},{x},{group}" for n, x in enumerate(points, 1)]
    (tmp_path / "r.csv").write_text("\n".join(rows))
    files = ["--stimuli", str(tmp_path / "st.tsv"), "--ratings", str(tmp_path / "r.csv")]

    main(["build", *files, "--language", "en", "--out", str(tmp_path / "out"), "--no-report"])

    out = capsys.readouterr().out
    assert "ratings   78 of 84 used, 7 of 7 annotators\n" in out
    assert re.search(r"left out  0 annotators; 6 ratings \(.*: 6\)\n", out)


PROGRAMS = {"postprocess": COMMANDS, "preprocess": PREPARING}
SLOW = {"pandas", "scipy", "pyarrow", "pydantic", "matplotlib", "simplemma"}


@pytest.mark.parametrize(
    ("program", "command"),
    [(program, name) for program, commands in PROGRAMS.items() for name in ("", *commands)],
)
def test_help_loads_no_numeric_library(program, command):
    code = (
        f"import sys\nfrom {program}.__main__ import main\n"
        "try:\n    main([*sys.argv[1:], '--help'])\n"
        "finally:\n    print([name for name in sys.modules if '.' not in name])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True
    )

    loaded = ast.literal_eval(done.stdout.splitlines()[-1])
    assert "usage: " in done.stdout
    assert set(loaded) & SLOW == set()
    assert "numpy" not in loaded or command == "predict"  # fast enough alone
    assert [name for name in PROGRAMS[program] if name not in done.stdout] == [] or command
