import threading

import numpy as np
import pytest

from postprocess.table.parallel import AT_ONCE, fill_parts, in_parts, on_all_cores, take_all


@pytest.mark.parametrize("n_rows", [0, 1, AT_ONCE, AT_ONCE + 1, 5 * AT_ONCE - 1])
def test_in_parts_covers_each_row_once_and_in_order(n_rows):
    rows = np.arange(n_rows)

    parts = in_parts(n_rows, lambda part: rows[part].tolist())

    assert [row for part in parts for row in part] == rows.tolist()


def test_in_parts_raises_errors_of_a_part():
    def fail(rows):
        raise ValueError(rows.start)

    with pytest.raises(ValueError, match="0"):
        in_parts(3 * AT_ONCE, fail)


def test_take_all_equals_numpy():
    places = np.random.default_rng(1).integers(0, 1000, 3 * AT_ONCE)
    numbers = np.arange(1000) / 7

    np.testing.assert_array_equal(take_all(numbers, places), numbers[places])


def test_on_all_cores_raises_errors_of_an_item():
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda number: 1 / number, [1, 2, 0, 3])


def test_fill_parts_fills_every_row():
    rows = np.arange(3 * AT_ONCE + 1)

    filled = fill_parts(np.zeros(len(rows)), lambda part: rows[part])

    np.testing.assert_array_equal(filled, rows)


def test_on_all_cores_stays_in_its_thread_within_another():
    def name_threads(_):
        return on_all_cores(lambda _: threading.get_ident(), range(20))

    of_each = on_all_cores(name_threads, range(8))

    assert all(len(set(found)) == 1 for found in of_each)
