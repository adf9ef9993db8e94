"""The finished demo study has the same answers each time; a shared task needs the study."""

import pytest
from django.core.cache import cache
from django.db import transaction

from surveys.models import Response
from surveys.rehearsal.finished.shared_task import prepare_shared_task
from surveys.rehearsal.finished.study import make_study

pytestmark = pytest.mark.django_db


def read_answers() -> list[tuple[object, ...]]:
    """Return everything about the answers and verdicts that the site does not draw by chance."""
    rows = Response.objects.order_by("annotator__code", "position").values_list(
        "annotator__code", "position", "context__pair__position", "context__number",
        "inspired_word1", "inspired_word2", "rating", "words_visible_seconds",
        "rating_visible_seconds", "rated_at", "review__outcome",
        "assignment__round__number",
    )  # fmt: skip
    return list(rows)


@pytest.mark.every_database  # answers are stored by upserts
def test_the_answers_are_the_same_each_time():
    with transaction.atomic():
        make_study()
        answers = read_answers()
        transaction.set_rollback(True)
    cache.clear()

    make_study()

    assert len(answers) == 480
    assert read_answers() == answers


def test_there_is_no_shared_task_without_the_study():
    assert prepare_shared_task() is None
