"""A wrong setting stops the start with a message that names it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from django.conf import settings

from tests.commands import ROOT, run_commands


def start_with(tmp_path: Path, *arguments: str, **environment: str) -> CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    chosen = {**kept, "VAR_DIR": str(tmp_path), "ENV_FILE": os.devnull, **environment}
    return run_commands([arguments or ("check",)], chosen)


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


@pytest.fixture
def read_only(tmp_path) -> Iterator[Path]:
    """A VAR_DIR that nobody may write to, whatever user runs the tests."""
    var = tmp_path / "var"
    var.mkdir()
    yield var
    var.chmod(0o700)


def start_unprivileged(var: Path, **environment: str) -> CompletedProcess[str]:
    """Start without root's right to write everywhere."""
    dropped = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    return subprocess.run(
        [*dropped, sys.executable, "manage.py", "check"], cwd=ROOT, capture_output=True, text=True,
        env={**kept, "VAR_DIR": str(var), "ENV_FILE": os.devnull, **environment},
    )  # fmt: skip


def test_a_read_only_var_dir_with_a_secret_key_starts(read_only):
    (read_only / "secret_key").write_text("kept")
    read_only.chmod(0o500)

    done = start_unprivileged(read_only, SERVED_AT="http://127.0.0.1:8123")

    assert done.returncode == 0, done.stderr
    assert [path.name for path in read_only.iterdir()] == ["secret_key"]


def test_a_read_only_var_dir_without_a_secret_key_is_named_in_a_line(read_only):
    read_only.chmod(0o500)

    done = start_unprivileged(read_only)

    assert done.returncode != 0
    assert done.stderr == (
        f"A setting is wrong: VAR_DIR {read_only} keeps no secret key, and none can be kept: "
        "Permission denied. Let the folder be writable at the first start, or set SECRET_KEY.\n"
    )


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("SITE_URL", "survey.example.org"),
        ("SITE_URL", "ftp://survey.example.org"),
        ("SITE_URL", "https://survey.example.org/path"),
        ("SITE_URL", "http://survey.example.org:port"),
        ("VAR_DIR", "/proc/nowhere"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "oracle://here/there"),
        ("DEBUG", "perhaps"),
        ("API_RATE", "often"),
        ("TRUSTED_PROXIES", "everybody"),
        ("REQUEST_SECONDS", "0"),
        ("WEB_THREADS", "many"),
    ],
)
def test_a_wrong_setting_stops_the_start(tmp_path, setting, wrong):
    done = start_with(tmp_path, **{setting: wrong})

    assert done.returncode != 0
    assert done.stderr.startswith("A setting is wrong: ")
    assert setting in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "url", ["postgres://postgres@127.0.0.1:1/none", "sqlite:////proc/none.sqlite3"]
)
def test_a_database_out_of_reach_is_told_plainly(tmp_path, url):
    done = start_with(tmp_path, "invite_annotators", "study", DATABASE_URL=url)

    assert done.returncode != 0
    assert done.stderr.startswith("The database cannot be used: ")
    assert "Traceback" not in done.stderr


def test_a_database_without_tables_is_told_plainly(tmp_path):
    done = start_with(tmp_path, "invite_annotators", "study")

    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_database_lies_in_var_dir_whatever_its_name(tmp_path):
    folder = tmp_path / "a#1 b?x c%41"
    start_with(folder, "migrate", "surveys", "0001", "-v", "0")

    assert (folder / "cosima.sqlite3").stat().st_size > 0


@pytest.mark.parametrize("url", ["http://[fd00::1]:8000", "https://survey.example.org/"])
def test_the_host_of_site_url_is_answered(tmp_path, url):
    code = (
        "from django.conf import settings as s; from django.test import Client; "
        "scheme, host = s.SITE_URL.split('://'); "
        "sent = {'host': host, 'x-forwarded-proto': scheme}; "
        "print(Client(headers=sent).get('/').status_code)"
    )
    files = str(settings.STATIC_ROOT)

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, SITE_URL=url, STATIC_ROOT=files)

    assert done.stdout == "200\n"


