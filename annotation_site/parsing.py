"""Settings that are more than text, read from the environment.

All raise ImproperlyConfigured with the name of the setting and an example.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from annotation_site.keeping import write_line

env = environ.Env()
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
S3_SCHEMES = {"s3": "https", "s3+http": "http"}
MAIL_PORTS = {"smtp+tls": 587, "smtp+ssl": 465, "smtp": 25}  # by scheme


def refuse_removed(**advice: str) -> None:
    """Refuse settings of earlier versions, with advice about each."""
    removed = [f"{name} ({text})" for name, text in advice.items() if name in env.ENVIRON]
    if removed:
        raise ImproperlyConfigured(
            f"Remove these settings, which no longer exist: {'; '.join(removed)}."
        )


def check_site_url(url: str) -> SplitResult:
    """Return the parts of the site's URL, which has no path."""
    parts = urlsplit(url)
    try:
        is_valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # the port is not a number
        is_valid = False
    if not is_valid or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "SITE_URL must be scheme, host and optional port, such as "
            f"https://survey.example.org, got {url!r}."
        )
    return parts


def last_url(name: str, path: Path, default: str) -> str:
    """Return the URL where `scripts/serve` serves a site or last did, also for commands."""
    current: str = env(name, default="")
    if current:
        with suppress(OSError):  # a read-only folder: commands need SITE_URL
            write_line(path, current)
        return current
    last = path.read_text().strip() if path.exists() else ""
    return last or default


def docs_url(name: str, default: str) -> str:
    """Return the folder of the documentation: a path of this site, or a URL elsewhere."""
    url: str = env(name, default="") or default
    parts = urlsplit(url)
    is_valid = parts.scheme in {"http", "https"} and parts.netloc
    if (not is_valid and url != default) or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} must be a URL such as https://docs.example.org/, got {url!r}."
        )
    return f"{url.rstrip('/')}/"


def switch(name: str, *, default: bool = False) -> bool:
    """Return whether a setting is on."""
    text = (env(name, default="") or ("yes" if default else "no")).lower()
    if text not in {"yes", "true", "on", "1", "no", "false", "off", "0", ""}:
        raise ImproperlyConfigured(f"{name} must be yes or no, got {text!r}.")
    return text in {"yes", "true", "on", "1"}


def choice(name: str, known: Sequence[str]) -> str:
    """Return one of some words; the first if the setting is missing."""
    text = (env(name, default="") or known[0]).strip().lower()
    if text not in known:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(known)}, got {text!r}.")
    return text


def chosen_apps(name: str, known: Sequence[str]) -> list[str]:
    """Return the chosen apps, in the order of the known apps; all if the setting is missing."""
    chosen = {app.strip() for app in env.list(name, default=known)}
    if unknown := sorted(chosen - {*known}):
        raise ImproperlyConfigured(
            f"{name} must name apps of the site, separated by commas ({', '.join(known)}), got "
            f"{unknown[0]!r}."
        )
    return [app for app in known if app in chosen]


def whole_number(name: str, default: int, *, lowest: int = 0, highest: int = 999_999_999) -> int:
    """Return a whole number in a range."""
    text = env(name, default="") or str(default)
    if not re.fullmatch("[0-9]{1,9}", text) or not lowest <= int(text) <= highest:
        raise ImproperlyConfigured(
            f"{name} must be a whole number from {lowest} to {highest}, got {text!r}."
        )
    return int(text)


def service_url(name: str, default: str) -> str:
    """Return the URL of a service: by https, or on this machine; without a path."""
    url: str = env(name, default="") or default
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not is_safe or not parts.hostname or parts.path not in {"", "/"} or parts.username:
        raise ImproperlyConfigured(f"{name} must be a URL such as {default}, got {url!r}.")
    return url.rstrip("/")


def provider_url(name: str) -> tuple[str, str, str]:
    """Return an OpenID Connect issuer, the client's id and its secret; empty texts for none.

    By https, or on this machine. No message contains the secret.
    """
    parts = urlsplit(env(name, default="").strip())
    if not parts.netloc and not parts.path:
        return "", "", ""
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not is_safe or not parts.username or not parts.password or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} must be the issuer's URL with the client's id and secret, such as "
            "https://ID:SECRET@login.example.org/realms/lab."
        )
    issuer = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
    return issuer, unquote(parts.username), unquote(parts.password)


