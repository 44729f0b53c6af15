"""Create or update the four PostgreSQL roles and grant their rights (docs/postgresql-roles.md)."""

from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

OWNER, WEB, AUDITOR, SEALER = "pitside_owner", "pitside_web", "pitside_auditor", "pitside_sealer"
SEALS = (
    "audit_incarnation", "audit_seal", "audit_sealedhead", "audit_node", "audit_checkpoint", "audit_cosignature",
)  # fmt: skip
KEY, STATUS = "audit_signingkey", "audit_sealerstatus"
LEASE = "audit_sealerlease"  # who may update a column may lock the row: the sealer alone
EPOCH, EPOCH_DUE = "tables_epoch", "tables_epoch_due"  # only triggers change them
READ_ONLY = ("audit_entry", *SEALS, KEY, STATUS, LEASE, EPOCH, EPOCH_DUE)
WRITTEN_ONCE = ("audit_command", "games_document")
STREAM = "audit_stream"
SECRETS = {
    "audit_person": {"password"},
    "audit_password": {"hash", "command"},
    "audit_onetimesecret": {"command"},
    "audit_secondfactor": {"secret"},
    "audit_device": {"token_sha256", "enrollment_command"},
    "audit_clientsecret": {"command"},
    "games_calendarfeed": {"token_sha256"},
    # Personal data of patrons, which no entry has either
    "tables_playerdetails": {"name", "card", "salt"},
    "tables_caseletter": {"addressee", "findings"},
    "tables_casedocument": {"filename", "content"},
}
HIDDEN = ("django_session",)
APPEND = "audit_append(bigint, bigint, bytea, text, timestamptz, date)"
GUARD = "tables_guard(bigint, bigint, bigint, bytea, timestamptz, bigint, uuid, bigint, bigint[], uuid, text, text)"
SENDER = "audit_sender(uuid, bigint, text)"
APPEND_SYSTEM = APPEND.replace("append", "append_system")
HELPERS = (
    APPEND.replace("append", "write"),
    "audit_now()",
    "audit_refuse()",
    "audit_answer_may_end()",
    "audit_cents(jsonb)",
    "audit_whole(jsonb, text)",
    "audit_lot(jsonb)",
    "tables_on_duty(bigint, bigint, bigint, bigint)",
    "tables_begin_epoch()",
    "tables_epoch_ends()",
)  # used inside these


class Command(BaseCommand):
    help = (
        "Create or update the PostgreSQL roles of owner, web workers, auditors and sealer. Safe to run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Only PostgreSQL has roles; the configured database is a different one.")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_schema()")
            provision(cursor, cursor.fetchone()[0])
        self.stdout.write(f"{OWNER}, {WEB}, {AUDITOR} and {SEALER} are up to date.")


def provision(cursor: CursorWrapper, schema: str) -> None:
    """Create the roles and grant their rights in one schema. The caller is a superuser."""
    give = Rights(cursor, schema)
    for role in (OWNER, WEB, AUDITOR, SEALER):
        give.role(role)
    give.ownership()
    give.run("REVOKE ALL ON SCHEMA {schema} FROM PUBLIC")
    give.run("GRANT USAGE, CREATE ON SCHEMA {schema} TO {owner}")
    give.run("GRANT USAGE ON SCHEMA {schema} TO {web}, {auditor}, {sealer}")
    for role in ("{web}", "{auditor}", "{sealer}"):
        give.run("REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM " + role)
        give.run("REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM " + role)
    give.run("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {schema} FROM PUBLIC, {web}, {auditor}, {sealer}")
    _web(give)
    _auditor(give)
    _sealer(give)
    _later_tables(give)


