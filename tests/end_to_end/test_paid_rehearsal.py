"""A batch from planning to payment, by scripted workers, on a real site and a real simulator."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from django.apps import apps
from django.urls import reverse

from mturk_simulator.tests.stage import Stage, running_simulator
from surveys.access.api_tokens import all_scopes
from surveys.web.api.urls import VIEWS
from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.site import Site, open_site
from tests.factories.studies import numbered_stimuli
from tests.surveys.web.console.test_access import OF_A_STUDY

REFUSED = {404, 405, 409, 422}  # statuses of pages that lack what they need
PERSON_PAGES = {"person", "export_person"}  # pages with one person's own data
N_PLACES, N_WORKERS = 6, 12  # of each of two questionnaires; 2 of each character
REWARD, FEE, BONUS, BONUS_FEE = 12, 2, 20, 4  # cents; a fee of 2.4 is billed as 2


@dataclass
class Rehearsed:
    """A site and a simulator after a rehearsal by all characters, and its output."""

    site: Site
    stage: Stage
    output: str


pytestmark = pytest.mark.needs("crowd")


@pytest.fixture(scope="module")
def rehearsed(pristine, tmp_path_factory) -> Iterator[Rehearsed]:
    """A site where workers have done a batch."""
    var = tmp_path_factory.mktemp("rehearsed")
    with (
        running_simulator() as stage,
        open_site(pristine, var, 2, host="localhost", MTURK_SIMULATOR_URL=stage.url) as site,
    ):
        site.manage("add_researcher", "ana")
        import_stimuli(site, "study", n_pairs=3, n_places=N_PLACES)
        yield Rehearsed(site, stage, rehearse(site, "study", "--workers", str(N_WORKERS)))


def import_stimuli(site: Site, study: str, n_pairs: int, n_places: int) -> None:
    stimuli = Path(site.environment["VAR_DIR"], "data_en.tsv")
    stimuli.write_bytes(numbered_stimuli(n_pairs))
    site.make_study(
        stimuli, study, "--language", "en",
        "--ratings-per-context", str(n_places),
    )  # fmt: skip


def rehearse(site: Site, study: str, *more: str) -> str:
    return site.manage(
        "batch", "rehearse", study, "--by", "ana", "--at-once", "4", "--reward-cents", str(REWARD),
        "--bonus-cents", str(BONUS), *more,
    )  # fmt: skip


@pytest.mark.every_database
def test_every_character_works_and_the_money_agrees_to_the_cent(rehearsed: Rehearsed):
    site, output = rehearsed.site, rehearsed.output.splitlines()
    ends = {end: int(n) for end, n in re.findall(r"([a-z][a-zHIT ]+) (\d+)", output[1])}

    n_done = ends["handed in"]
    cents = n_done * (REWARD + FEE) + BONUS + BONUS_FEE
    cost = f"{cents // 100}.{cents % 100:02}"
    assert output[0] == f"Batch 1: HITs 2, places {2 * N_PLACES}."
    assert output[3:] == [
        "Errors: 0.",
        f"Money: ledger {cost}, simulator {cost}, calculator {cost}.",
    ]
    assert ends["returned"]
    assert ends["left without returning it"]
    assert n_done >= 2 * N_PLACES - ends["returned"] - ends["left without returning it"]
    account = rehearsed.stage.client().get_account_balance()
    held = ends["left without returning it"] * (REWARD + FEE)  # until their time is over
    assert to_cents(account["AvailableBalance"]) == 1_000_000 - cents - held
    states = site.query("SELECT count(*) FROM surveys_assignment WHERE state = 'submitted'")
    assert states == [(n_done,)]
    rows = list(csv.DictReader(site.manage("export", "responses", "study").splitlines()))
    assert {row["is_scripted"] for row in rows} == {"true"}


def to_cents(dollars: str) -> int:
    return int(dollars.replace(".", ""))


def test_other_targets_and_a_study_without_places_are_refused(rehearsed: Rehearsed):
    site = rehearsed.site
    for more, message in (
        (("--target", "production"), "not in MTurk"),
        (("--simulator", "https://mturk-requester.us-east-1.amazonaws.com"), "not at https://"),
        (("--by", "nobody"), "no account 'nobody'"),
        ((), "no places left to offer"),
    ):
        with pytest.raises(AssertionError, match=message):
            rehearse(site, "study", *more)

    assert site.query("SELECT count(*) FROM crowd_batch") == [(1,)]


def test_a_site_that_does_not_answer_costs_nothing(rehearsed: Rehearsed):
    site, control = rehearsed.site, rehearsed.stage.control
    import_stimuli(site, "unanswered", n_pairs=1, n_places=1)
    control.clear_counts()

    with pytest.raises(AssertionError, match="No answer from the site"):
        rehearse(site, "unanswered", "--base-url", "http://127.0.0.1:1")

    assert control.counts() == {}
    assert site.query("SELECT count(*) FROM crowd_batch") == [(1,)]


def test_a_worker_id_is_stored_only_in_its_table(rehearsed: Rehearsed, tmp_path):
    site, release = rehearsed.site, tmp_path / "release"
    ids = [worker_id for (worker_id,) in site.query("SELECT worker_id FROM surveys_worker")]
    site.manage("release_dataset", "study", release, "--set", "report.pdf=false")

    pages = read_api(site) | read_console(site)
    found = {
        "server's log": site.log.read_bytes(),
        "rehearsal": rehearsed.output.encode(),
        "responses": site.manage("export", "responses", "study").encode(),
        **{path.name: path.read_bytes() for path in release.rglob("*") if path.is_file()},
        **pages,
    }
    holders = {name for name, text in found.items() if any(one.encode() in text for one in ids)}

    assert len(ids) == 2 * N_PLACES
    assert len(pages) == len(VIEWS) + len(OF_A_STUDY) - len(PERSON_PAGES)
    assert holders == set()
    assert tables_with(site, ids[0]) == {"surveys_worker"}


def read_api(site: Site) -> dict[str, bytes]:
    """Return the API's answers to an owner."""
    scopes = [word for scope in all_scopes() for word in ("--scope", scope)]
    key = site.manage("make_token", "ana", "everything", *scopes).strip()
    found = {}
    for address in VIEWS:
        path = re.sub(r"<int:\w+>", "1", address.replace("<slug:slug>", "study"))
        answer = httpx.get(
            f"{site.url}/api/{path}",
            headers={"Authorization": f"Bearer {key}"},
            timeout=PATIENCE_SECONDS,
        )
        assert answer.status_code in {200, 404, 405, 409}, (path, answer.status_code)
        found[f"API: {address}"] = answer.content
    return found


