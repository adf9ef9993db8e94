"""The work for a stimuli file is at most proportional to its length, whatever its content.

Work is counted in lines of Python, and where a compiled pattern or the database of Unicode does it,
in CPU seconds of a process, of which a file of 1 MB that is read in quadratic time needs minutes.
"""

import resource
import subprocess
import sys

import pytest

from postprocess.formats.marks import MOST_COMPARED, likeness
from postprocess.formats.parsed import MOST_FINDINGS
from postprocess.formats.stimuli import COLUMNS, LONGEST_TEXT, LONGEST_WORD, parse_stimuli
from tests.factories.stimuli_rows import parse_with, row_with

HEADER = "\t".join(COLUMNS) + "\n"
SHORT = {  # a warning for each context
    "context1": "The <strong>bank</strong> of the <strong>river</strong>.",
    "context2": "Two <strong>rivers</strong> met at high <strong>Banks</strong>.",
}
CPU_SECONDS = 30
READ = (
    "import sys; from postprocess.formats.stimuli import parse_stimuli; "
    "print(len(parse_stimuli(sys.stdin.buffer.read()).rows))"
)


def count_lines(function, *arguments):
    """Count the lines of Python that a function runs."""
    n_lines = 0

    def trace(frame, event, argument):
        nonlocal n_lines
        n_lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return n_lines


def read_within_limit(data):
    """Return the number of rows of a file, read by a process with limited CPU time."""
    done = subprocess.run(
        [sys.executable, "-c", READ],
        input=data,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)),
    )
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return int(done.stdout)


def file_of(*rows):
    return (HEADER + "".join("\t".join(row) + "\n" for row in rows)).encode()


