"""Paid batches in a browser: the cost while a batch is planned, and accessibility."""

from collections.abc import Iterator

import pytest

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.page_checks import LOOKS, PageChecker
from tests.end_to_end.site import Site, open_site

PASSWORD = "correct horse battery"
MADE = """
from django.contrib.auth.models import User
from django.db import transaction
from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.crowd.ledger import intend_reward
from tests.factories.batch_states import make_crowd, visit_of
from tests.factories.studies import make_study
with transaction.atomic():
    study = make_study(4, slug="study", block_size=2, ratings_per_context=20)
    user = User.objects.create_user("ana", password="{password}")
    grant_role(study, user, Role.OWNER)
    batch = make_crowd(study)
    intend_reward(visit_of(batch, "held"), by=user, reason="they wrote to us")
"""


@pytest.fixture(scope="module")
def batch_site(pristine, tmp_path_factory) -> Iterator[Site]:
    """A site that serves, with a study, a batch, and visits of every status."""
    with open_site(pristine, tmp_path_factory.mktemp("batches")) as site:
        site.manage("shell", "--no-imports", "-c", MADE.format(password=PASSWORD))
        yield site


def sign_in(site: Site, watched: WatchedPage) -> None:
    page = watched.page
    page.goto(f"{site.url}/console/sign-in/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", PASSWORD)
    watched.follow(page.get_by_role("button", name="Sign in"))
    page.goto(f"{site.url}/console/studies/study/recruitment/batches/")


def test_the_cost_of_a_batch_is_updated_on_input(chromium, batch_site: Site):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    sign_in(batch_site, watched)

    watched.follow(page.get_by_role("link", name="Plan a batch"))
    page.get_by_label("Places in each").fill("2")
    page.get_by_label("Reward per place").fill("0.50")
    page.get_by_text("$4.80").wait_for()
    page.get_by_label("Only these").fill("1B")
    page.get_by_text("$1.20").wait_for()

    assert watched.complaints == []


def test_axe_finds_nothing_on_the_pages_of_batches(chromium, batch_site: Site):
    checker = PageChecker(chromium, LOOKS, "batches")
    watched, page = checker.watched, checker.watched.page
    sign_in(batch_site, watched)

    checker.look("list")
    watched.follow(page.get_by_role("link", name="Plan a batch"))
    checker.look("plan")
    watched.follow(page.get_by_role("button", name="Plan the batch"))
    checker.look("plan with faults")
    page.goto(f"{batch_site.url}/console/studies/study/recruitment/batches/1/")
    checker.look("batch")
    page.get_by_text("Change the ceiling").click()
    page.get_by_label("Enter the total").fill("1")
    page.get_by_label("Last day").fill("2099-12-31")
    watched.follow(page.get_by_role("button", name="Change the approval"))
    checker.look("batch with faults")
    page.goto(f"{batch_site.url}/console/studies/study/recruitment/batches/1/people/")
    checker.look("people")
    page.get_by_label("Reason").fill("careful")
    page.get_by_label("Bonus per person").fill("1")
    watched.follow(page.get_by_role("button", name="Pay a bonus"))
    checker.look("people with faults")
    for standing in ("held", "unpaid"):
        page.goto(f"{batch_site.url}/console/studies/study/recruitment/batches/1/people/")
        page.get_by_label("Status").select_option(standing)
        watched.follow(page.get_by_role("button", name="Show"))
        watched.follow(page.locator("tbody a").first)
        checker.look(standing)
    page.goto(f"{batch_site.url}/console/studies/study/recruitment/batches/1/ledger/")
    checker.look("ledger")

    assert checker.complaints == {}


def test_axe_finds_nothing_on_a_batch_of_a_live_target(chromium, batch_site: Site):
    checker = PageChecker(chromium, LOOKS, "targets")
    sign_in(batch_site, checker.watched)

    for target in ("sandbox", "production"):
        point_at(batch_site, target)
        checker.watched.page.goto(f"{batch_site.url}/console/studies/study/recruitment/batches/1/")
        checker.look(target)
    point_at(batch_site, "simulator")

    assert checker.complaints == {}


def point_at(site: Site, target: str) -> None:
    change = f"from surveys.models import Entrance; Entrance.objects.update(provider='{target}')"
    site.manage("shell", "--no-imports", "-c", change)
