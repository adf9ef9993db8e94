"""`python -m postprocess bundle`: the file of a task, and the archive that is written."""

import io
import zipfile
from datetime import UTC, datetime

import pytest

from postprocess.__main__ import main
from postprocess.bundles.codabench_bundle import check_bundle
from postprocess.bundles.task import load_task
from postprocess.kits.rules import Visibility
from tests.documents.reading import read_blocks
from tests.postprocess.kits.tasks import make_data, make_gold

TASK = """
format = 1
title = "Words in context"
contact = "organisers@example.org"
terms = "terms.md"
overview = "overview.md"
zone = "Etc/GMT+12"
required = ["sl"]

[[languages]]
code = "sl"
data = "data_sl.tsv"
gold = "gold_sl.tsv"
practice_data = "practice/data_sl.tsv"
practice_gold = "practice/gold_sl.tsv"
instructions = ["overview.md"]

[[phases]]
name = "practice"
data = "practice"
opens = 2027-01-01T00:00:00Z
closes = 2027-01-31T00:00:00-12:00
visibility = "board"

[[phases]]
name = "evaluation"
data = "test"
opens = 2027-01-31T12:00:01Z
attempts = 9
attempts_a_day = 3
"""


@pytest.fixture
def task(tmp_path):
    """The file of a task, and the files that it names."""
    (tmp_path / "practice").mkdir()
    files = {
        "task.toml": TASK.encode(), "terms.md": b"Be fair.", "overview.md": b"Words.",
        "data_sl.tsv": make_data(12), "gold_sl.tsv": make_gold(12),
        "practice/data_sl.tsv": make_data(4, 100), "practice/gold_sl.tsv": make_gold(4),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path / "task.toml"


def bundle(task, subtask="1"):
    out = task.with_name("out") / "bundle.zip"
    status = main(["bundle", "--task", str(task), "--subtask", subtask, "--out", str(out)])
    return status, out


def test_an_archive_for_one_subtask_is_written(task, capsys):
    status, out = bundle(task, "2")

    assert status == 0
    assert capsys.readouterr().out == f"written   {out}\n"
    with zipfile.ZipFile(io.BytesIO(out.read_bytes())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    found = check_bundle(files)
    assert found.title == "Words in context, subtask 2"
    assert [phase.end for phase in found.phases] == ["2027-01-31 12:00:00", None]
    assert files["kit_test/instructions/sl/overview.md"] == b"Words."
    assert "Words." in files["pages/overview.md"].decode()


def test_the_file_of_a_task_is_read(task):
    found = load_task(task)

    assert (found.rules.title, found.rules.required) == ("Words in context", ("sl",))
    practice, test = found.phases
    assert practice.closes_at == datetime(2027, 1, 31, 12, tzinfo=UTC)
    assert (practice.visibility, test.visibility) == (Visibility.BOARD, Visibility.HIDDEN)
    assert (test.attempts_total, test.attempts_a_day, test.closes_at) == (9, 3, None)
    assert found.parts[0].practice_gold == make_gold(4)


def test_the_file_in_the_documents_is_that_of_a_task(task):
    (example,) = (b.text for b in read_blocks("docs/sharedtasks.md") if b.language == "toml")
    files = {
        "task/data/data_sl.tsv": make_data(12), "task/gold/gold_sl.tsv": make_gold(12),
        "task/practice_kit/data_sl.tsv": make_data(4, 100),
        "task/practice_kit/gold_sl.tsv": make_gold(4), "instructions_sl.md": b"Rate both.",
    }  # fmt: skip
    for name, content in files.items():
        (task.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (task.parent / name).write_bytes(content)
    task.write_text(example, encoding="utf-8")

    assert bundle(task)[0] == 0


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        ("format = 1", "format = 1\nprize = 3", ["prize: unknown entry"]),
        ("format = 1", "format = ", ["is not valid TOML"]),
        ('zone = "Etc/GMT+12"', 'zone = "Mars"', ['zone: "Mars" is not a time zone']),
        ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00", ["phases.1.opens: "]),
        ('code = "sl"', 'code = "../x"', ["languages.1.code: "]),
        ("attempts = 9", "attempts = 0", ["phases.2.attempts: "]),
        ('"board"', '"nobody"', ["phases.1.visibility: "]),
        ('terms = "terms.md"', 'terms = "no.md"', ["no.md: No such file"]),
        ("12:00:01Z", "12:00:00Z", ["practice must end before evaluation begins"]),
        ('required = ["sl"]', 'required = ["fi"]', ["fi is required, but there is no data"]),
        ("data_sl.tsv\"\ngold", "overview.md\"\ngold", ["the data file: missing columns"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_nothing_is_written(task, capsys, before, after, messages):
    assert before in TASK
    task.write_text(TASK.replace(before, after, 1), encoding="utf-8")

    status, out = bundle(task)

    assert (status, out.exists()) == (2, False)
    err = capsys.readouterr().err
    for message in messages:
        assert message in err


def test_a_subtask_that_does_not_exist_is_refused(task):
    with pytest.raises(SystemExit):
        bundle(task, "3")
