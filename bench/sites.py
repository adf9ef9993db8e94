"""Fresh sites to measure: Cosima, set up by its commands as by an operator."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
from databases import fresh_database, settle
from processes import call_apart
from reporting import REPOSITORY
from serving import AS_SERVED, HOST, Server, free_port, run, serving
from stimuli import write_stimuli

HERE = Path(__file__).resolve().parent
STUDY = "bench"
ENVIRONMENT = {"SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "PYTHONPATH", "DJANGO_SETTINGS_MODULE"}


class Site:
    """A checkout of Cosima with a separate VAR_DIR and database."""

    application = "annotation_site.wsgi:application"

    def __init__(
        self, folder: Path, database_url: str, *, repository: Path = REPOSITORY,
        python: Path | None = None, settings: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.folder, self.cwd, self.python = folder, repository, python or Path(sys.executable)
        self.url = f"http://{HOST}:{free_port()}"
        (folder / "var").mkdir(exist_ok=True)
        kept = {name: text for name, text in os.environ.items() if name not in ENVIRONMENT}
        self.environment = {
            **kept, "ENV_FILE": os.devnull, "DATABASE_URL": database_url,
            "VAR_DIR": str(folder / "var"), "SITE_URL": self.url, **(settings or {}),
        }  # fmt: skip

    def manage(self, *words: str | Path) -> str:
        """Return the output of a management command."""
        return run(self.python, "manage.py", *words, cwd=self.cwd, environment=self.environment)

    def script(self, *words: str) -> str:
        """Return the output of `site_data.py`, which runs inside the site."""
        words = (str(HERE / "site_data.py"), *words)
        return run(self.python, *words, cwd=self.cwd, environment=self.environment)

    def call(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in a new process, in which Django is set up for the site."""
        return call_apart(_call_in_django, act, *arguments, environment=self.environment)

    def settle(self) -> None:
        """Vacuum a PostgreSQL database."""
        settle(self.environment["DATABASE_URL"])

    def set_up(self) -> None:
        """Create tables and static files."""
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")

    def make_study(
        self, n_contexts: int, *, ratings: int, block_size: int, slug: str = STUDY
    ) -> None:
        """Import a study of invented texts and open it."""
        stimuli = self.folder / "data_en.tsv"
        write_stimuli(n_contexts, stimuli)
        self.manage(
            "import_stimuli", stimuli, "--study", slug, "--language", "en", "--lease-hours", "1",
            "--ratings-per-context", str(ratings), "--block-size", str(block_size),
        )  # fmt: skip
        self.manage(
            "open_study", slug, "--organisation", "Benchmark", "--contact", "bench@example.org",
            "--consent-reviewed-by", "Benchmark",
        )  # fmt: skip

    def invite(self, count: int) -> list[str]:
        """Return the paths of that many new personal links."""
        links = self.manage("invite_annotators", STUDY, "--count", str(count)).split()
        return [urlsplit(link).path for link in links]

    @contextmanager
    def serving(self, server: Server = AS_SERVED, **environment: str) -> Iterator[int]:
        """Serve the site within the block, as `scripts/serve` does; yield the server's process."""
        port = int(self.url.rpartition(":")[2])
        command, variables = server.command(self.python, port, self.application, self.cwd)
        with serving(
            command,
            cwd=self.cwd,
            environment={**self.environment, **variables, **environment},
            url=self.url,
            log=self.folder / "server.log",
        ) as pid:
            yield pid


@contextmanager
def fresh_site(
    kind: str, cluster: str = "", *, below: Path | None = None, **settings: str
) -> Iterator[Site]:
    """Yield a site with tables and static files, in a temporary folder, perhaps below another."""
    with (
        tempfile.TemporaryDirectory(dir=below, ignore_cleanup_errors=True) as folder,
        fresh_database(kind, Path(folder), cluster) as url,
    ):
        site = Site(Path(folder), url, settings=settings)
        site.set_up()
        yield site


def _call_in_django(act: Callable[..., Any], *arguments: Any) -> Any:
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotation_site.settings"
    django.setup()
    return act(*arguments)
