from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from postprocess.auditing.reconstruction.printed import may_be_same, printed_bounds
from postprocess.formats.files import format_number, parse_number


@pytest.mark.parametrize(
    ("figure", "low", "high"),
    [
        (4.0, 3.995, 4.005),
        (9.4, 9.395, 9.405),
        (10.0, 9.995, 10.05),
        (1.0, 0.9995, 1.005),
        (0.118, 0.1175, 0.1185),
        (2.4e-05, 2.395e-05, 2.405e-05),
        (4.6667, 4.66665, 4.66675),
        (-0.52, -0.5205, -0.5195),
        (0.0, 0, 0),
    ],
)
def test_printed_bounds_are_half_a_unit_of_the_last_digit(figure, low, high):
    bounds = printed_bounds(figure)

    assert [float(bound) for bound in bounds] == pytest.approx([low, high], rel=1e-10)


@limits(max_examples=100)
@given(st.fractions(min_value=-10, max_value=10, max_denominator=10_000))
def test_a_number_is_within_the_bounds_of_its_printed_figure(number):
    assert number in printed_bounds(parse_number(format_number(float(number))))


@pytest.mark.parametrize("rule", [ROUND_HALF_UP, ROUND_HALF_EVEN])
@pytest.mark.parametrize(
    "number", ["8.125", "4.375", "6.875", "3.125", "9.995", "99.95", "0.9995", "0.1185", "10.05"]
)
def test_a_half_is_within_the_bounds_rounded_either_way(number, rule):
    tie = Decimal(number)
    third_digit = Decimal(1).scaleb(tie.adjusted() - 2)
    printed = parse_number(f"{tie.quantize(third_digit, rule).normalize():f}")

    assert Fraction(number) in printed_bounds(printed)
    assert -Fraction(number) in printed_bounds(-printed)


def test_bounds_contain_only_fractions():
    assert Fraction(4) in printed_bounds(4.0)
    assert "4" not in printed_bounds(4.0)


def test_figures_may_be_the_same_with_fewer_digits():
    assert may_be_same(5.33, 5.33)
    assert may_be_same(5.3333, 5.33)
    assert not may_be_same(5.33, 5.34)
    assert not may_be_same(0.0, 0.001)