def read_console(site: Site) -> dict[str, bytes]:
    """Return all pages of the study in the console, as its owner sees them."""
    ((code, *_),) = site.query("SELECT code FROM surveys_annotator ORDER BY id LIMIT 1")
    known = {"slug": "study", "code": code, "kind": "consent"}
    found = {}
    with httpx.Client(
        base_url=site.url, follow_redirects=True, timeout=PATIENCE_SECONDS
    ) as browser:
        sign_in(site, browser)
        for pattern in OF_A_STUDY:
            if pattern.name in PERSON_PAGES:
                continue
            names = {name: known.get(name, 1) for name in pattern.pattern.converters}
            answer = browser.get(reverse(f"console:{pattern.name}", kwargs=names))
            assert answer.status_code in REFUSED | {200}, (pattern.name, answer.status_code)
            found[f"console: {pattern.name}"] = answer.content
    return found


def sign_in(site: Site, browser: httpx.Client) -> None:
    output = site.manage("add_researcher", "owner", "--study", "study")
    form = browser.get("/console/sign-in/")
    fields = {
        "csrfmiddlewaretoken": re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)[
            0
        ],
        "username": "owner",
        "password": re.findall(r"password: (\S+)", output)[0],
    }
    assert "Sign out" in browser.post(str(form.url), data=fields).text


def tables_with(site: Site, text: str) -> set[str]:
    """Return the tables of the site that contain a text."""
    tables = [model._meta.db_table for model in apps.get_models()]
    return {table for table in tables if text in str(site.query(f"SELECT * FROM {table}"))}  # noqa: S608
