"""Measure how long other people wait for pages while scripted annotators rehearse a study.

    .venv/bin/python bench/rehearsal_waiting.py
    .venv/bin/python bench/rehearsal_waiting.py --repository ../before

On a fresh site on SQLite, served as by `scripts/serve`: annotators answer one study,
and a researcher looks at pages, creates studies of 112 pairs, and searches a corpus. First at rest,
then during a rehearsal of a study of 112 pairs by 96 scripted annotators. Printed are milliseconds,
median, 95th percentile and worst, and the lines of the server's log that report a locked database.
"""

import argparse
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread

import httpx
import lxml.html
from reporting import say, table
from serving import AS_SERVED, HOST, free_port, run, serving
from stimuli import HEADER

REPOSITORY = Path(__file__).resolve().parent.parent
N_PAIRS, BLOCK_SIZE, N_RATINGS = 112, 19, 8  # 6 blocks, 96 places
N_ANNOTATORS = 4
PAUSE = 0.3  # seconds between two pages of a person
LETTERS = "abcdefghijklmnoprstuvz"
COLUMNS = ("what", "when", "number", "p50", "p95", "worst")


def write_stimuli(path: Path) -> None:
    """Write a stimuli file with texts of 70 words from a vocabulary of 5,000."""
    rng = random.Random(1)  # noqa: S311  # nosec B311
    words = ["".join(rng.choices(LETTERS, k=rng.randint(3, 9))) for _ in range(5000)]

    def write_row(n: int) -> str:
        marked = f"<strong>alpha{n}</strong> and <strong>beta{n}</strong>"
        texts = [f"{n} {i} {' '.join(rng.choices(words, k=68))} {marked}." for i in (1, 2)]
        return "\t".join((f"alpha{n}", f"beta{n}", *texts, *(f"alpha{n}", f"beta{n}") * 2))

    path.write_text("\n".join([HEADER, *map(write_row, range(N_PAIRS)), ""]))


class Waits:
    """Milliseconds that people waited, by what they did and whether a rehearsal ran."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.when = ""
        self.errors: list[str] = []
        self._lock = Lock()

    @contextmanager
    def timing(self, what: str) -> Iterator[None]:
        """Note how long the context takes."""
        when, began = self.when, time.perf_counter()
        yield
        with self._lock:
            self.found[what, when].append(1000 * (time.perf_counter() - began))

    def rows(self) -> list[list[str]]:
        """Return the rows of the table."""
        rows = []
        for (what, when), waits in sorted(self.found.items()):
            if when and len(waits) > 1:
                hundredths = statistics.quantiles(waits, n=100, method="inclusive")
                figures = (hundredths[49], hundredths[94], max(waits))
                rows.append([what, when, str(len(waits)), *(f"{wait:.0f}" for wait in figures)])
        return rows


class Person:
    """A browser of one person, whose requests are timed."""

    def __init__(self, site: str, waits: Waits) -> None:
        self.client = httpx.Client(
            base_url=site, trust_env=False, timeout=120, follow_redirects=True
        )
        self.waits = waits

    def get(self, path: str, what: str) -> httpx.Response:
        """Request a page."""
        with self.waits.timing(what):
            return self._check(self.client.get(path))

    def send(self, page: httpx.Response, what: str, **given: object) -> httpx.Response:
        """Send the page's last form with these values; a `file` is uploaded."""
        form = lxml.html.fromstring(page.text).xpath("//main//form")[-1]
        fields = dict(form.form_values()) | {k: v for k, v in given.items() if k != "file"}
        files = {"file": given["file"]} if "file" in given else None
        address = page.url.join(form.get("action") or "")
        with self.waits.timing(what):
            return self._check(self.client.post(address, data=fields, files=files))  # type: ignore[arg-type]

    def _check(self, answer: httpx.Response) -> httpx.Response:
        if answer.status_code >= httpx.codes.BAD_REQUEST:
            self.waits.errors.append(f"{answer.status_code} from {answer.url.path}")
        return answer


def answer_texts(person: Person, links: Iterator[str], stop: Event) -> None:
    """Answer questionnaires, each with a new personal link."""
    for link in links:
        page = person.get(link, "annotator")
        while not stop.wait(PAUSE):
            forms = lxml.html.fromstring(page.text).xpath("//main//form")
            if not forms or page.url.path.endswith(("/thanks/", "/ended/")):
                break
            radios = {
                r.get("name"): r.get("value") for r in forms[-1].xpath(".//input[@type='radio']")
            }
            fields = forms[-1].xpath(".//input[@type='text']/@name")
            words = dict(zip(fields, ("sea", "salt"), strict=False))
            buttons = forms[-1].xpath(".//button[@name]")
            pressed = {b.get("name"): b.get("value") for b in buttons[:1]}
            page = person.send(page, "annotator", **radios, **words, **pressed)
        if stop.is_set():
            return


