import io
import json
import zipfile

import pandas as pd
import pytest
from django.core.management.base import CommandError

from postprocess.release.verification.verifying import verify_release
from postprocess.steps.recipe import read_recipe
from surveys.errors import RatingsMissing, ReleaseRefused
from surveys.models import Annotator, Release, Response, Study
from surveys.privacy.erasure import withdraw_annotator
from surveys.results.release import (
    PUBLISHED_NAME,
    ReleaseOptions,
    list_unwritten,
    release_dataset,
)
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories.checkpoints import file as checkpoints_file
from tests.factories.checkpoints import row as checkpoint
from tests.factories.datasets import BRIEFLY, LITTLE_CHANCE
from tests.factories.studies import finish, make_release, make_study, start, stored
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("figures_rendered_once")]

WORDS = (b"sea", b"salt")  # what annotators of tests write
RECIPE = read_recipe("cosimlex", [*LITTLE_CHANCE, "report.pdf=false"])


def rated_study(n_pairs: int = 2, **design) -> Study:
    study = make_study(n_pairs, scale_minimum=1, scale_maximum=5, **design)
    for rating in (1, 5, 2, 4):
        finish(start(study), rating=rating)
    return study


def files_of(folder) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def has_words(files: dict[str, bytes]) -> set[str]:
    """Return the files that contain an engagement word, including Parquet files."""
    found = set()
    for name, content in files.items():
        if name.endswith(".parquet"):
            content = pd.read_parquet(io.BytesIO(content)).to_csv(sep="\t").encode()
        cells = content.replace(b"\n", b"\t").split(b"\t")
        if any(word in cells for word in WORDS):
            found.add(name)
    return found


@pytest.mark.every_database
def test_release_dataset_writes_the_files_and_keeps_the_report(tmp_path):
    study = rated_study()

    release = release_dataset(study, tmp_path / "out", RECIPE)

    files = files_of(tmp_path / "out")
    assert sorted(files) == [
        "CHECKLIST.md", "CITATION.cff", "DATA_STATEMENT.md", "README.md", "SHA256SUMS",
        "annotators.tsv", "croissant.json", "data/data_en.tsv", "description.toml",
        "distributions_en.json", "distributions_en.parquet", "gold/gold_en.tsv",
        "intervals.tsv", "ledger.tsv",
        "ratings_en.parquet", "ratings_en.tsv", "recipe.toml", "report.json",
        "results/results_subtask1_en.tsv", "results/results_subtask2_en.tsv", "scores.tsv",
        "study_en.csv", "study_en.parquet", "texts/consent_1.md", "texts/instructions_1.md",
        "texts/practice_1.toml",
    ]  # fmt: skip
    report = json.loads(files["report.json"])
    assert Release.objects.get().report == report
    assert (release.n_pairs, report["counts"]["ratings"]) == (2, 8)
    assert (report["recipe"]["scale"]["minimum"], report["recipe"]["scale"]["maximum"]) == (1, 5)
    assert report["inputs"]["stimuli"] == study.stimuli_sha256
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == set(files)


def test_release_dataset_adds_the_report_on_request(tmp_path):
    study = rated_study()
    Response.objects.filter(position=1).update(rating_visible_seconds=2.5)

    release_dataset(study, tmp_path / "out", RECIPE, ReleaseOptions(has_report=True))

    files = files_of(tmp_path / "out")
    assert {"report.html", "table1.tex", "figures/scores.svg"} <= set(files)
    page = files["report.html"].decode()
    assert page.count("not known: no column position") == 1  # it is not published
    assert page.count("not known: no column seconds") == 2
    assert "report.html" in files["SHA256SUMS"].decode()


