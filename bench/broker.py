"""Measure the last rating of a questionnaire with a silent, a refusing and a working broker.

    .venv/bin/python bench/broker.py --redis redis://127.0.0.1:6379/0

Each last rating notifies a webhook, so it creates a background job; no worker runs.
"""

import argparse
import os
import re
import secrets
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from reporting import say, table
from serving import AS_SERVED, HOST, free_port, run, serving

REPOSITORY = Path(__file__).resolve().parent.parent
STUDY = "broker"
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
PATIENCE = 30.0  # seconds, after which a response counts as missing
LISTEN = f"""
from surveys.models import Study, Webhook
Webhook.objects.create(
    study=Study.objects.get(slug={STUDY!r}), url="https://{HOST}:9/", secret="whsec_bench",
    events=["assignment.finished"],
)
"""


@contextmanager
def silent_broker() -> Iterator[str]:
    """Yield the URL of a server that accepts connections and never answers."""
    with socket.create_server((HOST, 0), backlog=1000) as listener:
        yield f"redis://{HOST}:{listener.getsockname()[1]}/0"


def time_last_ratings(broker: str, n: int, folder: Path) -> list[float]:
    """Return the seconds that each of `n` last ratings took; infinity for none or an error."""
    url = f"http://{HOST}:{free_port()}"
    var = folder / secrets.token_hex(4)
    var.mkdir()
    environment = {
        **os.environ,
        "ENV_FILE": os.devnull,
        "DATABASE_URL": f"sqlite:///{var}/site.sqlite3",
        "VAR_DIR": str(var),
        "SITE_URL": url,
        "CELERY_BROKER_URL": broker,
        "CELERY_QUEUE": f"bench-{secrets.token_hex(4)}",
    }

    def manage(*words: str | Path) -> str:
        return run(sys.executable, "manage.py", *words, cwd=REPOSITORY, environment=environment)

    manage("prepare_site", "--no-demo")
    manage(
        "import_stimuli", REPOSITORY / "demo/data_en.tsv", "--study", STUDY, "--language", "en",
        "--ratings-per-context", str(n), "--block-size", "1",
    )  # fmt: skip
    manage(
        "open_study", STUDY, "--organisation", "Benchmark", "--contact", "bench@example.org",
        "--consent-reviewed-by", "Benchmark",
    )  # fmt: skip
    manage("shell", "-c", LISTEN)
    links = manage("invite_annotators", STUDY, "--count", str(n)).split()
    command = AS_SERVED.command(
        Path(sys.executable), int(url.rpartition(":")[2]), "annotation_site.wsgi:application"
    )
    log = folder / "server.log"
    with (
        serving(command, cwd=REPOSITORY, environment=environment, url=url, log=log),
        httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as browser,
    ):
        return [_time_last_rating(browser, link) for link in links]


def _time_last_rating(browser: httpx.Client, link: str) -> float:
    try:
        survey = _send(browser, link, answer="agree").headers["location"]
        browser.post(f"{survey}instructions/")
        browser.post(f"{survey}practice/answer/?item=2")
        _send(browser, f"{survey}1/words/", inspired_word1="river", inspired_word2="storm")
        begun = time.perf_counter()
        answer = _send(browser, f"{survey}1/rating/", rating="3")
    except httpx.TimeoutException:
        return float("inf")
    return time.perf_counter() - begun if answer.status_code == httpx.codes.FOUND else float("inf")


def _send(browser: httpx.Client, page: str, **answers: str) -> httpx.Response:
    hidden = dict(HIDDEN.findall(browser.get(page).text))
    return browser.post(page, data={**hidden, **answers})


def main() -> None:
    """Time the last ratings with each broker and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--ratings", type=int, default=20, help="number of last ratings with each (20)")
    add("--redis", default="redis://127.0.0.1:6379/0", help="a working broker")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name, silent_broker() as silent:
        brokers = {
            "silent": silent, "refused": f"redis://{HOST}:{free_port()}/0", "well": options.redis,
        }  # fmt: skip
        for what, broker in brokers.items():
            seconds = time_last_ratings(broker, options.ratings, Path(name))
            n_failed = seconds.count(float("inf"))
            rows.append([what, *_in_ms(statistics.median(seconds), max(seconds)), str(n_failed)])
    say(f"Load average: {os.getloadavg()[0]:.1f}.\n")
    say(table(["broker", "median ms", "worst ms", "failed or none in 30 s"], rows))


def _in_ms(*seconds: float) -> list[str]:
    return [f"{1000 * one:.0f}" for one in seconds]


if __name__ == "__main__":
    main()
