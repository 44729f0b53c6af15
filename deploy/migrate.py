"""Migrates as the owner role, then says anew what the web role may do: `python deploy/migrate.py`.

The web role works in the tables of the floor. In the record it may read, add commands and streams, and append entries
through `audit_append`; it may lock a stream, which PostgreSQL allows only to who may update a column of it.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import django
from django.core.management import call_command
from django.db import connection, transaction

GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {web};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {web};
REVOKE ALL ON django_migrations, audit_entry, audit_command, audit_stream FROM {web};
GRANT SELECT ON django_migrations, audit_entry TO {web};
GRANT SELECT, INSERT ON audit_command TO {web};
GRANT SELECT, INSERT, UPDATE (lockable) ON audit_stream TO {web};
GRANT EXECUTE ON FUNCTION audit_append TO {web};
"""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
    django.setup()
    call_command("migrate", interactive=False)
    web = connection.ops.quote_name(os.environ.get("WEB_ROLE", "pitside_web"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(GRANTS.format(web=web))


if __name__ == "__main__":
    main()
