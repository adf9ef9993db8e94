"""One measured run: a fresh site, a server, the load, a check of the stored answers."""

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from checking import Acknowledged, Finding, check
from databases import find_postmaster, fresh_database, is_postgres
from serving import Server, free_port, run, serving
from sites import Bare, Cosima, Load, Places, Site

HERE = Path(__file__).resolve().parent
Result = dict[str, Any]  # the generator's output, and that of `check`


class Bench(NamedTuple):
    """Settings of all runs."""

    home: Path
    generator: Path
    repository: Path
    python: Path
    cluster: str
    server: Server

    @property
    def generator_python(self) -> Path:
        """Return the Python with aiohttp and psutil."""
        return self.home / "vl/bin/python"

    @contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """Yield a temporary folder."""
        made = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.home))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)


class Running(NamedTuple):
    """A site that is being served."""

    bench: Bench
    site: Site
    folder: Path
    url: str
    processes: list[int]

    def annotate(self, name: str, links: list[str], n_tasks: int, *flags: str) -> Result:
        """Let annotators come by links; `acks` in the result are the confirmed judgements."""
        users, out, acks = (self.folder / f"{name}.{kind}" for kind in ("users", "json", "acks"))
        with users.open("w", newline="") as file:
            csv.writer(file).writerows((f"{name}{n:03d}", link) for n, link in enumerate(links))
        given: dict[str, object] = {
            "--system": "cosima",
            "--base": self.url,
            "--annotators": len(links),
            "--tasks": n_tasks,
            "--users": users,
            "--out": out,
            "--acks": acks,
        }
        words = [str(word) for option in given.items() for word in option]
        words += [word for pid in self.processes for word in ("--server-pid", str(pid))]
        run(
            self.bench.generator_python,
            HERE / "generator.py",
            *words,
            *flags,
            cwd=self.folder,
            environment={**os.environ, "BENCH_GENERATOR": str(self.bench.generator)},
        )
        result: Result = json.loads(out.read_text())
        with acks.open(newline="") as file:
            result["acks"] = [Acknowledged(*row) for row in csv.reader(file)]
        return result


@contextmanager
def running(bench: Bench, case: str, load: Load, *, filled: int = 0) -> Iterator[Running]:
    """Yield a fresh site of a case such as `cosima-pg`, prepared for a load and served."""
    system, _, database = case.partition("-")
    with (
        bench.folder(case) as folder,
        fresh_database(database, folder, bench.cluster) as database_url,
    ):
        places = Places(bench.repository, bench.python, bench.generator, folder, free_port())
        site: Bare | Cosima
        site = Bare(places, database_url) if system == "bare" else Cosima(places, database_url)
        site.prepare(load)
        if filled and isinstance(site, Cosima):
            site.fill(filled)
        with serving(
            bench.server.command(bench.python, places.port, site.application),
            cwd=site.cwd,
            environment={**site.environment, **bench.server.environment},
            url=places.url,
            log=bench.home / "server.log",
        ) as pid:
            pids = [pid, find_postmaster(database_url)] if is_postgres(database_url) else [pid]
            yield Running(bench, site, folder, places.url, pids)


def measure(bench: Bench, case: str, load: Load, *, filled: int = 0) -> Result:
    """Run a load once on a fresh site and check the stored answers."""
    with running(bench, case, load, filled=filled) as site:
        links = site.site.invite(load.n_annotators)
        result = site.annotate("ann", links, load.n_tasks)
        found = check(result["acks"], site.site.stored(), load.n_contexts)
    return {**result, **_as_result(found, load)}


def measure_dropout(bench: Bench, case: str) -> Result:
    """Measure drop-outs: 20 leave after 10 of 25 items, 20 stay, 20 come after the leases lapse."""
    load = Load.exact(40, 25)
    with running(bench, case, load) as site:
        if not isinstance(site.site, Cosima):
            raise SystemExit(f"{case} has no places that could lapse")
        links = site.site.invite(60)
        phases = [
            site.annotate("leaver", links[:20], 10, "--leave-open"),
            site.annotate("stayer", links[20:40], 25),
        ]
        site.site.let_lapse(2)  # the study's leases are of 1 hour
        phases.append(site.annotate("newcomer", links[40:], 25))
        acks = [ack for phase in phases for ack in phase["acks"]]
        found = check(acks, site.site.stored(), load.n_contexts)
    errors = [f"{kind} {n}" for phase in phases for kind, n in phase["errors"].items()]
    return {**_as_result(found, load), "errors": errors}


def _as_result(found: Finding, load: Load) -> Result:
    return {"check": found._asdict(), "faults": found.faults(load)}
