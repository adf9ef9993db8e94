"""A database that is away, or that never answers: the site says so, and goes on afterwards."""

from collections.abc import Callable

import httpx
import pytest

from tests.end_to_end.cables import Cable
from tests.end_to_end.databases import OwnPostgres
from tests.end_to_end.site import Site
from tests.end_to_end.visiting import PATIENCE_SECONDS, begin, read_hidden
from tests.factories import numbered_stimuli

pytestmark = pytest.mark.either_database  # it brings its own

LINES_A_SECOND = 1


@pytest.mark.parametrize("fail", [Cable.cut, Cable.hang])
def test_pages_say_that_the_database_is_away_and_nothing_is_lost(
    tmp_path, fail: Callable[[Cable], None]
):
    with OwnPostgres() as postgres, Cable(postgres.port) as cable:
        site = make_site(tmp_path, postgres)
        (link,) = site.invite("study")
        site.environment["DATABASE_URL"] = postgres.url.replace(
            f":{postgres.port}/", f":{cable.port}/"
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
            assert "Pokušajte" in ask(f"{site.url}/", language="hr").text
            for path in ("/", "/console/sign-in/", "/admin/login/"):
                assert (ask(site.url + path).status_code, path) == (503, path)
            assert "/readyz" in ask(f"{site.url}/console/sign-in/").text
            refused = ask(f"{site.url}/api/v1/studies/", token="any")
            assert (refused.status_code, refused.json()["errors"][0]["code"]) == (
                503, "unavailable",
            )  # fmt: skip
            assert "Retry-After" in refused.headers
            assert ask(f"{site.url}/healthz").json() == {"status": "alive"}
            assert health_of(site) == (503, "failing")

            cable.mend()
            wait_until_ready(site)
            assert ask(page, answer).status_code == 302
            assert site.query("SELECT inspired_word1 FROM surveys_response WHERE position = 1") == [
                ("first",)
            ]
        lines = site.log.read_text().splitlines()
        assert any("the database cannot be used" in line for line in lines)
        assert not any("Traceback" in line for line in lines)
        assert most_in_a_second(lines) <= LINES_A_SECOND


def make_site(folder, postgres: OwnPostgres) -> Site:
    site = Site(folder, postgres.url)
    site.manage("migrate", "--verbosity", "0")
    stimuli = folder / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.make_study(stimuli, "study", "--language", "en", "--ratings", "1")
    return site


def ask(
    url: str, answer: dict[str, str] | None = None, *, language: str = "en", token: str = ""
) -> httpx.Response:
    headers = {"Accept-Language": language}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    method = "POST" if answer else "GET"
    return httpx.request(method, url, data=answer, headers=headers, timeout=PATIENCE_SECONDS)


def health_of(site: Site) -> tuple[int, str]:
    """What a load balancer sees, which asks by another name than the site's."""
    told = httpx.get(f"{site.url}/readyz", headers={"Host": "10.0.0.7"}, timeout=PATIENCE_SECONDS)
    return told.status_code, told.json()["status"]


def wait_until_ready(site: Site) -> None:
    for _ in range(100):  # each of them waits for the database
        if health_of(site) == (200, "ready"):
            return
    raise AssertionError(f"it is still {health_of(site)}")


def most_in_a_second(lines: list[str]) -> int:
    """How many lines of a log the fullest second has."""
    seconds = [line[:19] for line in lines if line[:4].isdigit()]
    return max(map(seconds.count, seconds), default=0)
