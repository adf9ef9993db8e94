"""Settings of a database, from its URL."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation_site.parsing import env

# PostgreSQL plans a prepared statement once; planning is most of its work for a page.
PREPARED = {"server_side_binding": True, "prepare_threshold": 2}
# An unreachable server or machine is noticed within seconds.
CONNECTION_TIMEOUTS = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


def database_at(url: str) -> dict[str, Any]:
    """Return the entry of `DATABASES` for a database URL; raise ImproperlyConfigured for others."""
    match urlsplit(url).scheme:
        case "sqlite":
            pragmas = {
                "transaction_mode": "IMMEDIATE",  # writers wait at the start and never fail later
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            }
            return {**env.db_url_config(url), "OPTIONS": pragmas, "CONN_MAX_AGE": None}
        case "postgres" | "postgresql":
            database: dict[str, Any] = env.db_url_config(url)
            given = database.get("OPTIONS", {})
            options = f"{given.get('options', '')} -c synchronous_commit=on -c jit=off".strip()
            return {
                **database,
                "ENGINE": "annotation_site.postgresql",
                "OPTIONS": {**CONNECTION_TIMEOUTS, **given, **PREPARED, "options": options},
                "CONN_MAX_AGE": 600,  # a lost connection is noticed in `annotate.pages`
            }
    raise ImproperlyConfigured(
        "DATABASE_URL must look like postgres://user:password@host:5432/name or "
        "sqlite:////path/to/file."
    )
