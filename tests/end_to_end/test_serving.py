"""What the real server sends and what it writes down."""

import re
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from select import select

import httpx
import pytest

from tests.end_to_end.annotators import NO_CERTIFICATES, PATIENCE_SECONDS, begin
from tests.end_to_end.site import Site, opening
from tests.factories.studies import numbered_stimuli


@pytest.fixture(scope="session")
def numbered_links(shared_site: Site, tmp_path_factory) -> list[str]:
    """To a study of texts with words like alpha1 and beta1 in them."""
    stimuli = tmp_path_factory.mktemp("numbered") / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(3))
    options = ["--study", "numbered", "--language", "en", "--ratings-per-context", "9"]
    printed = shared_site.manage_all(
        ["import_stimuli", stimuli, *options],
        opening("numbered"),
        ["invite_annotators", "numbered", "--count", "4"],
    )
    return re.findall(r"http\S+/invitation/\S+", printed)


@pytest.fixture(scope="module")
def https_client() -> Iterator[httpx.Client]:
    with httpx.Client(
        verify=NO_CERTIFICATES, timeout=PATIENCE_SECONDS, follow_redirects=True
    ) as client:
        yield client


@pytest.fixture
def survey(shared_site: Site, numbered_links) -> str:
    """The address of a fresh assignment."""
    return begin(shared_site, numbered_links.pop())


def find_links(page: str) -> list[str]:
    """Return the addresses on this site that a page names: no address of a mail."""
    return re.findall(r'(?:href|src)="(?!mailto:)([^"]+)"', page)


def test_nothing_sent_before_page_1_is_answered_hints_at_the_targets(
    shared_site: Site, survey, https_client
):
    page = https_client.get(survey)
    linked = find_links(page.text)
    answers = [page, *(https_client.get(shared_site.url + address) for address in linked)]
    answers += [
        https_client.post(page.url),
        https_client.get(str(page.url).replace("words", "rating")),
    ]
    answers.append(https_client.get(shared_site.url + "/favicon.ico"))
    answers += [answer for shown in answers for answer in shown.history]
    text = page.text.split("<blockquote", 1)[1].split(">", 1)[1].split("</blockquote>")[0]
    words = re.findall(r"alpha\d|beta\d", text)

    assert len(words) == 2
    assert {address.split("/")[1] for address in linked} == {"static", "survey"}
    for answer in answers:
        beside_the_text = f"{answer.headers}\n{answer.text.replace(text, '')}"
        instructions = re.compile("<details.*</details>", re.DOTALL)
        assert "<strong" not in instructions.sub("", answer.text)
        for word in words:
            assert word not in beside_the_text.lower()


def test_pages_send_no_cookie_and_only_link_to_this_site(survey, https_client):
    page = https_client.get(survey)

    assert all("set-cookie" not in answer.headers for answer in (*page.history, page))
    assert "cookie" not in page.headers.get("vary", "").lower()
    assert re.findall(r"(?:href|src|action)=\"(?!/|mailto:)", page.text) == []


def test_a_first_visit_is_light(shared_site: Site, new_link, survey, https_client):
    """The page and the files that it loads, in bytes as they are sent and as they are read."""
    welcome, item, signing_in = (
        load(shared_site, https_client, address)
        for address in (new_link(), survey, f"{shared_site.url}/console/sign-in/")
    )

    assert [len(answers) for answers in (welcome, item)] == [3, 5]  # with icon, styles, scripts
    assert count_sent(item) < 15_000
    assert count_sent(welcome) < 12_000
    assert count_read(welcome) < 25_000
    assert count_read(signing_in) < 60_000  # the files of all pages of the console


def test_the_start_page_has_light_pictures(shared_site: Site, https_client):
    """One for annotators and one for researchers, in light and in dark colours."""
    page = https_client.get(f"{shared_site.url}/")
    addresses = set(re.findall(r'(?:src|srcset)="(/static/images/[^"]+)"', page.text))

    pictures = [https_client.get(shared_site.url + address) for address in addresses]

    assert len(pictures) == 4
    assert {picture.headers["content-type"] for picture in pictures} == {"image/webp"}
    assert count_read(pictures) < 40_000
    assert len(page.content) < 4_000
    assert page.text.count('loading="lazy"') == page.text.count('alt="A t') == 2


def load(site: Site, client: httpx.Client, address: str) -> list[httpx.Response]:
    """Get a page and the files that it loads."""
    page = client.get(address)
    loaded = [address for address in find_links(page.text) if address.startswith("/static/")]
    headers = {"accept-encoding": "gzip"}
    return [page, *(client.get(site.url + address, headers=headers) for address in loaded)]


def count_sent(answers: list[httpx.Response]) -> int:
    return sum(answer.num_bytes_downloaded for answer in answers)


def count_read(answers: list[httpx.Response]) -> int:
    return sum(len(answer.content) for answer in answers)


def test_a_form_that_is_not_due_any_more_leaves_the_connection_open(survey):
    """Its body comes late, as over a slow network, and nobody needs it."""
    address = httpx.URL(f"{survey}2/rating/")

    dropped = [send_late(address, b"rating=3") for _ in range(20)]

    assert dropped == [False] * 20


def send_late(address: httpx.URL, body: bytes) -> bool:
    """Post a form whose body follows its head. Whether the server then drops the connection."""
    with closing(HTTPConnection(str(address.host), address.port, timeout=30)) as connection:
        connection.putrequest("POST", address.path)
        connection.putheader("Content-Type", "application/x-www-form-urlencoded")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        select([connection.sock], [], [], 0.01)  # time enough to answer without it
        connection.send(body)
        assert connection.getresponse().read() == b""
        return bool(select([connection.sock], [], [], 0.01)[0])
