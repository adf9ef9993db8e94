"""What docs/survey.md promises, on a real server of several processes."""

import csv
import signal
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.end_to_end.annotators import at_once, begin, get, post, read_consent, read_hidden
from tests.end_to_end.site import Site, open_site, opening
from tests.factories.studies import numbered_stimuli

pytestmark = pytest.mark.every_database  # many at once

N_PROCESSES = 2  # that may get in each other's way
N_PLACES = 12
N_FROM_AN_ADDRESS = 15  # may start within an hour by an open link
N_TOO_MANY = 4
N_STUDIES = 5
WORDS = {"inspired_word1": "harvest", "inspired_word2": "moon"}
RIGHT = {"question0": "1", "question1": "2", "question2": "0"}  # the default check
WRONG = {**RIGHT, "question1": "0"}


@pytest.fixture(scope="module")
def limited_site(pristine, tmp_path_factory) -> Iterator[Site]:
    """A site that serves, in which each test has its own study."""
    folder = tmp_path_factory.mktemp("promises")
    limit = str(N_FROM_AN_ADDRESS)
    with open_site(pristine, folder, N_PROCESSES, ARRIVALS_PER_ADDRESS=limit) as site:
        (folder / "data_en.tsv").write_bytes(numbered_stimuli(2))
        yield site


class Made(NamedTuple):
    """An open study, and links to it that nobody has used."""

    name: str
    links: list[str]


