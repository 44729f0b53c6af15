"""Settings that every installation shares. Addresses and secrets come from the environment or from `.env`."""

from ipaddress import ip_network
from pathlib import Path

import environ
from csp.constants import NONE, SELF

BASE_DIR = Path(__file__).resolve().parents[2]
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

# The seeded floor with its people and PINs; only `local` may switch it on.
DEMO = False
EVENING = False
DEMO_SECRET_KEY = "demo-key-for-the-seeded-floor-only"
SECRET_KEY = env("SECRET_KEY", default=DEMO_SECRET_KEY)
DEBUG = False
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "audit",
    "games",
    "tables",
]

MIDDLEWARE = [
    "audit.logs.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.headers.PolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "audit.identity.StationMiddleware",
    "tables.views.acts.AccessMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
CONTEXT_PROCESSORS = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
]
TEMPLATES = [
    {
        "BACKEND": "games.django_files.GameTemplates",
        "NAME": "django",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": CONTEXT_PROCESSORS,
        },
    }
]

AUTH_USER_MODEL = "audit.Person"
AUTHENTICATION_BACKENDS = ["audit.people.PinBackend"]
# Whether office devices, and people who do not work on the floor, need a password and a second factor.
SECOND_FACTORS = env.bool("PITSIDE_SECOND_FACTORS", default=True)
_VALIDATION = "django.contrib.auth.password_validation."
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATION}CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}NumericPasswordValidator"},
    {
        "NAME": f"{_VALIDATION}UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("code", "name")},
    },
]
LOGIN_URL = "sign-in"

SESSION_ENGINE = "audit.identity"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
DEVICE_COOKIE_NAME = "pitside_device"
DEVICE_IDLE_LOCK_SECONDS = env.int("DEVICE_IDLE_LOCK_SECONDS", default=300)

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
# Limits of what a screen may send: acts are small, and a form uploads one file (games/office/documents.py).
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 1
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # larger files go to a temporary file
MOST_BODY_BYTES = (
    9 * 1024 * 1024
)  # of any request; a larger one is refused before it is read (config/handler.py)

# After how many seconds an alert that nobody answers is passed on to the next role, by level (0: never).
# A break that is due calls for somebody so many minutes later (a practice figure; docs/alarms.md).
BREAK_OVERDUE_MINUTES = 15

ALERT_PASSES_ON_SECONDS = {
    "stop": env.int("PITSIDE_STOP_PASSES_ON_SECONDS", default=60),
    "warn": env.int("PITSIDE_WARNING_PASSES_ON_SECONDS", default=180),
}

# The chips that the casino has issued, all told. More than these on one layout is a typing error, and refused.
HOUSE_CHIPS_CENTS = 100 * env.int("PITSIDE_HOUSE_CHIPS_DOLLARS", default=100_000_000)

# Within how many seconds the whole body of a request must arrive: 8 MB at 3.4 Mbit/s.
MOST_BODY_SECONDS = env.float("PITSIDE_MOST_BODY_SECONDS", default=20)

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

SQLITE_OPTIONS = {
    "timeout": 20,
    "cached_statements": 1_000,  # of a connection; with Python's 128 many statements of acts are parsed each time
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON;",
}
POSTGRES_OPTIONS = {
    "server_side_binding": True,
    "prepare_threshold": 3,
    # The pool tries a lost connection again for two seconds, then whenever a request asks for one. Its own pauses
    # double: after an outage of two minutes it would wait two more.
    "pool": {"min_size": 2, "max_size": 8, "timeout": 3, "max_lifetime": 1800, "reconnect_timeout": 2},
    # A database machine that vanished: found by a new connection after three seconds, by an open one after five.
    "connect_timeout": 3,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,  # milliseconds
    "options": "-c lock_timeout=2s -c statement_timeout=5s -c idle_in_transaction_session_timeout=10s",
}


def database_from(address: str) -> dict:
    """Django's settings for a database address, with the options for its engine."""
    settings = environ.Env.db_url_config(address)
    sqlite = settings["ENGINE"].endswith("sqlite3")
    given = settings.get("OPTIONS", {})
    settings["OPTIONS"] = {**(SQLITE_OPTIONS if sqlite else POSTGRES_OPTIONS), **given}
    if not sqlite and "options" in given:
        # After those of the product, whose others hold: a migration without a lock_timeout would stop every table.
        settings["OPTIONS"]["options"] = f"{POSTGRES_OPTIONS['options']} {given['options']}"
    settings["CONN_MAX_AGE"] = (
        0  # persistent connections leak under ASGI; the pool reuses connections instead
    )
    if not sqlite:
        settings["ENGINE"] = "config.postgresql"
    return settings


def redis_addresses(addresses: str) -> list[str]:
    """The addresses of `REDIS_URL`, which commas separate."""
    return [address for part in addresses.split(",") if (address := part.strip())]


def layer_from(addresses: str, prefix: str = "asgi") -> dict:
    """The channel layer: Redis pub/sub at these addresses, with this prefix of its groups, or in memory without one.

    Several are one beside the other (`tables.screens.push.Servers`).
    """
    if not addresses:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 1000}}
    return {
        "BACKEND": "tables.screens.push.RedisLayer",
        "CONFIG": {"hosts": redis_addresses(addresses), "prefix": prefix},
    }


