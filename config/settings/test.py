"""The test suite. `TEST_DATABASE_URL` and `TEST_REDIS_URL`, set by script/test, choose the suite's services."""

import os

from .base import *  # noqa: F403
from .base import database_from, layer_from

SECRET_KEY = "the key of the test suite, of no use elsewhere at all"
DATABASES = {"default": database_from(os.environ.get("TEST_DATABASE_URL") or "sqlite:///:memory:")}
if not os.environ.get("TEST_DATABASE_URL"):
    # The connections of a database in memory share one cache, in which a table that another one reads or writes is
    # locked at once, without the wait that a file has. So reading takes no lock.
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA read_uncommitted=ON;"
# Workers share one Redis, and their scenes have tables of the same names: each worker has groups of its own.
CHANNEL_LAYERS = {
    "default": layer_from(
        os.environ.get("TEST_REDIS_URL", ""), prefix=os.environ.get("PYTEST_XDIST_WORKER", "test")
    )
}
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]
SECOND_FACTORS = False  # the tests of second factors turn it on
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMBEDDED_TICKER = False
# Tests change rows behind the record's back; those of copies turn it on, and so do servers in processes of their own.
KEEPS_COPIES = bool(os.environ.get("TEST_KEEPS_COPIES"))
SEALER_DIR = WITNESSES = CHECKPOINT_COPIES = ""
LOG_ORIGIN = "pitside.local/record"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
