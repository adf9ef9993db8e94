from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.models import Invitation
from surveys.monitoring.links_needed import (
    LinksNeeded,
    count_links_by_state,
    count_links_needed,
)
from surveys.participation.withdrawal import revoke_invitation
from surveys.recruitment.links import invite_annotators
from surveys.study.lifecycle import close_study
from tests.factories.studies import finish, make_study, start


@pytest.mark.parametrize(
    ("numbers", "percent", "wanted", "needed"),
    [
        ((22, 0, 0, 0), 80, 28, 28),
        ((22, 5, 9, 9), 80, 28, 23),  # nine old links are too few for a share
        ((8, 0, 10, 5), 50, 16, 16),
        ((8, 20, 40, 20), 50, 16, 0),
        ((3, 0, 10, 0), 10, 30, 30),
        ((7, 0, 10, 7), 70, 10, 10),  # 7 / 0.7 is more than 10 in binary fractions
        ((0, 4, 10, 6), 60, 0, 0),
    ],
)
def test_links_needed_follow_from_places_share_and_unused_links(numbers, percent, wanted, needed):
    found = LinksNeeded(*numbers)

    assert (found.percent, found.n_wanted, found.n_needed) == (percent, wanted, needed)


@pytest.mark.every_database
def test_links_are_counted_by_age_and_state(db):
    study = make_study(2, ratings_per_context=10)
    links = invite_annotators(study, 6)
    finish(start(study, links[0]))
    finish(start(study, links[1]))
    start(study, links[2])
    revoke_invitation(links[5], "lost")
    old = [link.pk for link in (links[0], links[2], links[3], links[5])]
    Invitation.objects.filter(pk__in=old).update(created_at=timezone.now() - timedelta(days=8))

    found = count_links_needed(study, count_links_by_state(study))

    assert found == LinksNeeded(n_places=17, n_unused=2, n_settled=3, n_finished=1)


def test_a_closed_study_needs_no_links(db):
    study = make_study(2)
    close_study(study)
    study.refresh_from_db()

    assert count_links_needed(study, count_links_by_state(study)).n_needed == 0
