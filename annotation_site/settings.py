"""Settings, read from the environment and a `.env` file. `docs/settings.md` lists them."""

import hmac
import os
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from annotation_site.databases import database_at
from annotation_site.keeping import load_secret
from annotation_site.parsing import (
    MAIL_PORTS,
    age_recipient,
    check_site_url,
    choice,
    chosen_apps,
    docs_url,
    env,
    last_url,
    mail_url,
    networks,
    provider_url,
    redis_url,
    refuse_removed,
    secret,
    service_url,
    storage_url,
    switch,
    whole_number,
)

BASE_DIR = Path(__file__).resolve().parent.parent
if (env_file := env("ENV_FILE", default="")) and not Path(env_file).exists():
    raise ImproperlyConfigured(f"ENV_FILE {env_file} does not exist.")
env.read_env(env_file or str(BASE_DIR / ".env"))
refuse_removed(
    AUDIT_LARGEST_MB="larger datasets are for the command postprocess audit",
    CELERY_QUEUE="now made from SECRET_KEY",
    API_RATE="always 600/min",
    API_CREATING_RATE="always 60/min",
    API_EXPORTING_RATE="always 30/min",
    WEB_THREADS="always 2",
    HSTS_SECONDS="always an hour; the proxy can send more",
    RUN_SILENCE="now JOB_SILENCE",
    HUGGING_FACE_URL="always https://huggingface.co",
    HUGGING_FACE_STORAGE_HOSTS="always those of Hugging Face",
    **dict.fromkeys(
        ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_USE_SSL", "EMAIL_HOST_USER",
         "EMAIL_HOST_PASSWORD"), "now in EMAIL_URL",
    ),
)  # fmt: skip

VAR_DIR = (BASE_DIR / (env("VAR_DIR", default="") or "var")).resolve()
try:
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(f"VAR_DIR {VAR_DIR} cannot be created: {error.strerror}.") from error


def _stored_secret() -> str:
    try:
        return load_secret(VAR_DIR / "secret_key")
    except OSError as error:
        raise ImproperlyConfigured(
            f"VAR_DIR {VAR_DIR} has no secret key, and none can be stored: {error.strerror}. Make "
            "the folder writable for the first start, or set SECRET_KEY."
        ) from error


DOCS_URL = docs_url("DOCS_URL", "/docs/")
SHOW_DEMO = switch("SHOW_DEMO", default=switch("DEMO_PREPARED"))  # by `scripts/serve`
DEBUG = switch("DEBUG")
SECRET_KEY = env("SECRET_KEY", default="") or _stored_secret()
_site = check_site_url(
    env("SITE_URL", default="")
    or last_url("SERVED_AT", VAR_DIR / "address", "http://127.0.0.1:8000")
)
SITE_URL = f"{_site.scheme}://{_site.netloc}"
_host = f"[{_site.hostname}]" if ":" in (_site.hostname or "") else _site.hostname
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [
    "localhost", "127.0.0.1", "[::1]", _host,
]  # fmt: skip
IS_HTTPS = _site.scheme == "https"
TRUSTED_PROXIES = networks("TRUSTED_PROXIES")  # proxies whose X-Forwarded-For is trusted

# folders of `surveys`; the core needs none of them
ALL_APPS = ("sharedtasks", "crowd", "contexts")
APPS = chosen_apps("APPS", ALL_APPS)
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "rest_framework",
    "drf_spectacular",
    "surveys",
    *(f"surveys.{app}" for app in APPS),
]

METRICS_TOKEN = secret("METRICS_TOKEN")
MIDDLEWARE = [
    "surveys.web.request_ids.RequestIdMiddleware",
    *(["surveys.web.measures.MeasureMiddleware"] if METRICS_TOKEN else []),
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
    "surveys.web.limited_accounts.LimitedAccountMiddleware",
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
                "surveys.web.console.help.link_to_help",
            ],
            "builtins": [
                "surveys.templatetags.figures",
                "surveys.templatetags.dates",
                "surveys.templatetags.tables",
                "surveys.templatetags.badges",
            ],
        },
    },
]

