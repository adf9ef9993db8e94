import io
from collections import Counter
from decimal import Decimal

import pandas as pd
import pytest
from pyarrow.parquet import read_table

from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from surveys.errors import RatingsMissing, StimuliChanged
from surveys.models import Annotator, Block, Context, Response, Study
from surveys.participation.answers import record_rating
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators, invite_scripted_annotators
from surveys.results.export import stream_responses
from surveys.results.export_parquet import stream_responses_as_parquet
from surveys.results.ratings_table import (
    collect_study,
    list_shortfalls,
    number_annotators,
    table_answers,
)
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories.checkpoints import file as checkpoints_file
from tests.factories.checkpoints import row as checkpoint
from tests.factories.studies import (
    finish,
    make_study,
    make_study_of,
    progress_of,
    rate_due,
    start,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # rows in order

PLAIN = read_recipe("raw")


def rated_study() -> Study:
    """Two pairs, and two annotators each for A (ratings 1, 2) and B (ratings 5, 6)."""
    study = make_study(2)
    for rating in (1, 5, 2, 6):
        finish(start(study), rating=rating)
    return study


def test_table_answers_names_pairs_contexts_and_questionnaires():
    study = rated_study()

    table, checks, words, *_ = table_answers(study)

    assert checks.empty
    assert words.empty
    assert list(table.columns) == ["pair", "context", "annotator", "rating", "group", "mark"]
    assert len(table) == 8
    for row in table.itertuples():
        context = Context.objects.get(pair__position=row.pair, number=row.context)
        assert row.group == f"1{context.item.questionnaire.letter}"
        assert row.rating in ({1, 2} if row.group == "1A" else {5, 6})
    assert set(table["annotator"]) == set(study.annotators.values_list("code", flat=True))


def test_number_annotators_replaces_codes_in_every_table():
    study = make_study(2)
    item = checkpoints_file(checkpoint(lowest="5", highest="6"))
    import_checkpoints(study, item, per_assignment=1)
    for invitation in [*invite_scripted_annotators(study, 1), *invite_annotators(study, 3)]:
        finish(start(study, invitation))
    collected = collect_study(study)
    numbers = {
        code: f"A0{n}" for n, code in enumerate(sorted(collected.ratings["annotator"].unique()), 1)
    }

    numbered = number_annotators(collected)

    for name in ("ratings", "checks", "details"):
        before, after = getattr(collected, name), getattr(numbered, name)
        assert before["annotator"].map(numbers).tolist() == after["annotator"].tolist()
        assert before.drop(columns="annotator").equals(after.drop(columns="annotator"))
    assert len(numbers) == 4
    assert numbered.scripted == {numbers[code] for code in collected.scripted}
    assert number_annotators(numbered).ratings.equals(numbered.ratings)


def test_table_answers_has_block_position_and_seconds_of_each_rating():
    study = rated_study()
    Response.objects.filter(position=1).update(rating_visible_seconds=2.5)

    ratings, _, _, details, _ = table_answers(study)

    place = ["pair", "context", "annotator"]
    assert details[place].equals(ratings[place])
    assert set(details["block"]) == {"1"}
    assert sorted(details["position"]) == [1, 1, 1, 1, 2, 2, 2, 2]
    assert details.loc[details["position"] == 1, "seconds"].tolist() == [2.5] * 4
    assert details.loc[details["position"] == 2, "seconds"].isna().all()


def test_table_answers_marks_unfinished_assignments():
    study = rated_study()
    configure_study(study, ratings_per_context=3)
    rate_due(start(study), 0)

    assert Counter(table_answers(study)[0]["mark"]) == {"": 8, "unfinished": 1}
    assert list_shortfalls(Study.objects.get()) == [
        "contexts with fewer than the 3 ratings wanted: 4",
        "ratings of unfinished questionnaires, left out: 1",
        "unfinished questionnaires: 1",
    ]


def test_table_answers_excludes_withdrawn_annotators():
    study = make_study(2)
    configure_study(study, erases_withdrawn=False)
    staying, leaving = start(study), start(study)
    finish(staying), finish(leaving)

    withdraw_annotator(leaving.annotator)

    assert len(table_answers(study).ratings) == 2
    assert leaving.responses.filter(is_erased=True).count() == 0


def test_table_answers_marks_the_ratings_of_a_repeated_block():
    study = rated_study()

    repeat_block(Block.objects.get(), reason="bad", author="ana")

    assert Counter(table_answers(study)[0]["mark"]) == {"replaced": 8}


def test_collect_study_separates_ratings_of_checkpoint_items():
    study = make_study(2)
    item = checkpoints_file(checkpoint(lowest="5", highest="6"))
    import_checkpoints(study, item, per_assignment=1)
    for rating in (1, 5, 6, 6):
        finish(start(study), rating=rating)

    collected = collect_study(study)

    assert len(collected.ratings) == 8
    assert collected.checks is not None
    assert sorted(collected.checks["rating"]) == [1, 5, 6, 6]


def test_list_shortfalls_of_a_complete_study_is_empty():
    assert list_shortfalls(rated_study()) == []


def test_list_shortfalls_counts_scripted_annotators():
    study = make_study(1)
    for invitation in [*invite_scripted_annotators(study, 3), *invite_annotators(study, 1)]:
        finish(start(study, invitation))

    assert list_shortfalls(study) == [
        "questionnaires of scripted annotators (a rehearsal), not of people, in all rounds: 3"
    ]


def test_collect_study_returns_what_post_process_takes():
    collected = collect_study(rated_study())

    outcome = post_process(collected.ratings, PLAIN, n_pairs=len(collected.stimuli.rows))
    assert sorted(outcome.scores[["sim1", "sim2"]].round(2).stack().unique()) == [2.5, 9.17]
    assert (collected.checks, collected.words) == (None, None)


def test_collect_study_refuses_contexts_without_a_rating():
    study = make_study(2)
    finish(start(study))

    with pytest.raises(RatingsMissing, match="2 of the 4 contexts"):
        collect_study(study)


@pytest.mark.parametrize(
    "change",
    [{"text": "Another text altogether, long enough for its spans."}, {"word1_start": 0}],
)
def test_collect_study_refuses_changed_texts(change):
    study = rated_study()
    Context.objects.filter(pair__position=1, number=1).update(**change)

    with pytest.raises(StimuliChanged, match="not those that were imported"):
        collect_study(study)


@pytest.mark.parametrize("is_wanted", [True, False])
def test_table_answers_has_words_of_annotators_who_agreed(is_wanted):
    study = configure_study(make_study(2, ratings_per_context=4), publishes_words=False)
    finish(start(study))
    study = configure_study(study, publishes_words=True)
    finish(start(study))
    study = configure_study(study, publishes_words=is_wanted)

    ratings, _, words, *_ = table_answers(study)

    agreed = Annotator.objects.get(publishes_words=True).code
    expected = ratings[ratings["annotator"] == agreed][["pair", "context", "annotator"]]
    expected = expected.assign(inspired_word1="sea", inspired_word2="salt")
    if is_wanted:
        pd.testing.assert_frame_equal(words, expected.reset_index(drop=True))
    else:
        assert words.empty


def test_table_answers_takes_two_queries(django_assert_num_queries):
    study = rated_study()

    with django_assert_num_queries(2):
        table_answers(study)


def test_table_answers_of_items_with_one_context():
    study = make_study_of("mclwic", 2, ratings_per_context=1, publishes_words=True)
    assignment = start(study)
    for written in (("sea", "salt water"), ("a", "b")):
        record_rating(progress_of(assignment), Decimal(1), written=written)

    answers = table_answers(study)

    rated = answers.ratings[["pair", "context", "rating", "group", "mark"]]
    assert rated.to_numpy().tolist() == [[1, 1, 1.0, "1A", ""], [2, 1, 1.0, "1A", ""]]
    assert sorted(answers.words["written2"]) == ["b", "salt water"]
    header, *_ = "".join(stream_responses(study)).splitlines()
    assert "written1,written2" in header
    table = read_table(io.BytesIO(b"".join(stream_responses_as_parquet(study))))
    assert table.column_names == header.split(",")


def test_table_answers_has_no_words_where_none_are_written():
    study = make_study_of("simlex", 1, ratings_per_context=1, publishes_words=True)
    record_rating(progress_of(start(study)), Decimal(2))

    assert table_answers(study).words.empty
