"""Row E: requests that any client on the internet can send."""

import json
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import quantiles
from typing import NamedTuple

import httpx
from attacked_site import (
    STUDY,
    WORDS,
    AttackedSite,
    Finding,
    open_browser,
    read_consent,
)

N_SOCKETS, N_PAGES, N_SIGN_INS, N_ARRIVALS = 50, 100, 200, 200
HIGHEST_P95 = 300.0  # milliseconds for other clients' pages
N_CLIENTS = 16
DEPTH = 200_000
FILE_BYTES = 4_000_000
MAX_FILE_SECONDS = 10.0  # until the answer on a busy machine; the site itself may use 2
MAX_RATING_SECONDS = 2.0  # for a last rating without a broker
MAX_RUN_SECONDS = 10.0  # for a request of a run; the first one in a process loads pandas
PATIENCE, NO_ANSWER, ENOUGH = (
    10.0,
    0,
    3,
)  # seconds for a page, how a silence is counted, and how often
IDS = "PROLIFIC_PID=5f00000000000000000000aa&STUDY_ID=6f00000000000000000000bb&SESSION_ID="


class Waits(NamedTuple):
    """Milliseconds that other clients waited for a page."""

    median: float
    p95: float

    def __str__(self) -> str:
        return f"others' pages p50 {self.median:.0f} ms, p95 {self.p95:.0f} ms"


def send_no_body(site: AttackedSite) -> Finding:
    """Send 50 forms without their bodies to all interfaces, and request other pages meanwhile."""
    site.make_study(2, ratings=2, block_size=2)
    link, page = site.invite(2)
    doors = ["/", httpx.URL(link).path, "/console/sign-in/", "/api/v1/studies/"]
    with site.serving(), _silent_sockets(site, doors):
        waits, statuses = _request_pages(page)
    return Finding(
        "E", f"{N_SOCKETS} forms without their bodies", f"others' p95 under {HIGHEST_P95:.0f} ms",
        f"{waits}; answers {dict(statuses)}",
        waits.p95 < HIGHEST_P95 and set(statuses) == {200},
    )  # fmt: skip


@contextmanager
def _silent_sockets(site: AttackedSite, doors: list[str]) -> Iterator[None]:
    address = httpx.URL(site.url)
    sockets = []
    for number in range(N_SOCKETS):
        one = socket.create_connection((address.host, address.port))
        head = (
            f"POST {doors[number % len(doors)]} HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n"
        )
        one.sendall(head.encode())
        sockets.append(one)
    try:
        yield
    finally:
        for one in sockets:
            one.close()


def _request_pages(page: str, count: int = N_PAGES) -> tuple[Waits, Counter[int]]:
    """Request a page repeatedly, each time on a new connection."""
    waits, statuses = [], Counter[int]()
    for _ in range(count):
        begun = time.perf_counter()
        with open_browser(PATIENCE) as browser:
            try:
                statuses[browser.get(page).status_code] += 1
            except httpx.TransportError:
                statuses[NO_ANSWER] += 1
        waits.append(1000 * (time.perf_counter() - begun))
        if statuses[NO_ANSWER] == ENOUGH:
            break
    return Waits(quantiles(waits, n=100)[49], quantiles(waits, n=100)[94]), statuses


