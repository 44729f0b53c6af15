"""The embedded default: SQLite, the in-memory layer, the ticker and the sealer in one process."""

from .base import *  # noqa: F403
from .base import DATABASES, EMBEDDED_TICKER, SEALER_DIR, env

DEMO = env.bool("DEMO", default=True)
DEBUG = env.bool("DEBUG", default=True)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# The sealer's folder, beside the database that it seals.
_FILE = DATABASES["default"]["NAME"] if DATABASES["default"]["ENGINE"].endswith("sqlite3") else ""
if EMBEDDED_TICKER and _FILE not in ("", ":memory:"):
    SEALER_DIR = SEALER_DIR or f"{_FILE}.sealer"
