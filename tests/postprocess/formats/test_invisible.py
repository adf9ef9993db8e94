import pytest

from postprocess.formats.invisible import describe_invisible, list_invisible, remove_invisible
from tests.factories.stimuli_rows import FIELDS, parse_with


@pytest.mark.parametrize(
    "text",
    [
        "wat\u202eer", "\u202bice\u202c", "\u2066ice\u2069", "wa\u200bter", "\ufeffice",
        "wa\u00adter", "ice\u200dwater", "ice\u200cwater", "a\u200fb", "a\u2060b", "a\u3164b",
        "ice\U000e0041", "שלום\u202e", "می\u200bخواهم",
    ],
)  # fmt: skip
def test_invisible_characters_are_reported(text):
    assert list_invisible(text)
    assert not list_invisible(remove_invisible(text))


@pytest.mark.parametrize(
    "text",
    [
        "ice – “water”… don’t", "e\u0301", "می\u200cخواهم", "क\u094d\u200dष", "ක\u0dca\u200dය",
        "שלום\u200f, abc", "مرحبا\u061c 5", "ภาษา\u200bไทย", "👩\u200d🔬",
        "❤\ufe0f\u200d🔥", "漢字", "a\u2028b",
    ],
)  # fmt: skip
def test_characters_that_a_script_needs_are_not_reported(text):
    assert list_invisible(text) == []


def test_characters_are_named():
    assert describe_invisible(["\u202e", "\ufeff"]) == (
        "RIGHT-TO-LEFT OVERRIDE (U+202E), ZERO WIDTH NO-BREAK SPACE (U+FEFF)"
    )
    assert describe_invisible([chr(c) for c in range(0x202A, 0x2030)]).endswith("1 more")


@pytest.mark.parametrize("column", ["word1", "context2"])
def test_stimuli_with_invisible_characters_give_a_warning(column):
    parsed = parse_with(**{column: FIELDS[column] + " \u202ex\u200b"})

    (warning,) = parsed.warnings
    assert (warning.row, warning.column) == (1, column)
    assert warning.reason == (
        "invisible characters inside the field: RIGHT-TO-LEFT OVERRIDE (U+202E), "
        "ZERO WIDTH SPACE (U+200B); remove them unless they are meant"
    )
    assert (parsed.errors, len(parsed.pairs)) == ((), 1)
