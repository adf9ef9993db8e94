"""The cache that servers share, and the one of a machine that takes its place."""

import os
import pickle
import secrets
import time
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import redis
from django.core.cache import cache, caches
from django.test import override_settings

from annotation_site.caches import OUTAGE, FileCache
from tests.end_to_end.network import Cable
from tests.machine import lack

REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
FILES = {"BACKEND": "annotation_site.caches.FileCache", "TIMEOUT": 24 * 60 * 60}


@pytest.fixture
def cable():
    """A cable to Redis."""
    try:
        redis.Redis.from_url(REDIS).ping()
    except redis.ConnectionError:
        lack("Redis")
    parts = urlsplit(REDIS)
    with Cable(parts.port or 6379, parts.hostname or "127.0.0.1") as cable:
        yield cable


@pytest.fixture
def shared(cable, settings, tmp_path, monkeypatch):
    """The cache in Redis at the end of a cable."""
    monkeypatch.setattr(OUTAGE, "until", 0.0)
    settings.CACHES = {
        "default": {
            "BACKEND": "annotation_site.caches.SharedCache",
            "LOCATION": f"redis://127.0.0.1:{cable.port}{urlsplit(REDIS).path}",
            "KEY_PREFIX": f"test-{secrets.token_hex(4)}",
        },
        "local": {**FILES, "LOCATION": tmp_path},
    }
    yield cache
    client = redis.Redis.from_url(REDIS)
    for key in client.scan_iter(f"{settings.CACHES['default']['KEY_PREFIX']}*"):
        client.delete(key)


def raw_key(name):
    """Return the key of a value as Redis has it."""
    return caches["default"].make_key(name)


def test_the_shared_cache_keeps_values_of_all_kinds(shared):
    values = {"mark": "", "number": 3, "bytes": b"PK", "table": [("a", 0.5, None)], "no": False}

    shared.set_many(values, 60)

    assert shared.get_many(values) == values
    assert (shared.add("mark", "x"), shared.add("new", 0, 60), shared.incr("new")) == (
        False, True, 1,
    )  # fmt: skip
    assert (shared.touch("mark", 60), "mark" in shared, "absent" in shared) == (True, True, False)
    shared.delete_many(["mark", "number"])
    assert shared.get("number", "none") == "none"
    with pytest.raises(ValueError, match="not found"):
        shared.incr("number")


class Hostile:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_values_that_this_site_did_not_write_are_not_unpickled(shared, tmp_path):
    hostile = pickle.dumps(Hostile(tmp_path / "made"))
    redis.Redis.from_url(REDIS).set(raw_key("mark"), b"x" * 32 + hostile)

    with pytest.raises(ValueError, match="invalid literal"):
        shared.get("mark")

    assert not (tmp_path / "made").exists()


def test_a_server_with_another_secret_key_reads_nothing(shared, settings):
    shared.set("mark", "ours", 60)
    chosen = {**settings.CACHES}

    with override_settings(SECRET_KEY="another", CACHES=chosen):
        assert cache.get("mark") is None
        cache.set("mark", "theirs", 60)
    assert cache.get("mark") == "ours"


@pytest.mark.parametrize("fail", ["cut", "hang"])
def test_while_redis_is_away_the_machine_keeps_marks_and_counts(shared, cable, fail, caplog):
    shared.set("mark", "before", 60)
    getattr(cable, fail)()

    assert shared.get("mark", "none") == "none"
    assert (shared.add("count", 0, 60), shared.incr("count"), shared.incr("count")) == (True, 1, 2)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "each machine has its own" in caplog.text

    cable.mend()
    assert shared.get("mark", "none") == "none"  # not asked yet
    OUTAGE.until = time.monotonic() - 1
    assert shared.get("mark") == "before"
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_a_count_on_disk_lasts_as_long_as_its_window(tmp_path, monkeypatch):
    clock = SimpleNamespace(at=time.time())
    monkeypatch.setattr(time, "time", lambda: clock.at)
    counts = FileCache(tmp_path, {"TIMEOUT": FILES["TIMEOUT"]})

    counts.add("requests", 0, 2 * 3600)
    numbers = [counts.incr("requests")]
    clock.at += 3000
    numbers += [counts.incr("requests") for _ in range(2)]

    assert numbers == [1, 2, 3]
    assert not counts.add("requests", 0, 60)
