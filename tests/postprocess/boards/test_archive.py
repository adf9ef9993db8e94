"""The archive of a shared task: its files, their digests, and what it refuses."""

import hashlib
import io
import subprocess
import zipfile
from dataclasses import replace

import pytest

from postprocess.boards.archive import Archive, ArchivedTeam, pack_archive, zip_archive
from postprocess.boards.commitment import commit_to_gold, is_gold_unchanged
from postprocess.boards.entries import BoardError
from postprocess.boards.exports.freezing import read_board
from postprocess.boards.exports.rounding import round_board

GOLD = {"sl": b"gold of Slovene\n", "fi": b"gold of Finnish\n"}
SALT = bytes(range(32))


@pytest.fixture
def archive(small_board):
    return Archive(
        "Invented <task>",
        {"evaluation-2": small_board()},
        GOLD,
        b"print('scores')\n",
        text="About the task.",
        baselines={"distance": {"results_subtask2_fi.tsv": b"sim_context1\tsim_context2\n"}},
        teams=[
            ArchivedTeam("Alba", "alba", {"results_subtask2_fi.tsv": b"x"}, "A system\nof words."),
            ArchivedTeam("Brenta", "brenta"),
        ],
        salt=SALT,
        commitment=commit_to_gold(SALT, GOLD),
    )


def test_an_archive_has_all_files_and_their_digests(archive, small_board):
    files = pack_archive(archive)

    assert {
        "README.md", "SHA256SUMS", "score.py", "salt.bin", "gold/gold_fi.tsv", "gold/gold_sl.tsv",
        "baselines/distance/results_subtask2_fi.tsv", "submissions/alba/results_subtask2_fi.tsv",
        "evaluation-2/board.csv", "evaluation-2/board.json", "evaluation-2/board.tex",
        "evaluation-2/board.html", "evaluation-2/differences.csv",
        "evaluation-2/figures/scores-average.svg", "evaluation-2/figures/p-fi.png",
    } <= set(files)  # fmt: skip
    assert not any("brenta" in path for path in files)
    assert read_board(files["evaluation-2/board.json"]) == small_board()
    listed = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert listed == {
        path: hashlib.sha256(data).hexdigest()
        for path, data in files.items()
        if path != "SHA256SUMS"
    }
    assert pack_archive(archive) == files


def test_the_readme_says_what_is_there(archive):
    text = pack_archive(archive)["README.md"].decode()

    assert "Invented &lt;task&gt;" in text
    assert "Alba: `submissions/alba/`. A system of words." in text
    assert "Brenta, files not published" in text
    assert "corrected" not in text


@pytest.mark.parametrize("is_corrected", [False, True])
def test_the_readme_says_how_to_check_the_commitment(archive, is_corrected, tmp_path):
    if is_corrected:
        archive = replace(archive, gold=GOLD | {"sl": b"corrected\n"}, committed=GOLD)

    files = pack_archive(archive)

    text = files["README.md"].decode()
    assert ("The gold was corrected" in text) == is_corrected
    assert ("committed/gold_sl.tsv" in files) == is_corrected
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (command,) = (line for line in text.splitlines() if line.startswith("cat "))
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().split()[0] == archive.commitment


def test_the_zip_has_the_same_bytes_each_time(archive):
    files = pack_archive(archive)

    data = zip_archive(files, "invented")

    assert zip_archive(dict(reversed(files.items())), "invented") == data
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert set(opened.namelist()) == {f"invented/{path}" for path in files}


def test_what_does_not_belong_together_is_refused(archive):
    ((slug, board),) = archive.boards.items()
    teams = [ArchivedTeam("Alba", "a"), ArchivedTeam("Brenta", "a")]
    outside = [ArchivedTeam("Alba", "a", {"../../b": b""})]

    for changed, reason in [
        ({"boards": {slug: round_board(board)}}, "has three decimals"),
        ({"gold": {"sl": GOLD["sl"]}}, "has fi, whose gold is missing"),
        ({"commitment": "0" * 64}, "are not those of the commitment"),
        ({"teams": teams}, "two teams have the same folder"),
        ({"teams": outside}, "leaves its folder"),
    ]:  # fmt: skip
        with pytest.raises(BoardError, match=reason):
            pack_archive(replace(archive, **changed))


def test_an_archive_without_submissions_and_commitment_is_complete(archive):
    files = pack_archive(replace(archive, teams=[], baselines={}, salt=b"", commitment=""))

    text = files["README.md"].decode()
    assert "Submissions" not in text
    assert "digest of the gold" not in text
    assert "salt.bin" not in files


def test_a_commitment_fits_its_gold_alone():
    commitment = commit_to_gold(SALT, GOLD)

    assert commitment == hashlib.sha256(SALT + GOLD["fi"] + GOLD["sl"]).hexdigest()
    assert is_gold_unchanged(commitment.upper(), SALT, GOLD)
    assert not is_gold_unchanged(commitment, SALT, GOLD | {"fi": b"gold of Finnish \n"})
    assert not is_gold_unchanged(commitment, bytes(32), GOLD)
    with pytest.raises(ValueError, match="the salt has 3 bytes, not 32"):
        commit_to_gold(b"abc", GOLD)
    with pytest.raises(ValueError, match="the gold is missing"):
        commit_to_gold(SALT, {})
