"""The environment (and a `.env` file) turned into settings. `docs/settings.md` lists them."""

import os
import re
from contextlib import suppress
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from annotation_site.keeping import keep_line, keep_secret

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
if (named := env("ENV_FILE", default="")) and not Path(named).exists():
    raise ImproperlyConfigured(f"ENV_FILE names {named}, which does not exist.")
env.read_env(named or str(BASE_DIR / ".env"))

VAR_DIR = (BASE_DIR / (env("VAR_DIR", default="") or "var")).resolve()
try:
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(f"VAR_DIR {VAR_DIR} cannot be made: {error.strerror}.") from error


def _kept_secret() -> str:
    try:
        return keep_secret(VAR_DIR / "secret_key")
    except OSError as error:
        raise ImproperlyConfigured(
            f"VAR_DIR {VAR_DIR} keeps no secret key, and none can be kept: {error.strerror}. Let "
            "the folder be writable at the first start, or set SECRET_KEY."
        ) from error


def _last_address(said_in: str, kept_in: str, default: str) -> str:
    """Where `scripts/serve` serves something or last did, for the commands beside it."""
    path = VAR_DIR / kept_in
    here: str = env(said_in, default="")
    if here:
        with suppress(OSError):  # a read-only folder: the commands beside it are told SITE_URL
            keep_line(path, here)
        return here
    last = path.read_text().strip() if path.exists() else ""
    return last or default


FEE_RATES = ("reward", "bonus", "crowded", "masters", "minimum")


def _check_site_url(url: str) -> SplitResult:
    parts = urlsplit(url)
    try:
        is_sound = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number
        is_sound = False
    if not is_sound or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "SITE_URL must be scheme, host and perhaps port, such as "
            f"https://survey.example.org, got {url!r}."
        )
    return parts


def _switch(name: str) -> bool:
    text = env(name, default="no").lower()
    if text not in {"yes", "true", "on", "1", "no", "false", "off", "0", ""}:
        raise ImproperlyConfigured(f"{name} must be yes or no, got {text!r}.")
    return text in {"yes", "true", "on", "1"}


def _seconds(name: str, default: int) -> int:
    text = env(name, default="") or str(default)
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ImproperlyConfigured(f"{name} must be a whole number of seconds, got {text!r}.")
    return int(text)


def _positive(name: str, default: int) -> int:
    text = env(name, default="") or str(default)
    if not re.fullmatch("[1-9][0-9]{0,3}", text):
        raise ImproperlyConfigured(f"{name} must be a whole number from 1 to 9999, got {text!r}.")
    return int(text)


def _cents(name: str, default: int) -> int:
    text = env(name, default="") or str(default)
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ImproperlyConfigured(f"{name} must be a whole number of cents, got {text!r}.")
    return int(text)


def _count(name: str, default: int, *, lowest: int = 0) -> int:
    text = env(name, default="") or str(default)
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < lowest:
        raise ImproperlyConfigured(f"{name} must be a whole number from {lowest} on, got {text!r}.")
    return int(text)


def _fee_rates(name: str, default: str) -> list[dict[str, str]]:
    """Each set of rates with the day from which it holds: `2015-07-21 reward=0.20 …; …`."""
    sets = []
    for text in (env(name, default="") or default).split(";"):
        since, *rates = text.split() or [""]
        named = [rate.partition("=") for rate in rates]
        is_sound = re.fullmatch(r"\d{4}-\d\d-\d\d", since) and all(
            rate in FEE_RATES and re.fullmatch(r"\d{1,3}(\.\d{1,4})?", share)
            for rate, _, share in named
        )
        if not is_sound:
            raise ImproperlyConfigured(
                f"{name} must look like {default!r}, with these rates: {', '.join(FEE_RATES)}; "
                f"got {text.strip()!r}."
            )
        sets.append({"since": since, **{rate: share for rate, _, share in named}})
    return sets


def _loopback(name: str, default: str) -> str:
    """The address of a server on this machine; empty for none."""
    url: str = env(name, default=default)
    parts = urlsplit(url)
    if url and (parts.scheme != "http" or parts.hostname not in {"127.0.0.1", "localhost", "::1"}):
        raise ImproperlyConfigured(
            f"{name} must be on this machine, such as {default}, got {url!r}."
        )
    return url.rstrip("/")


def _networks(name: str) -> list[IPv4Network | IPv6Network]:
    """The addresses and networks of a list such as `127.0.0.1, 10.0.0.0/8`."""
    try:
        return [ip_network(part.strip()) for part in env.list(name, default=[]) if part.strip()]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} must be addresses or networks such as 127.0.0.1,10.0.0.0/8: {error}."
        ) from error


