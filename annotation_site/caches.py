"""Caches of a site's counts, marks and computed results: on a machine's disk, or in Redis.

Without Redis the processes of one machine share a folder. With it all servers of a site share what
they count, such as requests of a token.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from pathlib import Path
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache, RedisSerializer
from django.core.files import locks
from django.utils.crypto import salted_hmac

LOCAL = "local"  # the name of the machine's own cache, where Redis is used
PAUSE = 10.0  # seconds for which Redis is not asked after it did not answer
PATIENCE = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}  # seconds
SIGNATURE = 32  # bytes
log = logging.getLogger(__name__)


class FileCache(FileBasedCache):
    """Files of one machine; `add` and `incr` are atomic, as they are in Redis."""

    def add(self, *given: Any, **more: Any) -> bool:
        """Set a value unless there is one; return whether it was set."""
        with self._alone():
            return super().add(*given, **more)

    def incr(self, *given: Any, **more: Any) -> int:
        """Increase a number, and return it. Raises ValueError if there is none."""
        with self._alone():
            return super().incr(*given, **more)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._createdir()  # type: ignore[attr-defined]
        with (Path(self._dir) / "lock").open("ab") as held:  # type: ignore[attr-defined]
            locks.lock(held, locks.LOCK_EX)
            yield  # closing the file unlocks it


class SignedPickles(RedisSerializer):
    """Values with a signature by SECRET_KEY, so that others with access to Redis run no code."""

    def dumps(self, obj: Any) -> Any:
        """Return a whole number as it is, and other values pickled and signed."""
        dumped = super().dumps(obj)
        return dumped if isinstance(dumped, int) else _sign(dumped) + dumped

    def loads(self, data: Any) -> Any:
        """Return a value. Raises ValueError for a value not written with this SECRET_KEY."""
        signature, dumped = data[:SIGNATURE], data[SIGNATURE:]
        if dumped and compare_digest(signature, _sign(dumped)):
            return super().loads(dumped)
        return int(data)


class _Outage:
    """Whether this process has lately found Redis away."""

    def __init__(self) -> None:
        self.until = 0.0

    def note(self, *, reason: str = "") -> None:
        """Note that Redis answered, or the reason why it did not; log a change."""
        if reason and not self.until:
            log.error("the cache in Redis cannot be reached; each machine has its own: %s", reason)
        elif self.until and not reason:
            log.warning("the cache in Redis is available again")
        self.until = time.monotonic() + PAUSE if reason else 0.0


OUTAGE = _Outage()


def _or_local(name: str) -> Callable[..., Any]:
    """Return a method of `RedisCache` that uses the machine's own cache while Redis is away."""

    def call(self: RedisCache, *given: Any, **more: Any) -> Any:
        from redis.exceptions import RedisError  # slow to import, and not needed without Redis

        if time.monotonic() >= OUTAGE.until:
            try:
                answer = getattr(RedisCache, name)(self, *given, **more)
            except (RedisError, OSError) as error:
                OUTAGE.note(reason=str(error)[:200])
            else:
                OUTAGE.note()
                return answer
        return getattr(caches[LOCAL], name)(*given, **more)

    return call


class SharedCache(RedisCache):
    """Redis, and while it does not answer the machine's own cache: pages wait half a second."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._options = {"serializer": SignedPickles, **PATIENCE}
        self.key_prefix += f"-{_sign(b'').hex()[:8]}"  # values with another key do not exist

    add, get, set, touch, delete, incr, has_key, get_many, set_many, delete_many = map(
        _or_local,
        ("add", "get", "set", "touch", "delete", "incr", "has_key", "get_many", "set_many",
         "delete_many"),
    )  # fmt: skip


def _sign(dumped: bytes) -> bytes:
    return salted_hmac("cosima.cache", dumped, algorithm="sha256").digest()
