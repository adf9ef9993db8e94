"""Settings: defaults, and invalid values that stop the start with a message."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation_site.parsing import mail_url
from tests.end_to_end.commands import run_commands, share_static_files
from tests.machine import ROOT


def start_with(tmp_path: Path, *arguments: str, **environment: str) -> CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    chosen = {**kept, "VAR_DIR": str(tmp_path), "ENV_FILE": os.devnull, **environment}
    return run_commands([arguments or ("check",)], chosen)


def test_a_site_without_settings_starts(tmp_path):
    done = start_with(tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_arrivals_are_limited_unless_settings_say_otherwise():
    assert (settings.ARRIVALS_PER_ADDRESS, settings.ARRIVALS_PER_LINK) == (60, 120)


def test_secret_key_is_the_same_after_a_restart(tmp_path):
    start_with(tmp_path, "shell", "-c", "")
    key = (tmp_path / "secret_key").read_text()
    start_with(tmp_path, "shell", "-c", "")

    assert len(key) > 50
    assert (tmp_path / "secret_key").read_text() == key


@pytest.fixture
def read_only(tmp_path) -> Iterator[Path]:
    """A VAR_DIR that can be made read-only."""
    var = tmp_path / "var"
    var.mkdir()
    yield var
    var.chmod(0o700)


def start_unprivileged(var: Path, **environment: str) -> CompletedProcess[str]:
    """Start without root's permission to write everywhere."""
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


def test_a_read_only_var_dir_without_a_secret_key_stops_the_start(read_only):
    read_only.chmod(0o500)

    done = start_unprivileged(read_only)

    assert done.returncode != 0
    assert done.stderr == (
        f"A setting is wrong: VAR_DIR {read_only} has no secret key, and none can be stored: "
        "Permission denied. Make the folder writable for the first start, or set SECRET_KEY.\n"
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
        ("CACHE_URL", "memcached://here"),
        ("CELERY_BROKER_URL", "amqp://here"),
        ("DATABASE_URL", "oracle://here/there"),
        ("DEBUG", "perhaps"),
        ("DOCS_URL", "docs.example.org"),
        ("TRUSTED_PROXIES", "everybody"),
        ("REQUEST_SECONDS", "0"),
        ("CORPORA_DIR", "/proc/nowhere"),
        ("APPS", "contexts,lexicons"),
    ],
)
def test_a_wrong_setting_stops_the_start(tmp_path, setting, wrong):
    done = start_with(tmp_path, **{setting: wrong})

    assert done.returncode != 0
    assert done.stderr.startswith("A setting is wrong: ")
    assert setting in done.stderr
    assert done.stderr.count("\n") == 1


def test_settings_of_earlier_versions_stop_the_start_with_advice(tmp_path):
    done = start_with(tmp_path, AUDIT_LARGEST_MB="5", RUN_SILENCE="30", EMAIL_HOST="localhost")
    of_an_app = start_with(tmp_path, MTURK_FEES="2015-07-21 reward=0.20")

    assert done.returncode != 0
    assert done.stderr == (
        "A setting is wrong: Remove these settings, which no longer exist: AUDIT_LARGEST_MB "
        "(larger datasets are for the command postprocess audit); RUN_SILENCE (now JOB_SILENCE); "
        "EMAIL_HOST (now in EMAIL_URL).\n"
    )
    assert "MTURK_FEES (Amazon's last price list holds)" in of_an_app.stderr


@pytest.mark.parametrize(
    "url", ["postgres://postgres@127.0.0.1:1/none", "sqlite:////proc/none.sqlite3"]
)
def test_an_unreachable_database_is_reported_without_a_traceback(tmp_path, url):
    done = start_with(tmp_path, "invite_annotators", "study", DATABASE_URL=url)

    assert done.returncode != 0
    assert done.stderr.startswith("The database cannot be used: ")
    assert "Traceback" not in done.stderr


def test_a_database_without_tables_is_reported_without_a_traceback(tmp_path):
    done = start_with(tmp_path, "invite_annotators", "study")

    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_database_is_in_var_dir_whatever_its_name(tmp_path):
    folder = tmp_path / "a#1 b?x c%41"
    start_with(folder, "migrate", "surveys", "0001", "-v", "0")

    assert (folder / "cosima.sqlite3").stat().st_size > 0


@pytest.mark.parametrize("url", ["http://[fd00::1]:8000", "https://survey.example.org/"])
def test_the_host_of_site_url_is_allowed(tmp_path, url):
    code = (
        "from django.conf import settings as s; from django.test import Client; "
        "scheme, host = s.SITE_URL.split('://'); "
        "sent = {'host': host, 'x-forwarded-proto': scheme}; "
        "print(Client(headers=sent).get('/console/sign-in/').status_code)"
    )
    share_static_files(tmp_path)

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, SITE_URL=url)

    assert done.stdout == "200\n"


