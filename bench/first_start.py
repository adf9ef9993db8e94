"""Measure the first start of a fresh clone, step by step, and the second.

    .venv/bin/python bench/first_start.py
    .venv/bin/python bench/first_start.py --repository ../before --times 3

A clone in a temporary folder, with nothing in the caches of uv and pip, is started by
`scripts/serve`. Printed are the seconds until each line that it says, until the start page and the
sign-in page are served, and until the start page offers the finished study and shared tasks; then
the same for a second start.
"""

import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
from reporting import REPOSITORY, read_options, say, table
from serving import HOST, free_port, run

STEP = re.compile(r"\d+ of \d+: ")
IN_TIME = 600  # seconds
OFFERED = ("/console/studies/demo-finished/", "/tasks/")  # on the start page
Seconds = dict[str, float]


@contextmanager
def starting(clone: Path, environment: Mapping[str, str], port: int) -> Iterator[Seconds]:
    """Run `scripts/serve` meanwhile; yield the seconds until each step that it names."""
    began, seconds = time.monotonic(), Seconds()
    server = subprocess.Popen(  # noqa: S603  (our own script)
        [clone / "scripts/serve", "--port", str(port)], cwd=clone, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip

    def listen() -> None:
        for line in server.stdout or ():
            if STEP.match(line):
                seconds[line.split("…")[0].strip()] = time.monotonic() - began

    Thread(target=listen, daemon=True).start()
    try:
        yield seconds
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def measure_start(clone: Path, environment: Mapping[str, str]) -> Seconds:
    """Return the seconds until each event of a start."""
    port, began = free_port(), time.monotonic()
    with (
        starting(clone, environment, port) as seconds,
        httpx.Client(base_url=f"http://{HOST}:{port}", trust_env=False, timeout=60) as client,
    ):
        for name, path, wanted in (
            ("start page", "/", ("</html>",)),
            ("sign-in page", "/console/sign-in/", ("</html>",)),
            ("finished study and shared task", "/", OFFERED),
        ):
            while not is_served(client, path, wanted):
                if time.monotonic() > began + IN_TIME:
                    raise SystemExit(f"No {name} in {IN_TIME} seconds.")
                time.sleep(0.05)
            seconds[name] = time.monotonic() - began
    return seconds


def is_served(client: httpx.Client, path: str, wanted: tuple[str, ...]) -> bool:
    """Return whether a page is served and contains these texts."""
    try:
        page = client.get(path)
    except httpx.TransportError:
        return False
    return page.is_success and all(text in page.text for text in wanted)


def measure(repository: Path) -> dict[tuple[str, str], float]:
    """Return the seconds of a clone's first and second start."""
    with tempfile.TemporaryDirectory() as name:
        unset = {"VAR_DIR", "DATABASE_URL", "SITE_URL", "SECRET_KEY"}
        unset |= {"VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"}
        kept = {name: text for name, text in os.environ.items() if name not in unset}
        kept["PATH"] = os.pathsep.join(
            folder for folder in kept["PATH"].split(os.pathsep) if ".venv" not in folder
        )
        environment = {**kept, "ENV_FILE": os.devnull, "XDG_CACHE_HOME": f"{name}/cache"}
        clone, began = Path(name) / "clone", time.monotonic()
        run("git", "clone", "--quiet", repository, clone, cwd=Path(name))
        cloned = time.monotonic() - began
        first, second = (measure_start(clone, environment) for _ in range(2))
        shutil.rmtree(clone)
    found = {("first", event): cloned + s for event, s in {"clone": 0.0, **first}.items()}
    return found | {("second", event): seconds for event, seconds in second.items()}


def main() -> None:
    """Measure some times and print a table."""
    options = read_options(
        __doc__,
        repository=(REPOSITORY, "what is cloned"),
        times=(1, "clones, one after another"),
    )
    measured = [measure(options.repository.resolve()) for _ in range(options.times)]
    say(f"load average after {os.getloadavg()[0]:.1f}")
    rows = [
        [start, event, f"{statistics.median(one[start, event] for one in measured):.1f}"]
        for start, event in measured[0]
    ]
    say(table(("start", "reached", "seconds"), rows))


if __name__ == "__main__":
    main()
