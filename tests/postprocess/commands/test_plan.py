import pandas as pd
import pytest

from postprocess.__main__ import main
from tests.postprocess.published_format import cells, random_pairs, ratings_of, write_release

QUICK = ["--change", "3", "--most", "15", "--simulations", "200"]


@pytest.fixture(scope="module")
def dataset_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan") / "release"
    write_release(folder)
    return str(folder / "cosimlex_xx.csv")


@pytest.fixture
def ratings(tmp_path):
    table = ratings_of(*random_pairs())
    table.insert(0, "language", "xx")
    table.to_csv(tmp_path / "ratings_xx.csv", index=False)
    return str(tmp_path / "ratings_xx.csv")


def test_plan_prints_a_table(dataset_file, capsys):
    assert main(["plan", "--dataset", dataset_file, *QUICK]) == 0

    out, err = capsys.readouterr()
    assert out.startswith("change")
    assert "12 pairs in blocks of 20, 40 s an item" in out
    assert err == ""


def test_plan_writes_tables_and_figures(dataset_file, tmp_path, capsys):
    out = tmp_path / "new" / "plan"

    assert main(["plan", "--dataset", dataset_file, *QUICK, "--out", str(out)]) == 0

    assert sorted(path.name for path in out.iterdir()) == [
        "plan.png", "plan.svg", "plan.tsv", "power.tsv",
    ]  # fmt: skip
    assert cells(out / "plan.tsv")[0][:2] == ["change", "n"]
    assert len(cells(out / "power.tsv")) == 15
    assert f"written   {out / 'plan.svg'}\n" in capsys.readouterr().out


def test_plan_finds_the_least_detectable_change(dataset_file, tmp_path, capsys):
    out = tmp_path / "plan"

    assert (
        main(["plan", "--dataset", dataset_file, *QUICK, "--annotators", "20", "--out", str(out)])
        == 0
    )

    text = capsys.readouterr().out
    table = cells(out / "detectable.tsv")
    assert [row[0] for row in table] == ["n", "20"]
    assert f"{float(table[1][1]):.2f}" in text
    assert "the least one of which n annotators per context find 80%" in text


def test_plan_leaves_out_marked_ratings(ratings, tmp_path, capsys):
    table = pd.read_csv(ratings)
    more = table.assign(annotator="B" + table["annotator"], rating=6, mark="rejected")
    marked = tmp_path / "marked.csv"
    pd.concat([table.assign(mark=""), more]).to_csv(marked, index=False)
    outputs = []

    for path in (ratings, str(marked)):
        assert main(["plan", "--ratings", path, "--language", "xx", *QUICK]) == 0
        outputs.append(capsys.readouterr().out)

    assert outputs[0] == outputs[1]


def test_plan_depends_on_the_seed(ratings, tmp_path):
    arguments = ["plan", "--ratings", ratings, "--language", "xx", *QUICK]
    for name, seed in (("one", "5"), ("same", "5"), ("other", "6")):
        assert main([*arguments, "--seed", seed, "--out", str(tmp_path / name)]) == 0

    one, same, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "same", "other")
    )
    assert one == same
    assert one["power.tsv"] != other["power.tsv"]


def test_plan_computes_the_cost(ratings, capsys):
    options = "--pairs 100 --block-size 25 --seconds-per-item 36 --pay-per-hour 9 --currency EUR"
    wide = ["--change", "4", "--most", "40", "--simulations", "500"]

    assert main(["plan", "--ratings", ratings, "--language", "xx", *wide, *options.split()]) == 0

    out = capsys.readouterr().out
    assert "100 pairs in blocks of 25, 36 s an item" in out
    n, cost = out.splitlines()[1].split()[1], out.splitlines()[1].split()[-2]
    assert (out.splitlines()[1].split()[-1], float(cost)) == ("EUR", 18 * float(n))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--change", "-1"], "changes must be above 0"),
        (["--change", "9.9"], "no context has room"),
        (["--power", "2"], "power must lie between 0 and 1"),
        (["--pairs", "0"], "one pair or more"),
        (["--annotators", "1"], "2 annotators per context or more"),
        (["--dataset-n", "0"], "one rating or more"),
        (["--scale", "6", "0"], "must be below its maximum"),
    ],
)
def test_plan_reports_wrong_options(dataset_file, capsys, options, message):
    assert main(["plan", "--dataset", dataset_file, *QUICK, *options]) == 2

    out, err = capsys.readouterr()
    assert (out, err.startswith("error: ")) == ("", True)
    assert message in err


def test_plan_needs_the_language_of_ratings(ratings, capsys):
    assert main(["plan", "--ratings", ratings, *QUICK]) == 2

    assert "--ratings needs --language" in capsys.readouterr().err


def test_plan_refuses_other_files(ratings, dataset_file, tmp_path, capsys):
    assert main(["plan", "--dataset", ratings, *QUICK]) == 2
    assert main(["plan", "--ratings", dataset_file, "--language", "xx", *QUICK]) == 2
    assert main(["plan", "--dataset", str(tmp_path / "missing"), *QUICK]) == 2

    assert capsys.readouterr().err.count("error: ") == 3


def test_plan_needs_a_source(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["plan"])

    assert "--ratings" in capsys.readouterr().err