def test_site_url_is_the_last_one_served(tmp_path):
    code = "from django.conf import settings as s; print(s.SITE_URL)"
    start_with(tmp_path, "shell", "-c", "", SERVED_AT="http://127.0.0.1:8123")

    assert start_with(tmp_path, "shell", "-v", "0", "-c", code).stdout == "http://127.0.0.1:8123\n"


@pytest.mark.parametrize(
    ("given", "is_shown"),
    [
        ({}, False),
        ({"DEMO_PREPARED": "yes"}, True),
        ({"DEMO_PREPARED": "yes", "SHOW_DEMO": "no"}, False),
        ({"SHOW_DEMO": "yes"}, True),
    ],
)
def test_the_finished_study_is_shown_where_it_was_prepared(tmp_path, given, is_shown):
    code = "from django.conf import settings; print(settings.SHOW_DEMO)"

    done = start_with(tmp_path, "shell", "-v0", "-c", code, **given)

    assert done.stdout.strip() == str(is_shown)


def test_the_environment_overrides_the_settings_file(tmp_path):
    (tmp_path / "env").write_text("SITE_URL=http://one.example\nDEBUG=yes\n")
    code = "from django.conf import settings as s; print(s.SITE_URL, s.DEBUG)"
    environment = {"ENV_FILE": str(tmp_path / "env"), "SITE_URL": "http://two.example"}

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, **environment)

    assert done.stdout == "http://two.example True\n"


@pytest.mark.parametrize(
    ("chosen", "caches"),
    [
        ({}, {"default": "cache"}),
        ({"CELERY_BROKER_URL": "redis://a/1"}, {"default": "redis://a/1", "local": "cache"}),
        (
            {"CELERY_BROKER_URL": "redis://a/1", "CACHE_URL": "rediss://b/2"},
            {"default": "rediss://b/2", "local": "cache"},
        ),
    ],
)
def test_the_cache_is_in_redis_where_there_is_one(tmp_path, chosen, caches):
    code = (
        "import json; from django.conf import settings as s; "
        "print(json.dumps({name: str(one['LOCATION']) for name, one in s.CACHES.items()}))"
    )
    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, **chosen)

    assert json.loads(done.stdout) == {
        name: place.replace("cache", str(tmp_path / "cache")) for name, place in caches.items()
    }


def test_sites_that_share_a_broker_have_names_of_their_own_in_it(tmp_path):
    code = (
        "from django.conf import settings as s; "
        "print(s.CELERY_TASK_DEFAULT_QUEUE, s.CACHES['default']['KEY_PREFIX'])"
    )
    first, again, second = (
        start_with(
            tmp_path, "shell", "-v0", "-c", code, SECRET_KEY=key, CELERY_BROKER_URL="redis://a/1"
        ).stdout.split()
        for key in ("one", "one", "two")
    )

    assert first == again
    assert len(first) == len(second) == 2
    assert not {*first} & {*second}


def test_debug_is_off_and_hosts_are_limited(tmp_path):
    code = "from django.conf import settings as s; print(s.DEBUG, s.ALLOWED_HOSTS)"
    done = start_with(tmp_path, "shell", "-v", "0", "-c", code)

    assert done.stdout.split()[0] == "False"
    assert "*" not in done.stdout


def test_sqlite_survives_a_crash_of_the_machine(tmp_path):
    code = (
        "from django.db import connection as c; k = c.cursor(); "
        "print([k.execute(f'PRAGMA {p}').fetchone()[0] for p in ('journal_mode', 'synchronous')])"
    )
    done = start_with(tmp_path, "shell", "-v", "0", "-c", code)

    assert done.stdout.strip() == "['wal', 2]"


PUBLIC = {
    "SITE_URL": "https://survey.example.org", "TRUSTED_PROXIES": "127.0.0.1",
    "EMAIL_URL": "smtp://127.0.0.1", "EMAIL_FROM": "lab@example.org",
}  # fmt: skip


def test_deployment_checks_pass_for_a_public_site(tmp_path):
    share_static_files(tmp_path)

    done = start_with(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PUBLIC)

    assert done.returncode == 0, done.stderr
    assert "2 silenced" in done.stdout


