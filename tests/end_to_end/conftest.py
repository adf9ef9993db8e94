from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, sync_playwright

from mturk_simulator.tests.stage import Stage, running_simulator
from tests.end_to_end.annotators import begin
from tests.end_to_end.browser import CHROMIUM, OPTIONS
from tests.end_to_end.buckets import open_bucket
from tests.end_to_end.databases import OwnPostgres
from tests.end_to_end.site import Site, open_site, opening
from tests.end_to_end.workers import BROKER
from tests.fixtures.sites import pristine, site
from tests.machine import ROOT, lack

__all__ = ["pristine", "site"]  # fixtures

# Studies of the site that tests share, each with what sets it apart.
OPEN_STUDIES = {
    "plain": ["--no-allows-unjudgeable"],
    "commented": ["--allows-unjudgeable"],
    "checked": ["--check-tries", "3"],
    "quick": ["--sends-choice"],
}
N_LINKS = 50  # to each, of its 200 places


@pytest.fixture(scope="session")
def own_postgres(tmp_path_factory) -> Iterator[OwnPostgres]:
    """A server that may be killed, with a database that was set up, to be copied."""
    with OwnPostgres() as postgres:
        folder = tmp_path_factory.mktemp("own-postgres")
        Site(folder, postgres.url).manage("migrate", "--verbosity", "0")
        yield postgres


@pytest.fixture(scope="session")
def shared_site(pristine, tmp_path_factory) -> Iterator[Site]:
    """A site with open studies, in which each test takes part through its own links."""
    with open_site(pristine, tmp_path_factory.mktemp("shared")) as site:
        options = [
            "--language", "en", "--ratings-per-context", "25", "--block-size", "4",
        ]  # fmt: skip
        site.manage_all(
            *(["import_stimuli", ROOT / "demo/data_en.tsv", "--study", study, *options]
              for study in OPEN_STUDIES),
            *(["configure_study", study, *chosen] for study, chosen in OPEN_STUDIES.items()),
            *(opening(study) for study in OPEN_STUDIES),
        )  # fmt: skip
        yield site


@pytest.fixture(scope="session")
def new_link(shared_site) -> Callable[..., str]:
    """Gives a link that nobody has used, to a study of the shared site."""
    commands = (["invite_annotators", study, "--count", str(N_LINKS)] for study in OPEN_STUDIES)
    links = iter(shared_site.manage_all(*commands).split())
    of_study = {study: list(islice(links, N_LINKS)) for study in OPEN_STUDIES}
    return lambda study="plain": of_study[study].pop()


@pytest.fixture(scope="session")
def new_survey(shared_site, new_link) -> Callable[..., str]:
    """Gives the address of a fresh assignment, after its practice: no page is shown before."""
    return lambda study="plain": begin(shared_site, new_link(study))


@pytest.fixture
def broker() -> str:
    """The URL of a broker that answers, where each site has a queue of its own."""
    try:
        redis.Redis.from_url(BROKER).ping()
    except redis.ConnectionError:
        lack("Redis")
    return BROKER


@pytest.fixture
def stage() -> Iterator[Stage]:
    """A simulator whose clock moves only when a test moves it."""
    with running_simulator() as stage:
        yield stage


@pytest.fixture
def paid_site(pristine, tmp_path, stage) -> Iterator[Site]:
    """A site on another host than its simulator's, as browsers see it, with a researcher."""
    with open_site(pristine, tmp_path, 2, host="localhost", MTURK_SIMULATOR_URL=stage.url) as site:
        site.manage("add_researcher", "ana")
        yield site


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser. While it is open Django's database cannot be used in the same process."""
    if CHROMIUM is None:
        lack("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def chromium(browser, request) -> Iterator[Browser]:
    """The browser, in which the pages of a test are closed at its end."""
    for name in request.fixturenames:
        if name == "site" or name.endswith("_site"):
            request.getfixturevalue(name)  # first, so that it stops last: it waits for open pages
    yield browser
    for context in browser.contexts:
        context.close()


@pytest.fixture
def bucket() -> Iterator[tuple[str, Any]]:
    """The address of a bucket at a local S3 service, and a client."""
    with open_bucket() as opened:
        yield opened