def do_research(person: Person, folder: Path, stop: Event) -> None:
    """Look at pages, create studies and search a corpus."""
    file = ("data.tsv", (folder / "data.tsv").read_bytes())
    for number in count():
        for path in ("/console/", "/console/studies/own/", "/console/studies/own/recruitment/"):
            person.get(path, "researcher's page")
            if stop.wait(PAUSE):
                return
        named = {"title": f"New {number}", "slug": f"new-{number}", "language": "en"}
        page = person.get("/console/new/", "researcher's page")
        page = person.send(page, "new study", **named, file=file)
        if page.url.path == "/console/new/":  # warnings of the file are to be confirmed
            buttons = lxml.html.fromstring(page.text).xpath("//main//form[last()]//button[@name]")
            confirmed = {button.get("name"): button.get("value") for button in buttons}
            person.send(page, "new study", **named, **confirmed, file=file)
        page = person.get("/console/studies/contexts/contexts/search/", "researcher's page")
        if "corpora" in page.text:
            asked = {"corpora": "corpus_en.conllu", "listed": "bank, river\ncup, glass",
                     "per_pair": "50", "number": "4", "filters": "digits=off"}  # fmt: skip
            person.send(page, "search", **asked)


def prepare(manage: Callable[..., str], folder: Path) -> list[str]:
    """Set up a site with a study to answer and one to rehearse; return personal links."""
    write_stimuli(folder / "data.tsv")
    manage("prepare_site", "--no-demo")
    for study, file, size, n_ratings in (
        ("own", REPOSITORY / "demo/data_en.tsv", 7, 100),
        ("rehearsed", folder / "data.tsv", BLOCK_SIZE, N_RATINGS),
    ):
        manage("import_stimuli", file, "--study", study, "--language", "en", "--block-size", size,
               "--ratings-per-context", n_ratings)  # fmt: skip
        manage("open_study", study, "--organisation", "Benchmark", "--contact", "b@example.org",
               "--consent-reviewed-by", "Benchmark")  # fmt: skip
    return manage("invite_annotators", "own", "--count", 300).split()


def measure(environment: Mapping[str, str], site: str, folder: Path, seconds: float) -> Waits:
    """Measure at rest for some seconds, then until the rehearsal ends."""

    def manage(*words: object) -> str:
        words = ("manage.py", *map(str, words))
        return run(sys.executable, *words, cwd=Path.cwd(), environment=environment)  # type: ignore[arg-type]

    waits, stop, links = Waits(), Event(), iter(prepare(manage, folder))
    command = AS_SERVED.command(
        Path(sys.executable), int(site.rpartition(":")[2]), "annotation_site.wsgi:application"
    )
    log = folder / "server.log"
    with serving(command, cwd=Path.cwd(), environment=environment, url=site, log=log):
        researcher, second = Person(site, waits), Person(site, waits)
        for person in (researcher, second):
            link = manage("sign_in_link", "researcher").split()[-1]
            person.send(person.get(link, ""), "")
        begun = second.get("/console/new/contexts/", "")
        second.send(begun, "", title="Contexts", slug="contexts", language="en")
        lock = Lock()

        def next_links() -> Iterator[str]:
            while True:
                with lock:
                    link = next(links)
                yield link

        threads = [
            Thread(target=answer_texts, args=(Person(site, waits), next_links(), stop), daemon=True)
            for _ in range(N_ANNOTATORS)
        ]
        threads.append(Thread(target=do_research, args=(researcher, folder, stop), daemon=True))
        for thread in threads:
            thread.start()
        time.sleep(5)  # the first pages load modules
        waits.when = "at rest"
        time.sleep(seconds)
        page = second.get("/console/studies/rehearsed/rehearsal/", "")
        waits.when, began = "rehearsal", time.monotonic()
        second.send(page, "", count="96")
        while "annotators)" not in (
            jobs := second.get("/console/studies/rehearsed/errands/", "").text
        ):
            if time.monotonic() > began + 300 or "failed" in jobs:
                waits.errors.append("the rehearsal did not end")
                break
            time.sleep(1)
        waits.when = ""
        say(f"The rehearsal took {time.monotonic() - began:.0f} s.")
        stop.set()
        for thread in threads:
            thread.join()
    return waits


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--seconds", type=float, default=30, help="at rest (30)")
    add("--repository", type=Path, default=REPOSITORY, help="a checkout of Cosima")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.chdir(options.repository)
    say(f"{os.cpu_count()} cores, load average before {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder, site = Path(name), f"http://{HOST}:{free_port()}"
        (folder / "corpora").mkdir()
        corpus = REPOSITORY / "demo/corpus_en.conllu"
        (folder / "corpora/corpus_en.conllu").write_bytes(corpus.read_bytes())
        unset = {"DATABASE_URL", "SECRET_KEY", "DEBUG", "ALLOWED_HOSTS"}
        kept = {name: text for name, text in os.environ.items() if name not in unset}
        environment = {
            **kept, "VAR_DIR": name, "ENV_FILE": os.devnull, "SITE_URL": site,
            "CORPORA_DIR": str(folder / "corpora"), "WEB_THREADS": "2",
        }  # fmt: skip
        waits = measure(environment, site, folder, options.seconds)
        say(table(COLUMNS, waits.rows()))
        log = (folder / "server.log").read_text().splitlines()
        n_locked = sum("database is locked" in line for line in log)
        say(
            f'"database is locked": {n_locked} lines; other lines of the log: {len(log) - n_locked}'
        )
        say("\n".join(sorted(set(waits.errors))[:5] + log[:5]))
    say(f"Load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
