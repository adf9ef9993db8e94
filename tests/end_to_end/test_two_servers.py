"""Two servers of a site, each with its own VAR_DIR, on one PostgreSQL and one Redis."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.db import connection

from tests.end_to_end.annotators import (
    NO_CERTIFICATES,
    PATIENCE_SECONDS,
    at_once,
    post,
    read_consent,
)
from tests.end_to_end.commands import run_commands
from tests.end_to_end.databases import fresh_database
from tests.end_to_end.site import Site, opening
from tests.end_to_end.test_promises import WORDS, imported
from tests.factories.studies import numbered_stimuli

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite a site has one server"),
]
N_PLACES, N_TOO_MANY = 12, 6
N_ATTEMPTS, N_SENT = 9, 20
API_RATE = 30  # requests of a token a day, in `rationed`
Install = Callable[..., Site]


@pytest.fixture
def install(pristine, tmp_path, broker) -> Iterator[Install]:
    """Returns a server of the site, not started: with own files unless they are given."""
    shared = {
        "SECRET_KEY": secrets.token_urlsafe(50), "CELERY_BROKER_URL": broker,
        "DJANGO_SETTINGS_MODULE": "tests.end_to_end.rationed",
    }  # fmt: skip
    with fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine) as url:

        def make(name: str, files: Path | None = None, **chosen: str) -> Site:
            var = tmp_path / name
            var.mkdir()
            if files:
                (var / "files").symlink_to(files)
            return Site(var, url, **{**shared, **chosen})

        yield make


@pytest.fixture
def servers(install: Install, tmp_path) -> Iterator[list[Site]]:
    """Two servers that serve, with one folder of files."""
    files = tmp_path / "files"
    files.mkdir()
    first, second = install("first", files), install("second", files)
    with first.serving(), second.serving():
        yield [first, second]


def test_quotas_and_answers_are_exact_over_two_servers(servers):
    first, second = servers
    Path(first.environment["VAR_DIR"], "data_en.tsv").write_bytes(numbered_stimuli(2))
    made = imported(first, "shared", "--ratings-per-context", str(N_PLACES // 2))
    invited = ["invite_annotators", "shared", "--count", str(N_PLACES + N_TOO_MANY)]
    printed = first.manage_all(made, opening("shared"), invited).split()
    links = [line for line in printed if line.startswith("http")]
    shared = zip(links, cycle(servers), strict=False)
    spread = [link.replace(first.url, server.url) for link, server in shared]
    consent = read_consent(links[0])

    answers = at_once([lambda link=link: post(link, consent) for link in spread])

    assert Counter(answer.status_code for answer in answers) == {302: N_PLACES, 409: N_TOO_MANY}
    surveys = {a.headers["location"] for a in answers if a.has_redirect_location}
    assert len(surveys) == N_PLACES

    path = min(surveys)
    post(f"{first.url}{path}instructions/")
    post(f"{second.url}{path}practice/answer/?item=2")
    words = [f"{server.url}{path}1/words/" for server in (first, second)]
    at_once([lambda word=word: post(word, WORDS) for word in words * 3])
    ratings = [f"{server.url}{path}1/rating/" for server in (first, second)]
    rated = at_once(
        [lambda at=at, n=n: post(at, {"rating": str(n)}) for n, at in enumerate(ratings * 3)]
    )
    assert Counter(answer.status_code for answer in rated) == {302: 1, 409: 5}


@pytest.mark.needs("sharedtasks")
def test_attempts_and_api_rates_are_exact_over_two_servers(servers):
    from tests.end_to_end.test_submitting_program import MADE
    from tests.factories.sharedtasks import predictions, result_file

    first, second = servers
    key = first.manage("shell", "--no-imports", "-c", MADE).split()[-1]
    headers = {"Authorization": f"Bearer {key}"}

    def ask(method: str, server: Site, **sent: object) -> httpx.Response:
        address = f"{server.url}/api/v1/shared-tasks/by-program/submissions/"
        options = {"timeout": PATIENCE_SECONDS, "verify": NO_CERTIFICATES}
        return httpx.request(method, address, headers=headers, **options, **sent)

    def send(number: int, server: Site) -> httpx.Response:
        results = result_file([value + number / 100 for value in predictions()])
        return ask("POST", server, data={"phase": "evaluation"}, files={"results": results})

    asked = list(zip(range(N_SENT), cycle([first, second]), strict=False))
    sent = at_once([lambda n=n, server=server: send(n, server) for n, server in asked])
    seen = at_once([lambda server=server: ask("GET", server) for _, server in asked])

    statuses = Counter(answer.status_code for answer in sent)
    assert statuses[201] == N_ATTEMPTS
    assert set(statuses) <= {201, 409, 429}  # 10 an hour, of which refused ones are given back
    numbers = [a.json()["number"] for a in sent if a.status_code == httpx.codes.CREATED]
    assert sorted(numbers) == [*range(1, N_ATTEMPTS + 1)]
    n_left = API_RATE - N_SENT
    assert Counter(answer.status_code for answer in seen) == {200: n_left, 429: N_SENT - n_left}
    assert first.query("SELECT count(*) FROM sharedtasks_submission") == [(N_ATTEMPTS,)]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("files", "VAR_DIR/files differs from the first server's"),
        ("SECRET_KEY", "SECRET_KEY differs from the first server's"),
        ("static", "Run manage.py collectstatic on each server"),
    ],
)
def test_a_second_server_that_would_be_wrong_does_not_start(install, tmp_path, wrong, complaint):
    files = tmp_path / "files"
    files.mkdir()
    first = install("first", files)
    second = install("second", files)
    if wrong in second.environment:
        second.environment[wrong] = "own"
    else:
        (tmp_path / "second" / wrong).unlink()
    with first.serving():
        with pytest.raises(AssertionError, match=complaint):
            second.start()
        checked = run_commands([["check", "--deploy"]], second.environment)
        assert (checked.returncode != 0, complaint in checked.stderr) == (True, True)
