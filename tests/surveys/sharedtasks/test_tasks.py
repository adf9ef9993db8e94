"""Shared tasks, their organisers, and warnings for the releases that they use."""

import pytest
from django.contrib.auth.models import User

from surveys.models import AuditEntry
from surveys.results.inspection.guards import find_embargoes, warn_of_embargo
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.tasks import (
    add_organiser,
    configure_task,
    make_shared_task,
    may_organise,
    organised_tasks,
    remove_organiser,
)
from tests.factories.sharedtasks import make_part, make_participant
from tests.factories.sharedtasks import make_shared_task as make_open_task
from tests.factories.studies import make_release, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
GIVEN = {"slug": "gwsc", "title": "Graded similarity", "contact": "lab@example.org"}


@pytest.fixture
def given_task(ana):
    return make_shared_task(ana, **GIVEN)


def test_making_a_shared_task_makes_its_author_an_organiser(ana, given_task):
    mate = User.objects.create_user("mate")

    assert (given_task.state, may_organise(given_task, ana), may_organise(given_task, mate)) == (
        "draft", True, False,
    )  # fmt: skip
    assert list(organised_tasks(mate)) == []
    assert AuditEntry.objects.get().scope == given_task.scope


def test_operators_organise_all_shared_tasks_and_inactive_accounts_none(ana, given_task):
    operator = User.objects.create_superuser("op")
    ana.is_active = False

    assert list(organised_tasks(operator)) == [given_task]
    assert list(organised_tasks(ana)) == []


@pytest.mark.parametrize("slug", ["gwsc", "new", "sign-in", "invitation"])
def test_an_address_that_is_taken_is_refused(ana, given_task, slug):
    with pytest.raises(SharedTaskRefused, match="is taken"):
        make_shared_task(ana, **{**GIVEN, "slug": slug})

    assert SharedTask.objects.count() == 1


def test_participants_organise_nothing(ana, given_task):
    eva = User.objects.create_user("eva")
    make_participant(eva)

    with pytest.raises(SharedTaskRefused, match="account of a participant"):
        make_shared_task(eva, **{**GIVEN, "slug": "other"})
    with pytest.raises(SharedTaskRefused, match="account of a participant"):
        add_organiser(given_task, eva)

    assert not may_organise(given_task, eva)


def test_organisers_are_added_and_removed_but_for_the_last(ana, given_task):
    mate = User.objects.create_user("mate")
    add_organiser(given_task, mate)
    add_organiser(given_task, mate)

    remove_organiser(given_task, ana)
    remove_organiser(given_task, ana)
    with pytest.raises(SharedTaskRefused, match="mate is the only organiser"):
        remove_organiser(given_task, mate)

    assert [one.user for one in given_task.organisers.all()] == [mate]
    assert AuditEntry.objects.count() == 3


def test_changed_rules_are_logged_and_texts_not_quoted(given_task):
    configure_task(given_task, {"title": "Words", "text": "Predict.", "required_languages": ["sl"]})
    configure_task(given_task, {"title": "Words"})

    assert AuditEntry.objects.filter(action="sharedtask.configured").get().details == {
        "title": "Graded similarity → Words", "text": "changed", "required_languages": " → sl",
    }  # fmt: skip


def test_rules_that_teams_rely_on_stay_once_the_shared_task_is_open():
    shared_task = make_open_task()

    with pytest.raises(SharedTaskRefused, match=r"no longer.*: best of, zone"):
        configure_task(shared_task, {"zone": "UTC", "best_of": 1, "title": "Other"})
    configure_task(shared_task, {"title": "Other"})

    shared_task.refresh_from_db()
    assert (shared_task.zone, shared_task.title) == ("Etc/GMT+12", "Other")


def test_a_value_that_cannot_be_stored_is_refused(given_task):
    with pytest.raises(SharedTaskRefused, match="title: This field cannot be blank"):
        configure_task(given_task, {"title": ""})


def test_a_release_is_under_embargo_until_the_results_are_published():
    release = make_release(make_study(2), report={})
    other = make_release(release.study, report={})
    first = make_open_task(title="One")
    second = make_open_task(slug="two", title="Two", state="draft", opened_at=None)
    make_part(first, release=release), make_part(second, release=release)
    both = [release.pk, other.pk]

    assert find_embargoes(both).keys() == {release.pk}
    assert "“Two” and “One”" in warn_of_embargo(release.pk)
    assert warn_of_embargo(other.pk) == ""

    SharedTask.objects.update(state="published", opened_at="2027-01-01T00:00Z",
                              published_at="2027-03-01T00:00Z")  # fmt: skip
    assert find_embargoes(both) == {}
