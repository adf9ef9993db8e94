"""`scripts/serve`, as a newcomer starts it."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.end_to_end.annotators import PATIENCE_SECONDS, get, post, read_consent
from tests.end_to_end.commands import share_static_files
from tests.end_to_end.databases import free_port
from tests.machine import ROOT

START_SECONDS = 180
LONGEST_WAIT = 10  # seconds, for a request while the server is replaced or started again
ASKED = ("GET", "POST", "GET", "POST")  # at the same time
BY_PIP = ["python -m ensurepip", "python -m pip"]
ASK_ADDRESS = "from annotation_site.settings import MTURK_SIMULATOR_URL; print(MTURK_SIMULATOR_URL)"


@pytest.fixture
def ready_var(pristine: str, tmp_path) -> Path:
    """A VAR_DIR with static files and a database with its tables, as after a first start."""
    var = tmp_path / "prepared"
    var.mkdir()
    share_static_files(var)
    if pristine.startswith("sqlite"):
        shutil.copy(pristine.removeprefix("sqlite:///"), var / "cosima.sqlite3")
    return var


def environment(var: Path, settings: Path | None = None) -> dict[str, str]:
    """Nothing set but VAR_DIR; or but a file of settings."""
    ours = {"DATABASE_URL", "SITE_URL", "SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "VAR_DIR"}
    kept = {k: v for k, v in os.environ.items() if k not in ours}
    if settings:
        return {**kept, "ENV_FILE": str(settings)}
    return {**kept, "VAR_DIR": str(var), "ENV_FILE": os.devnull}


@contextmanager
def started(var: Path, *options: str, settings: Path | None = None) -> Iterator[str]:
    """What `scripts/serve` prints until it says how to stop; it is stopped as Ctrl+C does."""
    with serving(var, *options, settings=settings) as (_, text):
        yield text


@contextmanager
def serving(
    var: Path,
    *options: str,
    settings: Path | None = None,
    passed: socket.socket | None = None,
    folder: Path = ROOT,
) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """`scripts/serve` and what it prints; stopped as Ctrl+C does, unless it was stopped before.

    A listening socket is passed on as systemd does.
    """
    said = var / "said"
    command = [f"{folder}/scripts/serve", *options]
    if passed:
        passing = f'exec 3<&{passed.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
        command = ["bash", "-c", passing, "bash", *command]
    with said.open("w", encoding="utf-8") as out:
        serve = subprocess.Popen(
            command,
            pass_fds=[passed.fileno()] if passed else (),
            cwd=folder,
            env=environment(var, settings),
            stdout=out,
            start_new_session=True,
        )
    try:
        yield serve, await_line(serve, said, "To stop")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(serve.pid, signal.SIGINT)
        code = serve.wait(timeout=60)
    assert code == 0


def await_line(serve: "subprocess.Popen[bytes]", said: Path, line: str) -> str:
    """All that `scripts/serve` has printed once it has printed a line."""
    deadline = time.monotonic() + START_SECONDS
    while line not in (text := said.read_text(encoding="utf-8")):
        assert serve.poll() is None, text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
    return text


@pytest.mark.needs("crowd", "sharedtasks")
def test_serve_and_commands_beside_it_print_links_that_work_and_no_answer_is_lost(tmp_path):
    """The first start ends before the finished demo study is ready, the second completes it."""
    port = free_port()
    with started(tmp_path, "--port", str(port)) as first:
        (link, *others) = re.findall(r"http://\S+/invitation/\S+", first)
        assert len(others) == 3
        survey = post(link, read_consent(link)).headers["location"]
        password = re.search(r"password: (\S+)", first)[1]
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=PATIENCE_SECONDS
        ) as client:
            form = client.get("/admin/").text
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]
            fields = {"username": "researcher", "password": password, "csrfmiddlewaretoken": token}
            page = client.post("/admin/login/?next=/admin/", data=fields)
            assert "Studies and answers" in page.text
        command = [sys.executable, "manage.py", "invite_annotators", "demo-en"]
        printed = subprocess.run(
            command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=True
        ).stdout.strip()
        assert printed.startswith(f"http://127.0.0.1:{port}/invitation/")
        assert httpx.get(printed).status_code == 200

    with serving(tmp_path, "--port", str(port)) as (serve, second):
        await_line(serve, tmp_path / "said", "The finished demo study is ready.")
        assert "still being made" not in httpx.get(f"http://127.0.0.1:{port}/").text
        for page in ("/console/studies/demo-finished/results/", "/tasks/demo/archive/"):
            assert httpx.get(f"http://127.0.0.1:{port}{page}").status_code == 200
        assert password not in second
        assert "manage.py changepassword researcher" in second
        assert re.findall(r"http://\S+", second) == re.findall(r"http://\S+", first)
        assert get(link).headers["location"] == survey
        answer_while_it_is_stopped(serve, tmp_path, others[0])

    with pytest.raises(httpx.ConnectError):
        get(link)
    with closing(sqlite3.connect(tmp_path / "cosima.sqlite3")) as database:
        made = (
            "SELECT run.kind, state, count(*) FROM surveys_run run JOIN surveys_job job "
            "ON job.id = job_id GROUP BY run.kind, state"
        )
        assert database.execute(made).fetchall() == [("release", "done", 3), ("results", "done", 3)]
        assigned = "SELECT count(*) FROM surveys_assignment JOIN surveys_study s ON s.id = study_id"
        of_people = f"{assigned} WHERE s.slug NOT IN ('demo-finished', 'demo-words', 'demo-uses')"
        assert database.execute(of_people).fetchone() == (2,)


def answer_while_it_is_stopped(serve: "subprocess.Popen[bytes]", var: Path, link: str) -> None:
    """Send a consent form that is still being answered when the server is told to end."""
    form = read_consent(link)
    with (
        ThreadPoolExecutor(1) as person,
        closing(sqlite3.connect(var / "cosima.sqlite3")) as database,
    ):
        database.execute("BEGIN IMMEDIATE")  # what is sent now waits for it
        sent = person.submit(post, link, form)
        for _ in range(10):  # by then the form has arrived as well
            assert get(link).status_code == 200
        serve.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            serve.wait(timeout=8)
        database.rollback()
        assert sent.result().status_code == 302
    assert serve.wait(timeout=60) == 0


def test_serve_keeps_to_a_settings_file_and_makes_no_demo_where_none_is_wanted(tmp_path, ready_var):
    """The file's VAR_DIR and SITE_URL win over what serve would choose."""
    file = tmp_path / "env"
    file.write_text(f"VAR_DIR={ready_var}\nSITE_URL=https://survey.example.org\n")

    options = ("--host", "localhost", "--port", str(free_port()), "--no-demo")
    with started(tmp_path, *options, settings=file) as text:
        assert "running at https://survey.example.org/" in text
        assert str(ready_var) in text
        assert "/invitation/" not in text
        assert "import_stimuli" in text
    with closing(sqlite3.connect(ready_var / "cosima.sqlite3")) as database:
        found = database.execute("SELECT username FROM auth_user").fetchall()
    assert found == [("researcher",)]


