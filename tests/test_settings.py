"""A wrong setting stops the start with a message that names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def start_with(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    return subprocess.run(
        [sys.executable, "manage.py", *(arguments or ("check",))],
        cwd=ROOT,
        env={**kept, "VAR_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_setting_at_all_starts(tmp_path):
    done = start_with(tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_secret_key_stays_the_same_over_starts(tmp_path):
    start_with(tmp_path)
    key = (tmp_path / "secret_key").read_text()
    start_with(tmp_path)

    assert len(key) > 50
    assert (tmp_path / "secret_key").read_text() == key


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("SITE_URL", "survey.example.org"),
        ("SITE_URL", "ftp://survey.example.org"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "oracle://here/there"),
        ("DEBUG", "perhaps"),
    ],
)
def test_a_wrong_setting_stops_the_start(tmp_path, setting, wrong):
    done = start_with(tmp_path, **{setting: wrong})

    assert done.returncode != 0
    assert setting in done.stderr.strip().splitlines()[-1]


def test_debug_is_off_and_hosts_are_this_machine(tmp_path):
    code = "from django.conf import settings as s; print(s.DEBUG, s.ALLOWED_HOSTS)"
    done = start_with(tmp_path, "shell", "-v", "0", "-c", code)

    assert done.stdout.split()[0] == "False"
    assert "*" not in done.stdout


def test_sqlite_is_safe_from_a_crash_of_the_machine(tmp_path):
    code = (
        "from django.db import connection as c; k = c.cursor(); "
        "print([k.execute(f'PRAGMA {p}').fetchone()[0] for p in ('journal_mode', 'synchronous')])"
    )
    done = start_with(tmp_path, "shell", "-v", "0", "-c", code)

    assert done.stdout.strip() == "['wal', 2]"
