import json
import stat

import pytest

from postprocess.__main__ import main
from postprocess.designs.design import read_design
from postprocess.formats.stimuli import render_stimuli
from postprocess.release.description.study import parse_description
from tests.factories.designed import invented_items, invented_ratings
from tests.postprocess.release.releases import (
    KEY,
    SECRET_WORD,
    full_description,
    numbered_row,
    rate,
    words_of,
)


@pytest.fixture
def release_arguments(tmp_path):
    """Return the arguments of a successful release whose ratings have engagement words."""
    rows = [numbered_row(number) for number in range(1, 7)]
    (tmp_path / "data_sl.tsv").write_text(render_stimuli(rows), encoding="utf-8")
    ratings = rate(6)
    merged = ratings.merge(words_of(ratings), on=["pair", "context", "annotator"])
    merged.assign(language="sl").to_csv(tmp_path / "ratings_sl.csv", index=False)
    files = {"--stimuli": "data_sl.tsv", "--ratings": "ratings_sl.csv", "--out": "out"}
    named = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    return ["release", *named, "--language", "sl", "--recipe", "raw", "--no-report"]


def describe(tmp_path, **sections):
    path = tmp_path / "description.toml"
    path.write_text(full_description(**sections).render(), encoding="utf-8")
    return ["--description", str(path)]


def test_release_writes_a_folder_and_lists_missing_texts(release_arguments, tmp_path, capsys):
    assert main([*release_arguments, "--key", KEY]) == 0

    out, err = capsys.readouterr()
    assert f"written   {tmp_path / 'out.zip'}\n" in out
    missing = json.loads((tmp_path / "out/report.json").read_text("utf-8"))["to_be_written"]
    *listed, hint = err.splitlines()
    assert "python -m postprocess describe" in hint
    assert listed == [
        f"to be written: {one['file']}, {one['section']}: {one['what']}" for one in missing
    ]
    assert "to be written: README.md, Licence: the licence, one of CC0-1.0" in err
    assert not any(
        SECRET_WORD.encode() in path.read_bytes() for path in (tmp_path / "out").rglob("*.*")
    )


def test_release_has_the_report_by_default(release_arguments, tmp_path):
    changes = ("report.n_resamples=0", "report.n_splits=1", "report.pdf=false")
    little = [f"--set={change}" for change in changes]

    wanted = [argument for argument in release_arguments if argument != "--no-report"]
    assert main([*wanted, *little, "--key", KEY]) == 0

    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.html", "table1.tex", "figures"} <= written
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "| `report.html` | the report |" in card


def test_release_of_a_full_description_is_complete(release_arguments, tmp_path, capsys):
    described = describe(tmp_path, consent={"obtained": "Yes.", "publishes_words": True})
    (tmp_path / "key").write_text(KEY + "\n")

    code = main([*release_arguments, "--key-file", str(tmp_path / "key"), *described, "--complete",
                 "--practice", "2"])  # fmt: skip

    assert (code, capsys.readouterr().err) == (0, "")
    assert SECRET_WORD in (tmp_path / "out/ratings_sl.tsv").read_text("utf-8")


@pytest.mark.parametrize("named", [True, False])
def test_release_creates_a_missing_key_and_reuses_it(release_arguments, tmp_path, capsys, named):
    key = tmp_path / ("keys/mine" if named else "out.key")
    options = ["--key-file", str(key)] if named else []

    assert main([*release_arguments, *options]) == 0
    first, made = (tmp_path / "out.zip").read_bytes(), key.read_text("utf-8")
    first_out = capsys.readouterr().out
    assert main([*release_arguments, *options]) == 0
    second_out = capsys.readouterr().out

    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(made.strip()) == 32
    assert f"new key   {key}: annotator ids are derived from this key. Keep it secret" in first_out
    assert f"key       {key}: annotator ids are derived from this key" in second_out
    assert ((tmp_path / "out.zip").read_bytes(), key.read_text("utf-8")) == (first, made)
    assert made.strip() not in first_out


def test_a_new_key_changes_the_ids(release_arguments, tmp_path):
    released = []
    for name in ("one", "other"):
        assert main([*release_arguments, "--key-file", str(tmp_path / name)]) == 0
        released.append((tmp_path / "out/ratings_sl.tsv").read_bytes())

    assert released[0] != released[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00binary", "is not a text file; give the file of the key, or one"),
        (b"", "must have 16 characters or more"),
        (b"  too short  \n", "must have 16 characters or more"),
    ],
)
def test_release_refuses_an_invalid_key_file(release_arguments, tmp_path, capsys, content, message):
    (tmp_path / "key").write_bytes(content)

    assert main([*release_arguments, "--key-file", str(tmp_path / "key")]) == 2

    error = capsys.readouterr().err
    assert error.startswith(f"error: {tmp_path / 'key'}")
    assert message in error
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "key").read_bytes() == content


