"""Production: PostgreSQL, Redis, TLS. It refuses to start with settings that only a demo may have."""

from django.core.exceptions import ImproperlyConfigured

from audit import logs

from .base import *  # noqa: F403
from .base import DEMO_SECRET_KEY, REDIS_URL, env

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env("SECRET_KEY", default="")
# Previous keys. With them, devices stay enrolled after a change of the key, and the heads on their screens stay valid.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

if DEBUG:
    raise ImproperlyConfigured("DEBUG must be off in production.")
if not SECRET_KEY or SECRET_KEY == DEMO_SECRET_KEY or len(SECRET_KEY) < 50:
    raise ImproperlyConfigured("SECRET_KEY must be a long random value of your own, not the demo key.")
if not REDIS_URL:
    raise ImproperlyConfigured("REDIS_URL must be set: the in-memory layer serves one process only.")
if not env("DATABASE_URL", default="").startswith(("postgres://", "postgresql://")):
    raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL database in production.")
if not env.list("ALLOWED_HOSTS", default=[]) or "*" in env.list("ALLOWED_HOSTS", default=[]):
    raise ImproperlyConfigured("ALLOWED_HOSTS must list the host names of this installation, not '*'.")

EMBEDDED_TICKER = False
LOGGING = logs.settings(env("LOG_LEVEL", default="INFO"))
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-pitside"
CSRF_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrf"
CSRF_TRUSTED_ORIGINS = [f"https://{name}" for name in env.list("ALLOWED_HOSTS")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
