"""What docs/survey.md promises, on a real server of several processes."""

import csv
import signal
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.annotators import at_once, begin, get, post, read_consent, read_hidden
from tests.end_to_end.site import Site
from tests.factories.studies import numbered_stimuli

N_PROCESSES = 2  # that may get in each other's way
WORDS = {"inspired_word1": "harvest", "inspired_word2": "moon"}
RIGHT = {"question0": "1", "question1": "2", "question2": "0"}  # the default check
WRONG = {**RIGHT, "question1": "0"}


@pytest.fixture
def study(site: Site, tmp_path) -> str:
    """A study of two pairs with 50 places."""
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.make_study(
        stimuli, "study", "--language", "en",
        "--ratings-per-context", "25",
    )  # fmt: skip
    return "study"


def stored_ratings(site: Site, folder: Path) -> Counter[tuple[str, str, str]]:
    """Count each (pair, context, rating) in the released ratings."""
    site.manage("release_dataset", "study", folder, "--recipe", "raw", "--no-report")
    with (folder / "ratings_en.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return Counter((r["pair"], r["context"], r["rating"]) for r in rows if not r["mark"])


def test_a_quota_holds_when_all_arrive_at_once(site: Site, study):
    links = site.invite(study, 60)
    consent = read_consent(links[0])

    answers = at_once([lambda link=link: post(link, consent) for link in links])

    assert Counter(answer.status_code for answer in answers) == {302: 50, 409: 10}
    assert len({a.headers["location"] for a in answers if a.has_redirect_location}) == 50
    for link, answer in zip(links, answers, strict=True):
        if answer.status_code == httpx.codes.CONFLICT:
            assert "as many annotators as it needs" in answer.text
            assert "<form" not in get(link).text


def test_a_link_clicked_many_times_at_once_is_one_assignment(site: Site, study):
    (link,) = site.invite(study)

    consent = read_consent(link)

    answers = at_once([lambda: post(link, consent)] * 12)

    assert len({answer.headers["location"] for answer in answers}) == 1


def test_the_open_link_keeps_its_cap_and_knows_double_clicks_when_all_come_at_once(
    site: Site, study
):
    entrance = site.manage("open_link", study, "--cap", "10").split()[-1]
    own = [site.url + get(entrance).headers["location"] for _ in range(15)]
    consent = read_consent(own[0])

    answers = at_once([lambda link=link: post(link, consent) for link in own * 2])

    assert Counter(answer.status_code for answer in answers) == {302: 20, 409: 10}
    assert len({a.headers["location"] for a in answers if a.has_redirect_location}) == 10


def test_one_address_starts_only_so_often_when_all_arrive_at_once(site: Site, tmp_path):
    """Seventy, through an open link of a study with eighty places; sixty an hour are allowed."""
    (tmp_path / "data_en.tsv").write_bytes(numbered_stimuli(2))
    site.make_study(
        tmp_path / "data_en.tsv", "study", "--language", "en", "--ratings-per-context", "40"
    )
    entrance = site.manage("open_link", "study").split()[-1]
    own = [site.url + get(entrance).headers["location"] for _ in range(70)]
    consent = read_consent(own[0])

    answers = at_once([lambda link=link: post(link, consent) for link in own])

    assert Counter(answer.status_code for answer in answers) == {302: 60, 429: 10}
    assert count(site, "surveys_annotator") == count(site, "surveys_arrival") == 60
    for link, answer in zip(own, answers, strict=True):
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            assert 0 < int(answer.headers["retry-after"]) <= 3600
            assert "from your network" in answer.text
            assert get(link).status_code == httpx.codes.TOO_MANY_REQUESTS
        else:  # who has started goes on
            assert get(link).headers["location"] == answer.headers["location"]


def test_every_form_sent_many_times_at_once_does_its_work_once(site: Site, tmp_path):
    """From consent over both blocks to withdrawing, each form six times in its turn."""
    prepare_two_blocks(site, tmp_path)
    (link,) = site.invite("study")
    (first,) = send_at_once(link, read_consent(link))
    path, survey = first, f"{site.url}{first}"
    assert count(site, "surveys_assignment") == 1

    assert send_at_once(f"{survey}instructions/") == {f"{path}practice/"}
    assert send_at_once(f"{survey}practice/", WORDS) == {f"{path}practice/rating/"}
    assert send_at_once(f"{survey}practice/rating/", {"rating": "3"}) == {f"{path}practice/answer/"}
    assert send_at_once(f"{survey}practice/answer/") == {f"{path}check/"}
    for answers, wanted in ((WRONG, set()), (RIGHT, {f"{path}1/words/"})):
        check = f"{survey}check/"
        assert send_at_once(check, {**read_hidden(check), **answers}) == wanted
        assert site.query("SELECT n_check_tries FROM surveys_annotator") == [(1,)]
    assert send_at_once(f"{survey}1/words/", WORDS) == {f"{path}1/rating/"}
    assert send_at_once(f"{survey}1/rating/", {"rating": "3"}) == {f"{path}thanks/"}
    (another,) = send_at_once(f"{survey}thanks/")
    assert another != path
    assert count(site, "surveys_assignment") == count(site, "surveys_response") == 2
    assert send_at_once(f"{site.url}{another}1/words/", WORDS) == {f"{another}1/rating/"}
    asked = at_once([lambda: post(f"{survey}withdraw/")] * 6)
    assert {answer.status_code for answer in asked} == {200}  # it is asked once more
    assert site.query("SELECT withdrawn_at FROM surveys_annotator") == [(None,)]
    assert send_at_once(f"{survey}withdraw/", {"confirmed": "yes"}) == {f"{path}ended/"}

    assert site.query("SELECT DISTINCT state FROM surveys_assignment") == [("withdrawn",)]
    assert count(site, "surveys_annotator") == 1


def prepare_two_blocks(site: Site, folder: Path) -> None:
    """A study of one text a block, with a check, and more blocks on request."""
    (folder / "data_en.tsv").write_bytes(numbered_stimuli(2))
    site.make_study(
        folder / "data_en.tsv", "study", "--language", "en",
        "--block-size", "1",
    )  # fmt: skip
    site.manage("configure_study", "study", "--check-tries", "3", "--more-blocks")


def send_at_once(url: str, data: dict[str, str] | None = None) -> set[str]:
    """Where a form leads that is sent six times at once; nowhere, when it is given back."""
    answers = at_once([lambda: post(url, data)] * 6)
    assert {answer.status_code for answer in answers} <= {302, 422}
    return {answer.headers["location"] for answer in answers if answer.has_redirect_location}


def count(site: Site, table: str) -> int:
    """How many rows a table holds."""
    return int(site.query(f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608  (our own names)


def test_answers_sent_many_times_at_once_are_stored_once(site: Site, study, tmp_path):
    """Twelve annotators, each of whose forms is sent six times at once, and again later."""
    surveys = [begin(site, link) for link in site.invite(study, 12)]
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
    """The server is killed after acknowledged ratings; everyone goes on where they were."""
    acknowledged: Counter[str] = Counter()
    for number, link in enumerate(site.invite(study, 3)):
        survey = begin(site, link)
        for position in (1, 2):
            rating = str((number + position) % 7)
            assert post(f"{survey}{position}/words/", WORDS).status_code == 302
            answer = post(f"{survey}{position}/rating/", {"rating": rating})
            assert answer.status_code == 302
            acknowledged[rating] += 1
            if number == 1:
                site.kill(signal.SIGKILL)
                site.start()
        assert httpx.get(survey, follow_redirects=True).url.path.endswith("/thanks/")

    stored = stored_ratings(site, tmp_path / "out")

    assert Counter(rating for _, _, rating in stored.elements()) == acknowledged
