import json

import pandas as pd
import pytest

from postprocess.__main__ import main
from tests.documents.reading import read_blocks
from tests.machine import ROOT

DEMO = [
    "--stimuli", str(ROOT / "demo/data_sl.tsv"), "--ratings", str(ROOT / "demo/ratings_sl.csv"),
    "--language", "sl",
]  # fmt: skip


def test_effects_prints_a_summary_and_writes_both_files(tmp_path, capsys):
    assert main(["effects", *DEMO, "--out", str(tmp_path / "new")]) == 0

    out, err = capsys.readouterr()
    assert out.startswith("108 ratings of 6 pairs by 18 annotators in 2 questionnaires, as given")
    assert f"written   {tmp_path / 'new' / 'effects.tsv'}\n" in out
    assert err == ""
    table = pd.read_csv(tmp_path / "new/effects.tsv", sep="\t", index_col="pair")
    assert table.columns.tolist() == [
        "word1", "word2", "n1", "n2", "raw", "change", "low", "high", "latent", "latent_low",
        "latent_high", "sign_error", "larger", "clear", "qvalue",
    ]  # fmt: skip
    assert table.loc[3, ["word1", "word2"]].tolist() == ["krilo", "perut"]
    assert table.loc[3, "raw"] == 5.37
    figures = json.loads((tmp_path / "new/effects.json").read_text(encoding="utf-8"))
    assert figures["figures"]["ratings"] == 108
    assert figures["scale"] == {"minimum": 0, "maximum": 6, "step": 1}
    assert figures["components"][0]["low"] is None


def test_effects_prints_what_the_documentation_shows(capsys):
    blocks = read_blocks("docs/postprocessing.md")
    (shown,) = (block.text for block in blocks if block.text.startswith("108 ratings"))

    assert main(["effects", *DEMO]) == 0

    assert capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ").startswith(shown)


def test_effects_takes_ratings_as_given_and_applies_exclusions(tmp_path, capsys):
    ratings = pd.read_csv(ROOT / "demo/ratings_sl.csv")
    rejected = ratings.assign(annotator="X" + ratings["annotator"], rating=6, mark="rejected")
    path = tmp_path / "ratings_sl.csv"
    pd.concat([ratings.assign(mark=""), rejected]).to_csv(path, index=False)
    arguments = ["effects", *DEMO[:3], str(path), *DEMO[4:]]

    assert main(arguments) == 0

    out = capsys.readouterr().out
    assert out.startswith("108 ratings left out by the recipe\n108 ratings of 6 pairs by 18 ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--least", "11"], "the least change must be above 0 and below 10, got 11"),
        (["--set", "scale.maximum=5"], "rating is outside the scale 0–5"),
        (["--recipe", "mild"], 'unknown recipe "mild"'),
    ],
)
def test_effects_refuses_bad_input_and_writes_nothing(options, message, tmp_path, capsys):
    assert main(["effects", *DEMO, *options, "--out", str(tmp_path / "new")]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert not (tmp_path / "new").exists()