@pytest.mark.needs("crowd")
def test_serve_with_mturk_keeps_the_simulator_and_comes_back_when_its_processes_die(ready_var):
    port, mturk_port = free_port(), free_port()
    site, simulator = (f"http://127.0.0.1:{n}" for n in (port, mturk_port))
    options = ("--port", str(port), "--no-demo", "--with-mturk", "--mturk-port", str(mturk_port))
    with started(ready_var, *options) as text:
        for address in (f"{simulator}/", f"{simulator}/control/", f"{site}/console/"):
            assert address in text
        assert f'href="{site}/console/"' in httpx.get(simulator).text
        (control,) = re.findall(r"http\S+/control/\S+", text)
        assert httpx.get(control).status_code == httpx.codes.OK
        worker = httpx.post(f"{simulator}/workers/", data={"worker_id": "A1KEPT"})
        assert worker.status_code == httpx.codes.SEE_OTHER
        command = [sys.executable, "-c", ASK_ADDRESS]
        asked = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(ready_var),
            capture_output=True,
            text=True,
            check=True,
        )
        assert asked.stdout.strip() == simulator

    with pytest.raises(httpx.ConnectError):
        httpx.get(simulator)
    with serving(ready_var, *options) as (serve, _):
        assert "A1KEPT" in httpx.get(simulator).text
        kill_processes_until_it_has_restarted(serve.pid)
        await_page(site)
        assert serve.poll() is None


def test_serve_replaces_itself_behind_a_passed_socket_and_no_request_fails(ready_var):
    """Requests wait, while it is replaced and while it is stopped."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as passed:
        url = f"http://127.0.0.1:{passed.getsockname()[1]}/"
        ending = Event()
        with ThreadPoolExecutor(4) as people:
            with serving(ready_var, "--no-demo", passed=passed) as (serve, _):
                asking = [people.submit(keep_asking, url, ending, method=m) for m in ASKED]
                earlier = children_of(serve.pid)
                serve.send_signal(signal.SIGUSR2)
                replacement = await_replacement(serve.pid, earlier)
                assert len(replacement) == 1
            with serving(ready_var, "--no-demo", passed=passed):
                ending.set()
                statuses, waits = zip(*(asked.result() for asked in asking), strict=True)
    assert set().union(*statuses) == {httpx.codes.OK, httpx.codes.NOT_FOUND}
    assert max(waits) < LONGEST_WAIT


def keep_asking(url: str, ending: Event, *, method: str) -> tuple[set[int], float]:
    """Ask every 50 ms, each time over a new connection. The statuses, and the longest wait."""
    statuses, longest = set(), 0.0
    while not ending.wait(0.05):
        began = time.monotonic()
        path = "" if method == "GET" else "survey/unknown/1/words/"
        statuses.add(httpx.request(method, url + path, timeout=PATIENCE_SECONDS).status_code)
        longest = max(longest, time.monotonic() - began)
    return statuses, longest


def await_replacement(serve: int, earlier: set[int]) -> set[int]:
    """The servers that serve, once the earlier ones have ended."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        servers = children_of(serve)
        if not earlier & servers and any(map(children_of, servers)):
            return servers
        time.sleep(0.1)
    raise AssertionError("the server was not replaced")


