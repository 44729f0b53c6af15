"""The embedded default: SQLite, the in-memory layer, the ticker and the sealer in one process."""

from django.core.exceptions import ImproperlyConfigured

from .base import *  # noqa: F403
from .base import CONTEXT_PROCESSORS, DATABASES, EMBEDDED_TICKER, SEALER_DIR, env

_IS_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
DEMO = env.bool("DEMO", default=_IS_SQLITE)
if not _IS_SQLITE and not DEMO:
    raise ImproperlyConfigured(
        "DATABASE_URL names a PostgreSQL database, and these are the settings of the demo: DEBUG is on, and anybody "
        "may enroll a device. For a real installation set DJANGO_SETTINGS_MODULE=config.settings.production; to "
        "serve the demo from this database set DEMO=1."
    )
# Whether a demo is dealt by a program, as `script/run` has it (tables/demo/evening.py).
EVENING = DEMO and env.bool("EVENING", default=False)
if DEMO:
    ROOT_URLCONF = "config.demo_urls"  # the landing of the demo, and its addresses
    PASSWORD_HASHERS = ["tables.demo.floor.PublicPinHasher"]
# The people of the demo sign in with their PINs everywhere, unless somebody wants to see more.
SECOND_FACTORS = env.bool("PITSIDE_SECOND_FACTORS", default=not DEMO)
CONTEXT_PROCESSORS += ["tables.demo.landing.guided_shift_context"]
DEBUG = env.bool("DEBUG", default=True)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# The sealer's folder, beside the database that it seals.
_FILE = DATABASES["default"]["NAME"] if _IS_SQLITE else ""
if EMBEDDED_TICKER and _FILE not in ("", ":memory:"):
    SEALER_DIR = SEALER_DIR or f"{_FILE}.sealer"