def redis_url(name: str) -> str:
    """Return the URL of Redis; empty for none."""
    url: str = env(name, default="")
    if url and urlsplit(url).scheme not in {"redis", "rediss"}:
        raise ImproperlyConfigured(
            f"{name} must look like redis://:password@host:6379/0, or be left out."
        )
    return url


def storage_url(name: str, folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a place for files as Django's STORAGES describe it, and the URL's other parameters.

    Without the setting it is a folder. `s3+http` does not encrypt. No message contains the URL.
    """
    url: str = env(name, default="").strip()
    try:
        parts = urlsplit(url or folder.as_uri())
        host = parts.netloc.rpartition("@")[2]
        chosen = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        bucket, _, prefix = unquote(parts.path).strip("/").partition("/")
        is_valid = (parts.scheme == "file" and not host and parts.path.startswith("/")) or (
            parts.scheme in S3_SCHEMES
            and bool(host and bucket and parts.username and parts.password)
            and (parts.scheme != "s3+http" or parts.hostname in LOOPBACK)
        )
    except ValueError:
        is_valid = False
    if not is_valid or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} must look like file:///backups or s3://KEY:SECRET@s3.example.org/bucket/folder;"
            " in key and secret write @ as %40, / as %2F and % as %25."
        )
    if parts.scheme == "file":
        place = {"location": unquote(parts.path), "directory_permissions_mode": 0o700}
        backend = "django.core.files.storage.FileSystemStorage"
        return {"BACKEND": backend, "OPTIONS": place}, chosen
    options = {
        "endpoint_url": f"{S3_SCHEMES[parts.scheme]}://{host}",
        "access_key": unquote(parts.username or ""), "secret_key": unquote(parts.password or ""),
        "bucket_name": bucket, "location": prefix, "region_name": chosen.pop("region", None),
        "file_overwrite": False, "default_acl": None, "addressing_style": "path",
    }  # fmt: skip
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}, chosen


def age_recipient(name: str, recipient: str = "", **unknown: str) -> str:
    """Return the public key that a URL's parameters name for encryption; empty for none."""
    if unknown or (recipient and not re.fullmatch("age1[02-9ac-hj-np-z]{58}", recipient)):
        raise ImproperlyConfigured(
            f"{name} can end with ?recipient= and a public key of age, such as age1…, and with "
            "&region= for s3; nothing else."
        )
    return recipient


def mail_url(name: str) -> SplitResult:
    """Return the parts of an SMTP server's URL; empty for none. No message contains the URL.

    `smtp+tls` encrypts by STARTTLS, `smtp+ssl` from the first byte, and `smtp` not at all.
    """
    url: str = env(name, default="").strip()
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in MAIL_PORTS and parts.hostname and parts.port != 0
    except ValueError:  # the port is not a number
        is_valid = False
    if url and (not is_valid or parts.path not in {"", "/"} or parts.query or parts.fragment):
        raise ImproperlyConfigured(
            f"{name} must look like smtp+tls://user:password@smtp.example.org:587, or begin with "
            "smtp+ssl or smtp; in user and password write @ as %40, / as %2F and % as %25."
        )
    return parts


def folder(name: str) -> Path | None:
    """Return a folder, which must exist; None if it is not set."""
    text: str = env(name, default="").strip()
    if text and not Path(text).is_dir():
        raise ImproperlyConfigured(f"{name} must be a folder that exists, got {text!r}.")
    return Path(text).resolve() if text else None


def secret(name: str) -> str:
    """Return a token that can be sent in a header; empty for none. No message contains it."""
    text: str = env(name, default="").strip()
    if not re.fullmatch("[!-~]*", text):
        raise ImproperlyConfigured(
            f"{name} must be a token without spaces, of ASCII characters alone; copy it again."
        )
    return text


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Parse a list of addresses and networks such as `127.0.0.1, 10.0.0.0/8`."""
    try:
        return [ip_network(part.strip()) for part in env.list(name, default=[]) if part.strip()]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} must be addresses or networks such as 127.0.0.1,10.0.0.0/8: {error}."
        ) from error