DATABASES = {
    "default": database_at(
        env("DATABASE_URL", default=f"sqlite:///{quote(str(VAR_DIR))}/cosima.sqlite3")
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Password checks are also limited in `surveys.access.sign_in_limits`.
AXES_FAILURE_LIMIT = 5  # wrong passwords for an account from one address before a lock
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "surveys.access.roles.read_username"
AXES_CLIENT_IP_CALLABLE = "surveys.access.client_address.client_address"
AXES_WHITELIST_CALLABLE = "surveys.access.known_browsers.is_known"
AXES_LOCKOUT_CALLABLE = "surveys.web.sign_in.answer_locked"
PASSWORD_RESET_TIMEOUT = 3600  # seconds for which a sign-in link is valid
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # addresses of sign-ins are not stored
AXES_VERBOSE = False
OTP_TOTP_ISSUER = f"Cosima {_site.hostname}"  # in the app that shows codes
OTP_TOTP_THROTTLE_FACTOR = OTP_STATIC_THROTTLE_FACTOR = 0  # `surveys.web.sign_in` limits codes
OIDC_ISSUER, OIDC_CLIENT, OIDC_SECRET = provider_url("OIDC_URL")
OIDC_STRANGERS = switch("OIDC_STRANGERS")  # whether people without an account get one
SESSION_ENGINE = "surveys.access.sessions"
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
TIME_ZONE = "UTC"

# Without a broker background jobs run in the job process of the site.
CELERY_BROKER_URL = redis_url("CELERY_BROKER_URL")
# Sites that share a broker take no messages and cached values of each other.
CELERY_TASK_DEFAULT_QUEUE = (
    f"cosima-{hmac.digest(SECRET_KEY.encode(), b'queue', 'sha256').hex()[:16]}"
)
BACKGROUND = "workers" if CELERY_BROKER_URL else "threads"
CELERY_TASK_IGNORE_RESULT = True  # results are stored in our own tables
CELERY_TASK_ACKS_LATE = CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # workers wait indefinitely for the broker
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 5,
    "socket_timeout": 30,  # longer than workers poll for a message
    "socket_keepalive": True,
}

# API rates, marks of background work and slow statistics: in Redis for all servers of a site,
# otherwise on the disk for all processes of this machine, or in the memory of each process.
_machine: dict[str, Any] = {
    "BACKEND": "annotation_site.caches.FileCache",
    "LOCATION": VAR_DIR / "cache",
    "TIMEOUT": 24 * 60 * 60,  # of counters, whenever they were last increased
    "OPTIONS": {"MAX_ENTRIES": 5000},  # beyond it random entries are dropped
}
if not os.access(VAR_DIR, os.W_OK):
    _machine = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
CACHES = {"default": _machine}
if CACHE_URL := redis_url("CACHE_URL") or CELERY_BROKER_URL:
    CACHES["local"] = _machine
    CACHES["default"] = {
        "BACKEND": "annotation_site.caches.SharedCache",
        "LOCATION": CACHE_URL,
        "KEY_PREFIX": CELERY_TASK_DEFAULT_QUEUE,
    }
JOB_SILENCE = whole_number("JOB_SILENCE", 30, lowest=1)  # seconds that a lease lasts

# Annotators from open links and providers: how long a place is held until their first answer, and
# how many can start within an hour; 0 for no limit.
HOLD_MINUTES = whole_number("HOLD_MINUTES", 30, lowest=1)
ARRIVALS_PER_ADDRESS = whole_number("ARRIVALS_PER_ADDRESS", 60)
ARRIVALS_PER_LINK = whole_number("ARRIVALS_PER_LINK", 120)

# Rates per token, counted in the cache.
API_RATES = {"all": "600/min", "creating": "60/min", "exporting": "30/min"}
API_LARGEST_REQUEST = 20 * 2**20  # bytes; `annotation_site.gateway` refuses larger ones unread
REQUEST_SECONDS = whole_number("REQUEST_SECONDS", 20, lowest=1, highest=9999)

# The operator's SMTP server; without a host the site sends no e-mail.
_mail = mail_url("EMAIL_URL")
EMAIL_HOST = _mail.hostname or ""
EMAIL_PORT = _mail.port or MAIL_PORTS.get(_mail.scheme)
EMAIL_USE_TLS = _mail.scheme == "smtp+tls"
EMAIL_USE_SSL = _mail.scheme == "smtp+ssl"
EMAIL_HOST_USER = unquote(_mail.username or "")
EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
EMAIL_TIMEOUT = 30  # seconds
DEFAULT_FROM_EMAIL = env("EMAIL_FROM", default="")
EMAIL_PER_MINUTE = whole_number("EMAIL_PER_MINUTE", 30, lowest=1)
if EMAIL_HOST and "@" not in DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured(
        "EMAIL_FROM must be the sender of the site's e-mail, such as lab@example.org, since "
        "EMAIL_URL is set."
    )

# Repositories for data: without a token nothing is sent. Separate names, as for MTurk's keys.
ZENODO_URL = service_url("ZENODO_URL", "https://sandbox.zenodo.org")
ZENODO_TOKEN = secret("ZENODO_TOKEN")
HUGGING_FACE_URL = "https://huggingface.co"
HUGGING_FACE_TOKEN = secret("HUGGING_FACE_TOKEN")
HUGGING_FACE_ACCOUNT = env("HUGGING_FACE_ACCOUNT", default="").strip()
HUGGING_FACE_STORAGE_HOSTS = [  # to which it may direct large files, without the token
    "hf-hub-lfs-us-east-1.s3-accelerate.amazonaws.com",
    "hf-hub-lfs-us-east-1.s3.amazonaws.com",
]

WEBHOOK_HOSTS = [host.strip().lower() for host in env.list("WEBHOOK_HOSTS", default=[])]
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "surveys.web.api.schema.Describer",
    "EXCEPTION_HANDLER": "surveys.web.api.errors.answer_error",
}
ENUM_NAMES = {  # of values in the API's schema; apps add theirs
    "EventEnum": "surveys.models.WebhookEvent",
    "CollectionKindEnum": "surveys.models.comparisons.CollectionKind",
    "AssignmentStateEnum": "surveys.models.AssignmentState",
    "ReviewStateEnum": "surveys.models.ReviewState",
    "RunStateEnum": "surveys.web.api.results.serializers.RUN_STATES",
    "VerdictKindEnum": "surveys.models.VerdictKind",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Cosima",
    "DESCRIPTION": "Word similarity in context: studies, their progress, results and releases.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "surveys.web.api.schema.add_refusals",
        "surveys.web.api.examples.samples.add_examples",
    ],
}

