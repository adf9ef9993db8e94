"""The console's page of a second look."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.models import Review, SecondLook, Study
from surveys.participation.second_look import answer_again
from surveys.review.queue import file_answers
from tests.factories.clients import client_of
from tests.factories.second_looks import (
    list_annotators,
    look_again,
    look_of,
    looking_study,
    rated_study,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]


def sign_in_operator():
    return client_of(User.objects.create_superuser("op"))


def page(name, study):
    return reverse(f"console:{name}", args=[study.slug])


def test_the_second_look_is_previewed_opened_followed_and_closed():
    operator = sign_in_operator()
    study = rated_study()
    assert page("second_look", study) in operator.get(page("collection", study)).content.decode()
    previewed = operator.get(page("second_look", study)).content.decode()
    assert "if it were opened" in previewed
    assert list_annotators(study)[2].code in previewed

    opened = operator.post(page("open_look", study), follow=True).content.decode()
    assert "No release can be made until it is closed" in opened
    look_again(list_annotators(study)[2], 4, "1")
    followed = operator.get(page("second_look", study)).content.decode()
    assert "Of 6 ratings, 1 were looked at again" in followed

    closed = operator.post(page("close_look", study), follow=True).content.decode()
    assert "It was open from" in closed
    assert SecondLook.objects.get().closed_by.username == "op"


@pytest.mark.parametrize(
    ("again", "shown", "before"),
    [
        ("0.5", "Rated 0.5 · 4 before the second look", 4),
        ("4", "Rated 4", None),
        (None, "Could not judge: “both” · 4 before the second look", 4),
    ],
)
def test_reviewers_see_the_rating_that_counts_and_what_it_was(again, shown, before):
    operator, study = sign_in_operator(), looking_study()
    Study.objects.update(allows_unjudgeable=True)
    answer_again(look_of(list_annotators(study)[2], 4), again and Decimal(again), "both")
    file_answers(study)
    looked = Review.objects.get(response__second_answer__answered_at__isnull=False)
    whole = Review.objects.get(assignment=looked.assignment, response=None)

    def read(review):
        address = reverse("console:review_one", args=[study.slug, review.pk])
        return " ".join(operator.get(address).content.decode().split())

    assert shown in read(looked)
    assert ("4 before the second look" in read(looked)) == (before is not None)
    assert ("4 before the second look" in read(whole)) == (before is not None)


def test_what_prevents_it_is_said():
    operator = sign_in_operator()
    study = looking_study()

    refused = operator.post(page("open_look", study), follow=True).content.decode()

    assert "opened before; a study has one" in refused
