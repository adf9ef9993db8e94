import threading

import numpy as np
import pytest

from postprocess.table import parallel
from postprocess.table.parallel import fill_parts, on_all_cores


def test_on_all_cores_raises_errors_of_an_item():
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda number: 1 / number, [1, 2, 0, 3])


@pytest.mark.parametrize("n_rows", [0, 1, 7, 8, 34])
def test_fill_parts_fills_every_row(n_rows, monkeypatch):
    monkeypatch.setattr(parallel, "AT_ONCE", 7)
    rows = np.arange(n_rows)

    filled = fill_parts(np.zeros(n_rows), lambda part: rows[part])

    np.testing.assert_array_equal(filled, rows)


def test_on_all_cores_stays_in_its_thread_within_another():
    def name_threads(_):
        return on_all_cores(lambda _: threading.get_ident(), range(20))

    of_each = on_all_cores(name_threads, range(8))

    assert all(len(set(found)) == 1 for found in of_each)
