"""Settings of a worker whose pages a browser on this machine opens without TLS; everything else is production."""

from script.faults.settings import *  # noqa: F403

SECURE_SSL_REDIRECT = False
SESSION_COOKIE_NAME, SESSION_COOKIE_SECURE = "pitside", False
# Static files come from where they are written, not from a folder that they were collected into.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True