def test_deployment_checks_name_a_missing_proxy_and_missing_static_files(tmp_path):
    done = start_with(tmp_path, "check", "--deploy", **{**PUBLIC, "TRUSTED_PROXIES": ""})

    assert done.returncode != 0
    assert "surveys.W001" in done.stderr
    assert f"The static files are not in {tmp_path / 'static'}" in done.stderr


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("MTURK_SIMULATOR_URL", "http://example.org:8765", "must be on this machine"),
        ("MTURK_SIMULATOR_URL", "https://127.0.0.1:8765", "must be on this machine"),
        ("ZENODO_URL", "http://zenodo.example.org", "must be a URL such as https://sandbox"),
        ("HUGGING_FACE_TOKEN", "hf_a b", "must be a token without spaces"),
        ("MTURK_LIVE_KEYS", "AKIDEXAMPLE", "must be an access key's id and secret, as ID:SECRET"),
        ("LOWEST_WAGE_CENTS", "8.50", "LOWEST_WAGE_CENTS must be a whole number"),
        ("EMAIL_URL", "smtp://uni", "EMAIL_FROM must be the sender"),
        ("EMAIL_PER_MINUTE", "0", "EMAIL_PER_MINUTE must be a whole number from 1"),
        ("ARRIVALS_PER_LINK", "300/hour", "ARRIVALS_PER_LINK must be a whole number from 0"),
        ("HOLD_MINUTES", "0", "HOLD_MINUTES must be a whole number from 1 to"),
    ],
)
def test_an_invalid_setting_is_explained(tmp_path, name, wrong, message):
    done = start_with(tmp_path, **{name: wrong})

    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize(
    ("changed", "enabled"),
    [
        ({}, "['simulator']"),
        ({"MTURK_SIMULATOR_URL": ""}, "[]"),
        ({"MTURK_LIVE_KEYS": "AKID:x"}, "['simulator']"),
        ({"SITE_URL": "https://survey.example.org", "AWS_ACCESS_KEY_ID": "AKID"}, "['simulator']"),
        ({"SITE_URL": "https://survey.example.org", "MTURK_LIVE_KEYS": "AKID:x", "DEBUG": "1"},
         "['simulator']"),
        ({"SITE_URL": "https://survey.example.org", "MTURK_LIVE_KEYS": "AKID:x"},
         "['simulator', 'sandbox', 'production']"),
    ],
)  # fmt: skip
def test_live_targets_are_enabled_if_all_three_conditions_hold(tmp_path, changed, enabled):
    code = (
        "from surveys.crowd.mturk.targets import list_enabled; "
        "print([str(target.provider) for target in list_enabled()])"
    )

    assert start_with(tmp_path, "shell", "-v", "0", "-c", code, **changed).stdout == f"{enabled}\n"


def test_a_public_site_requires_https(tmp_path):
    """It trusts the proxy's X-Forwarded-Proto, and redirects everything else to HTTPS."""
    code = (
        "from django.test import Client; ask = Client(headers={'host': 'survey.example.org'}).get; "
        "page, proxied = '/console/sign-in/', {'x-forwarded-proto': 'https'}; "
        "plain, safe = ask(page), ask(page, headers=proxied); "
        "print(plain.status_code, plain.headers.get('Location'), safe.status_code, "
        "safe.headers.get('Strict-Transport-Security'), safe.headers.get('X-Frame-Options'))"
    )
    share_static_files(tmp_path)

    done = start_with(tmp_path, "shell", "-v", "0", "-c", code, **PUBLIC)

    assert done.stdout == "301 https://survey.example.org/console/sign-in/ 200 max-age=3600 DENY\n"


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("", "('', None, False, False, '', '')"),
        ("smtp+tls://ana%40uni:a%2Fb@smtp.uni", "('smtp.uni', 587, True, False, 'ana@uni', 'a/b')"),
        ("smtp+ssl://ana@smtp.uni/", "('smtp.uni', 465, False, True, 'ana', '')"),
        ("smtp://[::1]:2525", "('::1', 2525, False, False, '', '')"),
    ],
)
def test_the_mail_server_is_read_from_its_url(url, parts, tmp_path):
    code = (
        "from django.conf import settings as s; print((s.EMAIL_HOST, s.EMAIL_PORT, "
        "s.EMAIL_USE_TLS, s.EMAIL_USE_SSL, s.EMAIL_HOST_USER, s.EMAIL_HOST_PASSWORD))"
    )
    chosen = {"EMAIL_URL": url, "EMAIL_FROM": "lab@example.org"}

    assert start_with(tmp_path, "shell", "-v0", "-c", code, **chosen).stdout == f"{parts}\n"


@pytest.mark.parametrize("url", ["smtp.uni:25", "smtp://ana:x#y@uni:port", "https://ana:x#y@uni"])
def test_a_wrong_url_of_a_mail_server_is_refused_and_not_shown(url, monkeypatch):
    monkeypatch.setenv("EMAIL_URL", url)

    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL must look like") as refused:
        mail_url("EMAIL_URL")

    assert url not in str(refused.value)
