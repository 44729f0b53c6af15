"""The embedded default: SQLite, the in-memory layer and the ticker in one process, for one machine."""

from .base import *  # noqa: F403
from .base import env

DEMO = env.bool("DEMO", default=True)
DEBUG = env.bool("DEBUG", default=True)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
