import io

import pandas as pd
import pytest

from postprocess.formats.reading import load_checks, load_ratings
from postprocess.release.individual import (
    load_words,
    publish_individual,
    render_checks,
    render_ratings,
    write_ratings_parquet,
)
from postprocess.steps.exclusion import count_failed
from postprocess.table.ratings import RatingsError, check_ratings
from tests.postprocess.release.releases import KEY, RECIPE, rate, words_of

SCALE = RECIPE.scale.as_scale()


def checked(**changes):
    return check_ratings(rate(3).assign(**changes), SCALE)


def test_ratings_are_sorted_by_their_new_ids():
    ratings = publish_individual(checked(), None, None, KEY).ratings

    assert ratings.equals(ratings.sort_values(["pair", "context", "annotator"], ignore_index=True))
    assert sorted(ratings["annotator"].unique()) == [f"A{n:02}" for n in range(1, 12)]


@pytest.mark.parametrize("with_words", [False, True])
def test_both_ratings_files_are_read_unchanged(tmp_path, with_words):
    words = words_of(rate(3), word="sea salt") if with_words else None
    ratings = publish_individual(checked(), None, words, KEY).ratings
    texts, parquet = tmp_path / "ratings_sl.tsv", tmp_path / "ratings_sl.parquet"
    texts.write_text(render_ratings(ratings, "sl"), encoding="utf-8")
    parquet.write_bytes(write_ratings_parquet(ratings, "sl"))

    read = [check_ratings(load_ratings(path, "sl"), SCALE) for path in (texts, parquet)]

    for table in read:
        pd.testing.assert_frame_equal(
            table.astype(str), check_ratings(ratings, SCALE).astype(str), check_dtype=False
        )
    for path in (texts, parquet):
        loaded = load_words(path)
        assert (loaded is not None) == with_words
        if loaded is not None:
            assert set(loaded["inspired_word1"]) == {"sea salt"}
            assert len(loaded) == len(ratings)


def test_a_rating_that_could_not_be_judged_stays_empty():
    ratings = rate(3).assign(mark="", rating=lambda table: table["rating"].astype(float))
    ratings.loc[0, ["rating", "mark"]] = [float("nan"), "cannot judge"]

    published = publish_individual(check_ratings(ratings, SCALE), None, None, KEY).ratings

    lines = [x for x in render_ratings(published, "sl").splitlines() if "cannot judge" in x]
    assert [line.split("\t")[4] for line in lines] == [""]
    table = pd.read_parquet(io.BytesIO(write_ratings_parquet(published, "sl")))
    assert table["rating"].isna().sum() == 1


def test_words_are_not_read_as_formulas():
    words = words_of(rate(3), word="=1+1\tand\nmore").assign(inspired_word2="@x")

    text = render_ratings(publish_individual(checked(), None, words, KEY).ratings, "sl")

    assert {tuple(line.split("\t")[7:]) for line in text.splitlines()[1:]} == {
        ("'=1+1 and more", "'@x")
    }


def test_words_without_a_rating_and_ratings_without_words_are_both_allowed():
    words = words_of(rate(3)).iloc[5:8]
    extra = words.assign(pair=99)

    ratings = publish_individual(checked(), None, pd.concat([words, extra]), KEY).ratings

    assert (ratings["inspired_word1"] != "").sum() == 3


def test_publish_individual_refuses_duplicate_words():
    words = words_of(rate(3))

    with pytest.raises(RatingsError, match="an annotator has two engagement answers"):
        publish_individual(checked(), None, pd.concat([words, words]), KEY)


def test_publish_individual_refuses_only_withdrawn_ratings():
    with pytest.raises(RatingsError, match="every rating was withdrawn"):
        publish_individual(checked(mark="withdrawn"), None, None, KEY)


def test_checkpoint_answers_have_the_same_ids_without_withdrawn_ones(tmp_path):
    checks = pd.DataFrame(
        {"checkpoint": 1, "annotator": ["worker-0-0", "worker-0-1", "worker-1-1"],
         "rating": [6, 2, 5.5], "group": "1A", "lowest": 5, "highest": 6, "worker_id": "secret"}
    )  # fmt: skip

    individual = publish_individual(checked(), checks, None, KEY)

    text = render_checks(individual.checks, "sl")
    assert "secret" not in text
    assert text.splitlines()[0] == "language,checkpoint,group,annotator,rating,lowest,highest"
    (tmp_path / "checkpoints_sl.csv").write_text(text)
    read = load_checks(tmp_path / "checkpoints_sl.csv")
    assert sorted(count_failed(read).tolist()) == [0, 1]
    assert set(read["annotator"]) < set(individual.ratings["annotator"])


def test_write_ratings_parquet_is_deterministic():
    ratings = publish_individual(checked(), None, None, KEY).ratings

    assert write_ratings_parquet(ratings, "sl") == write_ratings_parquet(ratings.copy(), "sl")
