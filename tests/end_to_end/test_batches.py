"""Paid batches in a browser: planned and armed without scripts, and the looks of their pages."""

import pytest

from tests.end_to_end.beholding import LOOKS, Beholder
from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.site import Site

pytestmark = pytest.mark.either_database

PASSWORD = "correct horse battery"
MADE = """
from django.contrib.auth.models import User
from django.db import transaction
from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.crowd.ledger import intend_reward
from tests.console.crowded import make_crowd, visit_of
from tests.factories import make_study
with transaction.atomic():
    study = make_study(4, slug="study", block_size=2, ratings_per_context=20)
    user = User.objects.create_user("ana", password="{password}")
    grant_role(study, user, Role.OWNER)
    batch = make_crowd(study)
    intend_reward(visit_of(batch, "held"), by=user, reason="they wrote to us")
"""


def sign_in(site: Site, watched: WatchedPage) -> None:
    page = watched.page
    page.goto(f"{site.url}/console/sign-in/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", PASSWORD)
    watched.follow(page.get_by_role("button", name="Sign in"))
    page.goto(f"{site.url}/console/studies/study/recruitment/batches/")


def prepare(site: Site) -> None:
    site.manage("shell", "--no-imports", "-c", MADE.format(password=PASSWORD))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1280 px", "360 px"])
def test_a_batch_is_planned_and_armed_without_scripts(chromium, site: Site, size):
    prepare(site)
    watched = WatchedPage(chromium, size, scripts=False)
    page = watched.page
    sign_in(site, watched)

    watched.follow(page.get_by_role("link", name="Plan a batch"))
    page.get_by_label("Places of each").fill("9")
    page.get_by_label("Only of these").fill("1A, 2B:3")
    page.get_by_label("Reward for one").fill("1.50")
    watched.follow(page.get_by_role("button", name="Reckon"))
    assert page.get_by_text("$21.60").is_visible()
    page.get_by_label("Title").fill("Words in short texts")
    page.get_by_label("Description").fill("Read short texts.")
    watched.follow(page.get_by_role("button", name="Plan the batch"))
    page.get_by_label("Type the total").fill("21.60")
    page.get_by_label("Last day").fill("2099-12-31")
    watched.follow(page.get_by_role("button", name="Arm the batch"))

    assert page.get_by_role("button", name="Publish 2 HITs").is_visible()
    assert watched.sideways_scroll == 0
    assert site.query("SELECT ceiling_cents FROM surveys_batch ORDER BY id") == [(1420,), (2160,)]


def test_what_a_batch_costs_follows_what_is_typed(chromium, site: Site):
    prepare(site)
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    sign_in(site, watched)

    watched.follow(page.get_by_role("link", name="Plan a batch"))
    page.get_by_label("Places of each").fill("2")
    page.get_by_label("Reward for one").fill("0.50")
    page.get_by_text("$4.80").wait_for()
    page.get_by_label("Only of these").fill("1B")
    page.get_by_text("$1.20").wait_for()

    assert watched.complaints == []


def test_axe_finds_nothing_on_the_pages_of_batches(chromium, site: Site):
    prepare(site)
    beholder = Beholder(chromium, LOOKS, "batches")
    watched, page = beholder.watched, beholder.watched.page
    sign_in(site, watched)

    beholder.look("list")
    watched.follow(page.get_by_role("link", name="Plan a batch"))
    beholder.look("plan")
    watched.follow(page.get_by_role("button", name="Plan the batch"))
    beholder.look("plan with faults")
    page.goto(f"{site.url}/console/studies/study/recruitment/batches/1/")
    beholder.look("batch")
    page.get_by_text("Another ceiling").click()
    page.get_by_label("Type the total").fill("1")
    page.get_by_label("Last day").fill("2099-12-31")
    watched.follow(page.get_by_role("button", name="Arm it anew"))
    beholder.look("batch with faults")
    page.goto(f"{site.url}/console/studies/study/recruitment/batches/1/people/")
    beholder.look("people")
    page.get_by_label("Reason").fill("careful")
    page.get_by_label("Bonus for each").fill("1")
    watched.follow(page.get_by_role("button", name="Pay them a bonus"))
    beholder.look("people with faults")
    for standing in ("held", "unpaid"):
        page.goto(f"{site.url}/console/studies/study/recruitment/batches/1/people/")
        page.get_by_label("Who").select_option(standing)
        watched.follow(page.get_by_role("button", name="Show"))
        watched.follow(page.locator("tbody a").first)
        beholder.look(standing)
    page.goto(f"{site.url}/console/studies/study/recruitment/batches/1/ledger/")
    beholder.look("ledger")

    assert beholder.complaints == {}


@pytest.mark.parametrize("target", ["sandbox", "production"])
def test_axe_finds_nothing_on_a_batch_of_a_live_target(chromium, site: Site, target):
    prepare(site)
    change = f"from surveys.models import Entrance; Entrance.objects.update(provider='{target}')"
    site.manage("shell", "--no-imports", "-c", change)
    beholder = Beholder(chromium, LOOKS, target)
    sign_in(site, beholder.watched)

    beholder.watched.follow(beholder.watched.page.locator("tbody a").first)
    beholder.look("batch")

    assert beholder.complaints == {}
