import numpy as np
import pandas as pd

from postprocess.reporting.figures.lineups import count_annotators, line_up


def annotators(*rows):
    return pd.DataFrame(rows, columns=["group", "annotator", "rho"])


def test_line_up_orders_by_group_then_figure_and_keeps_a_gap():
    table = annotators(("10", "A", 0.9), ("9", "B", 0.8), ("9", "C", 0.2), ("10", "D", np.nan))

    lineup = line_up(table, "rho")

    assert lineup.groups["group"].tolist() == ["9", "10"]
    assert np.argsort(lineup.place).tolist() == [2, 1, 3, 0]  # C B | D A: none comes first
    assert lineup.groups["left"].iloc[1] > lineup.groups["right"].iloc[0]


def test_line_up_does_not_depend_on_the_order_of_rows():
    table = annotators(*((f"{i % 3}", f"A{i}", 0.5) for i in range(30)))
    reversed_rows = table.iloc[::-1].reset_index(drop=True)

    assert (
        line_up(reversed_rows, "rho").place[::-1].tolist() == line_up(table, "rho").place.tolist()
    )


def test_mark_size_shrinks_with_the_number_of_annotators():
    few, many = (
        line_up(annotators(*(("1", f"A{i:03}", i / n) for i in range(n))), "rho") for n in (10, 500)
    )

    assert few.mark_size == 5
    assert many.mark_size == 2.2
    assert many.noted_size > many.mark_size


def test_count_annotators_counts_annotators_and_groups():
    table = annotators(("1", "A", 1), ("1", "B", 1), ("2", "A", 1))

    assert count_annotators(table.iloc[:2]) == "2 annotators in 1 group"
    assert count_annotators(table) == (
        "2 annotators in 2 groups (in each of their groups, 3 in all)"
    )
