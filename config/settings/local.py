"""The embedded default: SQLite, the in-memory layer and the ticker in one process, for one machine."""

from .base import *  # noqa: F403
from .base import DATABASES, SEALER_DIR, env

DEMO = env.bool("DEMO", default=True)
DEBUG = env.bool("DEBUG", default=True)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# Beside the database that it seals.
_FILE = DATABASES["default"]["NAME"] if DATABASES["default"]["ENGINE"].endswith("sqlite3") else ""
SEALER_DIR = SEALER_DIR or (f"{_FILE}.sealer" if _FILE and _FILE != ":memory:" else "")
