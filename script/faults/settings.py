"""Settings of the processes under faults: production, with static files as they are and PINs that hash quickly."""

import os

from config.settings.production import *  # noqa: F403
from config.settings.production import DATABASES, STORAGES

STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SECOND_FACTORS = False  # the cashier of the load signs in by PIN, as dealers do
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# A browser on this machine opens pages without TLS. Static files come from where they are written, not from a folder
# that they were collected into.
if os.environ.get("PITSIDE_FAULTS") == "browser":
    SECURE_SSL_REDIRECT = False
    SESSION_COOKIE_NAME, SESSION_COOKIE_SECURE = "pitside", False
    WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True

# The harness itself outlives every PostgreSQL that it kills, so it has no pool of connections.
if os.environ.get("PITSIDE_FAULTS") == "harness":
    DATABASES["default"]["OPTIONS"].pop("pool")
