"""The sealer's process: production without Redis and without the key that signs sessions and cookies.

It serves nothing. A person who breaks into the sealer's machine cannot sign in as anybody. What would sign with a key
fails.
"""

from django.core.exceptions import ImproperlyConfigured

from audit import logs

from .base import *  # noqa: F403
from .base import env

DEBUG = False
SECRET_KEY = ""
EMBEDDED_TICKER = False
LOGGING = logs.settings(env("LOG_LEVEL", default="INFO"))

if not env("DATABASE_URL", default="").startswith(("postgres://", "postgresql://")):
    raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL database in production.")
if env("SECRET_KEY", default=""):
    raise ImproperlyConfigured("Unset SECRET_KEY: the sealer needs no key of sessions, and must not have it.")
