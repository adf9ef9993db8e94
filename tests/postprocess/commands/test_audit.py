import pytest

from postprocess.__main__ import main
from tests.postprocess.auditing.corrupting import DATASET, put


def test_audit_returns_0_for_a_valid_dataset(dataset_folder, capsys):
    assert main(["audit", str(dataset_folder)]) == 0

    out, err = capsys.readouterr()
    assert "possible in 24 of 24 contexts, with up to 40 ratings on 0–6" in out
    assert err == ""


def test_audit_returns_1_for_an_error(dataset_folder, capsys):
    put(dataset_folder / DATASET, 4, pvalue="0.7")

    assert main(["audit", str(dataset_folder / DATASET)]) == 1

    assert "row 4 (line 5), pvalue: " in capsys.readouterr().out


def test_audit_returns_0_for_a_warning(dataset_folder, capsys):
    practice = dataset_folder / "practice_kit"
    practice.mkdir()
    (practice / "data_xx.tsv").write_bytes((dataset_folder / "data/data_xx.tsv").read_bytes())

    assert main(["audit", str(dataset_folder)]) == 0

    out = capsys.readouterr().out
    assert "12 of 12 pairs are in cosimlex_xx.csv" in out
    assert out.endswith("0 errors, 12 warnings\n")


@pytest.mark.parametrize(
    ("options", "status", "expected"),
    [
        (["--ratings", "10"], 0, "10, as given"),
        (["--ratings", "11", "9"], 0, "9–11, as given"),
        (["--ratings", "9"], 1, "with 9 ratings on 0–6"),
        (["--most", "12"], 0, "with up to 12 ratings on 0–6"),
        (["--step", "0.5"], 0, "ratings on 0–6 in steps of 0.5"),
        (["--scale", "1", "7"], 0, "ratings on 1–7"),
        (["--published-scale", "0", "6"], 1, "if this is wrong, set --most"),
    ],
)
def test_audit_accepts_assumptions(dataset_folder, capsys, options, status, expected):
    assert main(["audit", str(dataset_folder), *options]) == status

    assert expected in capsys.readouterr().out


def test_audit_shows_the_fitting_numbers_of_ratings(dataset_folder, capsys):
    assert main(["audit", str(dataset_folder), "--ratings", "10", "--details"]) == 0

    assert "  row 12, context 2: 10 ratings\n" in capsys.readouterr().out


def test_audit_writes_tables(dataset_folder, tmp_path, capsys):
    out = tmp_path / "new" / "audit"

    assert main(["audit", str(dataset_folder), "--out", str(out)]) == 0

    assert sorted(path.name for path in out.iterdir()) == [
        "audit_contexts.tsv", "audit_findings.tsv",
    ]  # fmt: skip
    assert f"written   {out / 'audit_findings.tsv'}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ratings", "0"], "at least one rating"),
        (["--most", "0"], "at least one rating"),
        (["--scale", "0", "100"], "at most 60"),
        (["--scale", "6", "0"], "must be below its maximum"),
        (["--practice", "nowhere"], "No such file"),
    ],
)
def test_audit_reports_wrong_options(dataset_folder, capsys, options, message):
    assert main(["audit", str(dataset_folder), *options]) == 2

    out, err = capsys.readouterr()
    assert (out, err.startswith("error: ")) == ("", True)
    assert message in err


def test_audit_refuses_a_folder_without_a_dataset(tmp_path, capsys):
    assert main(["audit", str(tmp_path)]) == 2
    assert main(["audit", str(tmp_path / "nothing")]) == 2

    assert capsys.readouterr().err.count("error: ") == 2
