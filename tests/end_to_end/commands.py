"""Commands and servers of the site, each in a separate process with separate settings.

A process starts as a copy of one that has loaded the libraries, and nothing of the site: to load
them is most of what a command, or the start of a server, takes.
"""

import gc
import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from django.conf import settings

from tests.machine import ROOT

LIBRARIES = (  # that can be loaded without settings
    "django.core.management", "django.db.models", "django.contrib.admin.options",
    "django.contrib.postgres.fields", "django.db.backends.postgresql.base",
    "django.db.backends.sqlite3.base", "django.test", "rest_framework.serializers",
    "whitenoise.storage", "celery.app.base", "kombu.transport.redis", "granian.server", "psycopg",
    "pydantic.types", "jinja2", "markdown_it", "babel.dates", "yaml", "lxml.etree", "requests",
    "boto3", "httpx", "pandas", "scipy.stats", "pyarrow.parquet",
)  # fmt: skip

_nursery = multiprocessing.get_context("forkserver")
_nursery.set_forkserver_preload([*LIBRARIES, __name__])


def share_static_files(var: Path) -> None:
    """Let a site with this VAR_DIR use the static files that were collected for all tests."""
    if not (var / "static").is_symlink():
        (var / "static").symlink_to(settings.STATIC_ROOT)


def run_commands(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str], folder: Path = ROOT
) -> CompletedProcess[str]:
    """What comes of `manage.py` in a folder with these arguments, one by one until one fails."""
    return _await(_run, commands, environment, folder)


def run_module(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path
) -> CompletedProcess[str]:
    """What comes of `python -m` with these arguments, in a folder that has the module."""
    return _await(_run_module, arguments, environment, folder)


def start_module(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path
) -> BaseProcess:
    """Start `python -m` with these arguments in a session of its own; what it says goes to a log.

    It is a copy of this program's nursery, so its parent is that one, and not this process.
    """
    process = _nursery.Process(
        target=_serve_module, args=(arguments, dict(environment), folder, log)
    )
    process.start()
    return process


def _await(
    run: Callable[..., None], arguments: Sequence[Any], environment: Mapping[str, str], folder: Path
) -> CompletedProcess[str]:
    """What comes of a function in a new process."""
    with tempfile.TemporaryDirectory() as place:
        said = Path(place, "stdout"), Path(place, "stderr")
        process = _nursery.Process(target=run, args=(arguments, dict(environment), folder, *said))
        process.start()
        process.join()
        code = process.exitcode
        process.close()
        out, error = (path.read_text("utf-8") for path in said)
    return CompletedProcess([*arguments], code or 0, out, error)


def _run(
    commands: Sequence[Sequence[str]], environment: dict[str, str], folder: Path, *said: Path
) -> None:
    """In the new process."""
    _settle(environment, folder, *said)
    for command in commands:
        sys.argv = ["manage.py", *command]
        runpy.run_path("manage.py", run_name="__main__")


def _run_module(
    arguments: Sequence[str], environment: dict[str, str], folder: Path, *said: Path
) -> None:
    """In the new process."""
    _settle(environment, folder, *said)
    sys.argv = [*arguments]
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def _serve_module(
    arguments: Sequence[str], environment: dict[str, str], folder: Path, log: Path
) -> None:
    """In the new process."""
    os.setsid()
    _run_module(arguments, environment, folder, log, log)


def _settle(environment: dict[str, str], folder: Path, out: Path, error: Path) -> None:
    """Turn a new process into one that was started in a folder."""
    for path, standard in ((out, 1), (error, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), standard)
    gc.freeze()  # the libraries are not searched for garbage
    os.environ.clear()
    os.environ.update(environment)
    # Otherwise servers would start their own processes anew, and not as copies, as they do usually.
    multiprocessing.set_start_method(None, force=True)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