# PostgreSQL plans a statement that comes again once, which is most of what it does for a page.
PREPARED = {"server_side_binding": True, "prepare_threshold": 2}
# A server that cannot be reached, or whose machine is gone, is noticed within seconds.
LOST = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


def _database(url: str) -> dict[str, Any]:
    match urlsplit(url).scheme:
        case "sqlite":
            pragmas = {
                "transaction_mode": "IMMEDIATE",  # a writer waits at the start, never fails later
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
                "OPTIONS": {**LOST, **given, **PREPARED, "options": options},
                "CONN_MAX_AGE": 600,  # a lost connection is noticed in `annotate.pages`
            }
    raise ImproperlyConfigured(
        "DATABASE_URL must look like postgres://user:password@host:5432/name or "
        "sqlite:////path/to/file."
    )


DEBUG = _switch("DEBUG")
SECRET_KEY = env("SECRET_KEY", default="") or _kept_secret()
_site = _check_site_url(
    env("SITE_URL", default="") or _last_address("SERVED_AT", "address", "http://127.0.0.1:8000")
)
SITE_URL = f"{_site.scheme}://{_site.netloc}"
_host = f"[{_site.hostname}]" if ":" in (_site.hostname or "") else _site.hostname
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [
    "localhost", "127.0.0.1", "[::1]", _host,
]  # fmt: skip
IS_HTTPS = _site.scheme == "https"
TRUSTED_PROXIES = _networks("TRUSTED_PROXIES")  # whose X-Forwarded-For is read

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "surveys",
]

MIDDLEWARE = [
    "surveys.web.rendering.probes.ProbeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "surveys.web.annotate.middleware.ContentPolicyMiddleware",
    "surveys.web.annotate.middleware.SurveyLanguageMiddleware",
    "surveys.web.annotate.middleware.ReadableFormMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "surveys.web.annotate.middleware.SurveyErrorMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "annotation_site.urls"
WSGI_APPLICATION = "annotation_site.wsgi.application"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["surveys.templatetags.figures"],
        },
    },
]

DATABASES = {
    "default": _database(
        env("DATABASE_URL", default=f"sqlite:///{quote(str(VAR_DIR))}/cosima.sqlite3")
    )
}
CACHES = {  # figures that take long, and how often tokens asked: shared by this machine's processes
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "cache",
        "OPTIONS": {"MAX_ENTRIES": 5000},  # beyond it some are dropped, as by chance
    }
    if os.access(VAR_DIR, os.W_OK)
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}  # each process has its own
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# What bounds the number of password checks is in `surveys.access.sign_in_limits`.
AXES_FAILURE_LIMIT = 5  # wrong passwords for an account from an address, and then a pause
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "surveys.access.roles.read_username"
AXES_CLIENT_IP_CALLABLE = "surveys.access.client_address.client_address"
AXES_WHITELIST_CALLABLE = "surveys.access.known_browsers.is_known"
AXES_LOCKOUT_CALLABLE = "surveys.web.console.sign_in.answer_locked"
PASSWORD_RESET_TIMEOUT = 3600  # seconds for which a link of `sign_in_link` works
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # of those who came in: where from and when is nobody's business
AXES_VERBOSE = False
LOGIN_URL = "console:sign_in"
LOGIN_REDIRECT_URL = "console:studies"
LOGOUT_REDIRECT_URL = "console:sign_in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"), ("hr", "Croatian"), ("sl", "Slovene"), ("fi", "Finnish"), ("ar", "Arabic"),
    ("fa", "Persian"),
]  # fmt: skip
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Without a broker what takes long is done in a thread of the process that was asked for it.
CELERY_BROKER_URL = env("CELERY_BROKER_URL", default="")
if CELERY_BROKER_URL and urlsplit(CELERY_BROKER_URL).scheme not in {"redis", "rediss"}:
    raise ImproperlyConfigured(
        "CELERY_BROKER_URL must look like redis://:password@host:6379/0, or be left out."
    )
CELERY_TASK_DEFAULT_QUEUE = env("CELERY_QUEUE", default="") or "cosima"
BACKGROUND = "workers" if CELERY_BROKER_URL else "threads"
CELERY_TASK_IGNORE_RESULT = True  # what comes out is stored in our own tables
CELERY_TASK_ACKS_LATE = CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker without end
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 5,
    "socket_timeout": 30,  # longer than a worker waits for a message before it asks again
    "socket_keepalive": True,
}
RUN_SILENCE = _seconds("RUN_SILENCE", 30)  # after which the process of a run counts as dead
if not RUN_SILENCE:
    raise ImproperlyConfigured("RUN_SILENCE must be a second or more.")