class Rights:
    """Runs statements, with the names of this installation as quoted identifiers."""

    def __init__(self, cursor: CursorWrapper, schema: str) -> None:
        self.cursor = cursor
        names = {"schema": schema, "owner": OWNER, "web": WEB, "auditor": AUDITOR, "sealer": SEALER}
        self.names = {name: sql.Identifier(value) for name, value in names.items()}
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [schema])
        self.tables = [name for (name,) in cursor.fetchall()]

    def run(self, statement: str, **names: str) -> None:
        identifiers = {name: sql.Identifier(value) for name, value in names.items()}
        composed = sql.SQL(statement).format(**self.names, **identifiers)
        self.cursor.execute(composed)

    def role(self, name: str) -> None:
        """Create a role, or take rights from one that is there. Another database may be creating it at this moment."""
        rights = "NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION"
        self.cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        if self.cursor.fetchone():
            self.run(f"ALTER ROLE {{role}} {rights}", role=name)
            return
        created = "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL"
        self.run(f"DO $$ BEGIN CREATE ROLE {{role}} {rights}; {created}; END $$", role=name)

    def ownership(self) -> None:
        for table in self.tables:
            self.run("ALTER TABLE {schema}.{table} OWNER TO {owner}", table=table)
        for function in (APPEND, APPEND_SYSTEM, GUARD, SENDER, *HELPERS):
            self.run("ALTER FUNCTION {schema}." + function + " OWNER TO {owner}")


def _web(give: Rights) -> None:
    recorded = {*READ_ONLY, *WRITTEN_ONCE, STREAM, "django_migrations"}
    for table in give.tables:
        if table not in recorded:
            give.run("GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.{table} TO {web}", table=table)
    give.run("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {web}")
    for table in (*READ_ONLY, "django_migrations"):
        give.run("GRANT SELECT ON {schema}.{table} TO {web}", table=table)
    for table in (*WRITTEN_ONCE, STREAM):
        give.run("GRANT SELECT, INSERT ON {schema}.{table} TO {web}", table=table)
    give.run("GRANT UPDATE (answer) ON {schema}.audit_command TO {web}")  # which a guard lets end
    # A role can lock a row only if it may update a column of it. This column has no meaning.
    give.run("GRANT UPDATE (lockable) ON {schema}.audit_stream TO {web}")
    for function in (APPEND, GUARD, SENDER):
        give.run("GRANT EXECUTE ON FUNCTION {schema}." + function + " TO {web}")


def _auditor(give: Rights) -> None:
    for table in give.tables:
        if table in SECRETS:
            for column in _columns(table) - SECRETS[table]:
                give.run(
                    "GRANT SELECT ({column}) ON {schema}.{table} TO {auditor}", column=column, table=table
                )
        elif table not in HIDDEN:
            give.run("GRANT SELECT ON {schema}.{table} TO {auditor}", table=table)


def _sealer(give: Rights) -> None:
    for table in ("audit_entry", STREAM, *SEALS, KEY, STATUS, LEASE):
        give.run("GRANT SELECT ON {schema}.{table} TO {sealer}", table=table)
    for table in (STREAM, *SEALS, KEY, STATUS, LEASE):
        give.run("GRANT INSERT ON {schema}.{table} TO {sealer}", table=table)
    give.run("GRANT UPDATE (lockable) ON {schema}.audit_stream TO {sealer}")
    give.run("GRANT UPDATE (retired_at) ON {schema}.audit_signingkey TO {sealer}")
    give.run("GRANT UPDATE ON {schema}.audit_sealerstatus TO {sealer}")
    give.run("GRANT UPDATE ON {schema}.audit_sealerlease TO {sealer}")
    give.run("GRANT EXECUTE ON FUNCTION {schema}." + APPEND_SYSTEM + " TO {sealer}")


def _columns(table: str) -> set[str]:
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    return {str(field.column) for field in model._meta.concrete_fields}


def _later_tables(give: Rights) -> None:
    default = "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} "
    give.run(default + "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {web}")
    give.run(default + "GRANT USAGE, SELECT ON SEQUENCES TO {web}")
    give.run(default + "GRANT SELECT ON TABLES TO {auditor}")
    give.run("ALTER DEFAULT PRIVILEGES FOR ROLE {owner} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
