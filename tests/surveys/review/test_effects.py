import re

import pytest

from postprocess.reporting.phrases import write_figure
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe
from surveys.models import Response, VerdictKind
from surveys.results.ratings_table import scale_of, table_answers
from surveys.review.effects import preview_effects
from surveys.review.verdicts import give_verdict
from tests.factories.reviews import answers, reviewed_study, reviewer, whole

pytestmark = pytest.mark.django_db


def rated_study():
    """Return a study of two pairs, rated by three annotators who agree, so that all are kept."""
    return reviewed_study(2, 6, block_size=2)


def test_preview_effects_shows_the_score_with_and_without_an_answer():
    study = rated_study()
    review = answers(study)[0]

    text = preview_effects([review])[review.pk]

    assert text.startswith("Score of this text ")
    assert " from 3 ratings; without it " in text
    assert " from 2. Change of the pair " in text


def test_preview_effects_shows_a_change_with_its_sign():
    study = rated_study()
    for number, rating in ((1, 5), (2, 1)):
        Response.objects.filter(context__number=number).update(rating=rating)

    text = "".join(preview_effects(answers(study)).values())

    assert re.search(r"Change of the pair −\d\.\d\d; without it −\d\.\d\d\.", text)
    assert not re.search(r"nan|None|-\d", text)


def test_preview_effects_compares_with_use_after_any_verdict():
    study = rated_study()
    review = answers(study)[0]
    before = preview_effects([review])
    give_verdict(review, reviewer(study), VerdictKind.UNUSED)

    assert preview_effects([review]) == before


def test_preview_effects_of_a_whole_questionnaire_counts_scores():
    study = rated_study()
    review = whole(study)

    text = preview_effects([review])[review.pk]

    assert "score" in text


def test_preview_effects_says_when_a_text_would_have_no_rating():
    study = reviewed_study(2, 2, block_size=2)
    review = answers(study)[0]

    assert preview_effects([review])[review.pk] == "Without it a text would have no rating left."


def test_preview_effects_says_when_nothing_counts_yet():
    study = reviewed_study(2, 1, block_size=2)
    review = answers(study)[0]

    assert preview_effects([review])[review.pk].startswith("Nothing: ")


def test_preview_effects_of_many_equal_those_of_each_alone():
    study = reviewed_study(4, 12, block_size=2)  # two blocks
    reviews = [*answers(study), whole(study)]
    give_verdict(reviews[1], reviewer(study), VerdictKind.UNUSED)

    together = preview_effects(reviews)

    assert len({one.assignment.questionnaire.block_id for one in reviews}) == 2
    assert len(set(together.values())) > 2
    for one in reviews:
        assert together[one.pk] == preview_effects([one])[one.pk]


def test_preview_effects_handles_one_that_leaves_a_text_without_ratings():
    study = reviewed_study(4, 8, block_size=2, ratings_per_context=2)
    first, *others = answers(study)
    same_text = [one for one in others if one.response.context_id == first.response.context_id]
    for one in same_text:
        give_verdict(one, reviewer(study), VerdictKind.UNUSED)
    elsewhere = next(one for one in others if one.response.pair_id != first.response.pair_id)

    text = preview_effects([first, elsewhere])

    assert same_text
    assert text[first.pk] == "Without it a text would have no rating left."
    assert text[elsewhere.pk].startswith("Score of this text ")


@pytest.mark.parametrize("n", [1, 3])
def test_preview_effects_needs_the_same_queries_for_many(n, django_assert_num_queries):
    study = rated_study()
    reviews = answers(study)[:n]

    with django_assert_num_queries(2):
        preview_effects(reviews)


def scores_of(study):
    """Post-process all ratings of a study, as a run does."""
    recipe = Recipe().on_scale(scale_of(study))
    return post_process(table_answers(study).ratings, recipe, n_pairs=study.pairs.count()).scores


def test_preview_effects_by_block_equal_post_processing_of_the_whole_study():
    study = reviewed_study(4, 12, block_size=2)  # two blocks
    for number, response in enumerate(Response.objects.order_by("pk")):
        Response.objects.filter(pk=response.pk).update(rating=number * number % 7)
    now = scores_of(study)
    reviews, judge = answers(study), reviewer(study)
    assert len({one.assignment.questionnaire.block_id for one in reviews}) == 2

    for review in reviews:
        pair, context = review.response.pair.position, review.response.context.number
        text = preview_effects([review])[review.pk]
        give_verdict(review, judge, VerdictKind.UNUSED)
        then = scores_of(study)
        give_verdict(review, judge, VerdictKind.GOOD)

        score, n = f"sim{context}", f"n{context}"
        before, after = now.loc[pair], then.loc[pair]
        if (before[score], before[n]) == (after[score], after[n]):
            assert text.startswith("No score would change.")
            continue
        assert text.startswith(
            f"Score of this text {write_figure(before[score])} from {before[n]:.0f} ratings; "
            f"without it {write_figure(after[score])} from {after[n]:.0f}."
        )
