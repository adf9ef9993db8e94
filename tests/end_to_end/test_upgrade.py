"""`scripts/upgrade`: another version takes over while people ask for pages."""

import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.documents.copying import copy_repository
from tests.end_to_end.test_serve import (
    ASKED,
    LONGEST_WAIT,
    await_replacement,
    children_of,
    environment,
    keep_asking,
    ready_var,  # noqa: F401  (a fixture)
    serving,
    write_command,
)

MIGRATION = """from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("surveys", "{}")]
    operations = [{}]
"""
GENTLE = 'migrations.CreateModel("Extra", [("id", models.BigAutoField(primary_key=True))])'
STOPPING = "migrations.RunPython(migrations.RunPython.noop)"


@pytest.fixture
def current(tmp_path) -> Path:
    """The link to the version that is installed, whose repository has two later ones."""
    first = copy_repository(tmp_path / "opt/first")

    def git(*arguments: str) -> None:
        user = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *user, *arguments], cwd=first, check=True, capture_output=True)

    def commit(version: str) -> None:
        git("add", ".")
        git("commit", "--message", version)
        git("tag", version)

    git("init")
    git("add", "--force", ".venv")
    commit("v1")
    migrations = first / "surveys/migrations"
    before = max(path.stem for path in migrations.glob("0*.py"))
    for version, operation in (("v2", GENTLE), ("v3", STOPPING)):
        name = f"009{version[1]}_{version}"
        (migrations / f"{name}.py").write_text(MIGRATION.format(before, operation))
        commit(version)
        before = name
    git("checkout", "v1")
    git("remote", "add", "origin", str(first))
    link = first.parent / "current"
    link.symlink_to(first)
    return link


@pytest.fixture
def upgrade(current, ready_var, tmp_path):  # noqa: F811
    """Return a function that upgrades to a version, as root on a machine with systemd does."""
    programs = tmp_path / "programs"
    programs.mkdir()
    write_command(programs / "runuser", 'shift 3; exec "$@"')
    reloading = f'[ "$1" != reload-or-restart ] || kill -USR2 "$(cat {tmp_path}/pid)"'
    write_command(programs / "systemctl", f'echo "$*" >>{tmp_path}/asked; {reloading}')
    chosen = environment(ready_var)
    chosen["PATH"] = f"{programs}:{chosen['PATH']}"

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [current / "scripts/upgrade", "--backups", str(tmp_path), *arguments]
        return subprocess.run(command, env=chosen, capture_output=True, text=True, check=False)

    return run


def test_another_version_takes_over_and_no_request_fails(current, ready_var, upgrade, tmp_path):  # noqa: F811
    ending = Event()
    with (
        socket.create_server(("127.0.0.1", 0), backlog=4096) as passed,
        ThreadPoolExecutor(4) as people,
    ):
        url = f"http://127.0.0.1:{passed.getsockname()[1]}/"
        with serving(ready_var, "--no-demo", passed=passed, folder=current) as (serve, _):
            (tmp_path / "pid").write_text(str(serve.pid))
            asking = [people.submit(keep_asking, url, ending, method=m) for m in ASKED]
            earlier = children_of(serve.pid)

            done = upgrade("v2")

            assert done.returncode == 0, done.stderr
            await_replacement(serve.pid, earlier)
            later = current.resolve()
            assert Path(f"/proc/{serve.pid}/cwd").resolve() == later != current.parent / "first"
            ending.set()
            statuses, waits = zip(*(asked.result() for asked in asking), strict=True)

            refused, back = upgrade("v3"), upgrade("v1")

            assert current.resolve() == later
    assert set().union(*statuses) == {httpx.codes.OK, httpx.codes.NOT_FOUND}
    assert max(waits) < LONGEST_WAIT
    assert len(list(tmp_path.glob("before-*.tar.gz"))) == 1
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["reload-or-restart cosima-web", "try-restart cosima-worker"]
    assert "surveys.0093_v3: Raw Python operation" in refused.stdout
    assert "then repeat it with --stop" in refused.stderr
    assert "restore an earlier backup" in back.stderr
    assert (refused.returncode, back.returncode) == (1, 1)
