"""Warnings for releases whose files hold the gold of a shared task that is not over."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from surveys.access.api_tokens import make_token
from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.sharedtasks.models import SharedTask
from tests.factories.repositories import make_complete_release
from tests.factories.sharedtasks import make_part

WARNING = "holds the hidden scores of the shared task “Graded similarity”"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.shared_task(
        has_data=False, has_organiser=True, zone="UTC", text="Predict.", terms="Be fair."
    ),
]


@pytest.fixture
def embargoed(ana):
    release = make_complete_release()
    grant_role(release.study, ana, Role.OWNER)
    return release


@pytest.fixture
def pages(embargoed):
    """Return the addresses at which a release is downloaded, or from which it is sent."""
    study = embargoed.study
    return [
        reverse("console:run", args=[study.slug, embargoed.run.pk]),
        reverse("console:deposit", args=[study.slug, embargoed.number, "zenodo"]),
    ]


@pytest.fixture(autouse=True)
def zenodo_token(settings):
    settings.ZENODO_TOKEN = "a-token-for-tests"


def read(client, release, pages):
    listed = client.get(reverse("console:release", args=[release.study.slug])).text
    return [
        *(WARNING in client.get(page).text for page in pages),
        "holds the gold of a shared task" in listed,
    ]


@pytest.mark.parametrize("state", ["draft", "open", "finalised"])
def test_pages_of_a_release_warn_until_the_results_are_published(
    as_ana, shared_task, embargoed, pages, state
):
    assert read(as_ana, embargoed, pages) == [False] * 3
    make_part(shared_task, release=embargoed)
    SharedTask.objects.update(state=state)
    assert read(as_ana, embargoed, pages) == [True] * 3

    SharedTask.objects.update(state="published", published_at=timezone.now())
    assert read(as_ana, embargoed, pages) == [False] * 3


def test_programs_see_the_embargo(as_ana, shared_task, embargoed):
    make_part(shared_task, release=embargoed)
    _, key = make_token(User.objects.get(username="ana"), "lab", ["releases:read"])
    address = f"/api/v1/studies/{embargoed.study.slug}/releases/{embargoed.run.pk}/"

    found = as_ana.get(address, headers={"Authorization": f"Bearer {key}"}).json()

    assert found["is_embargoed"] is True


def test_the_command_that_sends_a_release_warns(shared_task, embargoed):
    make_part(shared_task, release=embargoed)
    errors = io.StringIO()

    release = [embargoed.study.slug, str(embargoed.number)]
    call_command(
        "deposit_release", *release, "zenodo", "--dry-run",
        stdout=io.StringIO(), stderr=errors,
    )  # fmt: skip

    assert WARNING in errors.getvalue()