# files of runs and releases, served only by views
MEDIA_ROOT = VAR_DIR / "files"
_files, _unknown = storage_url("FILES_URL", MEDIA_ROOT)
age_recipient("FILES_URL", **_unknown)
if "location" in _files["OPTIONS"] and "bucket_name" not in _files["OPTIONS"]:
    MEDIA_ROOT = Path(_files["OPTIONS"].pop("location"))
FILE_UPLOAD_PERMISSIONS = 0o600

STATIC_URL = "static/"
STATIC_ROOT = (VAR_DIR / "static").resolve()  # may be a link
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # no page uses the others
STATICFILES_DIRS = [BASE_DIR / "static"]
_backups, _chosen = storage_url("BACKUP_URL", VAR_DIR / "backups")
BACKUP_RECIPIENT = age_recipient("BACKUP_URL", **_chosen)
STORAGES = {
    "backups": _backups,
    "default": _files,
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
CSRF_FAILURE_VIEW = "surveys.web.rendering.error_pages.answer_stale"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = [SITE_URL] if IS_HTTPS else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_HSTS_SECONDS = 3600 if IS_HTTPS else 0  # a proxy can send a longer time instead
SILENCED_SYSTEM_CHECKS = [
    "security.W018",  # DEBUG: surveys.W012 says more
    "security.W005",  # HSTS for subdomains: they may belong to others and lack HTTPS
    "security.W021",  # HSTS preloading: a decision of the domain's owner
]

LOG_FORMAT = choice("LOG_FORMAT", ("text", "json"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "surveys.web.annotate.log_redaction.LinkFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {
            "()": "surveys.web.annotate.log_redaction.JsonLinkFormatter",
            "format": "{asctime} {levelname} {name} {message}",
            "style": "{",
            "rename_fields": {"asctime": "time", "levelname": "level"},
        },
    },
    "filters": {
        "brief": {"()": "surveys.web.annotate.log_redaction.NoTraceback"},
        "outage": {"()": "surveys.operations.outages.OutageFilter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
        },
        "brief": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["brief"],
        },
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.request": {
            "level": "ERROR",  # invalid requests are not errors of the site
            "filters": ["outage"],
        },
        "django.security": {"handlers": ["brief"], "propagate": False},  # scanners cause many
        "surveys": {"level": "INFO"},
        "axes": {"level": "ERROR"},  # it masks addresses; surveys.web.sign_in logs them
        "weasyprint": {"level": "ERROR"},  # it warns of every CSS rule for screens
        "fontTools": {"level": "ERROR"},
    },
}

for _app in APPS:
    if find_spec(_module := f"surveys.{_app}.site_settings"):
        globals().update(import_module(_module).read_settings(globals()))
