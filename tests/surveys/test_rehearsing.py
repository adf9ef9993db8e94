import random

import pytest

from surveys.errors import RehearsalFailed
from surveys.models import Invitation
from surveys.rehearsing import (
    ModelledRatings,
    Person,
    PlayedBackRatings,
    read_played_back,
    rehearse_study,
)
from tests.end_to_end.site import free_port
from tests.factories import make_study, numbered_stimuli, stimuli_file, stimuli_row

SOMEBODY = Person(random.Random(0), leaning=0, noise=0)


def ratings_file(*rows: str) -> bytes:
    return "\n".join(["language,pair,context,annotator,rating", *rows, ""]).encode()


@pytest.mark.django_db
def test_read_played_back_queues_ratings_by_the_marked_text():
    study = make_study(stimuli=stimuli_file(stimuli_row()))

    ratings = read_played_back(study, ratings_file("en,1,1,A01,4", "en,1,1,A02,5", "en,1,2,A01,0"))

    marked = "The <strong>cats</strong> slept. It rained. A <strong>dog</strong> barked."
    assert [ratings.rate(marked, SOMEBODY) for _ in range(2)] == [4, 5]
    assert ratings.n_unused == 1
    with pytest.raises(RehearsalFailed, match="no rating left"):
        ratings.rate(marked, SOMEBODY)


@pytest.mark.django_db
@pytest.mark.parametrize("row", ["en,9,1,A01,4", "en,1,3,A01,4", "en,1,1,A01,7", "sl,1,1,A01,4"])
def test_read_played_back_refuses_ratings_of_another_study(row):
    with pytest.raises(RehearsalFailed, match="row 1"):
        read_played_back(make_study(1), ratings_file(row))


@pytest.mark.django_db
def test_read_played_back_refuses_contexts_it_cannot_tell_apart():
    study = make_study(stimuli=stimuli_file(stimuli_row(), stimuli_row()))

    with pytest.raises(RehearsalFailed, match="alike"):
        read_played_back(study, ratings_file("en,1,1,A01,4"))


@pytest.mark.django_db
def test_rehearse_study_says_when_the_site_does_not_run():
    study = make_study(stimuli=numbered_stimuli(1))
    nowhere = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(RehearsalFailed, match="Is the site running"):
        rehearse_study(study, nowhere, ratings=PlayedBackRatings({}), n_annotators=1)

    assert Invitation.objects.count() == 1


def test_modelled_ratings_stay_on_the_scale_and_agree_about_a_text():
    scale = range(1, 8)
    ratings = ModelledRatings(scale, seed=1)
    people = [Person.drawn(f"1 {number}") for number in range(200)]

    given = {text: [ratings.rate(text, person) for person in people] for text in "abcdef"}

    assert {rating for row in given.values() for rating in row} <= set(scale)
    means = sorted(sum(row) / len(row) for row in given.values())
    assert means[-1] - means[0] > 1
    assert len(set(given["a"])) > 1
