"""Web servers as an operator would start them, and functions to start and stop one."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from string import Template
from typing import NamedTuple

import httpx
from reporting import REPOSITORY

HERE = Path(__file__).resolve().parent
HOST = "127.0.0.1"
# What a shell may hold for a site of its own.
SITE_VARIABLES = {
    "ALLOWED_HOSTS", "DATABASE_URL", "DEBUG", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH", "SECRET_KEY", "SITE_URL", "VAR_DIR", "VIRTUAL_ENV",
}  # fmt: skip
START_SECONDS = 60
STOP_SECONDS = 10


class Server(NamedTuple):
    """A web server with its numbers of processes and of threads in each."""

    kind: str
    workers: int
    threads: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.workers}x{self.threads}"

    @classmethod
    def named(cls, text: str) -> "Server":
        """Return the server of a name: `waitress:1x4` is waitress with 1 worker of 4 threads."""
        kind, _, numbers = text.partition(":")
        workers, _, threads = (numbers or "1x2").partition("x")
        if kind not in COMMANDS:
            raise SystemExit(f"{kind!r} is not one of {', '.join(COMMANDS)}")
        return cls(kind, int(workers), 2 if kind == "granian" else int(threads or 1))  # as served

    def command(
        self, python: Path, port: int, application: str, folder: Path
    ) -> tuple[list[str], dict[str, str]]:
        """Return the words of its command line in a folder, and its environment variables."""
        environment = {}
        if self.kind == "granian" and ".wsgi:" in application:
            environment, command = read_served(folder)
        else:  # the bare app, too, has granian without Cosima's launcher
            command = COMMANDS["granian-wsgi" if self.kind == "granian" else self.kind]
        line = Template(command).substitute(
            workers=self.workers, threads=self.threads, address=HOST, port=port, grace=30,
            application=application, bin=python.parent,
        )  # fmt: skip
        return [str(python), *line.split()], environment


# The server that `scripts/serve` starts.
AS_SERVED = Server("granian", min(4, os.cpu_count() or 1), 2)
_GUNICORN = "-m gunicorn --log-level warning --bind $address:$port --workers $workers "
COMMANDS = {
    "granian": "",  # read from `scripts/serve`
    "granian-wsgi": "-m granian --interface wsgi --host $address --port $port --workers $workers "
    "--blocking-threads $threads --no-ws --log-level warning $application",
    "gunicorn-sync": _GUNICORN + "--worker-class sync $application",
    "gunicorn-gthread": _GUNICORN + "--worker-class gthread --threads $threads $application",
    "waitress": "-m waitress --host $address --port $port --threads $threads $application",
    "uvicorn": "-m uvicorn --interface wsgi --host $address --port $port --workers $workers "
    "--log-level warning --no-access-log $application",
    "uwsgi": "$bin/uwsgi --http-socket $address:$port --http-keepalive --master --need-app "
    "--disable-logging --die-on-term --processes $workers --threads $threads "
    "--module $application",
}


def read_served(repository: Path) -> tuple[dict[str, str], str]:
    """Return the variables and the arguments of Python by which `scripts/serve` starts a server."""
    script = (repository / "scripts/serve").read_text(encoding="utf-8").replace("\\\n", " ")
    start = re.search(r"\n *(.*)setsid python (-m annotation_site\.launcher .*) &\n", script)
    if not start:
        raise SystemExit(f"{repository}/scripts/serve starts no annotation_site.launcher.")
    variables = dict(word.split("=") for word in start[1].split())
    always = re.sub(r"\$\{\w+:\+.*?\}", "", start[2])  # without arguments of some starts
    return variables, always.replace('"', "")


def python_of(repository: Path) -> Path:
    """Return the Python of a checkout; exit if it has none."""
    if repository == REPOSITORY:
        return Path(sys.executable)
    python = repository / ".venv/bin/python"
    if not python.exists():
        raise SystemExit(f"{repository} has no .venv: start its scripts/serve once.")
    return python.absolute()


def python_with_servers() -> Path:
    """Return a Python with the present packages and all servers; make it the first time."""
    folder = HERE.parent / ".venv-servers"
    python = folder / "bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", folder, cwd=HERE)
        (present,) = (path for path in sys.path if path.endswith("site-packages"))
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "cosima.pth").write_text(f"{present}\n")
        requirements = HERE / "requirements-servers.txt"
        run(python, "-m", "pip", "install", "--quiet", "-r", requirements, cwd=HERE)
    return python


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def run(
    *words: str | Path, cwd: Path, environment: Mapping[str, str] | None = None, given: str = ""
) -> str:
    """Return the output of a command; exit with its errors if it fails."""
    done = subprocess.run(  # noqa: S603  (commands of our own)
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        errors = (done.stderr or done.stdout).strip()[-3000:]
        raise SystemExit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{errors}")
    return done.stdout


def environment_of(**settings: str) -> dict[str, str]:
    """Return the environment of a site with these settings and no others."""
    kept = {name: text for name, text in os.environ.items() if name not in SITE_VARIABLES}
    return {**kept, "ENV_FILE": os.devnull, **settings}


@contextmanager
def running_script(
    repository: Path, port: int, environment: Mapping[str, str], output: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a checkout's `scripts/serve`, which writes to a file, and stop it afterwards."""
    with output.open("w") as file:
        serve = subprocess.Popen(  # noqa: S603  (a command of our own)
            [repository / "scripts/serve", "--port", str(port)], cwd=repository, env=environment,
            stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
    try:
        yield serve
    finally:
        with suppress(ProcessLookupError):
            os.killpg(serve.pid, signal.SIGTERM)
        serve.wait()


@contextmanager
def serving(
    command: list[str], *, cwd: Path, environment: Mapping[str, str], url: str, log: Path
) -> Iterator[int]:
    """Start a web server, yield its process id once it answers, and stop it afterwards."""
    with log.open("a") as heard:
        server = subprocess.Popen(  # noqa: S603  (commands of our own)
            command, cwd=cwd, env=environment, stdout=heard, stderr=heard, start_new_session=True
        )
    try:
        _wait_for(server, url, log)
        yield server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=STOP_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for(server: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    """Wait until a server answers; exit if it ends or does not answer in time."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise SystemExit(f"The server ended at its start:\n{log.read_text()[-3000:]}")
        try:
            httpx.get(url, trust_env=False, timeout=5)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"No answer from {url} in {START_SECONDS} seconds; see {log}")
