"""What docs/survey.md promises, on a real server of several processes."""

import csv
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.site import Site
from tests.factories import numbered_stimuli

WORDS = {"inspired_word1": "harvest", "inspired_word2": "moon"}


@pytest.fixture
def study(site: Site, tmp_path) -> str:
    """A study of two pairs with 12 places."""
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.manage(
        "import_stimuli", stimuli, "--study", "study", "--language", "en",
        "--ratings-per-context", "6",
    )  # fmt: skip
    return "study"


def post(url: str, data: dict[str, str] | None = None) -> httpx.Response:
    return httpx.post(url, data=data, timeout=60)


def at_once(calls: list) -> list[httpx.Response]:
    with ThreadPoolExecutor(len(calls)) as people:
        return [waiting.result() for waiting in [people.submit(call) for call in calls]]


def start(site: Site, link: str) -> str:
    """The address of the assignment that a link leads to."""
    return site.url + post(link).headers["location"]


def stored_ratings(site: Site, folder: Path) -> Counter[tuple[str, str, str]]:
    """How often each (pair, context, rating) stands in the released ratings."""
    site.manage("release_dataset", "study", folder, "--no-calibration", "--no-filtering")
    with (folder / "ratings_en.csv").open(encoding="utf-8") as file:
        return Counter((r["pair"], r["context"], r["rating"]) for r in csv.DictReader(file))


def test_a_quota_holds_when_all_arrive_at_once(site: Site, study):
    links = site.invite(study, 30)

    answers = at_once([lambda link=link: post(link) for link in links])

    statuses = Counter(answer.status_code for answer in answers)
    assert statuses == {302: 12, 409: 18}
    assert (
        len({answer.headers["location"] for answer in answers if answer.has_redirect_location})
        == 12
    )


def test_a_link_clicked_many_times_at_once_is_one_assignment(site: Site, study):
    (link,) = site.invite(study)

    answers = at_once([lambda: post(link)] * 12)

    assert len({answer.headers["location"] for answer in answers}) == 1


def test_answers_sent_many_times_at_once_are_stored_once(site: Site, study, tmp_path):
    """Twelve annotators, each of whose forms is sent six times at once, and again later."""
    surveys = [start(site, link) for link in site.invite(study, 12)]
    for survey in surveys:
        for position in (1, 2):
            words, rating = f"{survey}{position}/words/", f"{survey}{position}/rating/"
            engaged = at_once([lambda words=words: post(words, WORDS)] * 6)
            assert {a.headers["location"] for a in engaged} == {httpx.URL(rating).path}
            rated = at_once(
                [lambda rating=rating, n=n: post(rating, {"rating": str(n)}) for n in range(6)]
            )
            assert {a.status_code for a in rated} == {302}
            assert len({a.headers["location"] for a in rated}) == 1
    stored = site.manage("dumpdata", "surveys.response", "surveys.assignment")

    for survey in surveys:
        late = [
            post(f"{survey}1/words/", {"inspired_word1": "gone", "inspired_word2": "by"}),
            post(f"{survey}2/rating/", {"rating": "6"}),
        ]
        assert {a.headers["location"] for a in late} == {f"{httpx.URL(survey).path}thanks/"}

    assert site.manage("dumpdata", "surveys.response", "surveys.assignment") == stored
    released = stored_ratings(site, tmp_path / "out")
    assert Counter((pair, context) for pair, context, _ in released.elements()) == {
        ("1", "1"): 6, ("1", "2"): 6, ("2", "1"): 6, ("2", "2"): 6,
    }  # fmt: skip


def test_acknowledged_answers_outlive_a_killed_server(site: Site, study, tmp_path):
    """The server is killed after every acknowledged rating; everyone goes on where they were."""
    acknowledged: Counter[str] = Counter()
    for number, link in enumerate(site.invite(study, 12)):
        survey = start(site, link)
        for position in (1, 2):
            rating = str((number + position) % 7)
            assert post(f"{survey}{position}/words/", WORDS).status_code == 302
            answer = post(f"{survey}{position}/rating/", {"rating": rating})
            assert answer.status_code == 302
            acknowledged[rating] += 1
            if number % 4 == 0:
                site.kill(signal.SIGKILL)
                site.start()
        assert httpx.get(survey, follow_redirects=True).url.path.endswith("/thanks/")

    stored = stored_ratings(site, tmp_path / "out")

    assert Counter(rating for _, _, rating in stored.elements()) == acknowledged
