"""Fresh sites to measure: Cosima, set up by its commands as by an operator, and `bare/`."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from databases import settle
from serving import HOST, run
from stimuli import make_items, write_stimuli

HERE = Path(__file__).resolve().parent
QUOTA = 5
STUDY = "bench"


class Load(NamedTuple):
    """Numbers of annotators, of items per annotator, and of contexts."""

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


class Places(NamedTuple):
    """Paths and port of a site."""

    repository: Path
    python: Path
    generator: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Return the URL of the site."""
        return f"http://{HOST}:{self.port}"


class Site(Protocol):
    """Interface of a site for the benchmark."""

    application: str
    cwd: Path
    environment: dict[str, str]

    def prepare(self, load: Load) -> None:
        """Set up a fresh site with its stimuli."""

    def invite(self, count: int) -> list[str]:
        """Return the paths of `count` personal links."""

    def stored(self) -> list[Stored]:
        """Return all stored answers."""


def _environment(database_url: str) -> dict[str, str]:
    unset = {"SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "PYTHONPATH", "DJANGO_SETTINGS_MODULE"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "DATABASE_URL": database_url, "ENV_FILE": os.devnull}


class Cosima:
    """A checkout of Cosima with a separate VAR_DIR and database."""

    application = "annotation_site.wsgi:application"

    def __init__(self, places: Places, database_url: str) -> None:
        self.places, self.cwd = places, places.repository
        self.environment = {
            **_environment(database_url),
            "VAR_DIR": str(places.folder / "var"),
            "SITE_URL": places.url,
        }

    def manage(self, *arguments: str | Path) -> str:
        """Return the output of a management command."""
        words = (str(self.places.python), "manage.py", *arguments)
        return run(*words, cwd=self.cwd, environment=self.environment)

    def _data(self, *arguments: str) -> str:
        words = (str(self.places.python), str(HERE / "site_data.py"), *arguments)
        return run(*words, cwd=self.cwd, environment=self.environment)

    def prepare(self, load: Load) -> None:
        """Set up the site as `scripts/serve` does, and import the stimuli."""
        stimuli = self.places.folder / "data_en.tsv"
        write_stimuli(make_items(self.places.generator, load.n_contexts), stimuli)
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")
        options = {
            "--study": STUDY,
            "--language": "en",
            "--ratings-per-context": QUOTA,
            "--block-size": load.n_tasks,
            "--lease-hours": 1,
        }
        words = [str(word) for option in options.items() for word in option]
        self.manage("import_stimuli", stimuli, *words)
        shown = "--organisation", "Benchmark", "--contact", "bench@example.org"
        self.manage("open_study", STUDY, *shown, "--consent-reviewed-by", "Benchmark")
        settle(self.environment["DATABASE_URL"])

    def invite(self, count: int) -> list[str]:
        """Return the paths of `count` new personal links."""
        links = self.manage("invite_annotators", STUDY, "--count", str(count)).split()
        return [urlsplit(link).path for link in links]

    def stored(self) -> list[Stored]:
        """Return every response with words."""
        return _read(self._data("stored"))

    def let_lapse(self, hours: int) -> None:
        """Move all timestamps back by some hours."""
        self._data("lapse", str(hours))

    def fill(self, places: int) -> None:
        """Answer some places of each questionnaire."""
        self._data("fill", str(places))
        settle(self.environment["DATABASE_URL"])


class Bare:
    """The bare app, `bare/app.py`."""

    application = "app:application"
    cwd = HERE / "bare"

    def __init__(self, places: Places, database_url: str) -> None:
        self.places = places
        self.environment = _environment(database_url)

    def _app(self, *arguments: str, given: str = "") -> str:
        words = (str(self.places.python), "app.py", *arguments)
        return run(*words, cwd=self.cwd, environment=self.environment, given=given)

    def prepare(self, load: Load) -> None:
        """Store the same texts and assign them to annotators."""
        items = [
            {"text": i.text, "marked": i.mark("strong"), "word1": i.word1, "word2": i.word2}
            for i in make_items(self.places.generator, load.n_contexts)
        ]
        counts = str(load.n_annotators), str(load.n_tasks)
        self._app("prepare", *counts, given=json.dumps(items))
        settle(self.environment["DATABASE_URL"])

    def invite(self, count: int) -> list[str]:
        """Return links that are known in advance."""
        return [f"/invitation/ann{number:03d}/" for number in range(count)]

    def stored(self) -> list[Stored]:
        """Return every answer with words."""
        return _read(self._app("stored"))


def _read(text: str) -> list[Stored]:
    rows: list[list[Any]] = json.loads(text)
    return [Stored(*row) for row in rows]
