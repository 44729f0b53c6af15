"""Settings: base for all, then local (the embedded default), production and test."""

import os


def default() -> str:
    """The settings of a process without `DJANGO_SETTINGS_MODULE`: production, where the address of a database is set.

    So the live database is never served as the demo, which has DEBUG on and lets anybody enroll a device. A SQLite
    file is never live.
    """
    address = os.environ.get("DATABASE_URL", "")
    live = address and not address.startswith("sqlite:")
    return "config.settings.production" if live else "config.settings.local"
