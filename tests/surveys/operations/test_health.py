"""Responses of `/healthz` and `/readyz`."""

import shutil

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from surveys.operations import health
from surveys.operations.broker import BROKER

pytestmark = pytest.mark.django_db

HEALTHY = {
    "database": "ok", "migrations": "ok", "files": "ok", "disk": "ok", "broker": "not used",
}  # fmt: skip


def ask(path: str = "/readyz"):
    """Request a path with a foreign host name, as a load balancer does."""
    return Client(headers={"Host": "10.0.0.7:8000"}).get(path)


@pytest.mark.every_database
def test_a_healthy_site_is_alive_and_ready(django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        ready = ask()
    with django_assert_max_num_queries(0):
        alive = ask("/healthz")

    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "checks": HEALTHY})
    assert (alive.status_code, alive.json()) == (200, {"status": "alive"})
    assert ready["Cache-Control"] == alive["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_get_is_allowed(path):
    response = Client().post(path)

    assert (response.status_code, response["Allow"]) == (405, "GET")


def test_probes_are_not_redirected_to_https(settings):
    settings.SECURE_SSL_REDIRECT = True

    assert ask("/healthz").status_code == 200


def test_a_site_is_ready_without_its_broker(settings, monkeypatch):
    settings.BACKGROUND = "workers"
    assert ask().json()["checks"]["broker"] == "ok"
    monkeypatch.setattr(BROKER, "is_away", True)

    response = ask()

    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert response.json()["checks"]["broker"] == "away"


@pytest.mark.every_database
def test_readyz_fails_if_a_migration_is_missing():
    MigrationRecorder.Migration.objects.filter(app="surveys").order_by("name").last().delete()

    response = ask()

    assert (response.status_code, response.json()["status"]) == (503, "failing")
    assert response.json()["checks"] == {**HEALTHY, "migrations": "missing"}


@pytest.mark.parametrize(("vendor", "status"), [("sqlite", "failing"), ("postgresql", "degraded")])
def test_readyz_fails_if_files_and_database_are_not_writable(
    settings, tmp_path, monkeypatch, vendor, status
):
    monkeypatch.setattr(health.connection, "vendor", vendor)
    settings.VAR_DIR = tmp_path / "gone"
    shutil.rmtree(settings.VAR_DIR, ignore_errors=True)

    response = ask().json()

    assert (response["status"], response["checks"]["files"]) == (status, "not writable")


def test_readyz_reports_a_full_disk(monkeypatch):
    monkeypatch.setattr(health, "LEAST_FREE", 2**62)

    assert ask().json()["checks"]["disk"] == "full"
