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
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
from reporting import REPOSITORY, read_options, say, table
from serving import HOST, environment_of, free_port, run, running_script

STEP = re.compile(r"\d+ of \d+: ")
IN_TIME = 600  # seconds
OFFERED = ("/console/studies/demo-finished/", "/tasks/")  # on the start page
Seconds = dict[str, float]


def measure_start(clone: Path, environment: Mapping[str, str]) -> Seconds:
    """Return the seconds until each step that `scripts/serve` names, and until each page."""
    port, began, output = free_port(), time.monotonic(), clone.parent / "output"
    seconds = Seconds()
    with (
        running_script(clone, port, environment, output),
        httpx.Client(base_url=f"http://{HOST}:{port}", trust_env=False, timeout=60) as client,
    ):
        for name, path, wanted in (
            ("start page", "/", ("</html>",)),
            ("sign-in page", "/console/sign-in/", ("</html>",)),
            ("finished study and shared task", "/", OFFERED),
        ):
            while not is_served(client, path, wanted):
                passed = time.monotonic() - began
                for line in filter(STEP.match, output.read_text().splitlines()):
                    seconds.setdefault(line.split("…")[0].strip(), passed)
                if passed > IN_TIME:
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
        folders = [path for path in os.environ["PATH"].split(os.pathsep) if ".venv" not in path]
        environment = environment_of(PATH=os.pathsep.join(folders), XDG_CACHE_HOME=f"{name}/cache")
        clone, began = Path(name) / "clone", time.monotonic()
        run("git", "clone", "--quiet", repository, clone, cwd=Path(name))
        cloned = time.monotonic() - began
        first, second = (measure_start(clone, environment) for _ in range(2))
        shutil.rmtree(clone)
    seconds_until = {("first", event): cloned + s for event, s in {"clone": 0.0, **first}.items()}
    return seconds_until | {("second", event): seconds for event, seconds in second.items()}


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
        [start, event, f"{statistics.median(times[start, event] for times in measured):.1f}"]
        for start, event in measured[0]
    ]
    say(table(("start", "reached", "seconds"), rows))


if __name__ == "__main__":
    main()
