"""What a public site is told of its settings and its machine, each fault in plain words."""

import shutil
import time
import zoneinfo
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.utils import timezone

from surveys.models import AuditEntry
from surveys.monitoring import public_site
from surveys.monitoring.public_site import check_at_start, check_public_site

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite alone")
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL alone")
GIB = 2**30


@pytest.fixture(autouse=True)
def public(settings, tmp_path, monkeypatch):
    """A public site in order."""
    settings.SITE_URL, settings.IS_HTTPS, settings.DEBUG = "https://lab.example.org", True, False
    settings.EMAIL_HOST, settings.VAR_DIR = "smtp.example.org", tmp_path
    settings.CELERY_BROKER_URL = settings.CACHE_URL = ""
    has_free(monkeypatch, 2 * GIB)
    return settings


def has_free(monkeypatch, free):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))


def faults():
    return [(fault.id.removeprefix("surveys."), fault.msg) for fault in check_public_site()]


def test_a_site_in_order_is_told_nothing():
    assert faults() == []


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("http://lab.example.org", "can be read on their way"),
        ("https://10.1.2.3", "an address of a local network"),
        ("https://localhost", "an address of this machine alone"),
    ],
)
def test_an_address_that_is_not_public_or_not_https(public, address, fault):
    public.SITE_URL, public.IS_HTTPS = address, address.startswith("https")

    ((name, what),) = faults()

    assert (name, fault in what) == ("W010", True)
    assert len(check_at_start()) == ("localhost" not in address)


def test_no_mail_and_debug(public):
    public.EMAIL_HOST, public.DEBUG = "", True

    assert [name for name, _ in faults()] == ["W011", "W012"]


@on_sqlite
@pytest.mark.parametrize(
    ("broker", "mount", "found"),
    [
        ("redis://127.0.0.1:6379/0", "ext4", []),
        ("redis://redis.example.org:6379/0", "ext4", ["W013"]),
        ("", "nfs4", ["W013"]),
    ],
)
def test_sqlite_with_more_than_one_machine(public, tmp_path, monkeypatch, broker, mount, found):
    public.CELERY_BROKER_URL = broker
    name = tmp_path / "var/cosima.sqlite3"
    monkeypatch.setitem(public.DATABASES["default"], "NAME", name)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/var {tmp_path}/var {mount} rw 0 0\n")
    monkeypatch.setattr(public_site, "MOUNTS", mounts)

    assert [name for name, _ in faults()] == found


@on_postgresql
@pytest.mark.parametrize(
    ("addresses", "number"), [([None, "127.0.0.1", "::1"], 0), ([None, "10.1.2.3", "10.1.2.4"], 3)]
)
def test_several_machines_without_redis(public, addresses, number):
    with connection.cursor() as cursor:  # a temporary table hides the one of the same name
        cursor.execute(
            "CREATE TEMPORARY TABLE pg_stat_activity AS SELECT current_database() AS datname, "
            "current_user AS usename, unnest(%s::inet[]) AS client_addr", [addresses],
        )  # fmt: skip
    what = f"{number} machines use the database, without Redis: each counts limits for itself."
    assert faults() == ([("W014", what)] if number else [])

    public.CACHE_URL = "redis://127.0.0.1:6379/0"
    assert faults() == []


def test_a_disk_that_is_nearly_full(monkeypatch, tmp_path):
    has_free(monkeypatch, GIB - 1)

    what = f"The disk of {tmp_path} has 1023 MB free; below 50 MB it stops working."
    assert faults() == [("W015", what)]


def test_a_clock_that_differs_from_the_disk_and_the_database(monkeypatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 7200)

    clocks = ["its disk's", "the database's"]
    of_database = connection.vendor == "postgresql"
    what = "This machine's clock is 120 minutes behind"
    assert faults() == [("W016", f"{what} {name}.") for name in clocks[: 1 + of_database]]


def test_a_machine_without_time_zones(request):
    request.addfinalizer(zoneinfo.reset_tzpath)
    zoneinfo.reset_tzpath(to=[])
    zoneinfo.ZoneInfo.clear_cache()

    assert [name for name, _ in faults()] == ["W017"]


def test_a_clock_that_was_set_back_is_seen_by_the_log():
    entry = AuditEntry.objects.create(action="study.created", subject="x")
    AuditEntry.objects.filter(pk=entry.pk).update(at=timezone.now() + timedelta(minutes=10))

    what = "This machine's clock is 10 minutes behind the latest entry of the log."
    assert faults() == [("W016", what)]


def test_the_command_prints_each_fault_with_what_to_do(public):
    public.EMAIL_HOST = ""

    with pytest.raises(SystemCheckError, match=r"sends no e-mail[\s\S]*HINT: Set EMAIL_URL"):
        call_command("check", deploy=True, fail_level="WARNING")
