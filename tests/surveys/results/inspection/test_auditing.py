"""Audits of uploaded files: as the command, within limits, and with nothing left behind."""

import io
import tempfile
import zipfile

import pytest

from postprocess.auditing.examining import audit_dataset
from postprocess.auditing.rendering import list_findings
from surveys.errors import ImportRefused
from surveys.results.inspection import auditing
from surveys.results.inspection.auditing import AuditChoices, DatasetFile, audit_files
from tests.postprocess.auditing.corrupting import DATASET, TEN, put, write_dataset

CHOICES = AuditChoices(least=10, most=10)


@pytest.fixture
def spoilt(tmp_path, monkeypatch):
    """A dataset with an impossible mean, below the folder of the temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "words"
    folder.mkdir()
    write_dataset(folder)
    put(folder / DATASET, 3, sim1="11")
    return folder


def files_of(folder):
    return [DatasetFile(one.name, one.read_bytes()) for one in folder.rglob("*") if one.is_file()]


def pack(folder, top=""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for one in sorted(folder.rglob("*")):
            archive.write(one, f"{top}{one.relative_to(folder)}")
    return DatasetFile("words.zip", out.getvalue())


@pytest.mark.parametrize("top", ["", "words-1.0/"])
def test_an_archive_gives_what_the_command_finds_in_its_folder(spoilt, top):
    expected = audit_dataset(spoilt, None, TEN)

    found = audit_files([pack(spoilt, top)], [], CHOICES)

    assert [kit.name for kit in found.kits] == [kit.name for kit in expected.kits]
    assert found.kits[0].summary == expected.kits[0].summary
    assert found.kits[0].findings == [*list_findings(expected.kits[0])]
    assert (found.n_errors, found.unknown) == (expected.n_errors, [*expected.unknown])
    assert found.counts == "2 errors, 0 warnings"  # the gold scores have the mean before
    assert found.kits[0].fitting == []


def test_single_files_are_audited_together(spoilt):
    found = audit_files(files_of(spoilt), [], CHOICES)

    assert found.counts == "2 errors, 0 warnings"
    assert ("data_xx.tsv", "12 of 12 rows agree") in found.kits[0].summary


def test_one_file_is_a_dataset_whatever_its_name(spoilt):
    data = (spoilt / DATASET).read_bytes()

    found = audit_files([DatasetFile("C:\\Words\\scores.txt", data)], [], CHOICES)

    assert found.kits[0].findings[0].text.startswith("scores.txt, row 3 (line 4), sim1")


def test_pairs_of_a_practice_kit_are_found_in_the_dataset(spoilt):
    practice = [one for one in files_of(spoilt) if one.name.startswith(("data", "gold"))]

    found = audit_files(files_of(spoilt), practice, CHOICES)

    assert found.kits[1].name.startswith("practice_kit/")
    assert any("12 of 12 pairs are in" in text for _, text in found.kits[1].summary)


def test_details_list_all_numbers_of_ratings(spoilt):
    found = audit_files([pack(spoilt)], [], AuditChoices(least=10, most=10, with_details=True))

    assert found.kits[0].fitting[4:6] == [
        "row 3, context 1: no number of ratings", "row 3, context 2: 10 ratings",
    ]  # fmt: skip


def test_too_fine_a_scale_is_refused(spoilt):
    with pytest.raises(ImportRefused, match=r"1,?000 steps"):
        audit_files([pack(spoilt)], [], AuditChoices(scale=(0, 1000, 1)))


@pytest.mark.parametrize(
    ("files", "choices", "reason"),
    [
        ([DatasetFile("notes.txt", b"x"), DatasetFile("a.pdf", b"x")], CHOICES,
         "The upload contains no <name>_<lang>.csv.* upload the file of the scores as well"),
        ([DatasetFile("cosimlex_xx.csv", b"a\tb\n")], CHOICES, "missing columns"),
        ([DatasetFile("cosimlex_xx.csv", b"\xff\xfe\n")], CHOICES, "cosimlex_xx.csv: "),
        ([DatasetFile("a.csv", b""), DatasetFile("a.csv", b"")], CHOICES, "two files with the"),
        ([DatasetFile("a" * 300, b"")], CHOICES, "cannot be the name of a file"),
        ([DatasetFile("..", b"")], CHOICES, "two files with the name"),
        ([DatasetFile("a.csv", b"a\tb\n")], AuditChoices(scale=(6, 0, 1)), "below its"),
    ],
)  # fmt: skip
def test_wrong_files_and_scales_are_explained(spoilt, files, choices, reason):
    with pytest.raises(ImportRefused, match=reason) as refused:
        audit_files(files, [], choices)

    assert tempfile.gettempdir() not in str(refused.value)


def test_broken_and_encrypted_archives_are_refused(spoilt):
    packed = pack(spoilt).data
    broken = packed.replace(b"word1", b"worm1", 1)
    locked = bytearray(packed)
    start = packed.index(b"PK\x01\x02")
    while start != -1:
        locked[start + 8] |= 1
        start = packed.find(b"PK\x01\x02", start + 1)

    for data in (broken, bytes(locked)):
        with pytest.raises(ImportRefused, match=r"words.zip cannot be unpacked: "):
            audit_files([DatasetFile("words.zip", data)], [], CHOICES)


def test_large_uploads_are_refused_before_they_are_unpacked(spoilt, monkeypatch):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cosimlex_xx.csv", b"x" * 3_000_000)
    bomb = DatasetFile("bomb.zip", out.getvalue())
    many_rows = DatasetFile("data_xx.tsv", b"\n" * (auditing.MOST_ROWS + 1))

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "read", None)  # and would fail
        with pytest.raises(ImportRefused, match="3,000,000 bytes, more than 2,000,000"):
            audit_files([bomb], [], CHOICES)
    with pytest.raises(ImportRefused, match="6,001 rows, more than 6,000"):
        audit_files([many_rows], [], CHOICES)
    monkeypatch.setattr(auditing, "MOST_FILES", 1)
    with pytest.raises(ImportRefused, match="more than 1"):
        audit_files([pack(spoilt)], [], CHOICES)


def test_nothing_is_left_and_nothing_is_written_elsewhere(spoilt, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../escaped.csv", b"a")
        archive.writestr(f"/{tmp_path}/absolute.csv", b"a")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(ImportRefused):
        audit_files([DatasetFile("x.zip", out.getvalue())], [], CHOICES)
    audit_files([pack(spoilt)], [], CHOICES)

    assert sorted(tmp_path.rglob("*")) == before
    assert not tmp_path.with_name("escaped.csv").exists()
