from pathlib import Path

import pytest
from django.core.management import CommandError

from surveys.models import Release, Response, Study
from surveys.results.export import stream_responses
from tests.factories.datasets import BRIEFLY
from tests.factories.studies import (
    finish,
    make_study,
    numbered_stimuli,
    start,
    stimuli_file,
    stimuli_row,
)
from tests.surveys.management.running import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def stimuli(tmp_path) -> Path:
    path = tmp_path / "data_en.tsv"
    path.write_bytes(numbered_stimuli(3))
    return path


def test_import_stimuli_reports_what_it_stored(stimuli):
    out, err = run("import_stimuli", stimuli, "--study", "s", "--language", "en",
                   "--ratings-per-context", "11", "--block-size", "2")  # fmt: skip

    assert out == (
        "Stored study s. Pairs: 3, blocks: 2, annotators wanted: 44 "
        "(ratings of each context: 11), warnings: 0.\n"
        "It is a draft. To open it: manage.py open_study s -h\n"
    )
    assert err == ""


def test_import_stimuli_again_reports_no_change(stimuli):
    arguments = ("import_stimuli", stimuli, "--study", "s", "--language", "en")
    run(*arguments)

    assert run(*arguments)[0] == "Study s holds these stimuli already: nothing changed.\n"


def test_import_stimuli_dry_run_reports_and_stores_nothing(stimuli):
    out, _ = run("import_stimuli", stimuli, "--study", "s", "--language", "en", "--dry-run")

    assert out.startswith("Nothing stored (dry run); this would create study s. Pairs: 3,")
    assert not Study.objects.exists()


def test_import_stimuli_shows_warnings(stimuli):
    stimuli.write_bytes(
        stimuli_file(stimuli_row(context1="A <strong>cats</strong> <strong>dog</strong>."))
    )

    out, err = run("import_stimuli", stimuli, "--study", "s", "--language", "en")

    assert err.startswith("warning: row 1 (line 2), context1: ")
    assert "warnings: 1.\n" in out


def test_import_stimuli_shows_every_error(stimuli):
    stimuli.write_bytes(stimuli_file(stimuli_row(word1=""), stimuli_row(word2="")))

    with pytest.raises(CommandError) as refused:
        run("import_stimuli", stimuli, "--study", "s", "--language", "en")

    assert str(refused.value).count("row ") == 2


def test_release_dataset_writes_and_warns_of_shortfalls(tmp_path):
    study = make_study(1, ratings_per_context=3)
    finish(start(study)), finish(start(study))

    out, err = run("release_dataset", "study", tmp_path / "out", *BRIEFLY, "--recipe", "raw")

    assert out.startswith("pairs     1\nratings   2 of 2 used, 2 of 2 annotators\n")
    assert out.endswith(f"written to {tmp_path / 'out'}\n")
    assert "note: contexts with fewer than the 3 ratings wanted: 2\n" in err
    assert Release.objects.get().report["recipe"]["name"] == "raw"


def test_release_dataset_names_an_unwritable_folder(tmp_path):
    study = make_study(1)
    finish(start(study)), finish(start(study))
    (tmp_path / "out").write_text("a file")

    with pytest.raises(CommandError, match="Cannot write"):
        run("release_dataset", "study", tmp_path / "out", *BRIEFLY)

    assert not Release.objects.exists()


def test_export_responses_writes_the_same_to_its_output_and_to_a_file(tmp_path):
    study = make_study(2)
    finish(start(study))
    Response.objects.update(written1="čaj")
    path = tmp_path / "responses.csv"

    out, err = run("export", "responses", "study")

    assert out == "".join(stream_responses(study))
    assert run("export", "responses", "study", "--out", path) == ("", "")
    assert path.read_bytes() == out.encode()
    assert (out.count("čaj"), err) == (2, "")
