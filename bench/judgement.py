"""Measure the CPU time and the bytes of a judgement in process, beside the bare app.

    .venv/bin/python bench/judgement.py --cluster postgres://postgres@127.0.0.1:5432
    .venv/bin/python bench/judgement.py --against ../older-checkout

The four requests of a judgement go to the WSGI application without a network and a web server, in
turns of the systems: the figures are steadier than those of a load. CPU time includes that of
PostgreSQL's process. `--against` measures another checkout, too.
"""

import argparse
import gc
import io
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode

from databases import fresh_database, print_by_database
from serving import HOST, run
from sites import Bare, Cosima, Load, Places, Site

REPOSITORY = Path(__file__).resolve().parent.parent
DATABASES = {"sqlite": "SQLite", "pg": "PostgreSQL"}
N_TASKS = 25
WARM_UP = 4  # annotators of each turn before the measured ones
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


class System(NamedTuple):
    """A site that is measured, and the links of its annotators."""

    name: str
    site: Site
    links: list[str]


class Client:
    """A client of a WSGI application that counts the bytes of its responses."""

    def __init__(self, application: Callable[..., Any]) -> None:
        self.application, self.n_head, self.n_body = application, 0, 0

    def ask(self, address: str, **answers: str) -> tuple[str, str]:
        """Get a page or post answers to it; return the address it redirects to and the body."""
        sent, heads = urlencode(answers).encode(), dict[str, str]()
        environ = {
            "REQUEST_METHOD": "POST" if answers else "GET", "SCRIPT_NAME": "", "PATH_INFO": address,
            "QUERY_STRING": "", "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(sent)), "SERVER_NAME": HOST, "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": HOST, "HTTP_HOST": HOST,
            "wsgi.input": io.BytesIO(sent), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr,
            "wsgi.version": (1, 0), "wsgi.multithread": True, "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }  # fmt: skip

        def start_response(status: str, headers: Sequence[tuple[str, str]]) -> None:
            heads.update(headers, status=status)
            self.n_head += sum(len(name) + len(text) + 4 for name, text in headers)

        response = self.application(environ, start_response)
        body = b"".join(response)
        response.close()
        self.n_body += len(body)
        if not heads["status"].startswith("3" if answers else "2"):
            raise SystemExit(f"{heads['status']} from {address}\n{body.decode()}")
        return heads.get("Location", ""), body.decode()

    def judge(self, survey: str, position: int) -> None:
        """Judge an item: two pages, two answers."""
        words, rating = (f"{survey}{position}/{page}/" for page in ("words", "rating"))
        for address, answers in (
            (words, {"inspired_word1": "lorem", "inspired_word2": "ipsum"}),
            (rating, {"rating": "3"}),
        ):
            _, page = self.ask(address)
            self.ask(address, **dict(HIDDEN.findall(page)), **answers)


def cpu_seconds(connection: Any) -> float:
    """Return the CPU time of this process and of its PostgreSQL backend."""
    if connection.vendor != "postgresql":
        return time.process_time()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def enter(link: str) -> str:
    """Start the assignment of a personal link, if the system is Cosima; return its address."""
    if "app" in sys.modules:  # the bare app
        return link.replace("invitation", "survey")
    from surveys.models import Invitation
    from surveys.participation.assignments import begin_assignment, start_assignment

    invitation = Invitation.objects.get(token=link.split("/")[2])
    return f"/survey/{begin_assignment(start_assignment(invitation)).token}/"


def measure(module: str, links: Sequence[str]) -> list[float]:
    """Judge all items of some annotators; return ms of CPU, bytes of heads and of bodies each."""
    sys.path.insert(0, str(Path.cwd()))
    application = __import__(module, fromlist=["application"]).application
    from django.db import connection

    if "app" not in sys.modules:
        gc.freeze()  # as annotation_site.asgi does
        gc.set_threshold(20_000, 20, 20)
    client, before = Client(application), 0.0
    surveys = [enter(link) for link in links]
    for number, survey in enumerate(surveys):
        if number == WARM_UP:
            client.n_head = client.n_body = 0
            before = cpu_seconds(connection)
        for position in range(1, N_TASKS):  # the last one submits
            client.judge(survey, position)
    n = (len(links) - WARM_UP) * (N_TASKS - 1)
    return [1000 * (cpu_seconds(connection) - before) / n, client.n_head / n, client.n_body / n]


def compare(kind: str, options: argparse.Namespace) -> str:
    """Measure all systems on a database in turns, and write a table."""
    n_links = options.turns * (WARM_UP + options.annotators)
    checkouts = {"Cosima": REPOSITORY, "bare app": REPOSITORY}
    if options.against:
        checkouts["Cosima, other checkout"] = options.against.resolve()
    found: dict[str, list[list[float]]] = {name: [] for name in checkouts}
    with ExitStack() as stack:
        systems = []
        for name, checkout in checkouts.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            url = stack.enter_context(fresh_database(kind, folder, options.cluster))
            python = checkout / ".venv/bin/python"
            places = Places(checkout, python, options.generator.resolve(), folder, 8000)
            made: Site = Bare(places, url) if name == "bare app" else Cosima(places, url)
            made.prepare(Load.exact(-(-n_links // 10) * 10, N_TASKS))
            systems.append(System(name, made, made.invite(n_links)))
        for turn in range(options.turns):
            for name, site, links in systems:
                some = links[turn :: options.turns]
                module = site.application.partition(":")[0]
                words = str(REPOSITORY / ".venv/bin/python"), str(Path(__file__).resolve())
                inside = "--inside", module, *some
                output = run(*words, *inside, cwd=site.cwd, environment=site.environment)
                found[name].append(json.loads(output))
    return write_table(DATABASES[kind], found)


def write_table(database: str, found: dict[str, list[list[float]]]) -> str:
    """Return a row per system: medians with the least and greatest, and the ratio to the bare."""
    bare = median(cpu for cpu, *_ in found["bare app"])
    heads = [database, "CPU ms", "÷ bare app", "bytes of heads", "bytes of bodies"]
    lines = [heads, ["---", *["---:"] * 4]]
    for name, turns in found.items():
        cpus, heads_sent, bodies = zip(*turns, strict=True)
        cpu = median(cpus)
        spread = f"{cpu:.3f} ({min(cpus):.3f}–{max(cpus):.3f})"
        sizes = [f"{median(heads_sent):,.0f}", f"{median(bodies):,.0f}"]
        lines.append([name, spread, f"{cpu / bare:.2f}", *sizes])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    generator = REPOSITORY.parent / "shared/bench"
    add("--generator", type=Path, default=generator, help="folder of peer_setup/, for the texts")
    add("--databases", nargs="+", choices=DATABASES, help="default: sqlite, and pg with --cluster")
    add("--cluster", default="", help="PostgreSQL, such as postgres://postgres@127.0.0.1:5432")
    add("--turns", type=int, default=5)
    add("--annotators", type=int, default=12, help=f"of a turn, with {N_TASKS - 1} items each")
    add("--against", type=Path, help="another checkout of Cosima")
    add("--inside", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        module, *links = options.inside
        sys.stdout.write(json.dumps(measure(module, links)))
        return
    print_by_database(options.databases, options.cluster, lambda kind: compare(kind, options))


if __name__ == "__main__":
    main()