def test_release_dataset_of_an_unfinished_study_writes_nothing(tmp_path):
    study = make_study(2)
    finish(start(study))

    with pytest.raises(RatingsMissing):
        release_dataset(study, tmp_path / "out", RECIPE)

    assert list(tmp_path.iterdir()) == []
    assert not Release.objects.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ReleaseOptions(complete=True), "still to be written; nothing was released"),
        (ReleaseOptions(n_practice=2), "at least one pair must remain"),
        (
            ReleaseOptions(description=b"[dataset]\nlicence = 'x'"),
            "dataset.licence: must be one of",
        ),
    ],
)
def test_release_dataset_refuses_impossible_options(tmp_path, options, message):
    with pytest.raises(ReleaseRefused, match=message):
        release_dataset(rated_study(), tmp_path / "out", RECIPE, options)

    assert list(tmp_path.iterdir()) == []
    assert not Release.objects.exists()


def test_release_dataset_publishes_words_only_with_consent(tmp_path):
    study = rated_study(ratings_per_context=4)
    configure_study(study, publishes_words=True)

    release_dataset(Study.objects.get(), tmp_path / "before", RECIPE)
    finish(start(Study.objects.get()), rating=3)
    release_dataset(Study.objects.get(), tmp_path / "after", RECIPE)
    configure_study(study, publishes_words=False)
    release_dataset(Study.objects.get(), tmp_path / "off", RECIPE)

    assert [has_words(files_of(tmp_path / name)) for name in ("before", "after", "off")] == [
        set(), {"ratings_en.tsv", "ratings_en.parquet"}, set(),
    ]  # fmt: skip
    ratings = pd.read_parquet(tmp_path / "after/ratings_en.parquet")
    assert ratings.groupby("annotator")["inspired_word1"].first().tolist().count("sea") == 1
    assert list(Annotator.objects.order_by("pk").values_list("publishes_words", flat=True)) == [
        False, False, False, False, True,
    ]  # fmt: skip


def test_a_release_publishes_how_the_scale_was_shown(tmp_path):
    study = rated_study(ratings_per_context=4)
    Response.objects.filter(rating__lt=5).update(scale_layout="row")
    Response.objects.filter(rating=1).update(scale_layout="slider")

    release_dataset(study, tmp_path / "out", RECIPE)

    read = pd.read_parquet(tmp_path / "out/ratings_en.parquet").fillna("")
    assert read.groupby("layout")["rating"].unique().map(sorted).to_dict() == {
        "": [5], "row": [2, 4], "slider": [1],
    }  # fmt: skip
    shown = "in one line (4 ratings), in a way that was not recorded (2 ratings), as a field with"
    for document in ("README.md", "DATA_STATEMENT.md"):
        text = " ".join((tmp_path / "out" / document).read_text(encoding="utf-8").split())
        assert f"The page showed the scale {shown}" in text.replace("\\", "")
    assert verify_release(tmp_path / "out").is_confirmed


def test_a_release_without_known_layouts_has_no_column_for_them(tmp_path):
    release_dataset(rated_study(ratings_per_context=4), tmp_path / "out", RECIPE)

    files = files_of(tmp_path / "out")
    assert b"layout" not in files["ratings_en.tsv"].splitlines()[0]
    assert b"showed the scale" not in files["README.md"]


def test_release_dataset_excludes_words_of_withdrawn_annotators(tmp_path):
    study = configure_study(make_study(2), publishes_words=True, erases_withdrawn=False)
    for _ in range(4):
        finish(start(study))
    withdraw_annotator(Annotator.objects.order_by("pk")[0])

    release_dataset(study, tmp_path / "out", RECIPE)

    ratings = pd.read_parquet(tmp_path / "out/ratings_en.parquet")
    assert ratings["annotator"].nunique() == 3
    assert "their data are not in this release" in (tmp_path / "out/CHECKLIST.md").read_text(
        "utf-8"
    )


def test_release_dataset_uses_the_same_ids_for_checkpoint_items(tmp_path):
    study = make_study(2)
    item = checkpoints_file(checkpoint(lowest="5", highest="6"))
    import_checkpoints(study, item, per_assignment=1)
    for rating in (1, 5, 6, 6):
        finish(start(study), rating=rating)

    release = release_dataset(study, tmp_path / "out", read_recipe("simlex", LITTLE_CHANCE))

    header, *answers = (tmp_path / "out/checkpoints_en.csv").read_text("utf-8").splitlines()
    assert header == "language,checkpoint,group,annotator,rating,lowest,highest"
    annotators = pd.read_csv(tmp_path / "out/annotators.tsv", sep="\t")
    (failed,) = annotators.loc[annotators["reason"] == "failed checkpoint", "annotator"]
    assert [line.split(",")[4] for line in answers if line.split(",")[3] == failed] == ["1"]
    assert release.report["counts"]["ratings_left_out"] == {"failed checkpoint": 2}
    assert "checkpoints" in release.report["inputs"]


