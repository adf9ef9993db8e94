"""Measure the memory of a site's processes: at rest, with annotators, and after all kinds of work.

    .venv/bin/python bench/memory.py [--repository FOLDER] [--minutes 60]

It starts `scripts/serve` with the demo on a fresh site, and again, as an operator does later. All
figures are megabytes of PSS: memory that processes share counts once. `highest`: of all processes
since the row before, by samples.
"""

import html
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from threading import Event, Thread

import httpx
from processes import list_processes, read_megabytes
from reporting import REPOSITORY, read_options, say, table
from serving import HOST, environment_of, free_port, python_of, run, running_script

DEMO = REPOSITORY / "demo"
STIMULI = DEMO / "data_en.tsv"
START_SECONDS = 600
END_SECONDS = 75  # after which a process without work has ended
STUDY = "/console/studies/demo-finished/"
VISITED = (
    "", "results/", "runs/1/", "runs/1/pairs/", "runs/1/pairs/1/", "runs/1/ledger/",
    "runs/1/plots/", "collection/", "collection/annotators/", "review/", "release/",
)  # fmt: skip
TASK_PAGES = ("/tasks/demo/", "/tasks/demo/board/evaluation/1/", "/tasks/demo/kit/evaluation/")
SCORES = {"sim1": "5.5", "sim2": "4.5", "stdev1": "1.5", "stdev2": "1.2", "pvalue": "0.3"}
COLUMNS = ("after", "highest", "all", "launcher, keeper", "web processes", "job process", "load")


def list_children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    return [pid for pid in list_processes(parent) if f"PPid:\t{parent}\n" in read_status(pid)]


def read_status(pid: int) -> str:
    """Return the status of a process, empty if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/status").read_text()
    return ""


def find_server(serve: int) -> int:
    """Return the web server's first process."""
    for pid in list_children(serve):
        with suppress(OSError):
            if b"annotation_site." in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
    raise SystemExit("the web server has ended")


@contextmanager
def sampled(serve: int) -> Iterator[list[float]]:
    """Sample the memory of all processes until the context ends; yield the growing samples."""
    ended, server, samples = Event(), find_server(serve), [0.0]

    def sample() -> None:
        while not ended.wait(0.3):
            samples.append(read_megabytes(list_processes(server), "Pss"))

    thread = Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()


def describe(after: str, serve: int, samples: list[float]) -> list[str]:
    """Return a row of the table, by the threads that serve requests and by who has children."""
    server = find_server(serve)
    processes = list_processes(server)
    memory = {pid: read_megabytes([pid], "Pss") for pid in processes}
    keepers = {pid for pid in processes if pid != server and list_children(pid)}
    jobs = {child for keeper in keepers for child in list_children(keeper)}
    web = {pid for pid in list_children(server) if n_threads(pid) > 1} - keepers
    rest = {*processes} - jobs - web
    groups = ({*processes}, rest, web, jobs)
    figures = [" + ".join(f"{memory[pid]:.0f}" for pid in sorted(group)) for group in groups[1:]]
    total = sum(memory.values())
    highest = max(*samples, total)
    samples[:] = [0.0]
    figures = [figure or "–" for figure in figures]
    return [after, f"{highest:.0f}", f"{total:.0f}", *figures, f"{os.getloadavg()[0]:.1f}"]


def n_threads(pid: int) -> int:
    """Return the number of threads of a process."""
    return int((re.findall(r"Threads:\s(\d+)", read_status(pid)) or [0])[0])


