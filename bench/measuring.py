"""One measured run: a fresh site, a server, the load, a check of the stored answers."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from databases import find_postmaster, fresh_database, settle
from generator import annotate
from processes import call_apart
from serving import Server, run
from sites import Site
from stimuli import make_items

HERE = Path(__file__).resolve().parent
QUOTA = 5
Result = dict[str, Any]  # the generator's output, and that of `check`


class Bench(NamedTuple):
    """Settings of all runs."""

    repository: Path
    python: Path
    cluster: str


class Load(NamedTuple):
    """Numbers of annotators, items per annotator, and contexts."""

    n_annotators: int
    n_tasks: int
    n_contexts: int

    @classmethod
    def exact(cls, n_annotators: int, n_tasks: int) -> "Load":
        """Return a load whose judgements are exactly the quota, if possible.

        An annotator judges one context of a pair, so there are at least two contexts per task.
        """
        return cls(n_annotators, n_tasks, max(n_annotators // QUOTA, 2) * n_tasks)

    @property
    def fills_the_quota(self) -> bool:
        """Return whether the judgements are exactly the quota of the study."""
        return self.n_annotators * self.n_tasks == self.n_contexts * QUOTA


class Stored(NamedTuple):
    """An answer read back from the database."""

    item: str
    annotator: str | int
    pair: int
    word1: str
    word2: str
    rating: float | None
    is_counted: bool


class Finding(NamedTuple):
    """Counts; all but the first four and `at_quota` must be 0.

    `left_over` are ratings in assignments that were not finished: stored, but not counted.
    """

    acknowledged: int
    stored: int
    left_over: int
    contexts: int
    lost: int
    mixed_up: int
    doubled: int
    unacknowledged: int
    over_quota: int
    at_quota: int

    def faults(self, load: Load) -> str:
        """Return a description of the errors, empty if there are none."""
        counts = self._asdict()
        names = ("lost", "mixed_up", "doubled", "unacknowledged", "over_quota")
        wrong = [f"{counts[name]} {name}" for name in names if counts[name]]
        if load.fills_the_quota and self.at_quota < self.contexts:
            wrong.append(f"{self.at_quota} of {self.contexts} contexts at quota")
        return ", ".join(wrong)


class Bare(Site):
    """The bare app, `bare/app.py`."""

    application = "app:application"

    def prepare(self, load: Load) -> None:
        """Store the same texts and assign them to annotators."""
        self.cwd = HERE / "bare"
        items = [
            {"text": i.mark(), "marked": i.mark("strong"), "word1": i.word1, "word2": i.word2}
            for i in make_items(load.n_contexts)
        ]
        self.app("prepare", str(load.n_annotators), str(load.n_tasks), given=json.dumps(items))

    def app(self, *words: str, given: str = "") -> str:
        """Return what the app prints."""
        environment = self.environment
        return run(
            self.python, "app.py", *words, cwd=self.cwd, environment=environment, given=given
        )

    def invite(self, count: int) -> list[str]:
        """Return links that are known in advance."""
        return [f"/invitation/ann{number:03d}/" for number in range(count)]


class Running(NamedTuple):
    """A site that is being served."""

    site: Site
    processes: list[int]

    def annotate(self, name: str, links: list[str], n_tasks: int) -> Result:
        """Let annotators come by links; `acks` in the result are the confirmed judgements."""
        result: Result = call_apart(annotate, self.site.url, name, links, n_tasks, self.processes)
        return result

    def check(self, acks: Iterable[tuple[str, str, str]], load: Load) -> Result:
        """Compare acknowledged judgements with all stored answers."""
        site = self.site
        text = site.app("stored") if isinstance(site, Bare) else site.script("stored")
        rows = [Stored(*row) for row in json.loads(text)]
        finding = check(acks, rows, load.n_contexts)
        return {"check": finding._asdict(), "faults": finding.faults(load)}


def check(acks: Iterable[tuple[str, str, str]], rows: Iterable[Stored], n_contexts: int) -> Finding:
    """Compare acknowledged judgements (annotator, item, token) with stored answers.

    The token was the first word; its number gives the rating. Answers of `fill` have none, and
    only count for the quota.
    """
    acks, rated = list(acks), [row for row in rows if row.rating is not None]
    stored = {row.word1: row for row in rated if row.word1 != "lorem"}
    counted = Counter(row.item for row in rated if row.is_counted)
    of_pair = Counter((row.annotator, row.pair) for row in rated)
    tokens = Counter(row.word1 for row in rated if row.word1 != "lorem")
    there = [
        (item, int(token.rpartition("t")[2]) % 7, stored[token])
        for _, item, token in acks
        if token in stored
    ]
    return Finding(
        acknowledged=len(acks),
        stored=tokens.total(),
        left_over=sum(not row.is_counted for row in rated),
        contexts=n_contexts,
        lost=len(acks) - len(there),
        mixed_up=sum((row.item, row.rating) != (item, rating) for item, rating, row in there),
        doubled=max(tokens.total() - len(tokens), of_pair.total() - len(of_pair)),
        unacknowledged=len(tokens.keys() - {token for _, _, token in acks}),
        over_quota=sum(max(0, n - QUOTA) for n in counted.values()),
        at_quota=sum(n == QUOTA for n in counted.values()),
    )


@contextmanager
def running(
    bench: Bench, case: str, server: Server, load: Load, *, filled: int = 0
) -> Iterator[Running]:
    """Yield a fresh site of a case such as `cosima-pg`, prepared for a load and served."""
    system, _, database = case.partition("-")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        fresh_database(database, Path(name), bench.cluster) as url,
    ):
        kind = Bare if system == "bare" else Site
        site = kind(Path(name), url, repository=bench.repository, python=bench.python)
        if isinstance(site, Bare):
            site.prepare(load)
        else:
            site.set_up()
            site.make_study(load.n_contexts, ratings=QUOTA, block_size=load.n_tasks)
            if filled:
                site.script("fill", str(filled))
        settle(url)
        with site.serving(server) as pid:
            yield Running(site, [pid, *find_postmaster(url)])


def measure(bench: Bench, case: str, server: Server, load: Load, *, filled: int = 0) -> Result:
    """Run a load once on a fresh site and check the stored answers."""
    with running(bench, case, server, load, filled=filled) as site:
        result = site.annotate("ann", site.site.invite(load.n_annotators), load.n_tasks)
        return {**result, **site.check(result["acks"], load)}


def measure_dropout(bench: Bench, case: str, server: Server) -> Result:
    """Measure drop-outs: 20 leave after 10 of 25 items, 20 stay, 20 come after the leases lapse."""
    load = Load.exact(40, 25)
    with running(bench, case, server, load) as site:
        links = site.site.invite(60)
        phases = [
            site.annotate("leaver", links[:20], 10),
            site.annotate("stayer", links[20:40], 25),
        ]
        site.site.script("lapse", "2")  # the study's leases are of 1 hour
        phases.append(site.annotate("newcomer", links[40:], 25))
        checked = site.check([ack for phase in phases for ack in phase["acks"]], load)
    errors = [f"{kind} {n}" for phase in phases for kind, n in phase["errors"].items()]
    return {**checked, "errors": errors}