def test_each_release_has_new_ids_unless_they_are_reused(tmp_path):
    study = rated_study()

    first, second = (release_dataset(study, tmp_path / n, RECIPE) for n in ("1", "2"))
    again = release_dataset(study, tmp_path / "3", RECIPE, ReleaseOptions(ids_of=first))

    assert len(first.key) == len(second.key) == 64
    assert first.key != second.key
    assert stored(again, "key") == (first.key,)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "3")
    assert not any(first.key.encode() in content for content in files_of(tmp_path / "1").values())


def test_ids_of_another_study_cannot_be_reused(tmp_path):
    release = release_dataset(rated_study(), tmp_path / "out", RECIPE)
    other = rated_study(slug="other")
    keyless = make_release(other, report={}, key="")

    for ids_of in (release, keyless):
        with pytest.raises(ReleaseRefused, match="cannot be reused"):
            release_dataset(other, tmp_path / "other", RECIPE, ReleaseOptions(ids_of=ids_of))


def test_the_command_lists_missing_texts(tmp_path):
    rated_study()

    out, err = run("release_dataset", "study", tmp_path / "out", *BRIEFLY)

    release = Release.objects.get()
    assert out.splitlines()[-1] == f"release {release.number} written to {tmp_path / 'out'}"
    missing = [line.removeprefix("to be written: ") for line in err.splitlines()]
    assert missing == list_unwritten(release)
    assert "README.md, Licence: the licence, one of CC0-1.0" in err


def test_the_command_takes_a_description_and_a_practice_kit(tmp_path):
    rated_study(6)
    (tmp_path / "d.toml").write_text('[dataset]\ntitle = "Told"\nlicence = "CC0-1.0"\n')

    options = ["--practice", "2", "--seed", "5", "--recipe", "raw"]
    _, err = run("release_dataset", "study", tmp_path / "out", *BRIEFLY, *options,
                 "--description", tmp_path / "d.toml")  # fmt: skip

    assert "Licence: the licence" not in err
    files = files_of(tmp_path / "out")
    assert files["README.md"].decode().count("# Told") == 1
    assert len(files["practice_kit/data_en.tsv"].splitlines()) == 3
    assert len(files["data/data_en.tsv"].splitlines()) == 5


def test_the_command_lists_existing_releases(tmp_path):
    rated_study()
    run("release_dataset", "study", tmp_path / "out", *BRIEFLY)

    with pytest.raises(CommandError, match=r"no release 99999\. Releases: 1"):
        run("release_dataset", "study", tmp_path / "again", *BRIEFLY, "--ids-of", "99999")


def test_the_key_is_not_shown_in_the_admin(admin_client, tmp_path):
    release = release_dataset(rated_study(), tmp_path / "out", RECIPE)

    page = admin_client.get(f"/admin/surveys/release/{release.pk}/change/")

    assert page.status_code == 200
    assert release.key not in page.content.decode()


def test_the_dataset_has_the_name_in_the_description_or_that_asked_for(tmp_path):
    study = rated_study()
    described = b'[dataset]\nname = "usim-2"'

    for folder, name in (("written", ""), ("as_published", PUBLISHED_NAME)):
        options = ReleaseOptions(description=described, name=name)
        release_dataset(study, tmp_path / folder, RECIPE, options)

    assert (tmp_path / "written" / "usim-2_en.csv").exists()
    assert (tmp_path / "as_published" / "cosimlex_en.csv").exists()
    assert Release.objects.filter(n_differences=0).count() == 2
    with pytest.raises(ReleaseRefused, match="the name of the dataset must be 1 to 50 letters"):
        release_dataset(study, tmp_path / "bad", RECIPE, ReleaseOptions(name="a/b"))