DATABASE_URL = env("DATABASE_URL", default="") or f"sqlite:///{BASE_DIR / 'db.sqlite3'}"
DATABASES = {"default": database_from(DATABASE_URL)}
REDIS_URL = env("REDIS_URL", default="")
CHANNEL_LAYERS = {"default": layer_from(REDIS_URL)}
# Whether a worker keeps a copy of a table after an act, for the next act there (tables/runner/copies.py).
KEEPS_COPIES = env.bool("PITSIDE_KEEPS_COPIES", default=True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The embedded default runs the ticker in its only process; production runs `manage.py ticker`.
EMBEDDED_TICKER = env.bool("EMBEDDED_TICKER", default=not REDIS_URL)

# How many requests a client of the API may send within a minute (docs/deployment.md), counted in Redis, or in the only
# process.
# Whether the proxy says which certificate a machine showed (`tables/api/access.py`, deploy/Caddyfile). Only behind a
# proxy that sets or removes that header on each request: anybody could write it otherwise.
CLIENT_CERTIFICATES = env.bool("PITSIDE_CLIENT_CERTIFICATES", default=False)
API_REQUESTS_PER_MINUTE = env.int("PITSIDE_API_REQUESTS_PER_MINUTE", default=600)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "api": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        # The first is enough for one minute; while it is away workers count their own (tables/api/access.py).
        "LOCATION": redis_addresses(REDIS_URL)[0],
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "api"},
}

# The sealer (docs/deployment.md): the folder of its keys and state, which no web worker may have; the name of its log;
# its witnesses, as "url vkey; url vkey"; the witness hosts that may be asked without TLS, although any machine on the
# network could then stop the sealing; and a folder for copies of checkpoints.
SEALER_DIR = env("PITSIDE_SEALER_DIR", default="")
LOG_ORIGIN = env("PITSIDE_LOG_ORIGIN", default="pitside.local/record")
WITNESSES = env("PITSIDE_WITNESSES", default="")
WITNESSES_WITHOUT_TLS = [
    host.strip().lower() for host in env.list("PITSIDE_WITNESSES_WITHOUT_TLS", default=[])
]
CHECKPOINT_COPIES = env("PITSIDE_CHECKPOINT_COPIES", default="")

# The desk's exports (docs/evidence.md): the folder, which the worker writes and web workers read, and how long to keep
# the files. The embedded default runs the worker beside its process; production runs `manage.py exporter`.
EXPORTS_DIR = env("PITSIDE_EXPORTS_DIR", default="") or str(BASE_DIR / "exports")
EXPORTS_KEEP_DAYS = env.int("PITSIDE_EXPORTS_KEEP_DAYS", default=14)

# For how many days a repeated act gets its first answer; later it is told what its entry says (audit/answers.py).
ANSWERS_KEPT_DAYS = max(2, env.int("PITSIDE_ANSWERS_KEPT_DAYS", default=7))

# Where this process serves its metrics, as host:port (docs/deployment.md): an address that only the monitor reaches.
METRICS_LISTEN = env("PITSIDE_METRICS_LISTEN", default="")

# Where a web worker sends its traces, such as http://collector:4318/v1/traces (docs/operation.md#traces), and the share
# of the requests, from 0 to 1, that are traced where the proxy has not decided it.
TRACES_ENDPOINT = env("PITSIDE_TRACES_ENDPOINT", default="")
TRACES_SHARE = min(1.0, max(0.0, env.float("PITSIDE_TRACES_SHARE", default=1.0)))

# What the ticker watches on its machine (tables/machines.py): further folders, for the disks that they are on, and
# certificates, each as name or name@host:port.
WATCHED_FOLDERS = env.list("PITSIDE_WATCHED_FOLDERS", default=[])
WATCHED_CERTIFICATES = env.list("PITSIDE_WATCHED_CERTIFICATES", default=[])

# The mail server for declared reports (docs/figures.md), such as smtp+tls://user:password@mail.example.com:587.
# Without it nothing can be sent.
EMAIL = env.email_url_config(env("PITSIDE_EMAIL_URL", default="") or "dummymail://")
EMAIL_BACKEND, EMAIL_TIMEOUT = EMAIL["EMAIL_BACKEND"], 20
EMAIL_HOST, EMAIL_PORT = EMAIL["EMAIL_HOST"] or "localhost", EMAIL["EMAIL_PORT"] or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = EMAIL["EMAIL_HOST_USER"] or "", EMAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL.get("EMAIL_USE_TLS", False), EMAIL.get("EMAIL_USE_SSL", False)
DEFAULT_FROM_EMAIL = env("PITSIDE_EMAIL_FROM", default="pitside@localhost")

# Private networks to which webhooks may be sent, also without TLS (docs/integration.md), such as 10.20.0.0/16. Others
# are refused: whoever prepares a webhook could otherwise have the server request what only the server reaches.
WEBHOOK_NETWORKS = [ip_network(network) for network in env.list("PITSIDE_WEBHOOK_NETWORKS", default=[])]

# Folders with TOML files of further jurisdictions, beside games/jurisdictions (docs/architecture.md).
JURISDICTION_DIRS = env.list("PITSIDE_JURISDICTION_DIRS", default=[])

LANGUAGE_CODE = "en-us"
USE_I18N = False  # staff read English; the gaming guide brings its own languages (docs/architecture.md)
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "games.django_files.GameFinder",
]

BUILD = env("PITSIDE_BUILD", default="dev")
