"""Replacements: another place for each questionnaire that the review has set aside."""

import pytest
from django.db import IntegrityError, transaction

from surveys.models import Assignment, Place, Study, VerdictKind
from surveys.monitoring.progress import count_study_progress
from surveys.participation.assignments import has_place_left, list_places_left
from surveys.privacy.erasure import erase_annotator
from surveys.review.queue import file_answers
from surveys.review.replacements import find_replaceable, request_replacements
from surveys.review.verdicts import give_verdict, undo_verdict
from surveys.study.design import configure_study
from tests.factories.reviews import reviewer, submit, whole
from tests.factories.studies import count_places_left, finish, make_study, start

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # a constraint with a condition
    pytest.mark.study(of="one_set_aside"),
]


@pytest.fixture
def one_set_aside() -> Study:
    """Return a full study of one block, the first questionnaire of which is set aside."""
    study = make_study(2, ratings_per_context=1)
    submit(study)
    finish(start(study))
    file_answers(study)
    give_verdict(whole(study), reviewer(study), VerdictKind.UNUSED, "random ratings")
    return study


@pytest.fixture
def rejected(study) -> Assignment:
    return whole(study).assignment


def test_one_place_more_is_opened_in_the_same_questionnaire(study, rejected):
    assert not has_place_left(study)

    assert request_replacements(study) == 1

    assert list_places_left(study) == {rejected.questionnaire_id: 1}
    again = start(study)
    assert again.questionnaire_id == rejected.questionnaire_id
    finish(again)
    assert not has_place_left(study)


def test_asking_twice_opens_one_place(study):
    request_replacements(study)

    assert request_replacements(study) == 0
    assert count_places_left(study) == 1


def test_progress_counts_the_replacement_as_missing_until_it_is_finished(study):
    before = count_study_progress(study)
    request_replacements(study)
    asked = count_study_progress(study)
    finish(start(study))
    after = count_study_progress(study)

    assert (before.missing, before.usable, before.replaced) == (0, 1, 0)
    assert (asked.missing, asked.usable, asked.replaced) == (1, 1, 1)
    assert (after.missing, after.usable, after.finished) == (0, 2, 3)


def test_the_quota_can_still_be_changed(study):
    request_replacements(study)

    configure_study(study, ratings_per_context=2)
    assert count_places_left(study) == 3

    configure_study(study, ratings_per_context=1)
    assert count_places_left(study) == 1


def test_a_verdict_taken_back_leaves_the_place(study):
    request_replacements(study)

    undo_verdict(whole(study), whole(study).verdicts.standing().get().reviewer)

    assert count_places_left(study) == 1
    assert not find_replaceable(study).exists()


def test_an_erased_annotator_frees_no_second_place(study, rejected):
    request_replacements(study)

    erase_annotator(rejected.annotator, because="asked for it")

    assert count_places_left(study) == 1
    assert not Place.objects.filter(is_replaced=True).exists()


def test_the_database_refuses_to_replace_an_empty_place(study):
    with pytest.raises(IntegrityError), transaction.atomic():
        Place.objects.filter(study=study).update(assignment=None, is_replaced=True)