def rows_of_text(text):
    """Return rows of a million bytes with this text in the first context."""
    context = f"The <strong>bank</strong> of the <strong>river</strong>. It was wide. {text}"
    row = row_with(context1=context)
    return [row] * (1_000_000 // len("\t".join(row).encode()))


def crossed(n_letters):
    """Return a row with long words that are similar but different."""
    first, second = "ab" * (n_letters // 2) + "c", "ba" * (n_letters // 2) + "d"
    contexts = [f"{n}: <strong>{first}</strong> <strong>{second}</strong>. So." for n in (1, 2)]
    return (first, second, *contexts, *(first, second) * 2)


def test_twice_as_many_rows_make_twice_the_work():
    rows = [crossed(40)] * 20

    once, twice = (count_lines(parse_stimuli, file_of(*rows * n)) for n in (1, 2))

    assert once < twice <= 2 * once


@pytest.mark.parametrize("n_letters", [50, 400])
def test_words_twice_as_long_make_no_more_than_twice_the_work(n_letters):
    once, twice = (count_lines(parse_stimuli, file_of(crossed(n * n_letters))) for n in (1, 2))

    assert twice <= 2 * once


def test_only_the_beginnings_of_long_words_are_compared():
    start = "ab" * (MOST_COMPARED // 2)

    assert likeness(start + "xyz", start + "uvw") == 1
    assert count_lines(likeness, start * 50, start * 40) <= count_lines(likeness, start, start)


@pytest.mark.parametrize("n_marks", [20, 200])
def test_marks_are_not_all_compared(n_marks):
    def row(n):
        return row_with(context1=" ".join(f"<strong>w{i}</strong>" for i in range(n)))

    once, twice = (count_lines(parse_stimuli, file_of(row(n * n_marks))) for n in (1, 2))

    assert twice <= 1.1 * once


@pytest.mark.parametrize(
    "text",
    [
        "." * 19_000 + "x",
        '."' * 9_000 + "x",
        "a" + "\u0300\u0323" * 9_000,
        "bank" * 4_500,
        " xbank" * 3_000,
    ],
    ids=["full stops", "full stops and quotes", "combining marks", "words in words", "parts"],
)
def test_a_large_file_of_hostile_texts_is_read(text):
    rows = rows_of_text(text)

    assert read_within_limit(file_of(*rows)) == len(rows)


@pytest.mark.parametrize(
    ("data", "n_rows"),
    [
        (HEADER + "a\n" * 490_000, 0),
        (HEADER + "\n" * 990_000 + "a", 0),
        (HEADER + "\t\t\t\t\t\t\tx\n" * 110_000, 110_000),
        ("\t".join(f"c{n}" for n in range(140_000)), 0),
        (HEADER + "\udcff\n" * 490_000, 0),
    ],
    ids=["rows of a letter", "line breaks", "empty fields", "columns", "no UTF-8"],
)
def test_a_large_file_of_a_hostile_shape_is_read(data, n_rows):
    assert read_within_limit(data.encode(errors="surrogateescape")) == n_rows


def test_one_hostile_text_of_a_whole_file_is_refused():
    assert read_within_limit(file_of(row_with(context1="." * 3_900_000 + "x"))) == 1


@pytest.mark.parametrize(
    ("changed", "column", "reason"),
    [
        (
            {"word1": "b" * (LONGEST_WORD + 1)},
            "word1",
            "the word has 101 characters; shorten it to 100 at most",
        ),
        (
            {"context1": "a" * (LONGEST_TEXT + 1)},
            "context1",
            "the text has 20,001 characters; shorten it to 20,000 at most",
        ),
        (
            {"context2": "a" + "\u0300\u0323" * 16},
            "context2",
            "more than 30 combining marks on one letter; remove them",
        ),
    ],
)
def test_fields_that_are_too_long_are_refused_by_row_and_column(changed, column, reason):
    (error,) = parse_with(**changed).errors

    assert (error.row, error.column, error.reason) == (1, column, reason)


def test_words_and_texts_of_the_maximum_length_are_accepted():
    word = "b" * LONGEST_WORD
    marked = f"<strong>{word}</strong> by the <strong>river</strong>. We sat. "
    text = marked + "a" * (LONGEST_TEXT - len(marked))

    parsed = parse_with(word1=word, word1_context1=word, context1=text)

    assert (parsed.errors, len(parsed.pairs)) == ((), 1)


def test_a_file_full_of_errors_is_not_read_to_its_end():
    rows = [row_with(word1="", word2="", context1="", context2="")] * MOST_FINDINGS

    parsed = parse_stimuli(file_of(*rows))

    assert MOST_FINDINGS < len(parsed.findings) < MOST_FINDINGS + 20
    assert parsed.findings[-1].reason == (
        "not read from this row on: there are more than 10,000 errors before it; correct those "
        "first"
    )


def test_warnings_prevent_nothing_and_are_kept_up_to_a_bound():
    n_rows = MOST_FINDINGS // 2 + 3

    parsed = parse_stimuli(file_of(*[row_with(**SHORT)] * n_rows))

    assert (parsed.errors, len(parsed.pairs)) == ((), n_rows)
    assert len(parsed.warnings) == MOST_FINDINGS + 1
    *_, last, rest = map(str, parsed.warnings)
    assert last.startswith("row 5000 (line 5001), context2: about 1 sentence, far from three")
    assert rest == "row 5001 (line 5002), context1: more warnings from here on: 6"


def test_errors_after_more_warnings_than_are_kept_are_found():
    rows = [row_with(**SHORT)] * MOST_FINDINGS

    (error,) = parse_stimuli(file_of(*rows, row_with(word1=""))).errors

    assert str(error) == "row 10001 (line 10002), word1: the field is empty; fill it in"


def test_misshapen_rows_are_described_up_to_a_bound():
    findings = parse_stimuli((HEADER + "a\n" * 10_005).encode()).findings

    assert len(findings) == 10_001
    assert str(findings[-1]) == (
        "row 10001 (line 10002): 5 more rows have not as many fields as the header; "
        "correct them too"
    )


def test_unknown_columns_are_named_up_to_a_bound():
    header = HEADER.rstrip() + "".join(f"\tc{n}" for n in range(23))
    row = "\t".join((*row_with(), *["x"] * 23))

    warnings = parse_stimuli(f"{header}\n{row}\n".encode()).warnings

    assert len(warnings) == 21
    assert warnings[-1].reason == "3 more unknown columns: not used; remove them"