@pytest.fixture(scope="module")
def own_studies(limited_site: Site) -> list[Made]:
    """Studies of two pairs with 12 places, one for each test that takes one; made at once."""
    names = [f"study{number}" for number in range(1, N_STUDIES + 1)]
    options = ["--ratings-per-context", str(N_PLACES // 2)]
    limited_site.manage_all(
        *(imported(limited_site, name, *options) for name in names), *map(opening, names)
    )
    n_links = N_PLACES + N_TOO_MANY
    invited = (["invite_annotators", name, "--count", str(n_links)] for name in names)
    links = iter(limited_site.manage_all(*invited).split())
    return [Made(name, list(islice(links, n_links))) for name in names]


@pytest.fixture
def own_study(own_studies) -> Made:
    """A study of two pairs with 12 places."""
    return own_studies.pop()


def imported(site: Site, study: str, *options: str) -> list[str]:
    """The command that imports a study of two pairs."""
    stimuli = Path(site.environment["VAR_DIR"], "data_en.tsv")
    return ["import_stimuli", str(stimuli), "--study", study, "--language", "en", *options]


def stored_ratings(site: Site, study: str, folder: Path) -> Counter[tuple[str, str, str]]:
    """Count each (pair, context, rating) in the released ratings."""
    site.manage("release_dataset", study, folder, "--recipe", "raw", "--no-report")
    with (folder / "ratings_en.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return Counter((r["pair"], r["context"], r["rating"]) for r in rows if not r["mark"])


def test_a_quota_holds_when_all_arrive_at_once(own_study):
    links = own_study.links
    consent = read_consent(links[0])

    answers = at_once([lambda link=link: post(link, consent) for link in links])

    assert Counter(answer.status_code for answer in answers) == {302: N_PLACES, 409: N_TOO_MANY}
    assert len({a.headers["location"] for a in answers if a.has_redirect_location}) == N_PLACES
    for link, answer in zip(links, answers, strict=True):
        if answer.status_code == httpx.codes.CONFLICT:
            assert "We have enough people for this study now" in answer.text
            assert "<form" not in get(link).text


def test_a_link_clicked_many_times_at_once_is_one_assignment(own_study):
    link = own_study.links[0]
    consent = read_consent(link)

    answers = at_once([lambda: post(link, consent)] * 8)

    assert len({answer.headers["location"] for answer in answers}) == 1


def test_the_open_link_keeps_its_cap_and_knows_double_clicks_when_all_come_at_once(
    limited_site: Site, own_study
):
    entrance = limited_site.manage("entrance", "link", own_study.name, "--cap", "5").split()[-1]
    own = [limited_site.url + get(entrance).headers["location"] for _ in range(8)]
    consent = read_consent(own[0])

    answers = at_once([lambda link=link: post(link, consent) for link in own * 2])

    assert Counter(answer.status_code for answer in answers) == {302: 10, 409: 6}
    assert len({a.headers["location"] for a in answers if a.has_redirect_location}) == 5


def test_one_address_starts_only_so_often_when_all_arrive_at_once(limited_site: Site):
    """Through an open link of a study with a place for each of them."""
    study = "open"
    made = imported(limited_site, study, "--ratings-per-context", "10")
    entrance = limited_site.manage_all(made, opening(study), ["entrance", "link", study]).split()[
        -1
    ]
    n_arrivals = N_FROM_AN_ADDRESS + N_TOO_MANY
    own = [limited_site.url + get(entrance).headers["location"] for _ in range(n_arrivals)]
    consent = read_consent(own[0])

    answers = at_once([lambda link=link: post(link, consent) for link in own])

    assert Counter(answer.status_code for answer in answers) == {
        302: N_FROM_AN_ADDRESS,
        429: N_TOO_MANY,
    }
    started = f"surveys_annotator WHERE {of_study(limited_site, study)}"
    entrances = f"SELECT id FROM surveys_entrance WHERE {of_study(limited_site, study)}"  # noqa: S608
    arrived = f"surveys_arrival WHERE entrance_id IN ({entrances})"
    assert count(limited_site, started) == count(limited_site, arrived) == N_FROM_AN_ADDRESS
    for link, answer in zip(own, answers, strict=True):
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            assert 0 < int(answer.headers["retry-after"]) <= 3600
            assert "from your network" in answer.text
            assert get(link).status_code == httpx.codes.TOO_MANY_REQUESTS
        else:  # who has started goes on
            assert get(link).headers["location"] == answer.headers["location"]


def test_every_form_sent_many_times_at_once_does_its_work_once(limited_site: Site):
    """From consent over both blocks to withdrawing, each form six times in its turn."""
    study = "blocks"
    link = prepare_two_blocks(limited_site, study)
    people = f"surveys_annotator WHERE {of_study(limited_site, study)}"
    work = f"surveys_assignment WHERE {of_study(limited_site, study)}"
    (first,) = send_at_once(link, read_consent(link))
    path, survey = first, f"{limited_site.url}{first}"
    assert count(limited_site, work) == 1

    assert send_at_once(f"{survey}instructions/") == {f"{path}practice/"}
    assert send_at_once(f"{survey}practice/", WORDS) == {f"{path}practice/rating/"}
    assert send_at_once(f"{survey}practice/rating/", {"rating": "3"}) == {
        f"{path}practice/answer/?chosen=3"
    }
    assert send_at_once(f"{survey}practice/answer/") == {f"{path}practice/?item=2"}
    assert send_at_once(f"{survey}practice/answer/?item=2") == {f"{path}check/"}
    for answers, wanted in ((WRONG, set()), (RIGHT, {f"{path}1/words/"})):
        check = f"{survey}check/"
        assert send_at_once(check, {**read_hidden(check), **answers}) == wanted
        assert limited_site.query(f"SELECT n_check_tries FROM {people}") == [(1,)]  # noqa: S608
    assert send_at_once(f"{survey}1/words/", WORDS) == {f"{path}1/rating/"}
    assert send_at_once(f"{survey}1/rating/", {"rating": "3"}) == {f"{path}thanks/"}
    (another,) = send_at_once(f"{survey}thanks/")
    assert another != path
    assert count(limited_site, work) == 2
    answers = f"surveys_response WHERE assignment_id IN (SELECT id FROM {work})"  # noqa: S608
    assert count(limited_site, answers) == 2
    assert send_at_once(f"{limited_site.url}{another}1/words/", WORDS) == {f"{another}1/rating/"}
    asked = at_once([lambda: post(f"{survey}withdraw/")] * 6)
    assert {answer.status_code for answer in asked} == {200}  # it is asked once more
    assert limited_site.query(f"SELECT withdrawn_at FROM {people}") == [(None,)]  # noqa: S608
    assert send_at_once(f"{survey}withdraw/", {"confirmed": "yes"}) == {f"{path}ended/"}

    assert limited_site.query(f"SELECT DISTINCT state FROM {work}") == [("withdrawn",)]  # noqa: S608
    assert count(limited_site, people) == 1


def prepare_two_blocks(site: Site, study: str) -> str:
    """Return a link to a new study of one text a block, with a check, and more on request."""
    configured = ["configure_study", study, "--check-tries", "3", "--allows-more-blocks"]
    made = imported(site, study, "--block-size", "1"), opening(study), configured
    return site.manage_all(*made, ["invite_annotators", study]).split()[-1]


def send_at_once(url: str, data: dict[str, str] | None = None) -> set[str]:
    """Where a form leads that is sent six times at once; nowhere, when it is given back."""
    answers = at_once([lambda: post(url, data)] * 6)
    assert {answer.status_code for answer in answers} <= {302, 422}
    return {answer.headers["location"] for answer in answers if answer.has_redirect_location}


def of_study(site: Site, study: str) -> str:
    """The condition under which a row belongs to a study."""
    ((number,),) = site.query(f"SELECT id FROM surveys_study WHERE slug = '{study}'")  # noqa: S608
    return f"study_id = {number}"


def count(site: Site, rows: str) -> int:
    """How many rows of a table there are, perhaps under a condition."""
    return int(site.query(f"SELECT count(*) FROM {rows}")[0][0])  # noqa: S608  (our own names)


def test_answers_sent_many_times_at_once_are_stored_once(limited_site: Site, own_study, tmp_path):
    """Four annotators, each of whose forms is sent six times at once, and again later."""
    surveys = [begin(limited_site, link) for link in own_study.links[:4]]
    for survey in surveys:
        for position in (1, 2):
            words, rating = f"{survey}{position}/words/", f"{survey}{position}/rating/"
            engaged = at_once([lambda words=words: post(words, WORDS)] * 6)
            assert {a.headers["location"] for a in engaged} == {httpx.URL(rating).path}
            rated = at_once(
                [lambda rating=rating, n=n: post(rating, {"rating": str(n)}) for n in range(6)]
            )
            assert Counter(a.status_code for a in rated) == {302: 1, 409: 5}  # the first counts
    stored = limited_site.manage("dumpdata", "surveys.response", "surveys.assignment")

    for survey in surveys:
        late = [
            post(f"{survey}1/words/", {"inspired_word1": "gone", "inspired_word2": "by"}),
            post(f"{survey}2/rating/", {"rating": "6"}),
        ]
        assert {a.status_code for a in late} == {409}

    assert limited_site.manage("dumpdata", "surveys.response", "surveys.assignment") == stored
    released = stored_ratings(limited_site, own_study.name, tmp_path / "out")
    assert Counter((pair, context) for pair, context, _ in released.elements()) == {
        ("1", "1"): 2, ("1", "2"): 2, ("2", "1"): 2, ("2", "2"): 2,
    }  # fmt: skip


def test_acknowledged_answers_outlive_a_killed_server(limited_site: Site, own_study, tmp_path):
    """The server is killed after acknowledged ratings; everyone goes on where they were."""
    acknowledged: Counter[str] = Counter()
    for number, link in enumerate(own_study.links[:3]):
        survey = begin(limited_site, link)
        for position in (1, 2):
            rating = str((number + position) % 7)
            assert post(f"{survey}{position}/words/", WORDS).status_code == 302
            answer = post(f"{survey}{position}/rating/", {"rating": rating})
            assert answer.status_code == 302
            acknowledged[rating] += 1
            if (number, position) == (1, 1):
                limited_site.kill(signal.SIGKILL)
                limited_site.start()
        assert get(survey).headers["location"].endswith("/thanks/")

    stored = stored_ratings(limited_site, own_study.name, tmp_path / "out")

    assert Counter(rating for _, _, rating in stored.elements()) == acknowledged