def send_hostile_bodies(site: AttackedSite) -> Finding:
    """Send deep JSON and a slow file of 4 MB, and request pages meanwhile."""
    site.make_study(2, ratings=2, block_size=2)
    (page,) = site.invite(1)
    token = site.make_token()
    with site.serving(), ThreadPoolExecutor(1) as other:
        deep = _call_api(site, token, b"[" * DEPTH)
        row = "a\tb\t" + "." * (FILE_BYTES // 2) + "\tc\ta\tb\ta\tb\n"
        hostile = json.dumps({"slug": "hostile", "language": "en", "stimuli": row}).encode()
        begun = time.perf_counter()
        refused = other.submit(_call_api, site, token, hostile)
        waits, statuses = _request_pages(page, 50)
        answer, seconds = refused.result(), time.perf_counter() - begun
    return Finding(
        "E", f"JSON {DEPTH:,} deep; a file of {FILE_BYTES // 10**6} MB of full stops",
        "400; refused in seconds, no other client waits",
        f"{deep.status_code}; {answer.status_code} in {seconds:.1f} s with {waits}",
        deep.status_code == httpx.codes.BAD_REQUEST
        and httpx.codes.BAD_REQUEST <= answer.status_code < 500
        and seconds < MAX_FILE_SECONDS and set(statuses) == {200},
    )  # fmt: skip


def _call_api(site: AttackedSite, token: str, body: bytes) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with open_browser() as browser:
        return browser.post(f"{site.url}/api/v1/studies/", content=body, headers=headers)


def guess_passwords(site: AttackedSite) -> Finding:
    """Sign in by random names from 16 clients, and request pages meanwhile."""
    site.make_study(2, ratings=2, block_size=2)
    (page,) = site.invite(1)

    def guess(number: int) -> int:
        with open_browser() as browser:
            sign_in = f"{site.url}/console/sign-in/"
            browser.get(sign_in)
            data = {
                "username": f"nobody{number}", "password": "guess",
                "csrfmiddlewaretoken": browser.cookies.get("csrftoken", ""),
            }  # fmt: skip
            return browser.post(sign_in, data=data).status_code

    with site.serving(), ThreadPoolExecutor(N_CLIENTS) as clients:
        guesses = [clients.submit(guess, number) for number in range(N_SIGN_INS)]
        waits, _ = _request_pages(page, 50)
        statuses = Counter(one.result() for one in guesses)
    n_checked = N_SIGN_INS - statuses[429]
    return Finding(
        "E", f"{N_SIGN_INS} sign-ins by random names from {N_CLIENTS} clients",
        "no more than 15 passwords checked", f"{n_checked} checked; {waits}", n_checked <= 15,
    )  # fmt: skip


def steal_by_id(site: AttackedSite) -> Finding:
    """Come with a known Prolific id and a different session, and try to read and to erase."""
    site.make_study(2, ratings=2, block_size=2)
    output = site.manage(
        "connect_prolific", STUDY, "--completion-code", "C0FFEE12", "--no-place-code", "N0PLACE1"
    )
    entrance = next(word for word in output.split() if word.startswith(site.url)).partition("?")[0]
    owned, stolen = f"{entrance}?{IDS}{'1' * 24}", f"{entrance}?{IDS}{'2' * 24}"
    with site.serving(), open_browser() as browser:
        arrived = browser.post(owned, data=read_consent(browser, owned))
        survey = site.url + arrived.headers["location"]
        browser.post(f"{survey}instructions/")
        browser.post(f"{survey}practice/answer/?item=2")
        browser.post(f"{survey}1/words/", data=WORDS)
        seen = browser.get(stolen)
        sent = browser.post(stolen, data={"answer": "agree", "confirmed": "yes"})
    ((n_answers,),) = site.query(
        "SELECT count(*) FROM surveys_response WHERE engaged_at IS NOT NULL"
    )
    ((n_assignments,),) = site.query("SELECT count(*) FROM surveys_assignment")
    return Finding(
        "E", "a known Prolific id with a different session", "opens and erases nothing",
        f"{seen.status_code} and {sent.status_code}; {n_answers} answer kept, "
        f"{n_assignments} assignment",
        not (seen.is_success or seen.has_redirect_location or sent.has_redirect_location)
        and (n_answers, n_assignments) == (1, 1),
    )  # fmt: skip


def take_all_places(site: AttackedSite) -> Finding:
    """Take places through the open link as fast as one script can."""
    site.make_study(2, ratings=N_ARRIVALS // 2, block_size=2)
    entrance = site.manage("open_link", STUDY).split()[-1]

    def come(_: int) -> int:
        with open_browser() as browser:
            own = browser.get(entrance)
            if not own.has_redirect_location:
                return own.status_code
            address = site.url + own.headers["location"]
            return browser.post(address, data=read_consent(browser, address)).status_code

    with site.serving(), ThreadPoolExecutor(N_CLIENTS) as clients:
        statuses = Counter(clients.map(come, range(N_ARRIVALS)))
    return Finding(
        "E", f"a script that requests {N_ARRIVALS} places of the open link from one address",
        "no more than 60 in an hour",
        f"{statuses[302]} places; answers {dict(statuses)}", statuses[302] <= 60,
    )  # fmt: skip


def point_webhooks_inside(site: AttackedSite) -> Finding:
    """Create webhooks to the server itself and to addresses that only it can reach."""
    site.make_study(2, ratings=2, block_size=2)
    token = site.make_token()
    inside = [
        site.url, "http://localhost:8800/control/reset/", "https://127.0.0.1/", "https://[::1]/",
        "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://100.64.0.1/",
        "https://[::ffff:127.0.0.1]/", "https://[fd00:ec2::254]/",
    ]  # fmt: skip
    headers = {"Authorization": f"Bearer {token}"}
    with site.serving(), open_browser() as browser:
        statuses = Counter(
            browser.post(
                f"{site.url}/api/v1/studies/{STUDY}/webhooks/",
                headers=headers,
                json={"url": url, "events": ["block.finished"]},
            ).status_code
            for url in inside
        )
    return Finding(
        "E", f"webhooks to {len(inside)} internal addresses", "all refused", f"{dict(statuses)}",
        set(statuses) == {httpx.codes.CONFLICT},
    )  # fmt: skip


def silence_the_broker(site: AttackedSite) -> Finding:
    """Finish a questionnaire while the broker accepts connections and never answers."""
    site.make_study(2, ratings=2, block_size=2)
    token = site.make_token()
    (link,) = site.invite(1)
    headers = {"Authorization": f"Bearer {token}"}
    with site.serving(), open_browser() as browser:
        asked, run_seconds = _timed(
            lambda: browser.post(
                f"{site.url}/api/v1/studies/{STUDY}/runs/",
                headers=headers,
                json={"preset": "raw"},
            )
        )
        agreed = browser.post(link, data=read_consent(browser, link))
        survey = site.url + agreed.headers["location"]
        for address in ("instructions/", "practice/answer/?item=2"):
            browser.post(f"{survey}{address}")
        for position in (1, 2):
            browser.post(f"{survey}{position}/words/", data=WORDS)
            rated, seconds = _timed(
                lambda at=position: browser.post(f"{survey}{at}/rating/", data={"rating": "3"})  # type: ignore[misc]
            )
    return Finding(
        "E", "a broker that accepts connections and never answers",
        "no request waits for it",
        f"last rating {rated.status_code} in {seconds:.2f} s, run {asked.status_code} in "
        f"{run_seconds:.2f} s",
        rated.status_code == 302 and seconds < MAX_RATING_SECONDS and run_seconds < MAX_RUN_SECONDS,
    )  # fmt: skip


def _timed(send: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    begun = time.perf_counter()
    return send(), time.perf_counter() - begun
