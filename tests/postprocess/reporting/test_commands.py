import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from tests.factories.datasets import stimuli_for
from tests.factories.ratings import simulate_study


@pytest.fixture
def input_files(tmp_path):
    """Return the arguments of the input files."""
    (tmp_path / "data.tsv").write_text(render_stimuli(stimuli_for(24).rows), encoding="utf-8")
    simulate_study().assign(language="xx").to_csv(tmp_path / "ratings.csv", index=False)
    files = ["--stimuli", str(tmp_path / "data.tsv"), "--ratings", str(tmp_path / "ratings.csv")]
    return [*files, "--language", "xx"]


def test_compare_draws_the_two_recipes(input_files, tmp_path):
    out = tmp_path / "out"

    assert main(["compare", "raw", "cosimlex", *input_files, "--out", str(out)]) == 0

    assert b"recipes raw (x axis) and cosimlex (y axis)" in (out / "compared.svg").read_bytes()
    assert (out / "compared.png").read_bytes().startswith(b"\x89PNG")
