import io
from collections import Counter

import pandas as pd
import pytest

from postprocess.recipe import Recipe, read_recipe
from surveys.analysing import analyse_study, list_shortfalls, table_answers
from surveys.checkpointing import import_checkpoints
from surveys.configuring import configure_study
from surveys.errors import RatingsMissing, StimuliChanged
from surveys.leaving import withdraw_annotator
from surveys.models import Block, Context, Study
from surveys.recruiting import invite_annotators, invite_scripted_annotators
from surveys.repeating import repeat_block
from tests.factories import finish, make_study, rate_due, start
from tests.surveys.checkpoint_rows import file as checkpoints_file
from tests.surveys.checkpoint_rows import row as checkpoint

pytestmark = pytest.mark.django_db

PLAIN = read_recipe("raw")


def rated_study() -> Study:
    """Two pairs, two annotators each on A and on B: 1 and 2 on A, 5 and 6 on B."""
    study = make_study(2)
    for rating in (1, 5, 2, 6):
        finish(start(study), rating=rating)
    return study


def test_table_answers_names_pairs_contexts_and_questionnaires():
    study = rated_study()

    table, checks = table_answers(study)

    assert checks.empty
    assert list(table.columns) == ["pair", "context", "annotator", "rating", "group", "mark"]
    assert len(table) == 8
    for row in table.itertuples():
        context = Context.objects.get(pair__position=row.pair, number=row.context)
        assert row.group == f"1{context.item.questionnaire.letter}"
        assert row.rating in ({1, 2} if row.group == "1A" else {5, 6})
    assert sorted(table["annotator"].unique()) == ["A01", "A02", "A03", "A04"]


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


def test_table_answers_holds_nothing_of_who_withdrew():
    study = make_study(2)
    configure_study(study, erases_withdrawn=False)
    staying, leaving = start(study), start(study)
    finish(staying), finish(leaving)

    withdraw_annotator(leaving.annotator)

    ratings, _ = table_answers(study)
    assert len(ratings) == 2
    assert leaving.responses.filter(is_erased=True).count() == 0


def test_table_answers_marks_the_ratings_of_a_repeated_block():
    study = rated_study()

    repeat_block(Block.objects.get(), reason="bad", author="ana")

    assert Counter(table_answers(study)[0]["mark"]) == {"replaced": 8}


def test_analyse_study_keeps_answers_to_checkpoint_items_apart():
    study = make_study(2)
    import_checkpoints(
        study, checkpoints_file(checkpoint(lowest="5", highest="6")), per_assignment=1
    )
    for rating in (1, 5, 6, 6):
        finish(start(study), rating=rating)

    dataset, individual = analyse_study(study, read_recipe("simlex"))

    header, *answers = individual["checkpoints_en.csv"].decode().splitlines()
    assert header == "language,checkpoint,annotator,rating,group,lowest,highest"
    assert len(answers) == 4
    reasons = dataset.outcome.annotators.set_index("annotator")["reason"]
    assert Counter(reasons)["failed checkpoint"] == 1
    assert dataset.report["counts"]["ratings_left_out"] == {"failed checkpoint": 2}
    assert "checkpoints" in dataset.report["inputs"]


def test_list_shortfalls_of_a_complete_study_is_empty():
    assert list_shortfalls(rated_study()) == []


def test_list_shortfalls_names_scripted_annotators():
    study = make_study(1)
    for invitation in [*invite_scripted_annotators(study, 3), *invite_annotators(study, 1)]:
        finish(start(study, invitation))

    assert list_shortfalls(study) == [
        "questionnaires answered by scripted annotators (rehearse_study), not by people: 3"
    ]


def test_analyse_study_aggregates_per_context():
    dataset, individual = analyse_study(rated_study(), PLAIN)

    scores = pd.read_csv(io.BytesIO(dataset.files["cosimlex_en.csv"]), sep="\t")
    assert sorted({*scores["sim1"], *scores["sim2"]}) == [2.5, 9.17]
    header, *rows = individual["ratings_en.csv"].decode().splitlines()
    assert header == "language,pair,context,annotator,rating,group,mark"
    assert len(rows) == 8


def test_analyse_study_refuses_contexts_without_a_rating():
    study = make_study(2)
    finish(start(study))

    with pytest.raises(RatingsMissing, match="2 of the 4 contexts"):
        analyse_study(study, PLAIN)


@pytest.mark.parametrize(
    "change",
    [{"text": "Another text altogether, long enough for its spans."}, {"word1_start": 0}],
)
def test_analyse_study_refuses_texts_that_are_not_those_imported(change):
    study = rated_study()
    Context.objects.filter(pair__position=1, number=1).update(**change)

    with pytest.raises(StimuliChanged, match="not those that were imported"):
        analyse_study(study, PLAIN)


def test_analyse_study_gives_the_same_bytes_again():
    study = rated_study()

    assert analyse_study(study, Recipe()).dataset.files == (
        analyse_study(study, Recipe()).dataset.files
    )


def test_table_answers_takes_one_query(django_assert_num_queries):
    study = rated_study()

    with django_assert_num_queries(1):
        table_answers(study)
