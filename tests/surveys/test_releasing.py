import json

import pytest

from postprocess.recipe import Recipe
from surveys.errors import RatingsMissing
from surveys.models import Release
from surveys.releasing import release_dataset
from tests.factories import finish, make_study, start

pytestmark = pytest.mark.django_db


def test_release_dataset_writes_the_files_and_keeps_the_report(tmp_path):
    study = make_study(2, scale_minimum=1, scale_maximum=5)
    for rating in (1, 5, 2, 4):
        finish(start(study), rating=rating)

    release = release_dataset(study, tmp_path / "out", Recipe())

    written = sorted(str(p.relative_to(tmp_path / "out")) for p in tmp_path.rglob("*.*"))
    assert written == [
        "annotators.tsv", "cosimlex_en.csv", "data/data_en.tsv", "gold/gold_en.tsv", "ledger.tsv",
        "ratings_en.csv", "recipe.toml", "report.json", "scores.tsv",
    ]  # fmt: skip
    report = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))
    assert Release.objects.get().report == report
    assert (release.n_pairs, report["counts"]["ratings"]) == (2, 8)
    assert (report["recipe"]["scale"]["minimum"], report["recipe"]["scale"]["maximum"]) == (1, 5)
    assert report["inputs"]["stimuli"] == study.stimuli_sha256


def test_release_dataset_of_an_unfinished_study_writes_nothing(tmp_path):
    study = make_study(2)
    finish(start(study))

    with pytest.raises(RatingsMissing):
        release_dataset(study, tmp_path / "out", Recipe())

    assert list(tmp_path.iterdir()) == []
    assert not Release.objects.exists()
