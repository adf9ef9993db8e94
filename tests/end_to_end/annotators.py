"""What annotators' browsers send to a real site, without a browser."""

import re
import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.end_to_end.site import Site

PATIENCE_SECONDS = 60
# Without certificates, which no site of ours has: reading them again takes longer than a request.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


def get(url: str) -> httpx.Response:
    return httpx.get(url, timeout=PATIENCE_SECONDS, verify=NO_CERTIFICATES)


def post(url: str, data: dict[str, str] | None = None) -> httpx.Response:
    return httpx.post(url, data=data, timeout=PATIENCE_SECONDS, verify=NO_CERTIFICATES)


def read_consent(link: str) -> dict[str, str]:
    """What the form on the welcome page sends when one agrees."""
    return {**read_hidden(link), "answer": "agree"}


def read_hidden(url: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    return dict(HIDDEN.findall(get(url).text))


def begin(site: Site, link: str) -> str:
    """Agree, take the steps, and go to the first text. The address of the assignment."""
    survey = site.url + post(link, read_consent(link)).headers["location"]
    post(f"{survey}instructions/")
    post(f"{survey}practice/answer/?item=2")
    return survey


def at_once(calls: list[Any]) -> list[httpx.Response]:
    """The answers to requests that are made at the same time."""
    with ThreadPoolExecutor(len(calls)) as people:
        return [waiting.result() for waiting in [people.submit(call) for call in calls]]