def children_of(parent: int) -> set[int]:
    """The processes that a process has started and that still run."""
    listing = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--ppid", str(parent)], capture_output=True, text=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return {int(pid) for pid, state in rows if not state.startswith("Z")}


def await_workers(serve: int, *, without: set[int]) -> set[int]:
    """The processes of the web server, once there are others than those named."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        servers = children_of(serve)
        if workers := set().union(*map(children_of, servers)) - without:
            return workers
        time.sleep(0.1)
    raise AssertionError("the web server has no processes")


def kill_processes_until_it_has_restarted(serve: int) -> None:
    """Kill the processes of the web server as soon as there are others, time and again."""
    killed: set[int] = set()
    for _ in range(3):
        workers = await_workers(serve, without=killed)
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        killed |= workers
    await_workers(serve, without=killed)


def await_page(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            if get(url).status_code == 200:
                return
        time.sleep(0.05)
    pytest.fail("no page")


def refused(tmp_path: Path, *options: str) -> str:
    """The last line of a start that must fail."""
    done = subprocess.run(
        ["scripts/serve", *options], cwd=ROOT, env=environment(tmp_path),
        capture_output=True, text=True, timeout=START_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_serve_says_when_the_port_is_taken(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert refused(tmp_path, "--port", str(port)) == (
            f"Cannot listen on 127.0.0.1, port {port}: Address already in use. "
            f"Try: scripts/serve --port {port + 1}"
        )


def test_serve_refuses_what_is_no_host(tmp_path):
    assert "not an address or host name" in refused(tmp_path, "--host", "a..b")


def test_serve_refuses_what_is_no_port(tmp_path):
    assert "from 1 to 65535" in refused(tmp_path, "--port", "99999")


def test_serve_says_at_once_when_the_server_fails(ready_var):
    broken = {**environment(ready_var), "PYTHONPATH": str(ready_var)}
    package = ready_var / "granian"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('out of order')")

    done = subprocess.run(
        ["scripts/serve", "--port", str(free_port()), "--no-demo"], cwd=ROOT, env=broken,
        capture_output=True, text=True, timeout=START_SECONDS, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    first, *others = done.stderr.strip().splitlines()
    assert first.startswith("1 of 3: Python packages in .venv; then database")
    assert others == [
        "2 of 3: database, static files and links; then web server …",
        "3 of 3: web server …",
        "out of order",
        "The server ended at its start; see its messages above.",
        "Stopped at 3 of 3: web server. What is done is kept: start scripts/serve again.",
    ]


def test_a_library_that_is_there_is_found_however_many_follow_it(tmp_path):
    """Else packages would be asked for, now and then, with nothing missing."""
    listing = "echo 'libpango-1.0.so.0 (libc6) => /lib'\nseq 100000"
    write_command(tmp_path / "ldconfig", listing)
    script = "set -euo pipefail; . scripts/_environment; has_library"
    for library, code in (("libpango-1.0.so.0", 0), ("libpangoft2-1.0.so.0", 1)):
        found = subprocess.run(
            ["bash", "-c", f"{script} {library}"],
            cwd=ROOT,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        )
        assert found.returncode == code


@pytest.mark.parametrize(
    ("on_path", "finds_packages", "calls"),
    [
        (True, True, ["uv"]),
        (True, False, ["uv", *BY_PIP]),
        (False, True, [*BY_PIP, "uv"]),
        (False, False, [*BY_PIP, "uv", *BY_PIP]),
    ],
)
def test_packages_are_installed_by_uv_or_where_it_finds_none_by_pip(
    tmp_path, on_path, finds_packages, calls
):
    """pip is needed only for uv itself, or in its place."""
    made = tmp_path / ".venv/bin"
    made.mkdir(parents=True)
    write_command(made / "python", 'echo "python $1 $2" >> calls')
    uv = tmp_path / "uv" if on_path else made / "uv"
    write_command(uv, f'echo "uv" >> calls; {"true" if finds_packages else "false"}')
    (tmp_path / "requirements.txt").write_text("uv==1 \\\n    --hash=sha256:0\n")

    subprocess.run(
        ["bash", "-c", f"set -euo pipefail; . {ROOT}/scripts/_environment; install_packages x"],
        cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True,
    )  # fmt: skip

    assert (tmp_path / "calls").read_text().splitlines() == calls


def write_command(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
