import numpy as np
import pandas as pd

from postprocess.table import rendering
from postprocess.table.rendering import render_table


def test_render_table_writes_every_kind_of_column(monkeypatch):
    monkeypatch.setattr(rendering, "ROWS_AT_ONCE", 2)
    table = pd.DataFrame(
        {
            "pair": np.array([1, 2, 3], dtype=np.int8),
            "sim": [np.nan, 1 / 3, 2.0],
            "group": pd.Categorical(["b", None, "a"]),
            "words": ["žaba", None, 'a "b"'],
            "both": [7, "7", 0.5],
        }
    )

    lines = render_table(table).split("\n")

    assert lines == [
        "pair\tsim\tgroup\twords\tboth",
        "1\t\tb\tžaba\t7",
        "2\t0.333333333333\t\t\t7",
        '3\t2\ta\ta "b"\t0.5',
        "",
    ]


def test_render_table_without_rows_has_a_header():
    assert render_table(pd.DataFrame({"pair": [], "sim": []})) == "pair\tsim\n"
