import pandas as pd
import pytest

from postprocess.table.details import find_parts_of_speech, join_details, load_details
from postprocess.table.ratings import RatingsError, Scale, check_ratings

RATINGS = check_ratings(
    pd.DataFrame(
        {"pair": [1, 1, 2], "context": [1, 2, 1], "annotator": ["B", "A", "B"], "rating": 3}
    ),
    Scale(),
)
TEXT = """pair,context,annotator,rating,pos,seconds,comment
2,1,B,3,verb,2.5,"a
b"

1,2,A,3,,,
1,1,B,3,noun,1e1,
"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="ratings.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_load_details_and_join_details_give_each_rating_its_own(write):
    joined = join_details(RATINGS, load_details(write(TEXT)))

    assert list(joined) == ["pair", "context", "annotator", "rating", "pos", "seconds"]
    assert joined["pos"].tolist() == ["noun", None, "verb"]
    assert joined["seconds"].fillna(-1).tolist() == [10, -1, 2.5]


def test_join_details_distinguishes_ratings_whatever_the_numbers_of_their_pairs():
    pairs = [1, 1 + 2**29]
    ratings = pd.DataFrame({"pair": pairs, "context": 1, "annotator": "A", "rating": 3})
    others = ratings.assign(annotator="B"), ratings.assign(annotator="C", pair=[2, 3])
    details = ratings.astype(str).assign(pos=["noun", "verb"])

    joined = join_details(pd.concat([ratings, *others, others[1].assign(annotator="D")]), details)

    assert joined["pos"].tolist()[:2] == ["noun", "verb"]


def test_load_details_reads_tsv_and_parquet_alike(write, tmp_path):
    tsv = write("pair\tcontext\tannotator\tposition\tblock\n1\t1\tB\t7\t2\n", "ratings.tsv")
    table = pd.DataFrame(
        {"pair": [1], "context": [1], "annotator": ["B"], "position": [7], "block": [2]}
    )
    table.to_parquet(tmp_path / "ratings.parquet")

    for path in (tsv, tmp_path / "ratings.parquet"):
        joined = join_details(RATINGS, load_details(path))
        assert joined["block"].tolist() == ["2", None, None], path
        assert joined["position"].fillna(-1).tolist() == [7, -1, -1], path


def test_load_details_returns_none_without_details(write):
    assert load_details(write("pair,context,annotator,rating\n1,1,B,3\n")) is None
    assert join_details(RATINGS, None) is RATINGS


def test_load_details_refuses_seconds_that_are_no_number(write):
    with pytest.raises(RatingsError, match='seconds has "soon", which is not a number'):
        load_details(write("pair,context,annotator,rating,seconds\n1,1,B,3,soon\n"))


def test_join_details_leaves_out_empty_columns_and_rows_of_other_ratings(write):
    details = load_details(write("pair,context,annotator,pos,block\n1,1,B,,\nx,1,B,noun,1\n"))

    assert list(join_details(RATINGS, details)) == list(RATINGS)


def test_join_details_refuses_two_rows_for_a_rating(write):
    details = load_details(write("pair,context,annotator,pos\n1,1,B,noun\n1,1,B,verb\n"))

    with pytest.raises(RatingsError, match="two rows describe the same rating"):
        join_details(RATINGS, details)


def test_find_parts_of_speech_gives_one_a_pair(write):
    joined = join_details(RATINGS, load_details(write(TEXT)))

    assert find_parts_of_speech(joined).to_dict() == {1: "noun", 2: "verb"}
    assert find_parts_of_speech(RATINGS) is None
    with pytest.raises(RatingsError, match=r"more than one part of speech .* for pair 1$"):
        find_parts_of_speech(RATINGS.assign(pos=["noun", "verb", "noun"]))
