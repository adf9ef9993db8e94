"""Commands name the options that read a file of another kind."""

import pytest
from django.core.management import CommandError, call_command

from surveys.models import Checkpoint, Study
from tests.factories.checkpoints import file, row
from tests.factories.studies import make_study, numbered_stimuli
from tests.factories.workbooks import write_workbook

pytestmark = pytest.mark.django_db
OPTIONS = ("--study", "s", "--language", "en")


@pytest.fixture
def comma_file(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes(numbered_stimuli(2).replace(b"\t", b",").replace(b"Rain", b"\xe9t\xe9"))
    return path


def test_import_stimuli_names_the_options_that_read_the_file(comma_file):
    with pytest.raises(CommandError) as refused:
        call_command("import_stimuli", comma_file, *OPTIONS)

    message = str(refused.value)
    assert "looks like a comma-separated file in Windows-1250. Nothing was stored." in message
    assert "add --separator comma --encoding windows-1250." in message
    assert "Its first row then reads: alpha1 | beta1 | First came" in message
    assert not Study.objects.exists()


def test_import_stimuli_reads_the_file_with_these_options(comma_file):
    call_command(
        "import_stimuli", comma_file, *OPTIONS, "--separator", "comma", "--encoding", "windows-1250"
    )

    assert Study.objects.get().pairs.count() == 2


def test_import_checkpoints_reads_a_workbook(tmp_path):
    study = make_study(1)
    path = tmp_path / "checkpoints.xlsx"
    path.write_bytes(
        write_workbook([line.split("\t") for line in file(row()).decode().splitlines()])
    )

    call_command("import_checkpoints", study.slug, path, "--per-assignment", "1")

    assert Checkpoint.objects.get().highest == 6
