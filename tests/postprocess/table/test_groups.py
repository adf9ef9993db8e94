import pandas as pd

from postprocess.table.groups import find_groups, with_groups


def table(*rows, columns=("pair", "context", "annotator", "rating")):
    return pd.DataFrame(list(rows), columns=list(columns))


def rated(pair, context, *annotators):
    return [(pair, context, annotator, 3) for annotator in annotators]


def test_find_groups_finds_the_questionnaires():
    ratings = table(
        *rated(1, 1, "A", "B", "C"),
        *rated(1, 2, "D", "E", "F"),
        *rated(2, 1, "D", "E", "F"),
        *rated(2, 2, "A", "B"),  # C dropped out
    )

    groups = find_groups(ratings)

    assert groups.tolist() == ["1"] * 3 + ["2"] * 6 + ["1"] * 2


def test_find_groups_separates_two_questionnaires_of_one_annotator():
    ratings = table(*rated(1, 1, "A", "B", "C"), *rated(2, 1, "A", "D", "E"))

    assert find_groups(ratings).tolist() == ["1"] * 3 + ["2"] * 3


def test_find_groups_needs_more_than_half_and_follows_chains():
    half = table(*rated(1, 1, "A", "B", "C"), *rated(2, 1, "B", "C", "D"))
    chain = table(
        *rated(1, 1, "A", "B", "C", "D"),
        *rated(2, 1, "B", "C", "D", "E"),
        *rated(3, 1, "C", "D", "E", "F"),
    )

    assert set(find_groups(half)) == {"1", "2"}  # 2 of 4
    assert set(find_groups(chain)) == {"1"}  # 3 of 5, twice


def test_find_groups_does_not_depend_on_row_order():
    ratings = table(*rated(2, 1, "C", "D"), *rated(1, 1, "A", "B"), *rated(1, 2, "C", "D"))

    shuffled = ratings.sample(frac=1, random_state=1)

    assert find_groups(shuffled).sort_index().tolist() == find_groups(ratings).tolist()
    assert find_groups(ratings).tolist() == ["2", "2", "1", "1", "2", "2"]


def test_with_groups_leaves_given_groups():
    ratings = table(*rated(1, 1, "A"))

    assert with_groups(ratings)["group"].tolist() == ["1"]
    assert with_groups(ratings.assign(group="x"))["group"].tolist() == ["x"]
