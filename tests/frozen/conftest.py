import random
import secrets
import sys
from datetime import UTC, datetime
from importlib import import_module

import pytest
import time_machine
from django.db import connection

from surveys.jobs import perform
from surveys.models import Run

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def fixed(request, settings, monkeypatch):
    """Fix the clock, the tokens, the seeds and the ids of rows."""
    import_module(settings.ROOT_URLCONF)  # modules that draw something when they are imported
    empty_caches()  # of functions that do when they are first called
    settings.SECRET_KEY, settings.SITE_URL = "frozen", "https://survey.example.org"
    chance = random.Random(request.node.name)
    monkeypatch.setattr(secrets, "token_bytes", lambda n=32: chance.randbytes(n))
    monkeypatch.setattr(secrets, "choice", chance.choice)
    monkeypatch.setattr(secrets, "randbits", chance.getrandbits)
    with time_machine.travel(NOW, tick=False):
        yield


def empty_caches() -> None:
    """Let no function of the site have a result that an earlier test asked for."""
    for module in [module for name, module in sys.modules.items() if name.startswith("surveys.")]:
        for function in vars(module).values():
            if callable(clear := getattr(function, "cache_clear", None)):
                clear()


@pytest.fixture
def empty_database(db):
    """Number the rows of all tables from 1 again, since ids are in forms."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence")


@pytest.fixture(autouse=True)
def leases_from_secrets(monkeypatch):
    """Draw the lease of a run from `secrets`, as when the texts were frozen."""
    claim = perform._claim  # noqa: SLF001

    def draw_and_claim(job_id):
        if Run.objects.filter(job=job_id).exists():
            secrets.token_hex(8)
        return claim(job_id)

    monkeypatch.setattr(perform, "_claim", draw_and_claim)


@pytest.fixture(autouse=True)
def same_code(monkeypatch):
    """Reports give a digest of the code, which changes with every change of it."""
    monkeypatch.setattr("postprocess.pipeline.digest_code", lambda: "frozen")