# MTurk: nothing reaches the two live targets unless all three conditions hold.
MTURK_SIMULATOR_URL = _loopback(
    "MTURK_SIMULATOR_URL",
    _last_address("MTURK_SERVED_AT", "mturk_address", "http://127.0.0.1:8800"),
)
MTURK_IS_LIVE = _switch("MTURK_ALLOW_LIVE") and IS_HTTPS and not DEBUG
# Names of their own: keys that lie around for other services are never used.
MTURK_ACCESS_KEY_ID = env("MTURK_ACCESS_KEY_ID", default="")
MTURK_SECRET_ACCESS_KEY = env("MTURK_SECRET_ACCESS_KEY", default="")
MTURK_HIGHEST_REWARD_CENTS = _cents("MTURK_HIGHEST_REWARD_CENTS", 2000)
MTURK_FEES = _fee_rates(
    "MTURK_FEES", "2015-07-21 reward=0.20 bonus=0.20 crowded=0.20 masters=0.05 minimum=1"
)
LOWEST_WAGE_CENTS = _cents("LOWEST_WAGE_CENTS", 800)  # an hour; pages warn of less

# Strangers, who come through an entrance: how long a place waits for their first answer, and how
# many may start within an hour; 0 for as many as like.
HOLD_MINUTES = _count("HOLD_MINUTES", 30, lowest=1)
ARRIVALS_PER_ADDRESS = _count("ARRIVALS_PER_ADDRESS", 60)
ARRIVALS_PER_LINK = _count("ARRIVALS_PER_LINK", 120)

# Rates are per token and per machine, whose processes count in the same cache.
API_RATES = {
    "all": env("API_RATE", default="") or "600/min",
    "creating": env("API_CREATING_RATE", default="") or "60/min",
    "exporting": env("API_EXPORTING_RATE", default="") or "30/min",
}
for _rate in API_RATES.values():
    if not re.fullmatch(r"[1-9][0-9]{0,8}/(s|min|hour|day)", _rate):
        raise ImproperlyConfigured(
            f"API_RATE and its like look like 600/min or 30/hour, got {_rate!r}."
        )
API_LARGEST_REQUEST = 20 * 2**20  # bytes; `annotation_site.gateway` refuses larger ones unread
REQUEST_SECONDS = _positive("REQUEST_SECONDS", 20)
WEB_THREADS = _positive("WEB_THREADS", 2)
WEBHOOK_HOSTS = [host.strip().lower() for host in env.list("WEBHOOK_HOSTS", default=[])]
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "surveys.web.api.schema.Describer",
    "EXCEPTION_HANDLER": "surveys.web.api.errors.answer_error",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Cosima",
    "DESCRIPTION": "Studies of word similarity in context: made, watched, computed and released.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "EventEnum": "surveys.models.WebhookEvent",
        "AssignmentStateEnum": "surveys.models.AssignmentState",
        "ReviewStateEnum": "surveys.models.ReviewState",
        "RunStateEnum": "surveys.models.RunState",
        "VerdictKindEnum": "surveys.models.VerdictKind",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "surveys.web.api.schema.add_refusals",
    ],
}

MEDIA_ROOT = VAR_DIR / "files"  # what runs and releases made; handed out by pages alone
FILE_UPLOAD_PERMISSIONS = 0o600

STATIC_URL = "static/"
STATIC_ROOT = Path(env("STATIC_ROOT", default="") or VAR_DIR / "static").resolve()
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # nothing asks for the others
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "surveys.web.rendering.error_pages.answer_stale"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = [SITE_URL] if IS_HTTPS else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_HSTS_SECONDS = _seconds("HSTS_SECONDS", 3600) if IS_HTTPS else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for hosts below ours: they may be other people's, without HTTPS
    "security.W021",  # HSTS preloaded in browsers: for whoever owns the domain to ask for
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "discreet": {
            "()": "surveys.web.annotate.log_redaction.LinkFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "filters": {
        "brief": {"()": "surveys.web.annotate.log_redaction.NoTraceback"},
        "outage": {"()": "surveys.operations.outages.OutageFilter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "discreet"},
        "brief": {
            "class": "logging.StreamHandler",
            "formatter": "discreet",
            "filters": ["brief"],
        },
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.request": {
            "level": "ERROR",
            "filters": ["outage"],
        },  # a faulty answer is no fault of the site
        "django.security": {"handlers": ["brief"], "propagate": False},  # scanners send a lot
        "surveys": {"level": "INFO"},
        "axes": {"level": "ERROR"},  # it masks addresses; surveys.web.console.sign_in names them
        "weasyprint": {"level": "ERROR"},  # it tells of every rule that is for screens
        "fontTools": {"level": "ERROR"},
    },
}
