"""The console's page of a second look."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.models import Review, SecondLook
from surveys.review.queue import file_answers
from tests.factories.clients import client_of
from tests.factories.second_looks import list_annotators, look_again, looking_study, rated_study

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


def test_reviewers_see_both_ratings():
    operator = sign_in_operator()
    study = looking_study()
    look_again(list_annotators(study)[2], 4, "0.5")
    file_answers(study)

    looked = Review.objects.get(response__second_answer__rating="0.5")
    address = reverse("console:review_one", args=[study.slug, looked.pk])
    shown = " ".join(operator.get(address).content.decode().split())

    assert "Rated 4 · 0.5 in the second look" in shown


def test_what_prevents_it_is_said():
    operator = sign_in_operator()
    study = looking_study()

    refused = operator.post(page("open_look", study), follow=True).content.decode()

    assert "opened before; a study has one" in refused