def test_release_refuses_a_key_in_the_published_folder(release_arguments, tmp_path, capsys):
    assert main([*release_arguments, "--key-file", str(tmp_path / "out/.key")]) == 2

    assert "is in the folder that is published" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_failed_release_leaves_no_key(release_arguments, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/other.txt").touch()

    assert main(release_arguments) == 2

    assert "contains files that are not part of this release" in capsys.readouterr().err
    assert not (tmp_path / "out.key").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--complete"], "texts still to be written; nothing was released"),
        (["--key", "short"], "must have 16 characters or more"),
        (["--practice", "6"], "at least one pair must remain"),
        (["--description", "none.toml"], "none.toml: No such file"),
        (["--set", "scale.maximum=5"], "outside the scale"),
    ],
)
def test_release_reports_errors_and_writes_nothing(
    release_arguments, tmp_path, capsys, options, message
):
    assert main([*release_arguments, "--key", KEY, *options]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data_sl.tsv", "ratings_sl.csv"]


def test_release_refuses_an_impossible_description(release_arguments, tmp_path, capsys):
    (tmp_path / "d.toml").write_text("[pay]\namuont = 'x'")

    assert main([*release_arguments, "--key", KEY, "--description", str(tmp_path / "d.toml")]) == 2

    assert "pay.amuont: unknown entry" in capsys.readouterr().err


def test_a_release_can_be_traced_and_rebuilt(release_arguments, tmp_path, capsys):
    assert main([*release_arguments, "--key", KEY, *describe(tmp_path), "--practice", "2"]) == 0
    out, again = tmp_path / "out", tmp_path / "again"

    for pair in range(1, 7):
        assert main(["trace", str(out), "--pair", str(pair), "--context", "2"]) == 0
    test, practice = (
        path.read_text("utf-8").splitlines(keepends=True)
        for path in (out / "data/data_sl.tsv", out / "practice_kit/data_sl.tsv")
    )
    (tmp_path / "all.tsv").write_text("".join([*test, *practice[1:]]), "utf-8")
    code = main([
        "release", "--stimuli", str(tmp_path / "all.tsv"), "--language", "sl", "--no-report",
        "--ratings", str(out / "ratings_sl.parquet"), "--recipe", str(out / "recipe.toml"),
        "--description", str(out / "description.toml"), "--key", KEY, "--practice", "2",
        "--out", str(again),
    ])  # fmt: skip

    assert code == 0
    for name in ("cosimlex_sl.csv", "practice_kit/cosimlex_sl.csv", "scores.tsv"):
        assert (again / name).read_bytes() == (out / name).read_bytes()
    capsys.readouterr()


def test_describe_prints_a_template(tmp_path, capsys):
    assert main(["describe"]) == 0
    form = capsys.readouterr().out
    assert '# title = ""  # the name of the dataset' in form
    parse_description(form.encode())

    assert main(["describe", describe(tmp_path)[1]]) == 0
    assert 'title = "Similarity of words in context"\n' in capsys.readouterr().out


def test_release_and_build_take_a_design(tmp_path, capsys):
    design, out = read_design("simlex"), tmp_path / "out"
    (tmp_path / "items.tsv").write_bytes(invented_items(design, 12))
    invented_ratings(design, 12).assign(language="sl").to_csv(tmp_path / "given.csv", index=False)
    named = {"--stimuli": "items.tsv", "--ratings": "given.csv", "--out": "out"}
    files = [part for option, name in named.items() for part in (option, str(tmp_path / name))]
    arguments = ["release", *files, "--language", "sl", "--key", KEY, "--no-report"]
    sources = ["--design", "simlex", "--sources", str(tmp_path / "given.csv")]

    refused = main([*arguments, *sources])
    code = main([*arguments, "--design", "simlex", "--recipe", "raw"])

    assert (refused, code) == (2, 0)
    assert "leave out --sources or --design" in capsys.readouterr().err
    assert main(["verify", str(out)]) == 0
    inputs = ["--stimuli", out / "data/items_sl.tsv", "--ratings", out / "ratings_sl.tsv"]
    rules = ["--design", out / "design.toml", "--recipe", out / "recipe.toml"]
    again = ["build", *inputs, *rules, "--out", tmp_path / "again", "--language", "sl"]
    assert main([*map(str, again), "--name", "simlex", "--no-report"]) == 0
    names = ("simlex_sl.csv", "scores.tsv", "recipe.toml", "ledger.tsv")
    assert [(tmp_path / "again" / name).read_bytes() for name in names] == [
        (out / name).read_bytes() for name in names
    ]
