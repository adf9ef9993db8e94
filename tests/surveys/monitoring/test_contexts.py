import pytest

from surveys.models import Assignment, Context, Response
from surveys.monitoring.contexts import summarise_answers, summarise_contexts
from surveys.study.blocks.allocation import repeat_block
from tests.factories.answers import answer, finished_study
from tests.factories.studies import start
from tests.surveys.monitoring.test_progress import current_rounds

pytestmark = pytest.mark.every_database  # aggregated


def first_context(study):
    contexts = Context.objects.stimuli(study).select_related("item__questionnaire")
    return contexts.filter(item__questionnaire__letter="A").first()


def test_summarise_answers_counts_ratings_and_words_of_finished_assignments(db):
    study = finished_study(4)
    context = first_context(study)
    answers = Response.objects.filter(context=context).order_by("pk")
    for response, rating, word in zip(answers, (2, 5), ("Sea", "sea"), strict=True):
        Response.objects.filter(pk=response.pk).update(rating=rating, written1=word)

    found = summarise_answers(study, context)

    assert (found.n, found.mean, found.n_not_counted) == (2, 3.5, 0)
    assert found.spread == pytest.approx(4.5**0.5)
    assert [bar.amount for bar in found.bars] == [0, 0, 1, 0, 0, 1, 0]
    assert [(w.target, w.most_frequent) for w in found.words] == [
        (context.word1, [("sea", 2)]),
        (context.word2, [("salt", 2)]),
    ]


def test_summarise_answers_excludes_unfinished_assignments_and_earlier_rounds(db):
    study = finished_study(2)
    context = first_context(study)
    one = start(study)
    answer(one, [3] * 5)
    n_answered = Response.objects.filter(context=context, rated_at__isnull=False).count()
    assert summarise_answers(study, context).n_not_counted == n_answered - 1

    repeat_block(current_rounds(study)[0].block, reason="careless", author="ana")

    found = summarise_answers(study, context)
    assert (found.n, found.mean, found.spread) == (0, None, None)
    assert [words.most_frequent for words in found.words] == [[], []]


def test_summarise_contexts_returns_n_mean_and_spread(db, django_assert_num_queries):
    study = finished_study(4)
    (round_,) = current_rounds(study)
    context = first_context(study)
    Response.objects.filter(context=context).update(rating=4)
    Assignment.objects.order_by("pk").last()

    with django_assert_num_queries(2):
        found = {s.item.context_id: s for s in summarise_contexts(round_)}

    assert len(found) == 12
    assert found[context.pk][1:] == (2, 4, 0)
