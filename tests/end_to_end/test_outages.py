"""A database that is away, or that never answers: the site says so, and goes on afterwards."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.end_to_end.annotators import (
    NO_CERTIFICATES,
    PATIENCE_SECONDS,
    at_once,
    begin,
    read_hidden,
)
from tests.end_to_end.databases import OwnPostgres
from tests.end_to_end.network import Cable
from tests.end_to_end.site import Site
from tests.factories.studies import numbered_stimuli

LINES_A_SECOND = 1
ASKED: Any = {"timeout": PATIENCE_SECONDS, "verify": NO_CERTIFICATES}
PATHS = ("/", "/console/sign-in/", "/admin/login/")
FIRST_WORD = """
SELECT written1 FROM surveys_response JOIN surveys_assignment a ON a.id = assignment_id
WHERE token = '{token}' AND position = 1
"""


@pytest.fixture(scope="module")
def database(own_postgres: OwnPostgres, tmp_path_factory) -> str:
    """The URL of the database of a site, on which a study is open."""
    folder, url = tmp_path_factory.mktemp("study"), own_postgres.copy_database()
    stimuli = folder / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    Site(folder, url).make_study(stimuli, "study", "--language", "en", "--ratings", "1")
    return url


@pytest.mark.parametrize("fail", [Cable.cut, Cable.hang])
def test_pages_say_that_the_database_is_away_and_nothing_is_lost(
    own_postgres: OwnPostgres, database: str, tmp_path, fail: Callable[[Cable], None]
):
    with Cable(own_postgres.port) as cable:
        site = Site(tmp_path, database)
        site.manage("accept_server")  # of each test, with a folder of its own
        (link,) = site.invite("study")
        site.environment["DATABASE_URL"] = database.replace(
            f":{own_postgres.port}/", f":{cable.port}/"
        )
        with site.serving():
            survey = begin(site, link)
            page = f"{survey}1/words/"
            answer = {**read_hidden(page), "inspired_word1": "first", "inspired_word2": "came"}
            assert health_of(site) == (200, "ready")
            fail(cable)

            refused = ask(page, answer)

            assert refused.status_code == 503
            assert int(refused.headers["Retry-After"]) > 0
            assert '<html lang="en"' in refused.text
            assert "nothing that you have answered before is lost" in refused.text
            in_croatian, of_api, *answers = at_once([  # each of them waits for the database
                lambda: ask(f"{site.url}/", language="hr"),
                lambda: ask(f"{site.url}/api/v1/studies/", token="any"),
                *(lambda path=path: ask(site.url + path) for path in PATHS),
            ])  # fmt: skip
            assert "Pokušajte" in in_croatian.text
            assert [answer.status_code for answer in answers] == [503] * len(PATHS)
            assert "/readyz" in answers[1].text
            assert (of_api.status_code, of_api.json()["errors"][0]["code"]) == (503, "unavailable")
            assert "Retry-After" in of_api.headers
            assert ask(f"{site.url}/healthz").json() == {"status": "alive"}
            assert health_of(site) == (503, "failing")

            cable.mend()
            wait_until_ready(site)
            assert ask(page, answer).status_code == 302
            token = httpx.URL(survey).path.split("/")[2]
            assert site.query(FIRST_WORD.format(token=token)) == [("first",)]
        lines = site.log.read_text().splitlines()
        assert any("the database cannot be used" in line for line in lines)
        assert not any("Traceback" in line for line in lines)
        assert most_in_a_second(lines) <= LINES_A_SECOND


def ask(
    url: str, answer: dict[str, str] | None = None, *, language: str = "en", token: str = ""
) -> httpx.Response:
    headers = {"Accept-Language": language}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    method = "POST" if answer else "GET"
    return httpx.request(method, url, data=answer, headers=headers, **ASKED)


def health_of(site: Site) -> tuple[int, str]:
    """What a load balancer sees, which asks by another name than the site's."""
    health = httpx.get(f"{site.url}/readyz", headers={"Host": "10.0.0.7"}, **ASKED)
    return health.status_code, health.json()["status"]


def wait_until_ready(site: Site) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while health_of(site) != (200, "ready"):
        assert time.monotonic() < deadline, health_of(site)
        time.sleep(0.1)


def most_in_a_second(lines: list[str]) -> int:
    """How many lines of a log the fullest second has."""
    seconds = [line[:19] for line in lines if line[:4].isdigit()]
    return max(map(seconds.count, seconds), default=0)
