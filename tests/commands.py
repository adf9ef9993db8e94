"""Commands of the site, each in a process of its own with settings of its own.

A process starts as a copy of one that has loaded the libraries, and nothing of the site: to load
them is most of what a command takes.
"""

import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = (
    "django.core.management", "django.db.models", "django.contrib.postgres.fields", "django.test",
    "rest_framework.compat", "celery", "psycopg", "pydantic", "jinja2", "markdown_it", "yaml",
    "lxml.etree", "requests", "boto3", "httpx", "pandas", "scipy.stats", "pyarrow.parquet",
)  # fmt: skip

_nursery = multiprocessing.get_context("forkserver")
_nursery.set_forkserver_preload([*LIBRARIES, __name__])


def run_commands(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str]
) -> CompletedProcess[str]:
    """What comes of `manage.py` with these arguments, one after another until one fails."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "stdout"), Path(folder, "stderr")
        process = _nursery.Process(target=_run, args=(commands, dict(environment), *said))
        process.start()
        process.join()
        code = process.exitcode
        process.close()
        out, error = (path.read_text("utf-8") for path in said)
    return CompletedProcess([*commands], code or 0, out, error)


def _run(
    commands: Sequence[Sequence[str]], environment: dict[str, str], out: Path, error: Path
) -> None:
    """In the new process."""
    for path, standard in ((out, 1), (error, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), standard)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    for command in commands:
        sys.argv = ["manage.py", *command]
        runpy.run_path("manage.py", run_name="__main__")
