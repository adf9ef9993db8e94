"""What `/healthz` and `/readyz` answer, and to whom."""

import shutil

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from surveys.operations import health
from surveys.operations.broker import BROKER

pytestmark = pytest.mark.django_db

WELL = {
    "database": "ok", "migrations": "ok", "files": "ok", "disk": "ok", "broker": "not used",
}  # fmt: skip


def ask(path: str = "/readyz"):
    """By an address that is none of ours, as a load balancer does."""
    return Client(headers={"Host": "10.0.0.7:8000"}).get(path)


def test_a_site_that_is_well_is_alive_and_ready(django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        ready = ask()
    with django_assert_max_num_queries(0):
        alive = ask("/healthz")

    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "checks": WELL})
    assert (alive.status_code, alive.json()) == (200, {"status": "alive"})
    assert ready["Cache-Control"] == alive["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_get_is_answered(path):
    answer = Client().post(path)

    assert (answer.status_code, answer["Allow"]) == (405, "GET")


def test_they_are_not_led_to_https(settings):
    settings.SECURE_SSL_REDIRECT = True

    assert ask("/healthz").status_code == 200


def test_a_broker_that_is_away_makes_no_site_unready(settings, monkeypatch):
    settings.BACKGROUND = "workers"
    assert ask().json()["checks"]["broker"] == "ok"
    monkeypatch.setattr(BROKER, "is_away", True)

    told = ask()

    assert (told.status_code, told.json()["status"]) == (200, "degraded")
    assert told.json()["checks"]["broker"] == "away"


def test_a_migration_that_is_missing_fails():
    MigrationRecorder.Migration.objects.filter(app="surveys").order_by("name").last().delete()

    told = ask()

    assert (told.status_code, told.json()["status"]) == (503, "failing")
    assert told.json()["checks"] == {**WELL, "migrations": "missing"}


@pytest.mark.parametrize(("vendor", "status"), [("sqlite", "failing"), ("postgresql", "degraded")])
def test_files_that_cannot_be_written_fail_where_answers_are_among_them(
    settings, tmp_path, monkeypatch, vendor, status
):
    monkeypatch.setattr(health.connection, "vendor", vendor)
    settings.VAR_DIR = tmp_path / "gone"
    shutil.rmtree(settings.VAR_DIR, ignore_errors=True)

    told = ask().json()

    assert (told["status"], told["checks"]["files"]) == (status, "not writable")


def test_a_disk_that_is_almost_full_fails(monkeypatch):
    monkeypatch.setattr(health, "LEAST_FREE", 2**62)

    assert ask().json()["checks"]["disk"] == "full"