def test_links_take_the_address_that_serve_left(tmp_path):
    code = "from django.conf import settings as s; print(s.SITE_URL)"
    start_with(tmp_path, SERVED_AT="http://127.0.0.1:8123")

    assert start_with(tmp_path, "shell", "-v", "0", "-c", code).stdout == "http://127.0.0.1:8123\n"


def test_a_settings_file_is_read_and_the_environment_wins(tmp_path):
    (tmp_path / "env").write_text("SITE_URL=http://one.example\nDEBUG=yes\n")
    code = "from django.conf import settings as s; print(s.SITE_URL, s.DEBUG)"
    environment = {"ENV_FILE": str(tmp_path / "env"), "SITE_URL": "http://two.example"}

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, **environment)

    assert done.stdout == "http://two.example True\n"


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


PUBLIC = {"SITE_URL": "https://survey.example.org"}


def test_django_finds_nothing_to_mend_where_the_site_is_public(tmp_path):
    done = start_with(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PUBLIC)

    assert done.returncode == 0, done.stderr
    assert "2 silenced" in done.stdout


def test_a_seconds_setting_that_is_none_stops_the_start(tmp_path):
    done = start_with(tmp_path, **PUBLIC, HSTS_SECONDS="a year")

    assert done.returncode != 0
    assert "HSTS_SECONDS must be a whole number of seconds" in done.stderr


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("MTURK_SIMULATOR_URL", "http://example.org:8765", "must be on this machine"),
        ("MTURK_SIMULATOR_URL", "https://127.0.0.1:8765", "must be on this machine"),
        ("MTURK_FEES", "yesterday reward=0.2", "MTURK_FEES must look like '2015-07-21"),
        ("MTURK_FEES", "2015-07-21 reward=20%", "MTURK_FEES must look like"),
        ("MTURK_FEES", "2015-07-21 tip=0.2", "with these rates: reward, bonus"),
        ("MTURK_FEES", ";", "MTURK_FEES must look like"),
        ("LOWEST_WAGE_CENTS", "8.50", "LOWEST_WAGE_CENTS must be a whole number of cents"),
        ("ARRIVALS_PER_LINK", "300/hour", "ARRIVALS_PER_LINK must be a whole number from 0 on"),
        ("HOLD_MINUTES", "0", "HOLD_MINUTES must be a whole number from 1 on"),
    ],
)
def test_a_setting_that_is_none_stops_the_start(tmp_path, name, wrong, message):
    done = start_with(tmp_path, **{name: wrong})

    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize(
    ("changed", "enabled"),
    [
        ({}, "['simulator']"),
        ({"MTURK_SIMULATOR_URL": ""}, "[]"),
        ({"MTURK_ALLOW_LIVE": "1"}, "['simulator']"),
        ({"SITE_URL": "https://survey.example.org"}, "['simulator']"),
        ({"SITE_URL": "https://survey.example.org", "MTURK_ALLOW_LIVE": "1", "DEBUG": "1"},
         "['simulator']"),
        ({"SITE_URL": "https://survey.example.org", "MTURK_ALLOW_LIVE": "1"},
         "['simulator', 'sandbox', 'production']"),
    ],
)  # fmt: skip
def test_live_targets_are_open_where_all_three_conditions_hold(tmp_path, changed, enabled):
    code = (
        "from surveys.crowd.mturk.targets import list_enabled; "
        "print([str(target.provider) for target in list_enabled()])"
    )

    assert start_with(tmp_path, "shell", "-v", "0", "-c", code, **changed).stdout == f"{enabled}\n"


def test_a_public_site_is_reached_by_https_alone_through_a_proxy(tmp_path):
    """What the proxy says of the way to it is believed; without it all is led to HTTPS."""
    code = (
        "from django.test import Client; ask = Client(headers={'host': 'survey.example.org'}).get; "
        "plain, safe = ask('/'), ask('/', headers={'x-forwarded-proto': 'https'}); "
        "print(plain.status_code, plain.headers.get('Location'), safe.status_code, "
        "safe.headers.get('Strict-Transport-Security'), safe.headers.get('X-Frame-Options'))"
    )
    start_with(tmp_path, "collectstatic", "--noinput", "-v", "0")

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, **PUBLIC, HSTS_SECONDS="60")

    assert done.stdout == "301 https://survey.example.org/ 200 max-age=60 DENY\n"
