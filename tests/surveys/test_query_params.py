import pytest

from surveys.query_params import LARGEST, read_number, read_query


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("", ""), (" sea ", "sea"), ("a\0b", "ab"), ("\0", ""), ("\0 sea", "sea"),
        ("x" * 5000, "x" * 200),
    ],
)  # fmt: skip
def test_read_query_returns_searchable_text(sent, read):
    assert read_query(sent) == read


@pytest.mark.parametrize(
    ("sent", "number"), [("0", 0), ("12", 12), ("٣", 3), (str(LARGEST), LARGEST)]
)
def test_read_number_reads_digits(sent, number):
    assert read_number(sent) == number


@pytest.mark.parametrize(
    "sent", ["", "x", "-1", "1.0", " 1", "²", "1e3", "1\0", str(LARGEST + 1), "9" * 5000]
)
def test_read_number_refuses_anything_else(sent):
    assert read_number(sent) is None


def test_read_number_refuses_larger_numbers():
    assert (read_number("99", 99), read_number("100", 99), read_number("99", 98)) == (
        99,
        None,
        None,
    )
