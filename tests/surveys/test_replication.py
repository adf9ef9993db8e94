"""A published data set, replicated: from its file to a study, a release, and their comparison."""

import json
import zipfile

import pytest
from django.db.models import F

from postprocess.__main__ import main
from postprocess.designs.design import read_design
from postprocess.designs.items import parse_items
from surveys.models import Study
from surveys.results.runs import request_rehearsal, request_release
from surveys.study.create import create_study
from surveys.study.design import design_of, settings_of
from surveys.study.stimuli.load import check_stimuli
from tests.factories.designed import QUICKLY
from tests.factories.jobs import perform_run

WORDS = ("tavo", "miren", "sel", "oru", "kaf", "ulo", "tem", "rus", "lib", "zor", "pem", "hata")
HEADER = (
    "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)"
)


@pytest.mark.django_db
@pytest.mark.every_database  # JSON of PostgreSQL keeps no order
def test_a_replication_agrees_with_what_it_published(tmp_path, capsys):
    rows = [
        f"{first}\t{second}\t{'NVA'[n % 3]}\t{n}.5\tNA\tNA\tNA\tNA\tNA\t1"
        for n, (first, second) in enumerate(zip(WORDS[:9], WORDS[3:], strict=True))
    ]
    (tmp_path / "set.txt").write_text("\n".join([HEADER, *rows, ""]))
    loaded, again = tmp_path / "loaded", tmp_path / "again"
    load = ["load", "simlex", "--language", "en", "--out"]
    assert main([*load, str(loaded), str(tmp_path / "set.txt")]) == 0
    design = read_design("simlex")
    items = parse_items((loaded / "items_en.tsv").read_bytes(), design.item)
    create_study(check_stimuli(items, Study(slug="again", language="en", **settings_of(design))))
    Study.objects.update(opened_at=F("created_at"))
    study = Study.objects.get()
    assert design_of(study) == design

    perform_run(request_rehearsal(study, 15, None).pk)
    run = request_release(study, design.as_recipe(QUICKLY).render(), {}, None)
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error, run.release.n_differences) == ("done", "", 0)
    with zipfile.ZipFile(run.archive) as archive:
        archive.extractall(tmp_path / "unpacked")
    (release,) = (tmp_path / "unpacked").iterdir()
    assert main([*load, str(again), str(release / "published")]) == 0
    capsys.readouterr()

    for first, out in ((again, "same"), (loaded, "other")):
        named = ["--out", str(tmp_path / out)]
        assert main(["compare-collections", str(first), str(release), *named]) == 0

    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["items     9 in both, matched by id", "pearson   1.000"]
    same, other = (
        json.loads((tmp_path / out / "comparison.json").read_text()) for out in ("same", "other")
    )
    assert same["difference"] == pytest.approx(0, abs=0.005)
    assert same["n_far"] == 0
    assert other["n"] == 9
    assert abs(other["pearson"]) < 0.99
    _, *slices = (tmp_path / "same" / "parts_of_speech.tsv").read_text().splitlines()
    assert [row.split("\t")[:2] for row in slices] == [["A", "3"], ["N", "3"], ["V", "3"]]
