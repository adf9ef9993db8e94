"""Files of kits, gold that kits must not have, and examples that can be scored."""

import io
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from postprocess.kits.kit import render_kit, write_kit
from postprocess.kits.readme import write_instant
from postprocess.kits.rules import KitError, KitPart
from postprocess.release.checksums import render_checksums
from postprocess.scoring.gold import make_part
from postprocess.scoring.metrics import SIMILARITIES
from postprocess.scoring.scoring import check_submission
from postprocess.scoring.submitted import sort_files
from tests.postprocess.kits.tasks import (
    PRACTICE,
    RULES,
    TEST,
    make_data,
    make_gold,
    parts_of_test,
    practice_parts,
)

RESULTS = {
    f"res{subtask}/results_subtask{subtask}_{language}.tsv"
    for subtask in (1, 2)
    for language in ("fi", "sl")
}
ALWAYS = RESULTS | {
    "README.md", "score.py", "SHA256SUMS", "data/data_fi.tsv", "data/data_sl.tsv",
    "submission_examples/res1.zip", "submission_examples/res2.zip",
}  # fmt: skip


def test_a_kit_of_practice_data_has_gold_and_instructions():
    parts = practice_parts(instructions={"instructions.md": b"Rate both."})

    files = render_kit(parts, RULES, PRACTICE)

    assert set(files) == ALWAYS | {
        f"{folder}{language}{end}"
        for language in ("fi", "sl")
        for folder, end in (("gold/gold_", ".tsv"), ("instructions/", "/instructions.md"))
    }
    assert files["gold/gold_sl.tsv"] == make_gold(4)
    rest = {name: content for name, content in files.items() if name != "SHA256SUMS"}
    assert files["SHA256SUMS"] == render_checksums(rest)
    assert files["res2/results_subtask2_sl.tsv"].split(b"\n")[1] == b"-3\t-3"


def test_a_kit_of_test_data_has_no_gold():
    files = render_kit(parts_of_test(), RULES, TEST)

    assert set(files) == ALWAYS
    assert not [name for name in files if "gold" in name]


def test_a_kit_of_one_subtask_has_no_results_of_the_other():
    files = render_kit(parts_of_test(), RULES, replace(TEST, tracks=(SIMILARITIES,)))

    assert set(ALWAYS - set(files)) == {
        *(name for name in RESULTS if name.startswith("res1")), "submission_examples/res1.zip",
    }  # fmt: skip
    assert b"Subtask 1" not in files["README.md"]
    assert b"--results res2 --data" in files["README.md"]


def test_the_examples_are_submissions():
    files = render_kit(practice_parts(), RULES, PRACTICE)
    parts = {part.language: make_part(part.language, part.gold) for part in practice_parts()}
    sent = [(name, files[f"submission_examples/{name}"]) for name in ("res1.zip", "res2.zip")]

    found = check_submission(sort_files(sent, ["fi", "sl"]), parts)

    assert len(found.numbers) == 4
    assert found.ignored == []


def test_a_packed_kit_is_scored_by_its_own_program(tmp_path):
    packed = write_kit(practice_parts(), RULES, PRACTICE, folder="practice_kit")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path)

    command = "score.py --gold gold --results res1 res2 --data data"
    done = subprocess.run(
        [sys.executable, "-I", *command.split()],
        cwd=tmp_path / "practice_kit", capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0
    lines = [line.split("\t")[:3] for line in done.stdout.splitlines()[1:]]
    assert [line for line in lines if line[1] != "average"] == [
        [subtask, language, "4"] for subtask in "12" for language in ("fi", "sl")
    ]
    assert command in (tmp_path / "practice_kit/README.md").read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bytes():
    first, again = (write_kit(practice_parts(), RULES, PRACTICE, folder="kit") for _ in range(2))

    assert first == again


def test_the_readme_says_dates_limits_and_formulas():
    parts = parts_of_test()
    rules = replace(RULES, required=("sl",), best_of=1)

    text = render_kit(parts, rules, TEST)["README.md"].decode()

    for part in (
        "# Words in \\*context\\*: evaluation",
        "How similar are two words?",
        "Opens: 15 January 2027, 12:00 UTC (15 January 2027, 00:00 anywhere on earth, UTC−12)",
        "Closes: 1 February 2027, 11:59:59 UTC (31 January 2027, 23:59:59 anywhere",
        "At most 9 submissions in all and 3 submissions a day",
        "Scores are hidden until the results are published.",
        "Results without `sl` are refused",
        "over the best language, if",
        "u = Σxg / √(Σx² · Σg²)",
        "H = 2PS / (P + S)",
        "Contact: organisers@example.org",
        "## Terms\n\nBe fair.",
    ):
        assert part in text
    text = render_kit(practice_parts(), RULES, PRACTICE)["README.md"].decode()
    assert "Any number of submissions" in text
    assert "Closes: open for good" in text


def test_times_in_utc_are_written_once():
    at = datetime(2027, 7, 1, 12, tzinfo=UTC)

    assert write_instant(at, "UTC") == "1 July 2027, 12:00 UTC"
    assert write_instant(at, "Europe/Ljubljana").endswith("(1 July 2027, 14:00 Europe/Ljubljana)")


@pytest.mark.parametrize(
    ("parts", "phase", "message"),
    [
        ([], TEST, "needs a part for each language"),
        (parts_of_test()[:1] * 2, TEST, "needs a part for each language"),
        (practice_parts(), TEST, "must not have gold, and fi has it"),
        (parts_of_test(), PRACTICE, "the practice data of fi has no gold"),
        ([KitPart("sl", make_data(3), make_gold(4))], PRACTICE, "has 3 pairs, and the gold has 4"),
        ([KitPart("sl", b"word1\n")], TEST, "data_sl.tsv: missing columns"),
    ],
)
def test_what_must_not_be_in_a_kit_is_refused(parts, phase, message):
    with pytest.raises(KitError, match=message):
        render_kit(parts, RULES, phase)