@contextmanager
def served(repository: Path, environment: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Start `scripts/serve`; yield its process and what it prints, and stop it afterwards."""
    output, deadline = Path(environment["VAR_DIR"]) / "output", time.monotonic() + START_SECONDS
    with running_script(repository, int(environment["PORT"]), environment, output) as serve:
        while "To stop" not in output.read_text():
            if serve.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("scripts/serve did not start")
            time.sleep(0.5)
        yield serve.pid, output.read_text()


def annotate(repository: Path, environment: Mapping[str, str], url: str, n: int) -> None:
    """Let scripted annotators answer, 40 at a time, from another process."""
    words = ["--base-url", url, "--annotators", str(n), "--at-once", "40"]
    manage(repository, environment, "rehearse_study", "memory", *words)


def manage(repository: Path, environment: Mapping[str, str], *words: str | Path) -> None:
    """Run a management command; exit with its errors if it fails."""
    run(python_of(repository), "manage.py", *words, cwd=repository, environment=environment)


def make_study(repository: Path, environment: Mapping[str, str]) -> None:
    """Open a study with a place for every annotator of an hour."""
    options = ["--language", "en", "--ratings-per-context", "100", "--block-size", "7"]
    manage(repository, environment, "import_stimuli", STIMULI, "--study", "memory", *options)
    shown = ["--organisation", "Benchmark", "--contact", "bench@example.org"]
    manage(repository, environment, "open_study", "memory", *shown, "--consent-reviewed-by", "B")


def visit(browser: httpx.Client) -> None:
    """Ask for pages of the finished study and shared task twice, so that all processes answer."""
    for address in 2 * [*(STUDY + page for page in VISITED), *TASK_PAGES]:
        answer = browser.get(address)
        if answer.status_code != httpx.codes.OK:
            say(f"{address}: {answer.status_code}")


def make_dataset() -> bytes:
    """Return a dataset of the demo's texts in Slovene, with equal scores."""
    header, *rows = (row.split("\t") for row in (DEMO / "data_sl.tsv").read_text().splitlines())
    lines = [[*header[:4], *SCORES, *header[4:]]]
    lines += [[*row[:4], *SCORES.values(), *row[4:]] for row in rows]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def make_ratings() -> bytes:
    """Return two annotators' ratings of the finished study's contexts."""
    n_pairs = len((DEMO / "finished_sl.tsv").read_text().splitlines()) - 1
    contexts = product(range(1, n_pairs + 1), (1, 2), ("anna", "boris"))
    rows = (
        f"sl,{pair},{context},{name},{(pair + context) % 7}" for pair, context, name in contexts
    )
    return "\n".join(["language,pair,context,annotator,rating", *rows]).encode()


def work(browser: httpx.Client) -> None:
    """Run a recipe, score a submission, and upload a file of each kind."""

    def post(address: str, data: Mapping[str, str], **files: tuple[str, bytes]) -> None:
        page = browser.get(address).text
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
        answer = browser.post(address, data={**data, "csrfmiddlewaretoken": token}, files=files)
        if answer.status_code != httpx.codes.OK:
            raise SystemExit(f"{address}: {answer.status_code}")

    page = browser.get(f"{STUDY}results/toml/").text
    recipe = html.unescape(re.findall(r"<textarea[^>]*>\s*(.*?)</textarea>", page, re.DOTALL)[0])
    post(f"{STUDY}results/toml/", {"recipe": recipe})
    post(f"{STUDY}results/toml/", {"recipe": recipe, "look": "yes"})
    scale = {"minimum": "0", "maximum": "6", "step": "1", "most": "40"}
    scale |= {"published_minimum": "0", "published_maximum": "10"}
    post("/console/audit/", scale, dataset=("cosimlex_sl.csv", make_dataset()))
    kind = {"name": f"people {time.time():.6f}", "kind": "people"}
    ratings = ("ratings.csv", make_ratings())
    post(f"{STUDY}results/comparisons/collections/new/", kind, file=ratings)
    study = {"title": f"Study {time.time():.6f}", "language": "en"}
    post("/console/new/", study, file=("data_en.tsv", STIMULI.read_bytes()))
    address = "/console/shared-tasks/demo/submissions/own/"
    phases = re.findall(r'<option value="(\d+)"', browser.get(address).text)
    changes = "\n".join(["change", *(f"{time.time() % n:.4f}" for n in range(3, 15))])
    sent = ("results_subtask1_fi.tsv", f"{changes}\n".encode())
    post(address, {"phase": phases[-1]}, results=sent)


def main() -> None:
    """Measure after each kind of work, and print a table."""
    options = read_options(
        __doc__,
        repository=(REPOSITORY, "another checkout"),
        minutes=(0.0, "more of the same for so long"),
    )
    repository = options.repository.resolve()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        port = str(free_port())
        environment = environment_of(VAR_DIR=folder, PORT=port)
        url = f"http://{HOST}:{port}"

        def measure(after: str, serve: int, samples: list[float]) -> None:
            rows.append(describe(after, serve, samples))
            say(" | ".join(rows[-1]))

        with served(repository, environment) as (serve, output), sampled(serve) as samples:
            password = re.findall(r"password: (\S+)", output)[0]
            time.sleep(END_SECONDS)
            measure("the first start", serve, samples)
        with (
            served(repository, environment) as (serve, _),
            sampled(serve) as samples,
            httpx.Client(
                base_url=url,
                timeout=300,
                follow_redirects=True,
                trust_env=False,
                limits=httpx.Limits(max_keepalive_connections=0),  # all processes answer
            ) as browser,
        ):
            make_study(repository, environment)
            for _ in range(20):
                browser.get("/")
            measure("a start", serve, samples)
            annotate(repository, environment, url, 40)
            measure("40 annotators", serve, samples)
            visit(browser)
            measure("a visitor's pages", serve, samples)
            page = browser.get("/console/sign-in/").text
            token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
            account = {"username": "researcher", "password": password}
            browser.post("/console/sign-in/", data={**account, "csrfmiddlewaretoken": token})
            work(browser)
            measure("runs, uploads, scoring", serve, samples)
            time.sleep(END_SECONDS)
            measure("the same, 75 s later", serve, samples)
            until = time.monotonic() + 60 * options.minutes
            while time.monotonic() < until:
                annotate(repository, environment, url, 4)
                visit(browser)
                work(browser)
                time.sleep(END_SECONDS)
                measure(f"{(until - time.monotonic()) / 60:.0f} min before the end", serve, samples)
    say(f"\n{table(COLUMNS, rows)}")


if __name__ == "__main__":
    main()
