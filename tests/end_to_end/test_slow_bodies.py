"""Bodies that come slowly, or never, keep nobody else from the site."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.end_to_end.annotators import PATIENCE_SECONDS, begin, get, post, read_consent
from tests.end_to_end.site import Site, open_site
from tests.machine import ROOT

N_SILENT = 50
N_PROCESSES = 2
LIMIT = "from annotation_site.asgi import application; print(application.limits.client_seconds)"
N_PAGES = 10  # requested on separate connections, so that each process gets some


@pytest.fixture
def patient_site(pristine, tmp_path) -> Iterator[Site]:
    """A site that waits for a body longer than a request of these tests does for its answer."""
    seconds = str(5 * PATIENCE_SECONDS)
    with open_site(pristine, tmp_path, N_PROCESSES, REQUEST_SECONDS=seconds) as site:
        yield site


def send_head(site: Site, path: str, *, body: bytes = b"") -> socket.socket:
    """Announce a form of 100 bytes, of which no more than a beginning is ever sent."""
    address = urlsplit(site.url)
    connection = socket.create_connection((address.hostname, address.port), PATIENCE_SECONDS)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 100\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    return connection


def test_silent_bodies_keep_nobody_from_the_site(patient_site: Site):
    patient_site.make_study(ROOT / "demo/data_en.tsv", "study", "--language", "en")
    *links, link = patient_site.invite("study", 3)
    survey, spare = (urlsplit(begin(patient_site, link)).path for link in links)
    paths = ["/", survey, f"{survey}1/words/", "/survey/unknown/1/words/", "/console/sign-in/",
             "/api/v1/studies/", "/nowhere/"]  # fmt: skip
    with ExitStack() as stack:
        for n in range(N_SILENT):
            stack.enter_context(send_head(patient_site, paths[n % len(paths)], body=b"a" * (n % 2)))

        for _ in range(N_PAGES):
            assert get(patient_site.url).status_code == 200
        assert post(link, read_consent(link)).status_code == 302
        assert get(patient_site.url + spare).status_code == 302


def test_the_gateway_waits_for_a_body_as_long_as_is_set(pristine, tmp_path):
    site = Site(tmp_path, pristine, REQUEST_SECONDS="7")

    assert site.manage("shell", "--no-imports", "-c", LIMIT) == "7\n"
