"""Result files: each kind of fault with its message, and what changes no score."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postprocess.formats.tabular import ROW_NAMES, Severity
from postprocess.scoring.figures import score_once, score_predictions
from postprocess.scoring.metrics import CHANGES, SIMILARITIES, Metric
from postprocess.scoring.predictions import digest_numbers, read_predictions
from postprocess.scoring.scoring import (
    SubmissionRefused,
    check_submission,
    score_checked,
    score_submission,
)
from postprocess.scoring.submitted import sort_files
from tests.hostile_archives import encrypted, pack
from tests.postprocess.scoring.published import make_gold

WORDS = [("ice", "sun"), ("=x", "sea"), ("day", "dew")]
GOLD = np.array([[1.0, 2.0], [5.0, 3.0], [2.0, 8.0]])
PART = make_gold(GOLD, "sl", tuple(WORDS))
PARTS = {language: make_gold(GOLD, language) for language in ("fi", "sl")}


def read(data, subtask=CHANGES, words=()):
    data = data if isinstance(data, bytes) else "\n".join([*data, ""]).encode()
    return read_predictions(data, subtask, "sl", 3, words)


def said(found):
    return [str(finding) for finding in found.findings]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"change\n1\n-2\n.5", [1, -2, 0.5]),
        (b"\xef\xbb\xbfchange\r\n1\r\n2\r\n3\r\n\r\n\r\n", [1, 2, 3]),
        (b"change\n1\n2\n3\n" + b"\n" * 200_000, [1, 2, 3]),
        (b"change\n+1.\n2e1\n3E-1\n", [1, 20, 0.3]),
        (b"change\n1e-400\n-1e-400\n1e308\n", [0, 0, 1e308]),
        (b"change\n-1e308\n1e308\n0\n", [-1e308, 1e308, 0]),
        (b"change\n" + b"1" * 300 + b"\n0\n0\n", [float("1" * 300), 0, 0]),
    ],
)
def test_numbers_are_read_as_they_are_written(data, expected):
    found = read(data)

    assert found.findings == []
    assert found.numbers.tolist() == expected


ONE_EACH = "write one for each pair of the data file, in its order"
DIGITS = "is not a number; write digits, with a full stop for decimals"
NEEDED = "is not a number; every pair needs a prediction"
IN_ORDER = "write the rows in the order of the data file"


def each(fields, problem):
    """Return the messages for rows that all have the same problem."""
    return [f'row {n} (line {n + 1}), change: "{one}" {problem}' for n, one in enumerate(fields, 1)]


@pytest.mark.parametrize(
    ("rows", "messages"),
    [
        (["0,5", "1", "2"], ['row 1 (line 2), change: decimal comma in "0,5"; write 0.5']),
        (["1", "2", " 3"],
         ['row 3 (line 4), change: spaces around the number in " 3"; remove them']),
        (["−1", "2", "3"],
         ['row 1 (line 2), change: "−1" has a minus sign that is not a hyphen; write -']),
        (["NA", "inf", "nan"], each(["NA", "inf", "nan"], NEEDED)),
        (["1_000", "0x1f", "٣"], each(["1_000", "0x1f", "٣"], DIGITS)),
        (["1e", ".", "1.2.3"], each(["1e", ".", "1.2.3"], DIGITS)),
        (["1e999", "-1e999", "1"],
         ["row 1 (line 2), change: 1e999 is too large; write a smaller number",
          "row 2 (line 3), change: -1e999 is too large; write a smaller number"]),
        (["1" * 400, "1", "1"],
         [f"row 1 (line 2), change: {'1' * 40} is too large; write a smaller number"]),
        (["1", "", "2"], ["row 2 (line 3): the row is empty; remove it"]),
        (["1", "", "2", "3"],
         [f"4 rows, wanted 3; {ONE_EACH}", "row 2 (line 3): the row is empty; remove it"]),
        (["1", "2"], [f"2 rows, wanted 3; {ONE_EACH}"]),
        (["1"], [f"1 row, wanted 3; {ONE_EACH}"]),
        (["1", "2", "3", "4"], [f"4 rows, wanted 3; {ONE_EACH}"]),
        ([], ["the file has a header but no rows; add the rows"]),
        (["1\t2", "1", "1"],
         ["row 1 (line 2): 2 fields instead of 1: a tab inside a field? Replace it by a space"]),
    ],
)  # fmt: skip
def test_rows_that_are_no_predictions_are_named(rows, messages):
    found = read(["change", *rows])

    assert found.numbers is None
    assert said(found) == messages


def test_an_empty_field_beside_a_number_is_named_with_its_column():
    found = read(["sim_context1\tsim_context2", "1\t", "\t2", "1\t2"], SIMILARITIES)

    assert said(found) == [
        "row 1 (line 2), sim_context2: the field is empty; write a number",
        "row 2 (line 3), sim_context1: the field is empty; write a number",
    ]


OTHER = {
    CHANGES: "these are the columns of subtask 1: change; name the file results_subtask1_sl.tsv",
    SIMILARITIES: (
        "these are the columns of subtask 2: sim_context1, sim_context2; name the file "
        "results_subtask2_sl.tsv"
    ),
}
SPREADSHEET = "the file is a spreadsheet; save it as UTF-8 text, its columns separated by tabs"
NOT_UTF_8 = "not UTF-8: byte 0xFF in line 2, at byte 8 of the file; save the file as UTF-8"
COMMAS = "the columns are separated by commas, semicolons or vertical bars; separate them by tabs"
LONG = "write 1,000 at most, and a row in each line"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("change\n1\n".encode("utf-16"), "the file is UTF-16; save it as UTF-8"),
        (pack({"xl/workbook.xml": b"x"}), SPREADSHEET),
        (b"change\n\xff\n2\n3\n", f"row 1 (line 2): {NOT_UTF_8}"),
        (b"", "the file is empty; it needs a header and rows"),
        (b"1\n2\n3\n",
         "missing column: change; the header must name them, separated by tabs (it has '1')"),
        (b"change\tchange\n1\t1\n", "change: the header names this column twice; keep one"),
        (b"sim_context1\tsim_context2\n", OTHER[SIMILARITIES]),
        (b"change,note\n", COMMAS),
        (b"change\n" * 100_002, "more than 100,000 rows; send fewer"),
        (b"change\n" + b"x\n" * 1_004, f"1,004 rows, wanted 3; {ONE_EACH}"),
        (b"change\n" + b"1\t2" * 200, "more than 20 columns; send only those that are read"),
        (b"change\n1\n" + b"9" * 1001, f"line 3 has 1,001 bytes; {LONG}"),
        (b"change|note\n", COMMAS),
        (b'"change"\n1\n2\n3\n',
         "the names of the columns are in quotation marks; write none (in R: quote = FALSE)"),
        ("change\n1\n2\n3\n".encode("utf-16-le"),
         "the file has NUL characters, as UTF-16 has; save it as UTF-8"),
        (b"change\n1\t0.5\n2\t0.5\n3\t0.1\n",
         "; ".join(ROW_NAMES)),
    ],
)  # fmt: skip
def test_files_that_are_no_table_are_refused(data, message):
    found = read(data)

    assert found.numbers is None
    errors = [one for one in found.findings if one.severity is not Severity.WARNING]
    assert [str(one) for one in errors] == [message]


def test_changes_in_a_file_of_similarities_are_named():
    assert said(read(b"change\n1\n", SIMILARITIES)) == [OTHER[CHANGES]]


def test_a_further_column_is_no_fault():
    found = read(["note\tchange", "a\t1", "b\t2", "c\t3"])

    assert found.numbers.tolist() == [1, 2, 3]
    assert said(found) == ["unknown column 'note': not used; remove it, or correct its name"]


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("pair\tchange", ["1\t0", "3\t0", "2\t1"],
         f'row 2 (line 3), pair: "3", but the data file has "2" here; {IN_ORDER}'),
        ("word2\tchange", ["sun\t0", "dew\t0", "sea\t1"],
         f'row 2 (line 3), word2: "dew", but the data file has "sea" here; {IN_ORDER}'),
    ],
)  # fmt: skip
def test_rows_in_another_order_are_refused_at_the_first_difference(header, rows, message):
    assert said(read([header, *rows], words=WORDS)) == [message]


def test_words_are_compared_as_they_are_or_as_they_are_escaped():
    for word in ("=x", "'=x"):
        rows = ["1\tice\tsun\t1", f"2\t{word}\tsea\t2", "3\tday\tdew\t3"]
        assert read(["pair\tword1\tword2\tchange", *rows], words=WORDS).findings == []


def test_words_that_cannot_be_compared_give_a_warning():
    found = read(["word1\tchange", "a\t1", "b\t2", "c\t3"])

    assert found.numbers.tolist() == [1, 2, 3]
    assert [one.severity for one in found.findings] == [Severity.WARNING]
    assert "were not compared" in said(found)[0]
    assert read(["pair\tchange", "1\t1", "3\t2", "2\t3"]).numbers is None


def test_constant_predictions_give_a_warning():
    assert said(read(["change", "0", "-0", "0.0"])) == [
        "all predictions are equal: constant predictions score 0"
    ]
    assert said(read(["change", "1", "1", "1"])) == ["all predictions are equal"]
    assert said(read(["sim_context1\tsim_context2", *["1\t1"] * 3], SIMILARITIES)) == [
        "all predictions are equal: constant predictions score 0"
    ]


# Files by their names

CHANGE = b"change\n1\n2\n4\n"


def check(*sent, parts=PARTS, required=(), **known):
    return check_submission(sort_files(sent, sorted(parts)), parts, required, **known)


def refused(*sent, **given):
    with pytest.raises(SubmissionRefused) as error:
        check(*sent, **given)
    return str(error.value).split("\n")


def test_what_systems_add_to_archives_is_ignored():
    noise = {"__MACOSX/._a": b"x", ".DS_Store": b"x", "a/Thumbs.db": b"x", ".git/config": b"x"}
    packed = pack({**noise, "a/results_subtask1_sl.tsv": CHANGE})

    found = check(("res.zip", packed))

    assert found.ignored == [*noise]
    assert list(found.numbers) == [(1, "sl")]
    assert [str(one) for _, one in found.warnings] == [
        "the file is in the folder a, not at the top; it is read"
    ]


def test_a_missing_language_has_no_numbers_unless_it_is_required():
    sent = ("results_subtask1_sl.tsv", CHANGE)

    assert list(check(sent).numbers) == [(1, "sl")]
    assert refused(sent, required=["fi", "sl"]) == [
        "results_subtask1_fi.tsv is missing; this language is required"
    ]


LONGEST = f"x/1_sl.tsv{'a' * 99}.tsv"
EACH_PAIR = "send a number for each pair alone"
NAME, TWICE = "results_subtask1_sl.tsv", ("a/results_subtask1_sl.tsv", "b/results_subtask1_sl.tsv")


@pytest.mark.parametrize(
    ("sent", "messages"),
    [
        ([("1_sl.tsv", CHANGE), (LONGEST, CHANGE)],
         [f"1_sl.tsv: 1_sl.tsv is not the name of a result file; did you mean {NAME}?",
          f"{LONGEST}: {LONGEST[2:82]} is not the name of a result file; did you mean {NAME}?"]),
        ([("s.tar.gz", b"\x1f\x8b\x08"), ("x.7z", b"7z"), ("README.txt", b"team x\n")],
         ["s.tar.gz: s.tar.gz is an archive of another kind; pack the files as .zip",
          "x.7z: x.7z is an archive of another kind; pack the files as .zip",
          ("README.txt: README.txt is not the name of a result file; send files such as "
          f"{NAME.replace('1', '2')}, or pack them as .zip")]),
        ([("r.zip", pack(dict.fromkeys(TWICE, CHANGE)))],
         [f"{TWICE[1]}: {NAME} is there twice: {TWICE[0]} and {TWICE[1]}; keep one"]),
        ([], ["no result file was sent; name it results_subtask1_fi.tsv"]),
        ([("r.zip", b"x")],
         ["r.zip: the archive cannot be read (File is not a zip file); pack it again"]),
        ([("r.zip", encrypted({NAME: CHANGE})), ("s.zip", pack({"../x": b""}))],
         [f"r.zip: {NAME}: the file is encrypted; pack it without a password",
          "s.zip: ../x: the path leads out of the archive; pack it again"]),
        ([(NAME, bytes(10_000_001))],
         [f"{NAME}: the file has 10,000,001 bytes, more than 10,000,000; {EACH_PAIR}"]),
    ],
)  # fmt: skip
def test_files_that_nobody_reads_are_refused(sent, messages):
    assert refused(*sent) == messages


def test_the_same_numbers_are_recognised_however_they_are_written():
    first = check(("results_subtask1_sl.tsv", CHANGE))
    again = ("results_subtask1_sl.tsv", b"change\r\n1.0\r\n20e-1\r\n4.\r\n")

    assert refused(again, earlier={first.digest: "submission 3"}) == [
        "these are the numbers of submission 3, which is not counted again; send others"
    ]
    other = ("results_subtask1_fi.tsv", CHANGE)
    assert check(other, earlier={first.digest: "submission 3"}).digest != first.digest
    (digest,) = first.number_digests.values()
    found = check(again, baselines={digest: "distance"})
    assert [str(one) for _, one in found.warnings] == [
        "these are the numbers of the baseline distance"
    ]


def test_the_order_of_files_changes_nothing():
    sent = [(f"results_subtask1_{language}.tsv", CHANGE) for language in ("sl", "fi")]

    first, again = check(*sent), check(*sent[::-1])

    assert list(first.numbers) == list(again.numbers)
    assert (first.digest, first.digests) == (again.digest, again.digests)


def test_quick_scores_are_those_of_the_whole_scoring():
    sent = [
        ("results_subtask1_sl.tsv", CHANGE),
        ("results_subtask2_fi.tsv", b"sim_context1\tsim_context2\n1\t2\n4\t3\n2\t2\n"),
    ]

    quick = score_checked(check(*sent), PARTS)

    whole = score_submission(sort_files(sent, sorted(PARTS)), PARTS).figures
    assert quick.keys() == {(1, "sl"), (2, "fi")}
    for (subtask, language), score in quick.items():
        assert score.score == whole[subtask][language].score
        assert score.n == 3


# What changes nothing

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)
SOME = st.integers(-50, 50).map(lambda n: n / 8)
ROWS = st.lists(st.tuples(SOME, SOME, SOME, SOME), min_size=3, max_size=12)


@given(st.binary(max_size=200), st.sampled_from([CHANGES, SIMILARITIES]))
@example(b"change\n1e308\n-1e308\n0\n", CHANGES)
@example(b"sim_context1\tsim_context2\n1e308\t-1e308\n5e-324\t0\n1\t2\n", SIMILARITIES)
def test_any_bytes_are_scored_or_refused(data, subtask):
    name = f"results_subtask{subtask.number}_sl.tsv"
    try:
        scored = score_submission(sort_files([(name, data)], ["sl"]), {"sl": PART})
    except SubmissionRefused as error:
        assert str(error)  # noqa: PT017
        return
    assert -1 <= scored.figures[subtask.number]["sl"].score <= 1


@given(st.lists(FINITE, min_size=6, max_size=6), st.sampled_from([CHANGES, SIMILARITIES]))
def test_any_numbers_are_scored(numbers, subtask):
    columns = 1 if subtask is CHANGES else 2
    header = "change" if subtask is CHANGES else "sim_context1\tsim_context2"
    rows = [numbers[first : first + columns] for first in range(0, 3 * columns, columns)]
    found = read([header, *("\t".join(map(repr, row)) for row in rows)], subtask)

    gold = PART.find_gold(subtask)
    assert math.isfinite(score_once(subtask.metric, found.numbers, gold).score)
    assert found.numbers.ravel().tolist() == numbers[: 3 * columns]


@given(ROWS, st.sampled_from([0.5, 3, 1e-200, 1e200]), st.sampled_from([-7, 0, 2.5]))
def test_neither_unit_nor_order_of_contexts_change_a_score(rows, factor, shift):
    table = np.array(rows)
    predicted, gold = table[:, :2], table[:, 2:]
    changes = np.diff(predicted)[:, 0], np.diff(gold)[:, 0]

    one, two = (
        score_predictions(Metric.CHANGE, *changes),
        score_predictions(Metric.HARMONIC, predicted, gold),
    )

    assert score_predictions(Metric.CHANGE, changes[0] * factor, changes[1]).score == pytest.approx(
        one.score, abs=1e-12
    )
    moved = score_predictions(Metric.HARMONIC, (predicted + shift) * factor, gold)
    assert moved.score == pytest.approx(two.score, abs=1e-9)
    assert score_predictions(Metric.CHANGE, -changes[0], -changes[1]).score == pytest.approx(
        one.score, abs=1e-12
    )
    swapped = score_predictions(Metric.HARMONIC, predicted[:, ::-1], gold[:, ::-1])
    assert swapped.score == pytest.approx(two.score, abs=1e-12)


def test_a_digest_depends_on_numbers_and_their_order():
    one = digest_numbers(np.array([[1.0, 2], [3, 4]]))

    assert one == digest_numbers(np.array([[1, 2], [3, 4]]))
    assert one != digest_numbers(np.array([[1.0, 2], [4, 3]]))
